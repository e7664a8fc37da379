package anonymous

import (
	"bytes"
	_ "embed"
	"iter"
	"net/http"
	"slices"
	"strings"
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

// longestName bounds the length of a name that is harmless for its words.
const longestName = 64

// spelled writes a name in lower case, with a dash for each sign that is neither letter nor digit, and before a
// capital inside a word. It returns nothing if the name is too long.
func spelled(buf *[longestName]byte, name string) []byte {
	n := 0
	for i := range len(name) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			if i > 0 && 'a' <= name[i-1] && name[i-1] <= 'z' && n < len(buf) {
				buf[n], n = '-', n+1
			}
			c += 'a' - 'A'
		case ('a' > c || c > 'z') && ('0' > c || c > '9'):
			c = '-' // some servers turn underscores into dashes
		}
		if n == len(buf) {
			return nil
		}
		buf[n], n = c, n+1
	}
	return buf[:n]
}

// consists reports whether a spelled name is made of words alone, and whether one of them is true in words.
// A word may have dashes, and the longest one counts. short is how many letters or small numbers count too.
func consists(name []byte, words map[string]bool, short int) (all, one bool) {
	for name = bytes.Trim(name, "-"); len(name) > 0; name = bytes.TrimLeft(name, "-") {
		end := len(name)
		for ; end > 0; end-- {
			if end < len(name) && name[end] != '-' {
				continue
			}
			is, known := words[string(name[:end])]
			if one = one || is; known {
				break
			}
			if short > 0 && (end == 1 || end <= 3 && len(bytes.Trim(name[:end], "0123456789")) == 0) {
				short--
				break
			}
		}
		if end == 0 {
			return false, false
		}
		name = name[end:]
	}
	return true, one
}

// harmless reports whether a header of that name says nothing of who is asking.
func harmless(name string) bool {
	var buf [longestName]byte
	words := spelled(&buf, name)
	if len(words) == 0 {
		return false
	}
	all, _ := consists(words, harmlessWords, 0)
	return all || harmlessNames[string(words)] || inFamily(name)
}

// visitorWords are in names that may tell of a visitor, besides those that SessionLike knows.
var visitorWords = []string{
	"cert", "verify", "ssl-client", "tls-client", "x509", "-dn", "-cn", "access", "account", "member", "mail", "secret",
	"key", "client-id", "subject", "principal", "ident", "claim", "group", "role",
	"org", "tenant", "person", "profile", "customer", "owner", "phone", "msisdn", "signature", "pass", "cred",
}

// inFamily reports whether a name that is not known belongs to a family of a product that names no visitors.
func inFamily(name string) bool {
	return slices.ContainsFunc(harmlessFamilies,
		func(start string) bool { return len(name) >= len(start) && strings.EqualFold(name[:len(start)], start) }) &&
		!tells(name)
}

// tells reports whether a name may tell of a visitor.
func tells(name string) bool { return SessionLike(name) || hasWord(name, visitorWords) }

// identifies reports whether a header may identify a user.
func (b Benign) identifies(name string) bool {
	return !harmless(name) && !(len(b.own) > 0 && b.names(name+":")) && !(b.added && !tells(name))
}

// NamingHeaders yields the name of each header that may identify the client.
func (b Benign) NamingHeaders(h http.Header) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range h {
			if !credentials[name] && b.identifies(name) && !yield(name) {
				return
			}
		}
	}
}

// NamesUser reports whether a name with a colon is that of a header that the owner cannot call benign.
func NamesUser(name string) bool {
	header, is := strings.CutSuffix(name, ":")
	return is && credentials[http.CanonicalHeaderKey(header)]
}

// credentials are headers with reasons of their own.
var credentials = map[string]bool{"Cookie": true, "Authorization": true, "Proxy-Authorization": true}
