package extension

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/page/html"
)

// news are the articles of the last two days, in a file of their own.
var news = Extension{
	Namespace: `xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"`,
	Read: func(p *Page) []byte {
		a := readArticle(p)
		if age := p.At.Unix() - int64(a.Published); a == (article{}) || age >= int64(newsFor.Seconds()) ||
			age <= -int64(clockSlack.Seconds()) {
			return nil
		}
		stored, _ := json.Marshal(a) // an article is never refused
		return stored
	},
	Append: func(dst, stored []byte, v *View) []byte {
		a := decodeArticle(stored)
		a.Publication = cmp.Or(v.Publication, a.Publication)
		if a.Publication == "" {
			return dst
		}
		return appendXML(dst, "news:news", a)
	},
	Aside: &Aside{
		Suffix: "-news",
		For:    newsFor,
		Most:   1000, // engines read no more in a file
		At:     func(stored []byte) time.Time { return time.Unix(int64(decodeArticle(stored).Published), 0) },
	},
}

const (
	newsFor    = 48 * time.Hour // after it was published; search engines ignore older articles
	clockSlack = 24 * time.Hour // how far ahead of now a date may be because of time zones
)

// article is what a sitemap says about an article, in the order of the schema.
type article struct {
	Publication string `xml:"news:publication>news:name"` // the name of the newspaper or site
	Language    string `xml:"news:publication>news:language"`
	Published   date   `xml:"news:publication_date"`
	Title       string `xml:"news:title"`
}

func decodeArticle(stored []byte) (a article) {
	_ = json.Unmarshal(stored, &a) // it is what Read returned
	return a
}

// MaxPublication bounds the name of a newspaper or site, in bytes.
const MaxPublication = 200

// articleType matches the schema.org types that count as articles.
var articleType = regexp.MustCompile(`(?:Article|BlogPosting|Report)$`)

// readArticle returns the article that the page is, or the zero one. A page with several articles is a list. The
// language is that of the html element, else the article's own.
func readArticle(p *Page) article {
	var a html.Thing
	for _, t := range p.Things {
		switch {
		case !t.Own || !t.Is(articleType):
		case a.Own:
			return article{}
		default:
			a = t
		}
	}
	n := article{
		Title:       cmp.Or(text(a, "headline", maxText), text(a, "name", maxText)),
		Publication: publisher(p, a),
		Language:    cmp.Or(newsLanguage(p.Language), newsLanguage(a.Text("inLanguage"))),
		Published:   dateOf(a.Text("datePublished")),
	}
	if n.Title == "" || n.Language == "" || n.Published == 0 {
		return article{}
	}
	return n
}

// publisher returns the name of an article's publisher. The publisher may be described elsewhere,
// under an @id.
func publisher(p *Page, a html.Thing) string {
	of, ok := a.Object("publisher")
	if !ok {
		return text(a, "publisher", MaxPublication)
	}
	name := text(of, "name", MaxPublication)
	for _, t := range p.Things {
		if id := t.Text("@id"); name == "" && id != "" && id == of.Text("@id") {
			name = text(t, "name", MaxPublication)
		}
	}
	return name
}

// chinese has the languages of news sitemaps for Chinese, by its script or region.
var chinese = map[string]string{
	"hans": "zh-cn", "cn": "zh-cn", "sg": "zh-cn", "my": "zh-cn",
	"hant": "zh-tw", "tw": "zh-tw", "hk": "zh-tw", "mo": "zh-tw",
}

// newsLanguage returns a language tag in the form that news sitemaps use: two or three
// letters of ISO 639, or zh-cn or zh-tw. It returns "" for any other tag.
func newsLanguage(tag string) string {
	tag = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(tag), "_", "-"))
	name, rest, _ := strings.Cut(tag, "-")
	if !language.MatchString(tag) || len(name) < 2 || len(name) > 3 {
		return ""
	}
	for subtag := range strings.SplitSeq(rest, "-") {
		if form := chinese[subtag]; name == "zh" && form != "" {
			return form
		}
	}
	return name
}
