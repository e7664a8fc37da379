package observation

import (
	"strings"

	"github.com/servemap/servemap/internal/page/escape"
	"github.com/servemap/servemap/internal/page/location"
)

// Named is what a request names besides its page. A page may repeat it in its links, such as a link
// back to the page that the visitor came from. It is private to the visitor, so it is neither
// stored nor logged.
type Named struct {
	Referer string // the header
	Query   string // as it was sent
	Others  string // the values of other headers that may name a location
	Much    bool   // they are too long to be kept
	Cookies bool   // whether there are any
}

// Echo is what a page's links may repeat of the request.
type Echo struct {
	From     string // the location in the Referer, whatever its host, or ""
	path     string // of the Referer, see Bare
	said     string // the queries of the request and the Referer, and other headers, without escapes
	anything bool   // the headers may name any location
	Prompted bool   // the page may repeat more than From: what cookies mean to the site, or the rest of a query
}

// newEcho returns the echo of a request for a location.
func newEcho(norm *location.Normalizer, asked string, n *Named) (e Echo) {
	e.Prompted = n.Cookies || n.Query != queryOf(asked)
	e.said, e.anything = unescape(n.Query+" "+n.Others), n.Much
	if n.Referer == "" {
		return e
	}
	target, _, _ := strings.Cut(n.Referer, "#")
	if _, rest, absolute := strings.Cut(target, "://"); absolute {
		// The host does not matter: behind a proxy, a site has other names.
		target = "/" + rest[min(len(rest), strings.IndexAny(rest+"/", "/?")):]
		target = "/" + strings.TrimLeft(target, "/")
	}
	path, query, _ := strings.Cut(target, "?")
	e.From, e.path = norm.Resolve("/", target).Location, Bare(unescape(path))
	e.Prompted = e.Prompted || e.From == "" || query != queryOf(e.From)
	e.said += " " + unescape(query)
	return e
}

func queryOf(location string) string {
	_, query, _ := strings.Cut(location, "?")
	return query
}

// Repeats reports whether a link to a location may exist only because the request named that
// location. Then other visitors may not see it.
func (e *Echo) Repeats(location string) bool {
	if location == e.From || e.anything {
		return true
	}
	path, query, _ := strings.Cut(location, "?")
	path = unescape(path)
	if query == "" && e.path != "" && e.path == Bare(path) {
		return true
	}
	if relative := path[1:]; !strings.Contains(e.said, path) && (!strings.Contains(relative, "/") || !strings.Contains(e.said, relative)) {
		return false
	}
	for param := range strings.SplitSeq(query, "&") {
		if !strings.Contains(e.said, unescape(param)) {
			return false
		}
	}
	return true
}

// escapedTwice is how often a value in a query may be escaped, besides the query's own escapes.
const escapedTwice = 2

// unescape decodes the escapes in s, and escapes inside escapes.
func unescape(s string) string {
	for range 1 + escapedTwice {
		if !strings.Contains(s, "%") {
			break
		}
		b := make([]byte, 0, len(s))
		for i := 0; i < len(s); i++ {
			if escape.Is(s[i:]) {
				b = append(b, escape.Byte(s[i:]))
				i += 2
				continue
			}
			b = append(b, s[i])
		}
		s = string(b)
	}
	return s
}

// Bare returns the path of a location without differences of spelling: capitals, a final slash, an
// extension, the name of an index page.
func Bare(location string) string {
	path, _, _ := strings.Cut(strings.ToLower(location), "?")
	for _, end := range []string{"/", ".html", ".htm", ".php", "/index", "/default"} {
		path = strings.TrimSuffix(path, end)
	}
	return path
}
