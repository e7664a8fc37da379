package eligibility

import (
	"iter"
	"net/http"
	"strings"
)

// If a header's name has one of these words, it names a user or carries a credential.
// Authenticating proxies, log-in agents and TLS proxies use hundreds of such names, and site owners
// add their own, but few words occur in them. Names are compared in lower case. A word may stand
// anywhere in the name, since a tool's UserName arrives as Username. A dash stands for any
// separator, and for the beginning and the end of the name.
const (
	identityWords = "user login logon logged auth jwt token session principal identity account email -mail- credential creds consumer " +
		"-customer -member memberof eduperson -employee subject claim assertion bearer oidc openid shib saml mellon -sso- ldap kerberos spiffe " +
		"csrf xsrf password passwd impersonat pomerium -vouch- cf-access goog-iap tailscale-app msisdn " +
		"apikey api-key accesskey access-key subscription-key functions-key client-secret -client-id- " +
		"-remote-name- -remote-group -groups- -role- -roles- -admin- -uid- -sid- -upn- -eppn- -wsru- universalid " +
		"affiliation entitlement persistent-id targeted-id -nameid- -name-id- " +
		"displayname display-name givenname given-name -surname -nickname -fullname -full-name"

	certificateWords = "cert mtls ssl-client tls-client -dn- clientdn issuer x509 -wscc- " +
		"client-cn- client-verify client-verified client-serial client-san"

	// identity checks harmlessWords first. They are in headers that browsers, crawlers, content
	// delivery networks and platforms send with every request. These headers describe the software,
	// the address or the connection, or name the site and not its visitor.
	harmlessWords = "user-agent- useragent- user-ip- user-country- sec-fetch-user- authority- ssl-session tls-session " +
		"akamai-g2o-auth appengine-auth-domain- appengine-user-is-admin- nf-account vercel-oidc-token- l5d-client-id-"
)

// identityWord is one of these words, without its leading dash.
type identityWord struct {
	text   string
	begins bool // it had a dash: it matches only the beginning of a part
	why    Reason
}

// identityIndex holds the words by their first letter, harmless ones first.
var identityIndex = func() (index ['z' + 1][]identityWord) {
	for _, group := range []struct {
		words string
		why   Reason
	}{{harmlessWords, None}, {certificateWords, ClientCertificate}, {identityWords, IdentityHeader}} {
		for word := range strings.FieldsSeq(group.words) {
			text, begins := strings.CutPrefix(word, "-")
			index[text[0]] = append(index[text[0]], identityWord{text, begins, group.why})
		}
	}
	return index
}()

// identity returns IdentityHeader or ClientCertificate if a header of that name identifies a user,
// else None.
func identity(name string) Reason {
	var buf [64]byte
	parts := buf[:0]
	for i := range len(name) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case ('a' > c || c > 'z') && ('0' > c || c > '9'):
			c = '-' // some servers turn underscores into dashes
		}
		parts = append(parts, c)
	}
	parts = append(parts, '-')
next:
	for i := 0; i < len(parts)-1; i++ {
		for _, w := range identityIndex[parts[i]] {
			end := i + len(w.text)
			if w.text[1] != parts[i+1] || end > len(parts) || string(parts[i:end]) != w.text || w.begins && i > 0 && parts[i-1] != '-' {
				continue
			}
			if w.why != None {
				return w.why
			}
			i = end - 2 // the dash at its end may begin the next word
			continue next
		}
	}
	return None
}

// NamingHeaders yields the name of each header that identifies the client, as [IdentityHeader] or
// [ClientCertificate].
func NamingHeaders(h http.Header) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name, values := range h {
			if why := identity(name); why != None && !nobody(values, why) && !yield(name) {
				return
			}
		}
	}
}

// nobody reports whether the values of a header that could name a user say that there is none.
// Access managers say so of visitors who have not logged in, and servers of a certificate that was
// not sent. An empty value does not say so: a user without groups is logged in too.
func nobody(values []string, why Reason) bool {
	for _, v := range values {
		switch strings.ToLower(v) {
		case "unauthenticated", "anonymous":
		case "none", "false", "0": // OpenSSL says 0 for a good certificate, and also if there is none
			if why != ClientCertificate {
				return false
			}
		default:
			return false
		}
	}
	return true
}
