package page

import (
	"strings"
	"time"
)

// News is what a page says of itself as a news article.
type News struct {
	Title string // the headline, white space collapsed, at most 300 bytes, never empty
	// Publication is the name of the newspaper or site, at most 200 bytes; empty
	// where the page does not say it.
	Publication string
	// Language is a language tag as written, at most 35 bytes; empty where the
	// page does not say it.
	Language  string
	Published time.Time // never zero; a date without a zone is taken as UTC
}

// articleTypes are the articles of schema.org that news may be.
var articleTypes = []string{"Article", "NewsArticle", "BlogPosting", "LiveBlogPosting", "Report", "AnalysisNewsArticle",
	"AskPublicNewsArticle", "BackgroundNewsArticle", "OpinionNewsArticle", "ReportageNewsArticle", "ReviewNewsArticle"}

// article is an article of structured data.
type article struct {
	News
	publisher string // the @id of the publisher
}

func (m *media) addArticle(t thing) {
	a := article{News: News{
		Title:     t.text("headline", maxTitle),
		Language:  cleanLang(firstString(t["inLanguage"])),
		Published: pageDate(firstString(t["datePublished"])),
	}}
	if a.Title == "" {
		a.Title = t.text("name", maxTitle)
	}
	publisher := t["publisher"]
	if list, ok := publisher.([]any); ok && len(list) > 0 {
		publisher = list[0]
	}
	switch p := publisher.(type) {
	case string:
		a.Publication = plainText(p, maxPublication)
	case map[string]any:
		a.Publication = thing(p).text("name", maxPublication)
		a.publisher = thing(p).text("@id", maxHref)
	}
	if len(m.articles) < 2 { // two are as good as many
		m.articles = append(m.articles, a)
	}
}

// news returns the article that the page is, or nil. A page with several
// articles of its own is a list of them.
func (m *media) news() *News {
	var n News
	switch len(m.articles) {
	case 0:
		if m.og.typ != "" && !strings.EqualFold(strings.TrimSpace(m.og.typ), "article") {
			return nil
		}
	case 1:
		a := m.articles[0]
		n = a.News
		if n.Publication == "" {
			n.Publication = m.names[a.publisher]
		}
	default:
		return nil
	}
	if n.Published.IsZero() {
		n.Published = pageDate(m.og.published)
	}
	fill(&n.Title, plainText(m.og.title, maxTitle))
	if n.Title == "" || n.Published.IsZero() {
		return nil
	}
	fill(&n.Publication, plainText(m.og.siteName, maxPublication))
	if m.lang != "" {
		n.Language = m.lang
	}
	fill(&n.Language, cleanLang(m.og.locale))
	return &n
}

// fill sets what is empty.
func fill(field *string, s string) {
	if *field == "" {
		*field = s
	}
}

// cleanLang returns a language tag without the space around it, with hyphens,
// or nothing for what has not the form of one.
func cleanLang(s string) string {
	s = strings.ReplaceAll(strings.TrimSpace(s), "_", "-")
	if len(s) < 2 || len(s) > 35 {
		return ""
	}
	for _, c := range []byte(s) {
		if c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return ""
		}
	}
	return s
}
