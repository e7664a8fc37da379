package media

import (
	"cmp"
	"strings"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/publish/sitemap"
)

// maxPublication bounds the name of a newspaper or site, in bytes.
const maxPublication = 200

// articleTypes are the schema.org types that count as articles.
var articleTypes = []string{"Article", "NewsArticle", "BlogPosting", "LiveBlogPosting", "Report", "AnalysisNewsArticle",
	"AskPublicNewsArticle", "BackgroundNewsArticle", "OpinionNewsArticle", "ReportageNewsArticle", "ReviewNewsArticle"}

// news returns the article that the page is, or nil. A page with several articles is a list.
// Properties missing in the structured data may come from the Open Graph. The language is that of
// the html element, if it has one.
func (d *data) news(og openGraph, lang string) *sitemap.News {
	var a thing
	switch typ := strings.TrimSpace(og.first("og:type")); {
	case len(d.articles) > 1, len(d.articles) == 0 && typ != "" && !strings.EqualFold(typ, "article"):
		return nil
	case len(d.articles) == 1:
		a = d.articles[0]
	}
	n := sitemap.News{
		Title:       cmp.Or(a.text("headline", maxText), a.text("name", maxText), og.text(maxText, "og:title")),
		Publication: cmp.Or(d.publisher(a), og.text(maxPublication, "og:site_name")),
		Language: cmp.Or(sitemap.NewsLanguage(lang), sitemap.NewsLanguage(a.raw("inLanguage")),
			sitemap.NewsLanguage(og.first("og:locale"))),
		Published: cmp.Or(unix(a.raw("datePublished")), unix(og.first("article:published_time", "og:article:published_time"))),
	}
	if n.Title == "" || n.Language == "" || n.Published == 0 {
		return nil
	}
	return &n
}

// publisher returns the name of an article's publisher. The publisher may be described elsewhere,
// under an @id.
func (d *data) publisher(a thing) string {
	switch p := a.first("publisher").(type) {
	case string:
		return html.PlainText(p, maxPublication)
	case map[string]any:
		return html.PlainText(cmp.Or(thing(p).raw("name"), d.names[thing(p).raw("@id")]), maxPublication)
	}
	return ""
}

// unix reads a date as seconds since the Unix epoch; 0 if it is not a date.
func unix(date string) int64 {
	if t := html.Date(date); !t.IsZero() {
		return t.Unix()
	}
	return 0
}
