package html

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// meta reads a meta element. Its name may be in an attribute that search engines do not read.
func (r *reader) meta(t tag, in trait) {
	content, name := t.get("content"), bytes.Join([][]byte{t.get("name"), t.get("property"), t.get("http-equiv")},
		[]byte(" "))
	if in&(noText|inert) == 0 && r.facts.Refresh == (Refresh{}) && strings.EqualFold(string(t.get("http-equiv")),
		"refresh") {
		r.facts.Refresh = ReadRefresh(string(content[:min(len(content), maxRules)]))
	}
	rules := metaRules(name, content)
	switch {
	case len(rules) > 0:
		if slices.ContainsFunc(r.stack.frames, func(f frame) bool { return f.name == "template" }) {
			return // no crawler finds it there
		}
		for _, rule := range rules {
			r.facts.Rules.add(rule)
			if len(r.facts.Metas) < maxMetas {
				r.facts.Metas = append(r.facts.Metas, rule)
			}
		}
	case in&(noText|inert) != 0 || !r.facts.Modified.IsZero() || len(content) > maxDate:
		// only visitors without scripts see it, or no visitor at all
	case bytes.Contains(bytes.ToLower(name), []byte("article:modified_time")):
		r.facts.Modified = Date(string(content))
	}
}

// headLink reads a link element in the head.
func (r *reader) headLink(t tag) {
	rel, lang := string(t.get("rel")), t.get("hreflang")
	canonical, onward := hasToken(rel, "canonical"), leadsOn(rel)
	alternate := len(lang) > 0 && len(r.facts.Alternates) < maxAlternates && hasToken(rel, "alternate")
	if !canonical && !alternate && !onward {
		return
	}
	href := string(trimHref(t.get("href")))
	if href == "" || len(href) > maxHref || !IsWeb(href) {
		return
	}
	if onward {
		r.links.add([]byte(href), 0, noFollowRel(t.get("rel")), acts(t))
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

// Refresh is where a page leads by itself, at once or within seconds. Search engines take that for a redirect.
type Refresh struct {
	Href   string // as written, "" for nowhere
	Now    bool   // at once, as what has moved for good
	Script bool   // the page has no text, and a script that does nothing else
}

// leading matches a script that only leads to an address. runnable matches the types of scripts that browsers run.
var (
	leading = regexp.MustCompile(`^\s*(?://\s*)?(?:<!(?:--|\[CDATA\[)\s*)?(?:(?:window|document|self|top|parent)\.)?` +
		`location(?:\.href)?\s*(?:=|\.(?:replace|assign)\()\s*(?:"([^"\\]+)"|'([^'\\]+)')\s*\)?[\s;]*(?://\s*)?(?:-->|\]\]>)?\s*$`)
	runnable = regexp.MustCompile(`(?i)^\s*(?:|module|(?:text|application)/(?:x-)?(?:java|ecma)script)\s*$`)
)

// slowestRefresh is after how many seconds a page that leads on is still no page of its own.
const slowestRefresh = 5

var refresh = regexp.MustCompile(`(?is)^\s*(\d{1,9})[\d.]*(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))`)

// ReadRefresh reads the value of a Refresh header or of a meta element in its place, as browsers do (HTML standard,
// "shared declarative refresh steps"). It returns the zero Refresh for one that loads the same page anew or waits too
// long.
func ReadRefresh(value string) (r Refresh) {
	m := refresh.FindStringSubmatch(value)
	if m == nil {
		return r
	}
	after, _ := strconv.Atoi(m[1]) // of digits
	href := string(trimHref([]byte(m[2] + m[3] + m[4])))
	if after > slowestRefresh || href == "" || len(href) > maxHref || !IsWeb(href) {
		return r
	}
	return Refresh{Href: href, Now: after == 0}
}

// onward are the relations of a page to others that it leads its readers to.
var onward = strings.Fields("next prev previous first last up start index contents")

// leadsOn reports whether a link in the head leads readers to another page.
func leadsOn(rel string) bool {
	return slices.ContainsFunc(onward, func(word string) bool { return hasToken(rel, word) })
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

// relOf and langOf match parameters of a link in a Link header.
var (
	relOf  = regexp.MustCompile(`(?i);\s*rel\s*=\s*(?:"([^"]*)"|([^"\s;,]+))`)
	langOf = regexp.MustCompile(`(?i);\s*hreflang\s*=\s*"?([\w-]{1,64})`)
)

// AddHeader adds the links of Link headers that lead readers to other pages, and the alternates.
func (r *References) AddHeader(values []string) {
	for _, v := range values {
		for _, link := range linkValue.FindAllStringSubmatch(v[:min(len(v), maxLinkHeader)], -1) {
			href, rel, lang := trimHref([]byte(link[1])), relOf.FindStringSubmatch(link[2]), langOf.FindStringSubmatch(link[2])
			if rel == nil || !isLocation(href) {
				continue
			}
			if name := rel[1] + rel[2]; leadsOn(name) {
				r.Links = append(r.Links, Link{Href: string(href), NoFollow: noFollowRel([]byte(name))})
			} else if lang != nil && hasToken(name, "alternate") && len(r.Alternates) < maxAlternates {
				r.Alternates = append(r.Alternates, Alternate{Lang: lang[1], Href: string(href)})
			}
		}
	}
}

// hasToken reports whether a list separated by white space holds a token, in any case.
func hasToken(list, token string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(word string) bool { return strings.EqualFold(word, token) })
}
