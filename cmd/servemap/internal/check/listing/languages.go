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
	if at, err := language.ParseRegion(m[3]); len(m[3]) == 2 && (err != nil || !at.IsCountry() || at.Canonicalize() != at) {
		hint := ""
		if strings.EqualFold(m[3], "uk") {
			hint = "; the United Kingdom is GB"
		}
		return "there is no region " + m[3] + " in ISO 3166-1" + hint
	}
	return ""
}

// otherLanguage has what is mistaken for the code of a language, most often the region's.
var otherLanguage = map[string]string{"jp": "ja", "cn": "zh", "dk": "da", "cz": "cs", "gr": "el", "ua": "uk", "us": "en-US", "gb": "en-GB", "at": "de-AT", "iw": "he", "in": "id"}

// alternates takes the versions in other languages that an entry names.
func (r *reader) alternates(n *sitemap.Node, e Entry, self string) {
	var v versions
	langs := map[string]string{}
	for _, l := range n.All(xhtmlNS, "link") {
		rel, _ := l.Get("rel")
		lang, has := l.Get("hreflang")
		href, _ := l.Get("href")
		tell := func(text string, args ...any) { r.To.Add("hreflang", e.At(), text, args...) }
		switch {
		case !strings.EqualFold(rel, "alternate"):
			tell("has a link of rel=%q; it must be alternate", rel)
			continue
		case !has:
			if media, _ := l.Get("media"); media == "" { // one for phones has a medium
				tell("has a link to %s without hreflang", href)
			}
			continue
		}
		if why := badLanguage(lang); why != "" {
			tell("has the hreflang %q: %s", lang, why)
		}
		u, why := address.Parse(strings.TrimSpace(href))
		if why.Kind != "" {
			tell("links for %s to %q, which %s", lang, href, why.Text)
		}
		if u == nil {
			continue
		}
		one := version{strings.ToLower(lang), href, address.Key(u)}
		if other, is := langs[one.lang]; is && other != one.key {
			tell("names two pages for %s", lang)
		}
		langs[one.lang] = one.key
		v.to = append(v.to, one)
	}
	if v.entry = e; len(v.to) > 0 && self != "" {
		r.languages[self] = v
	}
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
			case listed && (!named || !back.names(self)):
				j.To.Add("hreflang-return", e.At(), "names %s for %s, which does not name it in turn", one.href, one.lang)
			case !listed && one.lang != "x-default" && strings.HasPrefix(one.key, j.Scheme+"://"+j.Host+"/"):
				j.To.Add("hreflang-unlisted", report.At{Where: one.href, File: e.File, Line: e.Line}, "is named for %s by %s, and not listed", one.lang, e.Loc)
			}
		}
	}
}
