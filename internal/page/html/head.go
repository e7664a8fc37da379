package html

import (
	"bytes"
	"strings"
)

// meta reads a meta element. Its name may be in an attribute that search engines do not read.
func (r *reader) meta(t tag, in trait) {
	content, name := t.get("content"), bytes.Join([][]byte{t.get("name"), t.get("property"), t.get("http-equiv")}, []byte(" "))
	switch {
	case forRobots.Match(name):
		r.facts.Rules.read(string(content))
	case in&(noText|inert) != 0 || !r.facts.Modified.IsZero() || len(content) > maxDate:
		// only visitors without scripts see it, or no visitor at all
	case bytes.Contains(bytes.ToLower(name), []byte("article:modified_time")):
		r.facts.Modified = Date(string(content))
	}
}

// headLink reads a link element in the head.
func (r *reader) headLink(t tag) {
	rel, lang := string(t.get("rel")), t.get("hreflang")
	canonical := hasToken(rel, "canonical")
	alternate := len(lang) > 0 && len(r.facts.Alternates) < maxAlternates && hasToken(rel, "alternate")
	if !canonical && !alternate {
		return
	}
	href := string(trimHref(t.get("href")))
	if href == "" || len(href) > maxHref || !IsWeb(href) {
		return
	}
	if alternate {
		lang := strings.TrimSpace(string(lang[:min(len(lang), 64)]))
		r.facts.Alternates = append(r.facts.Alternates, Alternate{Lang: lang, Href: href})
	}
	ofVariant := t.has("hreflang") || t.has("lang") || t.has("media") || t.has("type")
	switch {
	case !canonical || ofVariant:
	case r.facts.Canonical == "":
		r.facts.Canonical = href
	case r.facts.Canonical != href:
		r.facts.CanonicalConflict = true
	}
}

func (r *reader) base(t tag, in trait) {
	if href := t.get("href"); r.facts.Base == "" && in&(noText|inert) == 0 && len(href) <= maxHref {
		r.facts.Base = string(trimHref(href))
	}
}

// lang takes the language of the page.
func (r *reader) lang(t tag) {
	if r.facts.Lang != "" || len(t.get("lang")) > 64 {
		return
	}
	tag := strings.TrimSpace(string(t.get("lang")))
	r.facts.Language = tag
	primary, _, _ := strings.Cut(tag, "-")
	r.facts.Lang = strings.ToLower(strings.TrimSpace(primary))
}

// title takes the characters of a title element. The first one that says anything counts.
func (r *reader) title(s []byte) {
	if r.facts.Title == "" {
		r.facts.Title = PlainText(s, maxTitle)
	}
}
