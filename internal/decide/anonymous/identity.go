package anonymous

import (
	"bytes"
	_ "embed"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

// headersFile has the headers that say nothing of who is asking: what browsers, crawlers, content
// delivery networks and platforms send with everybody's requests. Lines that begin with "= " have
// whole names, and the beginnings of families with a star. The others have words, some joined by
// dashes: a name made of such words alone is harmless too. Any other header may name a visitor or
// carry a credential. Proxies, log-in agents and owners have a thousand names for that, and no list
// of them would be complete.
//
//go:embed headers.txt
var headersFile string

var harmlessNames, harmlessWords, harmlessFamilies = readHeaders(headersFile)

func readHeaders(file string) (names, words map[string]bool, families []string) {
	names, words = map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(file) {
		set := words
		if strings.HasPrefix(line, "= ") {
			set, line = names, line[2:]
		}
		if strings.HasPrefix(line, "# ") {
			continue
		}
		for name := range strings.FieldsSeq(line) {
			if start, family := strings.CutSuffix(name, "*"); family {
				families = append(families, start)
			} else {
				set[name] = true
			}
		}
	}
	return names, words, families
}

// longestHeader bounds the length of a harmless name.
const longestHeader = 64

// harmless reports whether a header of that name says nothing of who is asking.
func harmless(name string) bool {
	if len(name) > longestHeader {
		return false
	}
	var buf [longestHeader]byte
	rest := buf[:copy(buf[:], name)]
	for i, c := range rest {
		switch {
		case 'A' <= c && c <= 'Z':
			rest[i] += 'a' - 'A'
		case ('a' > c || c > 'z') && ('0' > c || c > '9'):
			rest[i] = '-' // some servers turn underscores into dashes
		}
	}
	if harmlessNames[string(rest)] {
		return true
	}
	for len(rest) > 0 {
		end := len(rest) // of the longest harmless word that the rest begins with
		for end > 0 && !((end == len(rest) || rest[end] == '-') && harmlessWords[string(rest[:end])]) {
			end--
		}
		if end == 0 {
			return inFamily(name)
		}
		rest = bytes.TrimPrefix(rest[end:], []byte("-"))
	}
	return true
}

// visitorWords are in names that may tell of a visitor, besides those that sessionLike knows.
var visitorWords = []string{
	"cert", "verify", "access", "account", "member", "mail", "secret", "key", "client-id", "subject", "principal", "ident", "claim", "group", "role",
	"org", "tenant", "person", "profile", "customer", "owner", "phone", "msisdn", "signature", "pass", "cred",
}

// inFamily reports whether a name that is not known belongs to a family of a product that names no visitors.
func inFamily(name string) bool {
	return !sessionLike(name) && !hasWord(name, visitorWords) &&
		slices.ContainsFunc(harmlessFamilies, func(start string) bool { return len(name) >= len(start) && strings.EqualFold(name[:len(start)], start) })
}

// certificateWords are in names of headers that tell of a client's certificate.
var certificateWords = []string{"cert", "tls", "ssl", "verify", "x509", "-dn", "-cn"}

// identity returns IdentityHeader or ClientCertificate if a header may identify a user, else None.
func (b Benign) identity(name string, values []string) eligibility.Reason {
	if harmless(name) || len(b.own) > 0 && b.names(name+":") {
		return eligibility.None
	}
	why := eligibility.IdentityHeader
	lower := strings.ReplaceAll(strings.ToLower(name), "_", "-")
	if slices.ContainsFunc(certificateWords, func(word string) bool { return strings.Contains(lower, word) }) {
		why = eligibility.ClientCertificate
	}
	if nobody(values, why) {
		return eligibility.None
	}
	return why
}

// NamingHeaders yields the name of each header that may identify the client, as [eligibility.IdentityHeader] or
// [eligibility.ClientCertificate].
func (b Benign) NamingHeaders(h http.Header) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name, values := range h {
			if !credentials[name] && b.identity(name, values) != eligibility.None && !yield(name) {
				return
			}
		}
	}
}

// credentials are headers with reasons of their own.
var credentials = map[string]bool{"Cookie": true, "Authorization": true, "Proxy-Authorization": true}

// nobody reports whether the values of a header that could name a user say that there is none.
// Access managers say so of visitors who have not logged in, and servers of a certificate that was
// not sent. An empty value does not say so: a user without groups is logged in too.
func nobody(values []string, why eligibility.Reason) bool {
	for _, v := range values {
		switch strings.ToLower(v) {
		case "unauthenticated", "anonymous":
		case "none", "false", "0": // OpenSSL says 0 for a good certificate, and also if there is none
			if why != eligibility.ClientCertificate {
				return false
			}
		default:
			return false
		}
	}
	return true
}
