package listing

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/internal/page/sitemap"
)

// field is an element of an extension.
type field struct {
	name string
	must bool
	is   string // what it has, "" for anything
}

// fields reads a list of them: a name with ! must be there, and behind that or a colon stands what it has.
func fields(list string) (all []field) {
	for text := range strings.FieldsSeq(list) {
		at := strings.IndexAny(text+":", "!:")
		f := field{name: text[:at], must: strings.Contains(text, "!")}
		if at < len(text) {
			f.is = text[at+1:]
		}
		all = append(all, f)
	}
	return all
}

// inside has the elements of the extensions, by that around them.
var inside = map[string][]field{
	"image": fields("loc!url caption geo_location title license"),
	"video": fields("thumbnail_loc!url title! description! content_loc:url player_loc:url duration:seconds expiration_date:date rating:stars view_count:number " +
		"publication_date:date family_friendly:choice restriction price requires_subscription:choice uploader platform live:choice tag category gallery_loc " +
		"content_segment_loc id tvshow"),
	"news":        fields("publication! publication_date!date title! access genres keywords stock_tickers geo_locations"),
	"publication": fields("name! language!language"),
}

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
	"choice":  {"it is yes or no", func(text string) bool { return strings.EqualFold(text, "yes") || strings.EqualFold(text, "no") }},
	"date":    {"it must be as 2026-11-01 or 2026-11-01T08:00:00Z", func(text string) bool { _, ok := ParseDate(text); return ok }},
	"language": {"it is a code of ISO 639, such as en, or zh-cn or zh-tw", func(text string) bool {
		return newsLanguage.MatchString(strings.ToLower(text)) && (len(text) != 2 || badLanguage(text) == "")
	}},
}

// mostImages is how many images Google reads of a page, and how many articles a news sitemap may have.
const mostImages = 1000

// extensions checks what an entry has beyond the protocol. u is its address, nil if that is none.
func (r *reader) extensions(n *sitemap.Node, e Entry, u *url.URL) {
	x := extra{r, e}
	if images := len(n.All(imageNS, "image")); images > mostImages {
		x.tell("image", "has %d images; Google reads 1,000 of a page", images)
	}
	for _, k := range n.Kids {
		kind := map[string]string{imageNS: "image", videoNS: "video", newsNS: "news"}[k.Space]
		switch {
		case kind != "" && k.Local != kind:
			x.tell(kind, "has <%s:%s> directly in the entry; it belongs into <%s:%s>", kind, k.Local, kind, kind)
		case k.Space == xhtmlNS && k.Local != "link":
			x.tell("hreflang", "has <%s>, where only <link> may be", k.Local)
		case kind != "":
			x.elements(kind, k)
			if kind == "video" {
				x.video(k)
			} else if kind == "news" {
				x.news(k)
			}
		}
	}
	self := ""
	if u != nil {
		self = address.Key(u)
	}
	r.alternates(n, e, self)
}

// extra checks the extensions of one entry.
type extra struct {
	*reader
	entry Entry
}

func (x extra) tell(kind, text string, args ...any) { x.To.Add(kind, x.entry.At(), text, args...) }

// elements checks the elements of an extension.
func (x extra) elements(kind string, n *sitemap.Node) {
	known, some := inside[n.Local], map[string]bool{}
	for _, k := range n.Kids {
		at := slices.IndexFunc(known, func(f field) bool { return f.name == k.Local })
		text := strings.TrimSpace(k.Text)
		switch {
		case k.Space != n.Space:
			continue
		case at < 0:
			x.tell(kind, "has <%s:%s>, which there is not", kind, k.Local)
		case len(k.Kids) > 0 && inside[k.Local] != nil:
			x.elements(kind, k)
		case text == "":
			continue // as if it were not there
		case known[at].is == "url":
			if _, why := address.Parse(text); why.Kind == "loc" {
				x.tell(kind, "has the <%s:%s> %q, which %s", kind, k.Local, text, why.Text)
			}
		case known[at].is != "" && !fits[known[at].is].ok(text):
			x.tell(kind, "has the <%s:%s> %q; %s", kind, k.Local, text, fits[known[at].is].what)
		}
		some[k.Local] = true
	}
	for _, f := range known {
		if f.must && !some[f.name] {
			x.tell(kind, "has a <%s:%s> without <%[1]s:%[3]s>", kind, n.Local, f.name)
		}
	}
}

func (x extra) video(v *sitemap.Node) {
	if len(v.All(v.Space, "content_loc"))+len(v.All(v.Space, "player_loc")) == 0 {
		x.tell("video", "has a <video:video> with neither <video:content_loc> nor <video:player_loc>")
	}
	if n := len([]rune(v.First(v.Space, "description"))); n > 2048 {
		x.tell("video", "has a description of %d characters; Google reads 2,048", n)
	}
	if n := len(v.All(v.Space, "tag")); n > 32 {
		x.tell("video", "has %d tags; at most 32 are allowed", n)
	}
}

// newsFor is how long an article is news to Google.
const newsFor = 48 * time.Hour

func (x extra) news(a *sitemap.Node) {
	d, _ := ParseDate(a.First(a.Space, "publication_date"))
	age := x.Now.Sub(d.At)
	if d.At.Equal(d.At.Truncate(day)) { // it may mean the whole day
		age -= day
	}
	if !d.At.IsZero() && age > newsFor {
		x.tell("old-news", "was published on %s", d.At.UTC().Format("2 Jan 2006"))
	}
	if x.newsItems++; x.newsItems == mostImages+1 {
		x.add("size", 0, "has more than 1,000 articles; a news sitemap may have so many")
	}
}
