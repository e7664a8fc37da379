package observation

import (
	"iter"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/servemap/servemap/internal/page/escape"
	"github.com/servemap/servemap/internal/page/location"
)

// Named is what a request names besides its page. A page may repeat it in its links, such as a link
// back to the page that the visitor came from. It is private to the visitor, so it is neither
// stored nor logged.
type Named struct {
	Referer string // the header
	Query   string // as it was sent
	Others  string // the values of other headers that may name a location, and the telling words of the rest
	Much    bool   // they are too long to be kept
	Vouched bool   // the client is anonymous by the owner's word alone, as with a cookie that he named
}

// Echo is what a page's links may repeat of the request.
type Echo struct {
	From     string          // the location in the Referer, whatever its host, or ""
	path     string          // of the Referer, see Bare
	said     string          // the queries of the request and the Referer, and other headers, without escapes
	words    map[string]bool // the telling ones in the request's query and other headers
	named    string          // the letters and digits of all that the request names, but for those of ordinary words
	own      string          // those of the page's own address
	anything bool            // the headers may name any location
}

// newEcho returns the echo of a request for a location.
func newEcho(in *location.Normalizer, asked string, n *Named) (e Echo) {
	e.said, e.anything = unescape(n.Query+" "+n.Others), n.Much
	own := asked + " " + in.Origin().String() // whoever asks for the page names these words
	for w := range Telling(e.said) {
		if e.words == nil {
			e.words = map[string]bool{}
		}
		e.words[w] = true
	}
	for w := range Telling(unescape(own)) {
		delete(e.words, w)
	}
	e.named, e.own = letters(e.said+" "+unescape(n.Referer)), letters(unescape(own))
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
	e.From, e.path = in.Resolve("/", target).Location, Bare(unescape(path))
	e.said += " " + unescape(query)
	return e
}

// Telling yields the words of a text that may come from this request alone: those of five letters or digits and
// more, in lower case, but for what browsers, crawlers and proxies send with most requests. A page may make
// links of them, as of a language that it does not know.
func Telling(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for word := range strings.FieldsFuncSeq(text, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			if len(word) < leastTelling {
				continue
			}
			if word = strings.ToLower(word); !ordinary[word] && !yield(word) {
				return
			}
		}
	}
}

const leastTelling = 5 // bytes

// letters returns the letters and digits of a text in lower case, without accents and ordinary words. Sites make
// names so, of whatever they get.
func letters(text string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) }) {
		if ordinary[word] {
			continue
		}
		for _, c := range norm.NFKD.String(word) {
			if !unicode.IsMark(c) {
				b.WriteRune(c)
			}
		}
	}
	return b.String()
}

// ordinary are words of most requests. Where one is missing, a link with that word needs a visitor who does not send it.
var ordinary = func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq("alive android application applewebkit bingbot brand cache chrome chromium client close cloudflare cloudfront compatible cross deflate " +
		"document empty exchange fastly firefox gecko google googlebot https image intel iphone khtml linux macintosh macos microsoft mobile mozilla navigate opera " +
		"origin prefetch safari script signed store trailers upgrade varnish version windows xhtml") {
		set[word] = true
	}
	return set
}()

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
	for w := range Telling(path + " " + unescape(query)) {
		if e.words[w] {
			return true
		}
	}
	for part := range strings.FieldsFuncSeq(path+"&"+unescape(query), func(c rune) bool { return strings.ContainsRune("/&=?", c) }) {
		if part = letters(part); len(part) >= leastTelling && !strings.Contains(e.own, part) && strings.Contains(e.named, part) {
			return true
		}
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
