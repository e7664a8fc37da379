package admit

import (
	"iter"
	"net/http"
	"strings"
)

// What in a header's name says that the header names somebody, or carries what
// lets him in. Authenticating proxies, log-in agents and ends of TLS have some
// hundreds of such names, and owners make more of their own; the words in them
// are few. They are looked for anywhere in the name in lower case, since what
// tools write as UserName arrives as Username; a dash stands for any separator,
// also for the beginning and the end.
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

	// harmlessWords are looked for first. They stand in headers that browsers,
	// crawlers, content delivery networks and platforms send with everybody's
	// request: what says something of the software, the address or the
	// connection, and by what a platform knows the site and not its visitor.
	harmlessWords = "user-agent- useragent- user-ip- user-country- sec-fetch-user- authority- ssl-session tls-session " +
		"akamai-g2o-auth appengine-auth-domain- appengine-user-is-admin- nf-account vercel-oidc-token- l5d-client-id-"
)

// identityWord is one of these words, without the dash before it.
type identityWord struct {
	text   string
	begins bool // there was one: it stands only at the beginning of a part
	why    Reason
}

// identityIndex holds them by their first letter, each harmless one before the
// others.
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

// identity returns IdentityHeader or ClientCertificate for the name of a header
// that names somebody, and else None.
func identity(name string) Reason {
	var buf [64]byte
	parts := buf[:0]
	for i := range len(name) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case ('a' > c || c > 'z') && ('0' > c || c > '9'):
			c = '-' // some servers take an underscore for a dash, and hand on both
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
			i = end - 2 // a dash at its end is also where the next one begins
			continue next
		}
	}
	return None
}

// NamingHeaders yields the name of each header that makes its client known as
// [IdentityHeader] or [ClientCertificate].
func NamingHeaders(h http.Header) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name, values := range h {
			if why := identity(name); why != None && !nobody(values, why) && !yield(name) {
				return
			}
		}
	}
}

// nobody reports whether the values of a header that could name somebody say
// that there is nobody: what access managers call a visitor who has not logged
// in, and what servers say of a certificate that was not sent. An empty value
// does not say so: who has no group may be logged in all the same.
func nobody(values []string, why Reason) bool {
	for _, v := range values {
		switch strings.ToLower(v) {
		case "unauthenticated", "anonymous":
		case "none", "false", "0": // the last is OpenSSL's word for a certificate with nothing wrong, also with none
			if why != ClientCertificate {
				return false
			}
		default:
			return false
		}
	}
	return true
}
