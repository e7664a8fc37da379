package listing

import (
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/page/sitemap"
)

// versions are the addresses that an entry, or its page itself, names as the page in its languages.
type versions struct {
	to     []version
	inPage bool
}

type version struct{ lang, href, key string }

var languageTag = regexp.MustCompile(`^([A-Za-z]{2,3})(?:-([A-Za-z]{4}))?(?:-([A-Za-z]{2}|[0-9]{3}))?$`)

// badLanguage says what is wrong with an hreflang, "" if nothing is.
func badLanguage(lang string) string {
	m := languageTag.FindStringSubmatch(lang)
	switch {
	case strings.EqualFold(lang, "x-default"):
		return ""
	case m == nil && strings.Contains(lang, "_"):
		return "write it with a hyphen, as in " + strings.ReplaceAll(lang, "_", "-")
	case m == nil:
		return "it is no language with a region, such as de-AT"
	}
	right := otherLanguage[strings.ToLower(m[1])]
	tag, err := language.Parse(m[1])
	if short, _ := tag.Base(); len(m[1]) == 3 && len(short.String()) == 2 {
		return "write " + short.String() + ", as ISO 639-1 has it"
	} else if err != nil || right != "" {
		if right != "" {
			right = ", perhaps " + right
		}
		return "there is no language " + m[1] + " in ISO 639-1" + right
	}
	if at, err := language.ParseRegion(m[3]); len(m[3]) == 2 &&
		(err != nil || !at.IsCountry() || at.Canonicalize() != at) {
		hint := ""
		if strings.EqualFold(m[3], "uk") {
			hint = "; the United Kingdom is GB"
		}
		return "there is no region " + m[3] + " in ISO 3166-1" + hint
	}
	return ""
}

// otherLanguage has what is mistaken for the code of a language, most often the region's.
var otherLanguage = map[string]string{"jp": "ja", "cn": "zh", "dk": "da", "cz": "cs", "gr": "el", "ua": "uk",
	"us": "en-US", "gb": "en-GB", "at": "de-AT", "iw": "he", "in": "id"}

// Link is a link to a page in another language. Relative has it as the page has it, if that is no whole URL.
type Link struct{ Lang, Href, Relative string }

// alternates takes the versions in other languages that an entry names.
func (r *reader) alternates(n *sitemap.Node, e Entry) {
	var links []Link
	for _, l := range n.All(xhtmlNS, "link") {
		rel, _ := l.Get("rel")
		lang, has := l.Get("hreflang")
		href, _ := l.Get("href")
		media, _ := l.Get("media")
		switch {
		case !strings.EqualFold(rel, "alternate"):
			r.tell(e, "hreflang", "has a link of rel=%q; it must be alternate", rel)
		case has:
			links = append(links, Link{Lang: lang, Href: strings.TrimSpace(href)})
		case media == "": // one for phones has a medium
			r.tell(e, "hreflang", "has a link to %s without hreflang", href)
		}
	}
	r.links(e, links, false)
}

// links takes the versions in other languages of a page, that its entry names, or the page itself.
func (j *Judge) links(e Entry, links []Link, inPage bool) {
	v, langs := versions{inPage: inPage}, map[string]string{}
	if i := slices.IndexFunc(links, func(l Link) bool { return l.Relative != "" }); i >= 0 { // a page's are of one kind
		kind, lacks, l := "hreflang", "is no whole URL", links[i]
		if strings.HasPrefix(l.Relative, "//") { // engines read it
			kind, lacks = "hreflang-scheme", "has no scheme"
		}
		if kind == "hreflang" || !j.To.Has(kind) { // which one template writes
			j.tell(e, kind, "links for %s to %q, which %s; write it as %s", l.Lang, l.Relative, lacks, l.Href)
		}
	}
	for _, l := range links {
		if why := badLanguage(l.Lang); why != "" {
			j.tell(e, "hreflang", "has the hreflang %q: %s", l.Lang, why)
		}
		u, why := address.Parse(l.Href)
		if why.Kind != "" {
			j.tell(e, "hreflang", "links for %s to %q, which %s", l.Lang, l.Href, why.Text)
		}
		if u == nil {
			continue
		}
		if e.Site == address.Site(u) { // that was told
			u.Scheme, u.Host = j.Scheme, j.Host
		}
		one := version{strings.ToLower(l.Lang), l.Href, address.Key(u)}
		if other, is := langs[one.lang]; is && other != one.key {
			j.tell(e, "hreflang", "names two pages for %s", l.Lang)
		}
		langs[one.lang] = one.key
		v.to = append(v.to, one)
	}
	if self := address.KeyOf(e.Loc); len(v.to) > 0 {
		j.languages[self] = v
		if !v.names(self) {
			j.tell(e, "hreflang", "names other languages and not itself")
		}
	}
}

// InPage takes the versions in other languages that a page names itself. Where its entry names some, these count.
func (j *Judge) InPage(e Entry, links []Link) {
	if _, is := j.languages[address.KeyOf(e.Loc)]; !is {
		j.links(e, links, true)
	}
}

// Names takes the versions in other languages that a page which is not listed names itself.
func (j *Judge) Names(e Entry, links []Link) {
	var v versions
	for _, l := range links {
		v.to = append(v.to, version{key: address.KeyOf(l.Href)})
	}
	j.languages[address.KeyOf(e.Loc)] = v
}

// names reports whether a key is among the versions.
func (v versions) names(key string) bool {
	return slices.ContainsFunc(v.to, func(one version) bool { return one.key == key })
}

// others yields each version in another language that a listed page names, once.
func (j *Judge) others(yield func(e Entry, self string, v versions, one version)) {
	if len(j.languages) == 0 {
		return // as of most sites
	}
	for _, e := range j.Pages {
		self := address.KeyOf(e.Loc)
		v, seen := j.languages[self], map[string]bool{self: true}
		for _, one := range v.to {
			if !seen[one.key] {
				seen[one.key] = true
				yield(e, self, v, one)
			}
		}
	}
}

// Unlisted returns versions in other languages that are on the site and not listed, as far as listed pages name them.
func (j *Judge) Unlisted() (some []Entry) {
	seen := map[string]bool{}
	j.others(func(e Entry, _ string, _ versions, one version) {
		if _, listed := j.place[one.key]; !listed && !seen[one.key] && j.own(one) {
			seen[one.key] = true
			some = append(some, Entry{Loc: one.href, File: e.File, Line: e.Line})
		}
	})
	return some
}

func (j *Judge) own(one version) bool { return strings.HasPrefix(one.key, j.Scheme+"://"+j.Host+"/") }

// Languages says which versions in other languages are no pages, or are not named in turn. wrong has what is wrong with
// the pages that were asked for, by key, "" for nothing. A page that was not read may name what its entry does not.
func (j *Judge) Languages(wrong map[string]string) {
	j.others(func(e Entry, self string, v versions, one version) {
		_, listed := j.place[one.key]
		says, asked := wrong[one.key]
		switch {
		case says != "":
			j.tell(e, "hreflang", "names %s for %s, which %s", one.href, one.lang, says)
		case badLanguage(one.lang) != "": // which was told: nobody follows the link
		case (listed || v.inPage) && (asked || !v.inPage) && !j.languages[one.key].names(self):
			j.tell(e, "hreflang-return", "names %s for %s, which does not link back", one.href, one.lang)
		case !listed && !v.inPage && one.lang != "x-default" && j.own(one):
			j.To.Add("hreflang-unlisted", report.At{Where: one.href, File: e.File, Line: e.Line},
				"is named for %s by %s, and not listed", one.lang, e.Loc)
		}
	})
}
