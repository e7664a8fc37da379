package e2e

import (
	"encoding/xml"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// sitemap is a urlset, as any reader of XML sees it.
type sitemap struct {
	XMLName xml.Name `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []struct {
		Loc        string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
		ChangeFreq string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 changefreq"`
		Priority   string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 priority"`
	} `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
}

// entries returns the urlset at a path.
func entries(s *testkit.Site, path string) (doc sitemap) {
	s.Helper()
	a := s.Get(path)
	if err := xml.Unmarshal([]byte(a.Body), &doc); err != nil || a.Status != http.StatusOK {
		s.Fatalf("%s: status %d, %v:\n%s", path, a.Status, err, a.Body)
	}
	return doc
}

// Package extension proves what is read and written. Here an option switches each of them on.
func TestSitemapHasTheExtensionsThatAreSwitchedOn(t *testing.T) {
	languages := `<link rel="alternate" hreflang="en" href="/en"><link rel="alternate" hreflang="de" href="/de">`
	html := func(head, body string) http.HandlerFunc {
		return testkit.Reply(http.StatusOK, testkit.HTML(head, body))
	}
	pages := testkit.Paths{
		"/": testkit.Page("home", "/en", "/de", "/news", "/film"),
		"/en": testkit.Reply(http.StatusOK, `<html><head><title>en</title>`+languages+
			`</head><main>English <img src="/a.jpg"><img src="/never/b.jpg"></main>`),
		"/de": html(languages, "Deutsch"),
		"/news": html(`<script type="application/ld+json">{"@type":"NewsArticle","headline":"Cats","inLanguage":"en","datePublished":"`+
			// virtual time begins with 2000
			time.Date(1999, 12, 31, 23, 0, 0, 0, time.UTC).Format(time.RFC3339)+`","publisher":"The Paper"}</script>`, "Cats."),
		"/film": html(`<script type="application/ld+json">{"@type":"VideoObject","name":"A film","description":"It is short.",
			"thumbnailUrl":"/film.jpg","embedUrl":"https://player.example.net/1"}</script>`, "A film."),
	}
	const alternate, image, video = `hreflang="de" href="https://example.com/de"`,
		"<image:loc>https://example.com/a.jpg</image:loc>", "<video:title>A film</video:title>"
	for _, tt := range []struct {
		name string
		is   servemap.Extensions
		has  []string
		news string
	}{
		{"none", servemap.Extensions{}, nil, ""},
		{"all", servemap.Extensions{Alternates: true, Images: true, Videos: true, News: true},
			[]string{alternate, image, video}, "<news:name>The Paper<"},
		{"a publication of the owner's", servemap.Extensions{News: true, Publication: "Paper & Co"}, nil,
			"<news:name>Paper &amp; Co<"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := servemap.Options{Extensions: tt.is, Rules: []servemap.Rule{
				{Pattern: "/never/", List: servemap.DecisionNever}}}
			testkit.Run(t, testkit.Setup{Options: opts, Handler: pages}, func(s *testkit.Site) {
				for range 2 { // the next visit reads in full what the first visits got listed
					s.Visit("/", "/en", "/de", "/news", "/film")
				}
				s.Settle()
				base.Equal(s, len(entries(s, "/sitemap.xml").URLs), 5, "pages are listed")
				body := s.Get("/sitemap.xml").Body
				for _, element := range []string{alternate, image, video} {
					want := strings.Contains(strings.Join(tt.has, " "), element)
					base.Equal(s, strings.Contains(body, element), want, "%s is there, in\n%s", element, body)
				}
				if strings.Count(body, "xmlns:") != len(tt.has) || strings.Contains(body, "/never/") {
					s.Errorf("it declares what it does not use, or names what a rule keeps out:\n%s", body)
				}
				news := s.Get("/sitemap-news.xml")
				if (news.Status == http.StatusOK) != tt.is.News || !strings.Contains(news.Body, tt.news) ||
					strings.Contains(s.RobotsLine(), "-news.xml") != tt.is.News {
					s.Errorf("news: %d, robots.txt %q\n%s", news.Status, s.RobotsLine(), news.Body)
				}
			})
		})
	}
}
