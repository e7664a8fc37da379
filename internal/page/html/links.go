package html

import (
	"bytes"
	"slices"
	"strings"
)

// links collects distinct references.
type links struct {
	refs []ref
	at   map[string]int // where a reference is in refs
}

// ref is one reference.
type ref struct {
	href     string
	where    where
	noFollow bool
	does     action
}

// action is what happens when a visitor follows a link.
type action uint8

const (
	visits action = iota // a GET of the reference
	other                // a script makes another request of it, such as a DELETE
	asks                 // a GET, or another request, which the visitor has to confirm
)

// merge returns the action of two links with one reference. A plain link shows that a GET is a visit,
// although a script turns the other link into a DELETE: Rails links so to a post, and to its end.
// It shows nothing about a GET that has to be confirmed.
func (d action) merge(o action) action {
	if d == asks || o == asks {
		return asks
	}
	return min(d, o)
}

// add notes a reference. A repeated reference is merged: it has the regions of all its occurrences,
// and is nofollow only if all of them are.
func (l *links) add(href []byte, w where, noFollow bool, does action) {
	if i, known := l.at[string(href)]; known {
		r := &l.refs[i]
		r.where |= w
		r.noFollow = r.noFollow && noFollow
		r.does = r.does.merge(does)
		return
	}
	if len(l.refs) == maxLinks {
		return
	}
	if l.at == nil {
		l.at = make(map[string]int)
	}
	l.at[string(href)] = len(l.refs)
	l.refs = append(l.refs, ref{string(href), w, noFollow, does})
}

func (l *links) list(main where) (list []Link) {
	for _, r := range l.refs {
		list = append(list, Link{Href: r.href, NoFollow: r.noFollow, Main: r.where&main != 0, Acts: r.does != visits})
	}
	return list
}

// link notes the link of an a or area element. Text after an a element belongs to its link. A heading's link to a
// part of its own page, which is mostly itself, is text.
func (r *reader) link(el *element, t tag, in trait) {
	href := trimHref(t.get("href"))
	inside := len(href) > 0 && href[0] == '#'
	if el.name == "a" {
		r.text.link = 0
		if t.has("href") && !(inside && in&heading != 0) {
			r.text.begun++
			r.text.link = r.text.begun
		}
	}
	if isShown(t, in) && isLocation(href) && !inside {
		r.links.add(href, whereOf(in), noFollowRel(t.get("rel")), actionOf(t))
	}
}

// isShown reports whether visitors see an element.
func isShown(t tag, in trait) bool { return in&inert == 0 && !t.has("hidden") }

// isLocation reports whether a reference is kept.
func isLocation(href []byte) bool { return len(href) > 0 && len(href) <= maxHref && IsWeb(href) }

// actionOf returns what a link does. What has another method asks before that, not before a visit.
func actionOf(t tag) (does action) {
	for _, a := range t {
		switch {
		case a.name == sends, a.name == method && sendsBy(a.value):
			return other
		case a.name == confirm, a.name == click && (bytes.Contains(a.value, []byte("confirm(")) || bytes.Contains(a.value, []byte("submit("))):
			does = asks
		}
	}
	return does
}

func noFollowRel(rel []byte) bool {
	s := string(rel)
	return hasToken(s, "nofollow") || hasToken(s, "ugc") || hasToken(s, "sponsored")
}

// IsWeb reports whether a reference is relative or has the scheme http or https.
func IsWeb[T string | []byte](href T) bool {
	for i := 0; i < len(href); i++ {
		switch c := href[i]; {
		case c == ':':
			return i == 0 || strings.EqualFold(string(href[:i]), "http") || strings.EqualFold(string(href[:i]), "https")
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return true // no scheme
		}
	}
	return true
}

// trimHref removes control characters and spaces at both ends, and tabs and line ends anywhere. The
// URL standard does so too before parsing.
func trimHref(href []byte) []byte {
	href = bytes.TrimFunc(href, func(c rune) bool { return c <= ' ' })
	isLineSpace := func(c byte) bool { return c == '\t' || c == '\n' || c == '\r' }
	if slices.ContainsFunc(href, isLineSpace) {
		return slices.DeleteFunc(slices.Clone(href), isLineSpace)
	}
	return href
}
