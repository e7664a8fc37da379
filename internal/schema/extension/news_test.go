package extension

import (
	"reflect"
	"testing"
	"time"
)

const english = `<html lang=en>`

func anArticle(title, publication string) *article {
	return &article{Title: title, Publication: publication, Language: "en", Published: tenth}
}

var (
	tenth   = date(time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC).Unix())
	byType  = jsonLD(`{"@type":"NewsArticle","headline":"Head","datePublished":"2026-11-20T09:00:00Z","publisher":{"@type":"Organization","name":"The Example"}}`)
	twoThem = jsonLD(`[{"@type":"Article","headline":"A","datePublished":"2026-11-20"},{"@type":"Article","headline":"B","datePublished":"2026-11-20"}]`)
)

var newsTests = []struct {
	name, html string
	want       *article
}{
	{"structured data", byType, anArticle("Head", "The Example")},
	{"graph with a reference", jsonLD(`{"@context":"https://schema.org","@graph":[{"@type":"WebSite","@id":"#w","name":"No"},
		{"@type":["Article","Thing"],"headline":"Head","datePublished":"2026-11-20T09:00:00Z","publisher":{"@id":"#o"}},{"@type":"Organization","@id":"#o","name":"The Example"}]}`),
		anArticle("Head", "The Example")},
	{"vocabulary in the type", jsonLD(`{"@type":"http://schema.org/BlogPosting","headline":"Head","datePublished":"2026-11-20T09:00:00Z"}`), anArticle("Head", "")},
	{"list of articles", jsonLD(`{"@type":"ItemList","itemListElement":[{"@type":"Article","headline":"A","datePublished":"2026-11-20"}]}`), nil},
	{"several articles", twoThem, nil},
	{"no date", jsonLD(`{"@type":"NewsArticle","headline":"Head"}`), nil},
	{"date of another kind", jsonLD(`{"@type":"NewsArticle","headline":"Head","datePublished":1700000000}`), nil},
	{"date before the web", jsonLD(`{"@type":"NewsArticle","headline":"Head","datePublished":"0001-01-01"}`), nil},
}

func TestNewsAreReadFromStructuredData(t *testing.T) {
	for _, tt := range newsTests {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(t, english+tt.html).News; !reflect.DeepEqual(got, tt.want) {
				t.Errorf("news %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestNewsHaveALanguage(t *testing.T) {
	french := jsonLD(`{"@type":"Article","headline":"A","inLanguage":"fr","datePublished":"2026-11-20T09:00:00Z"}`)
	for _, tt := range []struct{ name, html, want string }{
		{"of the page", `<html lang=en-GB>` + french, "en"},
		{"of the structured data, in another form",
			jsonLD(`{"@type":"Article","headline":"A","inLanguage":"zh_TW","datePublished":"2026-11-20T09:00:00Z"}`), "zh-tw"},
		{"of the structured data, where the page has none", `<html lang="{{ lang }}">` + french, "fr"},
		{"none", `<html lang="{{ lang }}">` + byType, ""},
	} {
		got := ""
		if n := read(t, tt.html).News; n != nil {
			got = n.Language
		}
		if got != tt.want {
			t.Errorf("%s: language %q, want %q", tt.name, got, tt.want)
		}
	}
}
