package listing

import (
	"regexp"
	"slices"
	"strings"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
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
	case len(m[1]) == 2 && !strings.Contains(iso639, strings.ToLower(m[1])+" "):
		hint := ""
		if right := otherLanguage[strings.ToLower(m[1])]; right != "" {
			hint = ", perhaps " + right
		}
		return "there is no language " + m[1] + " in ISO 639-1" + hint
	case len(m[3]) == 2 && !strings.Contains(iso3166, strings.ToUpper(m[3])+" "):
		hint := ""
		if strings.EqualFold(m[3], "uk") {
			hint = "; the United Kingdom is GB"
		}
		return "there is no region " + m[3] + " in ISO 3166-1" + hint
	}
	return ""
}

// otherLanguage has what is mistaken for the code of a language, most often the region's.
var otherLanguage = map[string]string{"jp": "ja", "cn": "zh", "dk": "da", "cz": "cs", "gr": "el", "kr": "ko", "ua": "uk", "us": "en-US", "gb": "en-GB", "at": "de-AT", "iw": "he", "in": "id"}

// alternates takes the versions in other languages that an entry names.
func (r *reader) alternates(n *node, e Entry, self string) {
	var v versions
	langs := map[string]string{}
	for _, l := range n.all(xhtmlNS, "link") {
		rel, _ := l.get("rel")
		lang, has := l.get("hreflang")
		href, _ := l.get("href")
		tell := func(text string, args ...any) { r.To.Add("hreflang", e.At(), text, args...) }
		switch {
		case !strings.EqualFold(rel, "alternate"):
			tell("has a link of rel=%q; it must be alternate", rel)
			continue
		case !has:
			if media, _ := l.get("media"); media == "" { // one for phones has a medium
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

// The codes of languages (ISO 639-1) and regions (ISO 3166-1), each with a blank behind it.
const (
	iso639 = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv " +
		"ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my " +
		"na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty " +
		"ug uk ur uz ve vi vo wa wo xh yi yo za zh zu "
	iso3166 = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ " +
		"DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP " +
		"KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ " +
		"OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ " +
		"UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW "
)
