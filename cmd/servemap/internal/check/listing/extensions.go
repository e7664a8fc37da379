package listing

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/internal/page/sitemap"
)

// field is an element of an extension.
type field struct {
	name string
	must bool
	is   string // what it has, "" for anything
}

// one matches an element in a list: its name, ! if it must be there, and what it has, behind that or a colon.
var one = regexp.MustCompile(`(\w+)(!?):?(\w*)`)

// fields reads a list of them.
func fields(list string) (all []field) {
	for _, m := range one.FindAllStringSubmatch(list, -1) {
		all = append(all, field{m[1], m[2] != "", m[3]})
	}
	return all
}

// inside has the elements of the extensions, by that around them.
var inside = map[string][]field{
	"image": fields("loc!url caption geo_location title license"),
	"video": fields("thumbnail_loc!url title! description! content_loc:url player_loc:url duration:seconds " +
		"expiration_date:date rating:stars view_count:number " +
		"publication_date:date family_friendly:choice restriction price requires_subscription:choice uploader platform " +
		"live:choice tag category gallery_loc " +
		"content_segment_loc id tvshow"),
	"news":        fields("publication! publication_date!date title! access genres keywords stock_tickers geo_locations"),
	"publication": fields("name! language!language"),
}

var choices = []string{"yes", "no"}

// newsLanguage matches what Google takes for the language of a newspaper: ISO 639, or one of two kinds of Chinese.
var newsLanguage = regexp.MustCompile(`^(?:[a-z]{2,3}|zh-cn|zh-tw)$`)

// fits has what an element must be, and whether a text is that.
var fits = map[string]struct {
	what string
	ok   func(text string) bool
}{
	"seconds": {"it is 1 to 28,800 seconds", func(text string) bool { return isNumber(text, 1, 28800) }},
	"stars":   {"it is 0.0 to 5.0", func(text string) bool { return isNumber(text, 0, 5) }},
	"number":  {"it is a number", func(text string) bool { return isNumber(text, 0, 1e15) }},
	"choice":  {"it is yes or no", func(text string) bool { return slices.Contains(choices, strings.ToLower(text)) }},
	"date": {"it must be as 2026-11-01 or 2026-11-01T08:00:00Z",
		func(text string) bool { _, ok := ParseDate(text); return ok }},
	"language": {"it is a code of ISO 639, such as en, or zh-cn or zh-tw", func(text string) bool {
		return newsLanguage.MatchString(strings.ToLower(text)) && (len(text) != 2 || badLanguage(text) == "")
	}},
}

// mostImages is how many images Google reads of a page, and how many articles a news sitemap may have.
const mostImages = 1000

// extensions checks what an entry has beyond the protocol.
func (r *reader) extensions(n *sitemap.Node, e Entry) {
	if images := len(n.All(imageNS, "image")); images > mostImages {
		r.tell(e, "image", "has %d images; Google reads 1,000 of a page", images)
	}
	for _, k := range n.Kids {
		kind := map[string]string{imageNS: "image", videoNS: "video", newsNS: "news"}[k.Space]
		switch {
		case kind != "" && k.Local != kind:
			r.tell(e, kind, "has <%s:%s> directly in the entry; it belongs into <%s:%s>", kind, k.Local, kind, kind)
		case k.Space == xhtmlNS && k.Local != "link":
			r.tell(e, "hreflang", "has <%s>, where only <link> may be", k.Local)
		case kind != "":
			r.inExtension(kind, k, e)
		}
		if kind == "news" && k.Local == kind {
			r.news(k, e)
		}
	}
	r.alternates(n, e)
}

// inExtension checks the elements of an extension.
func (r *reader) inExtension(kind string, n *sitemap.Node, e Entry) {
	known, some := inside[n.Local], map[string]int{}
	for _, k := range n.Kids {
		at := slices.IndexFunc(known, func(f field) bool { return f.name == k.Local })
		text := strings.TrimSpace(k.Text)
		switch {
		case k.Space != n.Space:
			continue
		case at < 0:
			r.tell(e, kind, "has <%s:%s>, which there is not", kind, k.Local)
		case len(k.Kids) > 0 && inside[k.Local] != nil:
			r.inExtension(kind, k, e)
		case text == "":
			continue // as if it were not there
		case known[at].is == "url":
			if _, why := address.Parse(text); why.Kind == "loc" {
				r.tell(e, kind, "has the <%s:%s> %q, which %s", kind, k.Local, text, why.Text)
			}
		case known[at].is != "" && !fits[known[at].is].ok(text):
			r.tell(e, kind, "has the <%s:%s> %q; %s", kind, k.Local, text, fits[known[at].is].what)
		}
		some[k.Local]++
	}
	for _, f := range known {
		if f.must && some[f.name] == 0 {
			r.tell(e, kind, "has <%s:%s> without <%[1]s:%[3]s>", kind, n.Local, f.name)
		}
	}
	if length := utf8.RuneCountInString(n.First(n.Space, "description")); kind == "video" && length > 2048 {
		r.tell(e, "video", "has a description of %d characters; Google reads 2,048", length)
	}
	switch {
	case n.Local == "video" && some["content_loc"]+some["player_loc"] == 0:
		r.tell(e, "video", "has <video:video> with neither <video:content_loc> nor <video:player_loc>")
	case n.Local == "video" && some["tag"] > 32:
		r.tell(e, "video", "has %d tags; at most 32 are allowed", some["tag"])
	}
}

// newsFor is how long an article is news to Google.
const newsFor = 48 * time.Hour

func (r *reader) news(a *sitemap.Node, e Entry) {
	d, _ := ParseDate(a.First(a.Space, "publication_date"))
	age := r.Now.Sub(d.At)
	if d.At.Equal(d.At.Truncate(day)) { // it may mean the whole day
		age -= day
	}
	if !d.At.IsZero() && age > newsFor {
		r.tell(e, "old-news", "was published on %s", d.At.UTC().Format("2 Jan 2006"))
	}
	if r.newsItems++; r.newsItems == mostImages+1 {
		r.add("size", 0, "has more than 1,000 articles; a news sitemap may have so many")
	}
}
