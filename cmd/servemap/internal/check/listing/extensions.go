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

// inside has the elements of the extensions, by that around them.
var inside = map[string]struct{ must, may []string }{
	"image": {strings.Fields("loc"), strings.Fields("caption geo_location title license")},
	"video": {strings.Fields("thumbnail_loc title description"), strings.Fields("content_loc player_loc duration " +
		"expiration_date rating view_count publication_date family_friendly restriction price requires_subscription " +
		"uploader platform live tag category gallery_loc content_segment_loc id tvshow")},
	"news": {strings.Fields("publication publication_date title"),
		strings.Fields("access genres keywords stock_tickers geo_locations")},
	"publication": {strings.Fields("name language"), nil},
}

// urls are those that have a URL.
var urls = []string{"loc", "thumbnail_loc", "content_loc", "player_loc"}

// must returns a check that says what a text must be, "" if it is that.
func must(what string, ok func(text string) bool) func(string) string {
	return func(text string) string {
		if ok(text) {
			return ""
		}
		return what
	}
}

var isChoice = must("it is yes or no",
	func(text string) bool { return strings.EqualFold(text, "yes") || strings.EqualFold(text, "no") })

// newsLanguage matches what Google takes for the language of a newspaper: ISO 639, or one of two kinds of Chinese.
var newsLanguage = regexp.MustCompile(`^(?:[a-z]{2,3}|zh-cn|zh-tw)$`)

// unfit says of other elements why a text does not fit, "" if it does.
var unfit = map[string]func(text string) string{
	"duration":              must("it is 1 to 28,800 seconds", func(text string) bool { return isNumber(text, 1, 28800) }),
	"rating":                must("it is 0.0 to 5.0", func(text string) bool { return isNumber(text, 0, 5) }),
	"view_count":            must("it is a number", func(text string) bool { return isNumber(text, 0, 1e15) }),
	"expiration_date":       noDate,
	"publication_date":      noDate,
	"family_friendly":       isChoice,
	"requires_subscription": isChoice,
	"live":                  isChoice,
	"language": must("it is a code of ISO 639, such as en, or zh-cn or zh-tw", func(text string) bool {
		return newsLanguage.MatchString(strings.ToLower(text)) && (len(text) != 2 || badLanguage(text) == "")
	}),
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
		text := strings.TrimSpace(k.Text)
		why, isKnown := unfit[k.Local]
		switch _, has := inside[k.Local]; {
		case k.Space != n.Space:
			continue
		case !slices.Contains(known.must, k.Local) && !slices.Contains(known.may, k.Local):
			r.tell(e, kind, "has <%s:%s>, which there is not", kind, k.Local)
		case len(k.Kids) > 0 && has:
			r.inExtension(kind, k, e)
		case text == "":
			continue // as if it were not there
		case slices.Contains(urls, k.Local):
			if _, why := address.Parse(text); why.Kind == "loc" {
				r.tell(e, kind, "has the <%s:%s> %q, which %s", kind, k.Local, text, why.Text)
			}
		case isKnown && why(text) != "":
			r.tell(e, kind, "has the <%s:%s> %q; %s", kind, k.Local, text, why(text))
		}
		some[k.Local]++
	}
	for _, name := range known.must {
		if some[name] == 0 {
			r.tell(e, kind, "has <%s:%s> without <%[1]s:%[3]s>", kind, n.Local, name)
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
