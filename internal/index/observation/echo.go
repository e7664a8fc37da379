package observation

import (
	"regexp"
	"strings"

	"github.com/servemap/servemap/internal/page/escape"
	"github.com/servemap/servemap/internal/page/location"
)

// Named is what a visitor's request names besides its page. A page may repeat it in its links, such as a link
// back to the page that the visitor came from. It is private to the visitor, so it is neither
// stored nor logged.
type Named struct {
	Referer string // the header
	Query   string // as it was sent
	Vouched bool   // the client is anonymous by the owner's word alone, as with a cookie that he named
}

// Echo is what a page's links may repeat of the request. A link that repeats it proves nothing in that answer.
type Echo struct {
	from string // the location in the Referer, whatever its host, or ""
	path string // of the Referer, see Bare
	said string // the queries of the request and the Referer, without escapes
}

// newEcho returns the echo of a request.
func newEcho(in *location.Normalizer, n *Named) (e Echo) {
	e.said = broken.ReplaceAllString(unescape(n.Query), " ")
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
	e.from, e.path = in.Resolve("/", target).Location, Bare(unescape(path))
	e.said += " " + unescape(query)
	return e
}

// Repeats reports whether a link to a location may exist only because the request named that
// location. Then other visitors may not see it.
func (e *Echo) Repeats(link string) bool {
	path, query, _ := strings.Cut(link, "?")
	path = unescape(path)
	switch relative := strings.TrimPrefix(path, "/"); {
	case e.from != "" && location.Sorted(link) == location.Sorted(e.from),
		query == "" && e.path != "" && e.path == Bare(path):
		return true
	case !names(e.said, path) && (!strings.Contains(relative, "/") || !names(e.said, relative)):
		return false
	}
	for param := range strings.SplitSeq(query, "&") {
		if !strings.Contains(e.said, unescape(param)) {
			return false
		}
	}
	return true
}

// names reports whether a text names exactly that path: not a path below it, and not a longer one with the same end.
func names(said, path string) bool {
	for at := 0; ; at++ {
		i := strings.Index(said[at:], path)
		if i < 0 {
			return false
		}
		at += i
		before, after := said[:at], strings.TrimPrefix(said[at+len(path):], "/")
		if (host.MatchString(before) || !inPath.MatchString(before)) && !ofPath.MatchString(after) {
			return true
		}
	}
}

var (
	host   = regexp.MustCompile(`//[^/\s]*$`)           // before a path
	inPath = regexp.MustCompile(`[\pL\pN/._~-]$`)       // before a path that is the end of a longer one
	ofPath = regexp.MustCompile(`^[\pL\pN/._~:@!$+*-]`) // after a path that goes on
	broken = regexp.MustCompile(`%.{0,2}`)              // what is left of broken escapes
)

// escapedTwice is how often a value in a query may be escaped, besides the query's own escapes.
const escapedTwice = 2

// unescape decodes the escapes in s, and escapes inside escapes.
func unescape(s string) string {
	for range 1 + escapedTwice {
		s = escape.Decode(s)
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
