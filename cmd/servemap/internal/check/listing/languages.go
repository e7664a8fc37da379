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

// versions are the addresses that an entry names as the page in its languages.
type versions struct {
	entry Entry
	to    []version
}

type version struct{ lang, href, key string }

var languageTag = regexp.MustCompile(`^([A-Za-z]{2,3})(?:-([A-Za-z]{4}))?(?:-([A-Za-z]{2}|[0-9]{3}))?$`)

// badLanguage says what is wrong with an hreflang, "" if nothing is.
func badLanguage(lang string) string {
	if strings.EqualFold(lang, "x-default") {
		return ""
	}
	m := languageTag.FindStringSubmatch(lang)
	switch {
	case m == nil && strings.Contains(lang, "_"):
		return "write it with a hyphen, as in " + strings.ReplaceAll(lang, "_", "-")
	case m == nil:
		return "it is no language with a region, such as de-AT"
	}
	right := otherLanguage[strings.ToLower(m[1])]
	if _, err := language.ParseBase(m[1]); len(m[1]) == 2 && (err != nil || right != "") {
		if right != "" {
			right = ", perhaps " + right
		}
		return "there is no language " + m[1] + " in ISO 639-1" + right
	}
	if at, err := language.ParseRegion(m[3]); len(m[3]) == 2 && (err != nil || !at.IsCountry() ||
		at.Canonicalize() != at) {
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

// Link is a link to a page in another language.
type Link struct{ Lang, Href string }

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
			r.To.Add("hreflang", e.At(), "has a link of rel=%q; it must be alternate", rel)
		case has:
			links = append(links, Link{lang, strings.TrimSpace(href)})
		case media == "": // one for phones has a medium
			r.To.Add("hreflang", e.At(), "has a link to %s without hreflang", href)
		}
	}
	r.links(e, links)
}

// links takes the versions in other languages of a page.
func (j *Judge) links(e Entry, links []Link) {
	v := versions{entry: e}
	langs := map[string]string{}
	tell := func(text string, args ...any) { j.To.Add("hreflang", e.At(), text, args...) }
	for _, l := range links {
		if why := badLanguage(l.Lang); why != "" {
			tell("has the hreflang %q: %s", l.Lang, why)
		}
		u, why := address.Parse(l.Href)
		if why.Kind != "" {
			tell("links for %s to %q, which %s", l.Lang, l.Href, why.Text)
		}
		if u == nil {
			continue
		}
		one := version{strings.ToLower(l.Lang), l.Href, address.Key(u)}
		if other, is := langs[one.lang]; is && other != one.key {
			tell("names two pages for %s", l.Lang)
		}
		langs[one.lang] = one.key
		v.to = append(v.to, one)
	}
	if len(v.to) > 0 {
		j.languages[address.KeyOf(e.Loc)] = v
	}
}

// Read is a page that was read, with the versions in other languages that it names itself.
type Read struct {
	Entry
	Links []Link
}

// InPages judges the versions in other languages that pages name themselves, as those of entries, among the pages that
// were read. Where the entry names some, these are judged.
func (j *Judge) InPages(read []Read) {
	in := NewJudge(Site{}, j.To)
	for _, p := range read {
		key := address.KeyOf(p.Loc)
		if _, is := j.languages[key]; !is {
			in.place[key], in.Pages = len(in.Pages), append(in.Pages, p.Entry)
			in.links(p.Entry, p.Links)
		}
	}
	in.Languages()
}

// names reports whether a key is among the versions.
func (v versions) names(key string) bool {
	return slices.ContainsFunc(v.to, func(one version) bool { return one.key == key })
}

// Languages says which versions in other languages are not named in turn.
func (j *Judge) Languages() {
	for _, e := range j.Pages {
		self := address.KeyOf(e.Loc)
		v, some := j.languages[self]
		if !some {
			continue
		}
		if !v.names(self) {
			j.To.Add("hreflang", e.At(), "names other languages and not itself")
		}
		seen := map[string]bool{}
		for _, one := range v.to {
			if one.key == self || seen[one.key] {
				continue
			}
			seen[one.key] = true
			back, named := j.languages[one.key]
			_, listed := j.place[one.key]
			switch {
			case badLanguage(one.lang) != "": // which was told
			case listed && (!named || !back.names(self)):
				j.To.Add("hreflang-return", e.At(), "names %s for %s, which does not name it in turn", one.href, one.lang)
			case !listed && j.Host != "" && one.lang != "x-default" && strings.HasPrefix(one.key, j.Scheme+"://"+j.Host+"/"):
				j.To.Add("hreflang-unlisted", report.At{Where: one.href, File: e.File, Line: e.Line},
					"is named for %s by %s, and not listed", one.lang, e.Loc)
			}
		}
	}
}
