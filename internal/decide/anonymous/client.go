// Package anonymous says whether a request comes from an anonymous visitor, who gets what everybody
// may see. It takes the request's headers and what the owner calls benign. It must never guess in
// favour of a request: a header or cookie that is not known to be harmless may name the visitor.
package anonymous

import (
	"net/http"
	"net/netip"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

// Credentials returns why the client may not be an anonymous visitor, or None. It suspects every
// header and every cookie that is not known to be harmless. If a proxy adds a header of its own to
// every request, nobody is anonymous until the owner names that header in b.
func Credentials(r *http.Request, b Benign) eligibility.Reason {
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		return eligibility.ClientCertificate
	}
	for name := range r.Header {
		switch {
		case name == "Cookie":
			for range b.Telling(r.Header) {
				return eligibility.Cookie
			}
		case name == "Authorization" || name == "Proxy-Authorization":
			return eligibility.Authorization
		case b.identifies(name):
			return eligibility.IdentityHeader
		}
	}
	return eligibility.None
}

// Network returns the client network of addr: the /24 of an IPv4 or the /48 of an IPv6 address. It
// returns the zero Prefix for addresses outside the public internet, such as private ones: they do
// not tell visitors apart.
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

// sharedAddress is the range of carrier-grade NAT (RFC 6598). [netip.Addr.IsPrivate] leaves it out.
var sharedAddress = netip.MustParsePrefix("100.64.0.0/10")
