package page

import (
	"slices"
	"strings"
)

// maxLinkHeader is how much of one Link header is read, in bytes.
const maxLinkHeader = 16 << 10

// LinkCanonicals returns the distinct targets, as written, that the values of
// Link headers (RFC 8288) name with rel=canonical. More than one is a
// conflict. Links for another context (anchor) or for a variant of the page
// (hreflang, media, type) are ignored.
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
	rel       bool // a rel was seen: only the first one counts
}

// cutLink takes one link-value from the beginning of v.
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
	l.target = cleanHref(target)
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

// cutParam takes a name and, if there is one, a value, quoted or not.
func cutParam(v string) (name, value, rest string) {
	v = strings.TrimLeft(v, " \t")
	i := strings.IndexAny(v, "=;, \t")
	if i < 0 {
		return v, "", ""
	}
	name, v = v[:i], strings.TrimLeft(v[i:], " \t")
	if !strings.HasPrefix(v, "=") {
		return name, "", v
	}
	v = strings.TrimLeft(v[1:], " \t")
	if strings.HasPrefix(v, `"`) {
		value, rest = cutQuoted(v[1:])
		return name, value, rest
	}
	i = strings.IndexAny(v, ";, \t")
	if i < 0 {
		return name, v, ""
	}
	return name, v[:i], v[i:]
}

// cutQuoted takes a quoted-string whose opening quote has been read.
func cutQuoted(v string) (value, rest string) {
	i := strings.IndexAny(v, `"\`)
	if i >= 0 && v[i] == '"' { // nearly always
		return v[:i], v[i+1:]
	}
	var b strings.Builder
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			return b.String(), v[i+1:]
		case '\\':
			if i++; i == len(v) {
				return b.String(), ""
			}
		}
		b.WriteByte(v[i])
	}
	return b.String(), ""
}

// hasToken reports whether a list separated by white space has a token, in any
// case.
func hasToken(list, token string) bool {
	for f := range strings.FieldsSeq(list) {
		if strings.EqualFold(f, token) {
			return true
		}
	}
	return false
}
