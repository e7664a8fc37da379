package listing

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
)

// words makes a set.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// inside has the elements of the extensions, by that around them.
var inside = map[string]map[string]bool{
	"image": words("loc caption geo_location title license"),
	"video": words("thumbnail_loc title description content_loc player_loc duration expiration_date rating view_count publication_date family_friendly restriction " +
		"price requires_subscription uploader platform live tag category gallery_loc content_segment_loc id tvshow"),
	"news": words("publication publication_date title access genres keywords stock_tickers geo_locations"),
}

// mostImages is how many images Google reads of a page.
const mostImages = 1000

// extensions checks what an entry has beyond the protocol. u is its address, nil if that is none.
func (r *reader) extensions(n *node, e Entry, u *url.URL) {
	x := extra{r, e}
	images := n.all(imageNS, "image")
	if len(images) > mostImages {
		x.tell("image", "has %d images; Google reads 1,000 of a page", len(images))
	}
	for _, i := range images {
		x.elements("image", i)
		x.url("image", i, "loc", true)
	}
	for _, v := range n.all(videoNS, "video") {
		x.video(v)
	}
	for _, a := range n.all(newsNS, "news") {
		x.news(a)
	}
	for _, k := range n.kids {
		if kind, want := map[string]string{imageNS: "image", videoNS: "video", newsNS: "news"}[k.Space], k.Local; kind != "" && want != kind {
			x.tell(kind, "has <%s:%s> directly in the entry; it belongs into <%s:%s>", kind, k.Local, kind, kind)
		}
		if k.Space == xhtmlNS && k.Local != "link" {
			x.tell("hreflang", "has <%s>, where only <link> may be", k.Local)
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

// elements checks that an extension has only elements that it knows.
func (x extra) elements(kind string, n *node) {
	for _, k := range n.kids {
		if k.Space == n.Space && !inside[kind][k.Local] {
			x.tell(kind, "has <%s:%s>, which there is not", kind, k.Local)
		}
	}
}

// url checks an element that must be a whole URL, and returns whether it is there.
func (x extra) url(kind string, n *node, name string, must bool) bool {
	all := n.all(n.Space, name)
	if len(all) == 0 {
		if must {
			x.tell(kind, "has a <%s:%s> without <%[1]s:%[3]s>", kind, n.Local, name)
		}
		return false
	}
	loc := strings.TrimSpace(all[0].text)
	if _, why := address.Parse(loc); why.Kind == "loc" {
		x.tell(kind, "has the <%s:%s> %q, which %s", kind, name, loc, why.Text)
	}
	return true
}

// must checks that an element is there and says something.
func (x extra) must(kind string, n *node, name string) string {
	text := n.first(n.Space, name)
	if text == "" {
		x.tell(kind, "has a <%s:%s> without <%[1]s:%[3]s>", kind, n.Local, name)
	}
	return text
}

// number checks an element that is a number in some range.
func (x extra) number(n *node, name string, least, most float64, what string) {
	for _, k := range n.all(n.Space, name) {
		if text := strings.TrimSpace(k.text); !isNumber(text, least, most) {
			x.tell("video", "has the <video:%s> %q; it is %s", name, text, what)
		}
	}
}

func (x extra) video(v *node) {
	x.elements("video", v)
	x.url("video", v, "thumbnail_loc", true)
	x.must("video", v, "title")
	if text := x.must("video", v, "description"); len([]rune(text)) > 2048 {
		x.tell("video", "has a description of %d characters; Google reads 2,048", len([]rune(text)))
	}
	if c, p := x.url("video", v, "content_loc", false), x.url("video", v, "player_loc", false); !c && !p {
		x.tell("video", "has a <video:video> with neither <video:content_loc> nor <video:player_loc>")
	}
	x.number(v, "duration", 1, 28800, "1 to 28,800 seconds")
	x.number(v, "rating", 0, 5, "0.0 to 5.0")
	x.number(v, "view_count", 0, 1e15, "a number")
	for _, name := range []string{"expiration_date", "publication_date"} {
		x.when("video", v, name)
	}
	for _, name := range []string{"family_friendly", "requires_subscription", "live"} {
		if text := v.first(v.Space, name); text != "" && !strings.EqualFold(text, "yes") && !strings.EqualFold(text, "no") {
			x.tell("video", "has the <video:%s> %q; it is yes or no", name, text)
		}
	}
	if n := len(v.all(v.Space, "tag")); n > 32 {
		x.tell("video", "has %d tags; at most 32 are allowed", n)
	}
}

// when checks an element that is a date, and returns it.
func (x extra) when(kind string, n *node, name string) (at time.Time) {
	for _, k := range n.all(n.Space, name) {
		text := strings.TrimSpace(k.text)
		d, ok := ParseDate(text)
		if !ok {
			x.tell(kind, "has the <%s:%s> %q; it must be as 2026-11-01 or 2026-11-01T08:00:00Z", kind, name, text)
		}
		at = d.At
	}
	return at
}

// newsLanguage matches what Google takes for the language of a newspaper: ISO 639, or one of two kinds of Chinese.
var newsLanguage = regexp.MustCompile(`^(?:[a-z]{2,3}|zh-cn|zh-tw)$`)

// newsFor is how long an article is news to Google.
const newsFor = 48 * time.Hour

func (x extra) news(a *node) {
	x.elements("news", a)
	if p := a.all(a.Space, "publication"); len(p) == 0 {
		x.tell("news", "has a <news:news> without <news:publication>")
	} else {
		x.must("news", p[0], "name")
		lang := x.must("news", p[0], "language")
		if lang != "" && (!newsLanguage.MatchString(strings.ToLower(lang)) || len(lang) == 2 && badLanguage(lang) != "") {
			x.tell("news", "has the <news:language> %q; it is a code of ISO 639, such as en, or zh-cn or zh-tw", lang)
		}
	}
	x.must("news", a, "title")
	if x.must("news", a, "publication_date") == "" {
		return
	}
	at := x.when("news", a, "publication_date")
	age := x.Now.Sub(at)
	if at.Equal(at.Truncate(day)) { // it may mean the whole day
		age -= day
	}
	if !at.IsZero() && age > newsFor {
		x.tell("old-news", "was published on %s", at.UTC().Format("2 Jan 2006"))
	}
	if x.newsItems++; x.newsItems == mostImages+1 {
		x.add("size", 0, "has more than 1,000 articles; a news sitemap may have so many")
	}
}
