package html

import (
	"strings"
	"time"
)

// meta reads a meta element.
func (r *reader) meta(t tag, in trait) {
	content := t.get("content")
	if len(content) == 0 {
		return
	}
	if isForRobots(t) {
		r.facts.Rules.read(string(content))
		return
	}
	if in&(noText|inert) != 0 {
		return // only visitors without scripts see it, or no visitor at all
	}
	r.metaDate(t, content)
}

// dateSource says where in a page its date of modification was found.
type dateSource uint8

// The sources, in order of preference.
const (
	dateMeta dateSource = iota // article:modified_time
	dateData                   // dateModified of structured data
	dateName                   // last-modified, dcterms.modified and the like
	dateOG                     // og:updated_time
	dateNowhere
)

// maxDateName is the length of the longest name of a meta element that gives a date.
const maxDateName = len("og:article:modified_time")

// metaDate reads a meta element that may give a date. Its name may be in the attribute name,
// property or http-equiv.
func (r *reader) metaDate(t tag, content []byte) {
	if len(content) > maxDate {
		return
	}
	for _, attr := range [...]string{"property", "name", "http-equiv"} {
		name := t.get(attr)
		if len(name) < len("last-modified") || len(name) > maxDateName {
			continue
		}
		if source := sourceOf(strings.ToLower(string(name))); source != dateNowhere {
			r.modified(Date(string(content)), source)
		}
	}
}

// sourceOf returns the source of a date in a meta element with that name.
func sourceOf(name string) dateSource {
	switch name {
	case "article:modified_time", "og:article:modified_time":
		return dateMeta
	case "og:updated_time":
		return dateOG
	case "last-modified", "dcterms.modified", "dc.date.modified", "article.updated":
		return dateName
	}
	return dateNowhere
}

// modified notes a date of modification, unless a better source gave one. The first date of a
// source counts; of structured data, the latest.
func (r *reader) modified(t time.Time, source dateSource) {
	later := source == dateData && r.data.source == dateData && t.After(r.facts.Modified)
	if !t.IsZero() && (source < r.data.source || later) {
		r.facts.Modified, r.data.source = t, source
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
