package html

import (
	"slices"
	"strings"
)

// maxLinkHeader is how many bytes of one Link header are read.
const maxLinkHeader = 16 << 10

// LinkCanonicals returns the distinct targets with rel=canonical in Link headers (RFC 8288), as
// written. More than one is a conflict. It ignores links for another context (anchor) and for a
// variant of the page (hreflang, media, type).
func LinkCanonicals(values []string) []string {
	var found []string
	for _, v := range values {
		v = v[:min(len(v), maxLinkHeader)]
		for v != "" {
			var l headerLink
			l, v = cutLink(v)
			if l.canonical && !l.variant && l.target != "" && IsWeb(l.target) && !slices.Contains(found, l.target) {
				found = append(found, l.target)
			}
		}
	}
	return found
}

// headerLink is one link of a Link header.
type headerLink struct {
	target    string
	canonical bool
	variant   bool
	rel       bool // whether a rel was seen: only the first one counts
}

// cutLink takes one link from the beginning of v.
func cutLink(v string) (l headerLink, rest string) {
	v = strings.TrimLeft(v, " \t,")
	if !strings.HasPrefix(v, "<") {
		_, rest, _ = strings.Cut(v, ",")
		return l, rest
	}
	target, v, ok := strings.Cut(v[1:], ">")
	if !ok {
		return l, ""
	}
	l.target = string(trimHref([]byte(target)))
	for {
		v = strings.TrimLeft(v, " \t")
		if !strings.HasPrefix(v, ";") {
			break
		}
		var name, value string
		name, value, v = cutParam(v[1:])
		l.param(name, value)
	}
	_, rest, _ = strings.Cut(v, ",")
	return l, rest
}

func (l *headerLink) param(name, value string) {
	switch strings.ToLower(name) {
	case "rel":
		if !l.rel {
			l.rel = true
			l.canonical = hasToken(value, "canonical")
		}
	case "anchor", "hreflang", "media", "type":
		l.variant = true
	}
}

// cutParam takes a name and its value, if it has one, quoted or not.
func cutParam(v string) (name, value, rest string) {
	const space = " \t"
	name, v = cutBefore(strings.TrimLeft(v, space), "=;,"+space)
	v = strings.TrimLeft(v, space)
	if !strings.HasPrefix(v, "=") {
		return name, "", v
	}
	v = strings.TrimLeft(v[1:], space)
	if strings.HasPrefix(v, `"`) {
		value = quoted(v)
		return name, strings.Trim(value, `"`), v[len(value):]
	}
	value, rest = cutBefore(v, ";,") // without quotes too, a value may be several words
	return name, value, rest
}

// cutBefore cuts s before the first of some characters.
func cutBefore(s, chars string) (before, rest string) {
	i := strings.IndexAny(s, chars)
	if i < 0 {
		return s, ""
	}
	return s[:i], s[i:]
}

// quoted returns the quoted text at the beginning of s, with its quotes, as written. A quote after
// a backslash does not end it.
func quoted(s string) string {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return s[:i+1]
		}
	}
	return s
}

// hasToken reports whether a list separated by white space holds a token, in any case.
func hasToken(list, token string) bool {
	for f := range strings.FieldsSeq(list) {
		if strings.EqualFold(f, token) {
			return true
		}
	}
	return false
}
