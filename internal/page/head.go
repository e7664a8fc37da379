package page

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// meta reads a meta element.
func (r *reader) meta(t *tag, in trait) {
	content := t.get(attrContent)
	if len(content) == 0 {
		return
	}
	if isRobotName(bytes.TrimSpace(t.get(attrName))) {
		r.rules.read(string(content))
		return
	}
	if in&(noText|inert) != 0 {
		return // for visitors without scripts, or for none
	}
	if r.facts.Refresh == "" && strings.EqualFold(string(t.get(attrHTTPEquiv)), "refresh") {
		r.facts.Refresh = refreshTarget(string(content))
		return
	}
	r.media.meta(t, content)
	if !r.headOnly {
		r.metaDate(t, content)
	}
}

// metaDate reads a meta element that may state a date. The name is that of the
// attribute name, property or http-equiv.
func (r *reader) metaDate(t *tag, content []byte) {
	if len(content) > maxDate {
		return
	}
	for _, a := range [...]attr{attrProperty, attrName, attrHTTPEquiv} {
		source, published := dateName(t.get(a))
		switch {
		case published:
			r.publish(string(content))
		case source != DateNone:
			r.modify(string(content), source)
		}
	}
}

// dateName returns what a meta element of that name states.
func dateName(name []byte) (modified DateSource, published bool) {
	if len(name) < len("last-modified") || len(name) > len("og:article:published_time") {
		return DateNone, false
	}
	switch strings.ToLower(string(name)) {
	case "article:modified_time", "og:article:modified_time":
		return DateMeta, false
	case "og:updated_time":
		return DateOG, false
	case "last-modified", "dcterms.modified", "dc.date.modified", "article.updated":
		return DateName, false
	case "article:published_time", "og:article:published_time":
		return DateNone, true
	}
	return DateNone, false
}

// modify notes a date of modification unless a better source or the same one
// has given a date.
func (r *reader) modify(s string, source DateSource) {
	if r.facts.ModifiedSource != DateNone && r.facts.ModifiedSource <= source {
		return
	}
	if t := pageDate(s); !t.IsZero() {
		r.facts.Modified, r.facts.ModifiedSource = t, source
	}
}

func (r *reader) publish(s string) {
	if r.facts.Published.IsZero() {
		r.facts.Published = pageDate(s)
	}
}

// headLink reads a link element in the head.
func (r *reader) headLink(t *tag) {
	rel := string(t.get(attrRel))
	href := t.get(attrHref)
	if len(href) == 0 || len(href) > maxHref {
		return
	}
	if hasToken(rel, "canonical") {
		r.canonical(t)
	}
	if len(r.facts.Alternates) < maxAlternates && len(t.get(attrHreflang)) > 0 && hasToken(rel, "alternate") {
		if clean := cleanHref(string(href)); clean != "" && webHref(clean) {
			lang := strings.TrimSpace(string(t.get(attrHreflang)[:min(len(t.get(attrHreflang)), 64)]))
			r.facts.Alternates = append(r.facts.Alternates, Alternate{Lang: lang, Href: clean})
		}
	}
}

// canonical notes a canonical location. One for a variant of the page, and one
// that no browser can follow, does not count.
func (r *reader) canonical(t *tag) {
	if t.has(attrHreflang) || t.has(attrLang) || t.has(attrMedia) || t.has(attrType) {
		return
	}
	href := cleanHref(string(t.get(attrHref)))
	switch {
	case href == "" || !webHref(href):
	case r.facts.Canonical == "":
		r.facts.Canonical = href
	case r.facts.Canonical != href:
		r.facts.CanonicalConflict = true
	}
}

func (r *reader) base(t *tag, in trait) {
	if r.facts.Base != "" || in&(noText|inert) != 0 || len(t.get(attrHref)) > maxHref {
		return
	}
	r.facts.Base = cleanHref(string(t.get(attrHref)))
}

// lang takes the language of the page.
func (r *reader) lang(t *tag) {
	if r.facts.Lang != "" || len(t.get(attrLang)) > 64 {
		return
	}
	r.media.takeLang(t.get(attrLang))
	s, _, _ := strings.Cut(string(t.get(attrLang)), "-")
	r.facts.Lang = strings.ToLower(strings.TrimSpace(s))
}

// title takes the characters of the first title element.
func (r *reader) title(s []byte) {
	if r.titleSeen {
		return
	}
	r.titleSeen = true
	s = s[skipSpace(s):]
	r.scratch, _ = appendCollapsed(r.scratch[:0], s[:min(len(s), 8*maxTitle)])
	title := r.scratch
	if len(title) > maxTitle {
		n := maxTitle
		for n > 0 && !utf8.RuneStart(title[n]) {
			n--
		}
		title = bytes.TrimSuffix(title[:n], []byte(" "))
	}
	r.facts.Title = string(bytes.ToValidUTF8(title, nil))
}

// refreshTarget returns where the content of a meta refresh leads, by the
// steps of the HTML standard, "shared declarative refresh steps". It is empty
// if the page only reloads itself.
func refreshTarget(content string) string {
	s := strings.TrimLeft(content, " \t\r\n\f")
	n := strings.IndexFunc(s, func(c rune) bool { return c != '.' && (c < '0' || c > '9') })
	if n <= 0 {
		return ""
	}
	s = s[n:]
	rest := strings.TrimLeft(s, " \t\r\n\f;,")
	if len(rest) == len(s) {
		return "" // neither space nor separator after the delay
	}
	if len(rest) >= 3 && strings.EqualFold(rest[:3], "url") {
		if after, ok := strings.CutPrefix(strings.TrimLeft(rest[3:], " \t\r\n\f"), "="); ok {
			rest = strings.TrimLeft(after, " \t\r\n\f")
		}
	}
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		q := rest[:1]
		rest, _, _ = strings.Cut(rest[1:], q)
	}
	if len(rest) > maxHref {
		return ""
	}
	return cleanHref(rest)
}
