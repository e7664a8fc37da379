package ledger

import (
	"strings"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/escape"
	"github.com/servemap/servemap/internal/location"
)

// Named is what a request names besides the page that it asks for. A page may
// repeat it in its links, such as one back to where the visitor came from. It is
// the visitor's own, so it is neither stored nor logged.
type Named struct {
	Referer string // the header
	Query   string // as it was sent
	Cookies bool   // it has any
}

// echo is what a page would repeat of the request in its links.
type echo struct {
	from     string // the location in the Referer, whatever the host, "" if there is none
	path     string // of the Referer, see bare
	said     string // by the queries of the request and of the Referer, without escapes
	prompted bool   // more may be repeated than from: the site knows what cookies mean, and the rest of a query
}

// newEcho returns the echo of a request for a location.
func newEcho(norm *location.Normalizer, asked string, n *Named) (e echo) {
	e.prompted = n.Cookies || n.Query != queryOf(asked)
	e.said = unescape(n.Query)
	if n.Referer == "" {
		return e
	}
	target, _, _ := strings.Cut(n.Referer, "#")
	if _, rest, absolute := strings.Cut(target, "://"); absolute {
		// The host does not matter: behind a proxy a site has other names.
		target = "/" + rest[min(len(rest), strings.IndexAny(rest+"/", "/?")):]
		target = "/" + strings.TrimLeft(target, "/")
	}
	path, query, _ := strings.Cut(target, "?")
	e.from, e.path = norm.Resolve("/", target).Location, bare(unescape(path))
	e.prompted = e.prompted || e.from == "" || query != queryOf(e.from)
	e.said += " " + unescape(query)
	return e
}

func queryOf(location string) string {
	_, query, _ := strings.Cut(location, "?")
	return query
}

// repeats reports whether a link to a location may be there only because the
// request named it. Then it says nothing of what other visitors see.
func (e *echo) repeats(location string) bool {
	if location == e.from {
		return true
	}
	path, query, _ := strings.Cut(location, "?")
	path = unescape(path)
	if query == "" && e.path != "" && e.path == bare(path) {
		return true
	}
	if !strings.Contains(e.said, path) {
		return false
	}
	for param := range strings.SplitSeq(query, "&") {
		if !strings.Contains(e.said, unescape(param)) {
			return false
		}
	}
	return true
}

// unprompted reports whether the request named no page but public ones, so that
// no link can be there for the visitor's sake.
func (m *merge) unprompted(k *look) bool {
	switch from := k.echo.from; {
	case k.echo.prompted:
		return false
	case from == "" || m.l.entries[from]:
		return true
	default:
		s, _ := m.load(from)
		return s.listed()
	}
}

// escapedTwice is how often what a query carries is escaped at most, beyond the
// escapes of the query itself.
const escapedTwice = 2

// unescape returns s without its escapes, and without those that were escaped.
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

// point notes that a look saw a listed page lead to a location, and reports
// whether that is news.
func (m *merge) point(k *look, location string, to *state) (changed bool) {
	changed = to.point(k)
	if !to.unprompted && !to.public() && admit.WordOf(location, to.variable) == admit.Risky && m.unprompted(k) {
		to.unprompted, changed = true, true
	}
	return changed
}
