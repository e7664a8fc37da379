package html

import (
	"bytes"
	"regexp"
	"slices"
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
	if lang := t.get("lang"); r.facts.Language == "" && len(lang) <= 64 {
		r.facts.Language = strings.TrimSpace(string(lang))
	}
}

// title takes the characters of a title element. The first one that says anything counts.
func (r *reader) title(s []byte) {
	if r.facts.Title == "" {
		r.facts.Title = PlainText(s, maxTitle)
	}
}

// maxLinkHeader is how many bytes of one Link header are read.
const maxLinkHeader = 16 << 10

// linkValue matches a link of a Link header: its target, and its parameters up to the next link. canonicalRel
// matches parameters of which a rel has the word canonical.
var (
	linkValue    = regexp.MustCompile(`<([^<>]*)>([^<]*)`)
	canonicalRel = regexp.MustCompile(`(?i);[ \t]*rel[ \t]*=[^;,]*\bcanonical\b`)
)

// LinkCanonicals returns the distinct targets with rel=canonical in Link headers (RFC 8288), as
// written. More than one is a conflict, also if one is for another context or for a variant of the page.
func LinkCanonicals(values []string) (found []string) {
	for _, v := range values {
		for _, link := range linkValue.FindAllStringSubmatch(v[:min(len(v), maxLinkHeader)], -1) {
			target := string(trimHref([]byte(link[1])))
			if target != "" && IsWeb(target) && canonicalRel.MatchString(link[2]) && !slices.Contains(found, target) {
				found = append(found, target)
			}
		}
	}
	return found
}

// hasToken reports whether a list separated by white space holds a token, in any case.
func hasToken(list, token string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(word string) bool { return strings.EqualFold(word, token) })
}
