package html

import (
	"bytes"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// hrefs collects distinct references. It keeps their bytes in one buffer, which becomes one string
// at the end.
type hrefs struct {
	buf  []byte
	refs []ref
	at   map[uint64]int // where the reference with a hash is in refs
}

// ref is one reference.
type ref struct {
	start, end int
	where      where
	noFollow   bool
	does       deed
}

// deed is what happens when a visitor follows a link.
type deed uint8

const (
	visits deed = iota // a GET of the reference
	other              // a script makes another request of it, such as a DELETE
	asks               // a GET, or another request, which the visitor has to confirm
)

// merge returns the deed of two links with one reference. A plain link shows that a GET is a visit,
// although a script turns the other link into a DELETE: Rails links so to a post, and to its end.
// It shows nothing about a GET that has to be confirmed.
func (d deed) merge(o deed) deed {
	if d == asks || o == asks {
		return asks
	}
	return min(d, o)
}

func (h *hrefs) reset() {
	clear(h.at)
	h.buf, h.refs = h.buf[:0], h.refs[:0]
}

// add notes a reference. A repeated reference is merged: it has the regions of all its occurrences,
// and is nofollow only if all of them are. Once there are limit references, add drops new ones.
func (h *hrefs) add(href []byte, w where, noFollow bool, does deed, limit int) {
	hash := xxh3.Hash(href)
	if i, known := h.at[hash]; known {
		r := &h.refs[i]
		r.where |= w
		r.noFollow = r.noFollow && noFollow
		r.does = r.does.merge(does)
		return
	}
	if len(h.refs) >= limit {
		return
	}
	if h.at == nil {
		h.at = make(map[uint64]int)
	}
	h.at[hash] = len(h.refs)
	start := len(h.buf)
	h.buf = append(h.buf, href...)
	h.refs = append(h.refs, ref{start, len(h.buf), w, noFollow, does})
}

func (h *hrefs) links(main where) []Link {
	if len(h.refs) == 0 {
		return nil
	}
	all := string(h.buf)
	list := make([]Link, len(h.refs))
	for i, r := range h.refs {
		list[i] = Link{Href: all[r.start:r.end], NoFollow: r.noFollow, Main: r.where&main != 0, Acts: r.does != visits}
	}
	return list
}

// sources returns the references in the main text.
func (h *hrefs) sources(main where) (list []string) {
	all := string(h.buf)
	for _, r := range h.refs {
		if r.where&main != 0 && len(list) < maxImages {
			list = append(list, all[r.start:r.end])
		}
	}
	return list
}

// link notes the link of an a or area element. Text after an a element belongs to its link.
func (r *reader) link(el element, t *tag, in trait) {
	if r.headOnly {
		return
	}
	if el == elA {
		r.inLink = 0
		if t.has(attrHref) {
			r.linkCount++
			r.inLink = r.linkCount
		}
	}
	href := trimHref(t.get(attrHref))
	if isShown(t, in) && isLocation(href) && href[0] != '#' {
		r.links.add(href, whereOf(in), noFollowRel(t.get(attrRel)), deedOf(t), maxLinks)
	}
}

// image notes the source of an img element.
func (r *reader) image(t *tag, in trait) {
	if r.headOnly || !isShown(t, in) {
		return
	}
	r.picture(t, in)
	if src := trimHref(t.get(attrSrc)); isLocation(src) {
		r.images.add(src, whereOf(in), false, visits, 2*maxImages)
	}
}

// isShown reports whether visitors see an element.
func isShown(t *tag, in trait) bool { return in&inert == 0 && !t.has(attrHidden) }

// isLocation reports whether a reference is kept.
func isLocation(href []byte) bool { return len(href) > 0 && len(href) <= maxHref && IsWeb(href) }

// deedOf returns what a link does.
func deedOf(t *tag) deed {
	for _, a := range [...]attr{attrDataMethod, attrDataTurboMethod} {
		if m := t.get(a); len(m) > 0 && !strings.EqualFold(string(m), "get") {
			return other
		}
	}
	for _, a := range [...]attr{attrHxDelete, attrHxPatch, attrHxPost, attrHxPut} {
		if t.has(a) {
			return other
		}
	}
	onclick := t.get(attrOnclick)
	if t.has(attrDataConfirm) || bytes.Contains(onclick, []byte("confirm(")) || bytes.Contains(onclick, []byte("submit(")) {
		return asks
	}
	return visits
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
