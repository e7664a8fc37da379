package page

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func jsonLD(s string) string { return `<script type="application/ld+json">` + s + `</script>` }

func meta(property, content string) string {
	return fmt.Sprintf(`<meta property="%s" content="%s">`, property, content)
}

var (
	tenth   = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	byOG    = meta("og:title", "Title") + meta("article:published_time", "2026-11-20T10:00:00+01:00")
	byType  = jsonLD(`{"@type":"NewsArticle","headline":"Head","datePublished":"2026-11-20T09:00:00Z","publisher":{"@type":"Organization","name":"The Example"}}`)
	twoThem = jsonLD(`[{"@type":"Article","headline":"A","datePublished":"2026-11-20"},{"@type":"Article","headline":"B","datePublished":"2026-11-20"}]`)
)

var newsTests = []struct {
	name, html string
	want       *News
}{
	{"structured data", `<html lang=en>` + byType, &News{"Head", "The Example", "en", tenth}},
	{"Open Graph", `<html lang=en-GB>` + byOG + meta("og:site_name", " The  Example "), &News{"Title", "The Example", "en-GB", tenth}},
	{"language of the Open Graph", byOG + meta("og:locale", "zh_TW"), &News{"Title", "", "zh-TW", tenth}},
	{"language of the structured data", jsonLD(`{"@type":"Article","headline":"A","inLanguage":"fr","datePublished":"2026-11-20T09:00:00Z"}`), &News{"A", "", "fr", tenth}},
	{"language that is none", `<html lang="{{ lang }}">` + byType, &News{"Head", "The Example", "", tenth}},
	{"both", byOG + byType, &News{"Head", "The Example", "", tenth}},
	{"headline of the Open Graph", meta("og:title", "Title") + jsonLD(`{"@type":"Article","datePublished":"2026-11-20T09:00:00Z"}`), &News{"Title", "", "", tenth}},
	{"date of the Open Graph", byOG + jsonLD(`{"@type":"Article","headline":"Head"}`), &News{"Head", "", "", tenth}},
	{"graph with a reference", jsonLD(`{"@context":"https://schema.org","@graph":[{"@type":"WebSite","@id":"#w","name":"No"},
		{"@type":["Article","Thing"],"headline":"Head","datePublished":"2026-11-20T09:00:00Z","publisher":{"@id":"#o"}},{"@type":"Organization","@id":"#o","name":"The Example"}]}`),
		&News{"Head", "The Example", "", tenth}},
	{"vocabulary in the type", jsonLD(`{"@type":"http://schema.org/BlogPosting","headline":"Head","datePublished":"2026-11-20T09:00:00Z"}`), &News{"Head", "", "", tenth}},
	{"main entity", jsonLD(`{"@type":"WebPage","mainEntity":{"@type":"Article","headline":"Head","datePublished":"2026-11-20T09:00:00Z"}}`), &News{"Head", "", "", tenth}},
	{"list of articles", jsonLD(`{"@type":"ItemList","itemListElement":[{"@type":"Article","headline":"A","datePublished":"2026-11-20"}]}`), nil},
	{"several articles", twoThem, nil},
	{"several articles and a date", byOG + twoThem, nil},
	{"related article", jsonLD(`{"@type":"WebPage","hasPart":{"@type":"Article","headline":"A","datePublished":"2026-11-20"}}`), nil},
	{"another type of page", byOG + meta("og:type", "website"), nil},
	{"an article by type", byOG + meta("og:type", "Article"), &News{"Title", "", "", tenth}},
	{"no date", jsonLD(`{"@type":"NewsArticle","headline":"Head"}`) + meta("og:title", "Title"), nil},
	{"no headline", jsonLD(`{"@type":"NewsArticle","datePublished":"2026-11-20"}`), nil},
	{"date of another kind", jsonLD(`{"@type":"NewsArticle","headline":"Head","datePublished":1700000000}`), nil},
	{"date before the web", jsonLD(`{"@type":"NewsArticle","headline":"Head","datePublished":"0001-01-01"}`), nil},
	{"headline of another kind", jsonLD(`{"@type":"NewsArticle","headline":{"a":1},"datePublished":"2026-11-20"}`), nil},
	{"not JSON", jsonLD(`{"@type":"NewsArticle","headline":"Head","datePublished":"2026-11-20",}`), nil},
	{"too deep", jsonLD(strings.Repeat(`[`, maxJSONDepth) + `{"@type":"Article","headline":"A","datePublished":"2026-11-20"}` + strings.Repeat(`]`, maxJSONDepth)), nil},
	{"product", jsonLD(`{"@type":"Product","name":"Shoe","datePublished":"2026-11-20"}`), nil},
	{"nothing", `<p>text`, nil},
}

func TestNews(t *testing.T) {
	for _, tt := range newsTests {
		t.Run(tt.name, func(t *testing.T) {
			got := extended(tt.html).News
			switch {
			case got == nil || tt.want == nil:
				if got != tt.want {
					t.Errorf("news %+v, want %+v", got, tt.want)
				}
			case *got != *tt.want:
				t.Errorf("news %+v, want %+v", *got, *tt.want)
			}
		})
	}
}

func TestNewsBounds(t *testing.T) {
	long := strings.Repeat("é ", 5000)
	got := extended(jsonLD(`{"@type":"Article","headline":"` + long + `","datePublished":"2026-11-20","publisher":"` + long + `"}`)).News
	if got == nil {
		t.Fatal("no news")
	}
	checkText(t, got.Title, maxTitle)
	checkText(t, got.Publication, maxPublication)
}
