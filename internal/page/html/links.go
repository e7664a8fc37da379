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
	Link
	where trait
}

// add notes a reference. A repeated reference is merged: it has the regions of all its occurrences, and is nofollow
// only if all of them are. If one of its occurrences acts, a visit may act.
func (l *links) add(href []byte, in trait, noFollow, acts bool) {
	if i, known := l.at[string(href)]; known {
		r := &l.refs[i]
		r.where |= in
		r.NoFollow, r.Acts = r.NoFollow && noFollow, r.Acts || acts
		return
	}
	if len(l.refs) == MaxLinks {
		return
	}
	if l.at == nil {
		l.at = make(map[string]int)
	}
	l.at[string(href)] = len(l.refs)
	l.refs = append(l.refs, ref{Link{Href: string(href), NoFollow: noFollow, Acts: acts}, in})
}

func (l *links) list(main trait) (list []Link) {
	for _, r := range l.refs {
		r.Main = r.where&main != 0
		list = append(list, r.Link)
	}
	return list
}

// link notes the link of an a or area element. Text after an a element belongs to its link. A heading's link to a
// part of its own page, which is mostly itself, is text.
func (r *reader) link(el *element, t tag, in trait) {
	href := trimHref(t.get("href"))
	if in&foreign != 0 && len(href) == 0 {
		href = trimHref(t.get("xlink:href")) // a link in a drawing
	}
	inside := len(href) > 0 && href[0] == '#'
	if el.name == "a" {
		r.text.link, r.text.inLink, r.text.inside, r.text.toFile = 0, true, inside, mediumFile(string(href)) != ""
		if t.has("href") && !(inside && in&heading != 0) {
			r.text.begun++
			r.text.link = r.text.begun
		}
	}
	if isShown(t, in) && isLocation(href) && !inside {
		r.links.add(href, region(in), noFollowRel(t.get("rel")), acts(t))
	}
}

// isShown reports whether visitors see an element.
func isShown(t tag, in trait) bool { return in&inert == 0 && !t.has("hidden") }

// isLocation reports whether a reference is kept.
func isLocation(href []byte) bool { return len(href) > 0 && len(href) <= maxHref && IsWeb(href) }

// acts reports whether a script turns a visit of the link into another request, or asks the visitor first. Each tool
// has its own names for that, such as data-turbo-method, wire:click and data-ajax-confirm.
func acts(t tag) bool {
	for _, a := range t {
		tool, verb, _ := bytes.Cut(bytes.TrimPrefix(a.name, []byte("data-")), []byte("-"))
		switch {
		case bytes.Contains(a.name, []byte("confirm")), string(a.name) == "formaction",
			string(tool) == "hx" && changes(verb), bytes.HasSuffix(a.name, []byte("method")) && changes(a.value),
			bytes.Contains(a.name, []byte("click")) && (bytes.Contains(a.value, []byte("confirm(")) ||
				bytes.Contains(a.value, []byte("submit("))):
			return true
		}
	}
	return false
}

// changes reports whether a method changes something.
func changes(method []byte) bool {
	return slices.Contains([]string{"post", "put", "patch", "delete"}, strings.ToLower(string(method)))
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
