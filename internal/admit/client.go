package admit

import (
	"net/http"
	"net/netip"
	"strings"
)

// benignCookies are the names, or with a final "*" the prefixes, of cookies
// that consent banners, analytics and load balancers give to every visitor.
// They say nothing of who is asking. The prefixes are as long as they can be:
// some frameworks make the name of the session of an application's, as in
// "_gallery_session".
var benignCookies = []string{
	"_ga", "_ga_*", "_gac_*", "_gid", "_gat", "_gat_*", "_gcl_*", "_fbp", "__utma", "__utmb", "__utmc", "__utmt", "__utmv", "__utmz",
	"_hjid", "_hjSession_*", "_hjSessionUser_*", "_hjFirstSeen", "_hjIncludedIn*", "_hjAbsoluteSessionInProgress", "_hjTLDTest",
	"_pk_id.*", "_pk_ses.*", "_pk_ref.*", "_pk_cvar.*", "_pk_hsr.*",
	"OptanonConsent", "CookieConsent", "cookieconsent*",
	"__cf_bm", "cf_clearance", "AWSALB", "AWSALBCORS", "AWSALBTG", "AWSALBTGCORS",
}

// sessionEnd is how the name of a session ends in those frameworks.
const sessionEnd = "_session"

// Cookies is a set of cookie names that do not make a client known. The zero
// value is the built-in set. It is safe for concurrent use.
type Cookies struct{ own []string }

// NewCookies returns the built-in set with names added. A name that ends in
// "*" stands for all that begin so.
func NewCookies(names []string) Cookies {
	return Cookies{own: append([]string(nil), names...)}
}

func (c Cookies) benign(name string) bool {
	return matchesName(benignCookies, name) && !strings.HasSuffix(name, sessionEnd) || matchesName(c.own, name)
}

func matchesName(patterns []string, name string) bool {
	for _, p := range patterns {
		if prefix, star := strings.CutSuffix(p, "*"); star && strings.HasPrefix(name, prefix) || p == name {
			return true
		}
	}
	return false
}

// Credentials returns why the request may show more than an anonymous visitor
// gets, or None. Only what the client or a proxy sent is looked at; a header
// that a proxy adds to every request, such as one with a user's name, makes
// every request known, and the owner must then say which are anonymous.
func Credentials(r *http.Request, cookies Cookies) Reason {
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		return ClientCertificate
	}
	for name, values := range r.Header {
		switch {
		case name == "Cookie":
			if !benignHeader(values, cookies) {
				return Cookie
			}
		case name == "Authorization" || name == "Proxy-Authorization":
			return Authorization
		case certificateHeader(name):
			return ClientCertificate
		case identityHeader(name):
			return IdentityHeader
		case strings.Contains(name, "_"):
			// Some servers take an underscore for a dash, and hand on both.
			dashed := http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
			switch {
			case certificateHeader(dashed):
				return ClientCertificate
			case identityHeader(dashed) || dashed == "Authorization":
				return IdentityHeader
			}
		}
	}
	return None
}

// benignHeader reports whether every cookie in the header lines is benign. A
// part without "=" has no name that could be known, so it is not.
func benignHeader(lines []string, cookies Cookies) bool {
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ";") {
			part = strings.TrimSpace(part)
			if part == "" {
				continue
			}
			name, _, ok := strings.Cut(part, "=")
			if !ok || !cookies.benign(strings.TrimSpace(name)) {
				return false
			}
		}
	}
	return true
}

// identityHeaders are names, in canonical form, by which authenticating proxies
// and API clients tell the application who is asking; with a final "*" they
// are prefixes.
var identityHeaders = []string{
	"X-Forwarded-User", "X-Forwarded-Email", "X-Forwarded-Preferred-Username", "X-Forwarded-Groups", "X-Forwarded-Access-Token",
	"X-Remote-User*", "X-Remote-Group*", "Remote-User", "Remote-Name", "Remote-Email", "Remote-Groups",
	"X-Auth-*", "X-Authenticated-*", "X-Access-Token", "X-Token-*", "X-Api-Key", "X-Api-Token", "X-Apigateway-Api-Userinfo",
	"X-User", "X-User-Id", "X-User-Email", "X-Session-*", "X-Webauth-User*",
	"Cf-Access-*", "X-Goog-Iap-*", "X-Goog-Authenticated-User-*", "X-Amzn-Oidc-*",
	"X-Ms-Client-Principal*", "X-Ms-Token-*", "Tailscale-User-*", "X-Pomerium-*", "X-Authentik-*", "X-Vouch-*",
	"X-Gitlab-Token", "Private-Token", "X-Csrf-Token", "X-Xsrf-Token",
	"X-Consumer-*", "X-Credential-*", "X-Userinfo", "X-Username", "X-User-Name", "X-Id-Token", "X-Jwt-Assertion",
	"Oidc-*", "Shib-*", "Api-Key", "Apikey",
}

func identityHeader(name string) bool {
	switch name[:min(1, len(name))] {
	case "X", "R", "C", "T", "O", "S", "A", "P":
		return matchesName(identityHeaders, name)
	}
	return false
}

// certificateHeaders are those by which a proxy that ends TLS passes on the
// client's certificate, or the name in it.
var certificateHeaders = []string{
	"X-Forwarded-Client-Cert", "X-Forwarded-Tls-Client-Cert*", "X-Amzn-Mtls-Clientcert*", "X-Client-Cert", "X-Arr-Clientcert",
	"Client-Cert", "Client-Cert-Chain", "Cf-Client-Cert-*",
	"X-Ssl-Client-Cert", "X-Ssl-Client-S-Dn", "X-Ssl-Client-Dn", "X-Ssl-Client-Cn", "Ssl-Client-Cert", "Ssl-Client-Subject-Dn", "Ssl-Client-S-Dn",
}

func certificateHeader(name string) bool {
	switch name[:min(1, len(name))] {
	case "X", "C", "S":
		return matchesName(certificateHeaders, name)
	}
	return false
}

// forwardingHeaders are those by which proxies pass on the client's address.
var forwardingHeaders = []string{
	"X-Forwarded-For", "Forwarded", "X-Real-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip",
	"X-Forwarded-Host", "X-Forwarded-Proto", "Cdn-Loop",
	"X-Client-Ip", "X-Cluster-Client-Ip", "Via", "Fly-Client-Ip", "X-Envoy-External-Address", "X-Azure-Clientip",
}

// Forwarded reports whether a proxy seems to stand between the client and the
// server, so that the peer's address is not the client's.
func Forwarded(h http.Header) bool {
	for _, name := range forwardingHeaders {
		if _, ok := h[name]; ok {
			return true
		}
	}
	return false
}

// Network returns the client network of addr, the /24 of an IPv4 or the /48 of
// an IPv6 address, or the zero Prefix where the address is private or otherwise
// not of the public internet, and so tells no two visitors apart.
func Network(addr netip.Addr) netip.Prefix {
	addr = addr.Unmap().WithZone("")
	if !addr.IsValid() || addr.IsPrivate() || !addr.IsGlobalUnicast() || sharedAddress.Contains(addr) {
		return netip.Prefix{}
	}
	bits := 24
	if addr.Is6() {
		bits = 48
	}
	p, _ := addr.Prefix(bits) // fails only for more bits than the address has
	return p
}

// sharedAddress is the range of carrier-grade NAT (RFC 6598), which
// [netip.Addr.IsPrivate] leaves out.
var sharedAddress = netip.MustParsePrefix("100.64.0.0/10")
