package e2e

import (
	"encoding/xml"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// sitemap is a urlset with everything that entries may have.
type sitemap struct {
	URLs []struct {
		Loc        string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
		ChangeFreq string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 changefreq"`
		Priority   string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 priority"`
		Links      []struct {
			Lang string `xml:"hreflang,attr"`
			Href string `xml:"href,attr"`
		} `xml:"http://www.w3.org/1999/xhtml link"`
		Images []string `xml:"http://www.google.com/schemas/sitemap-image/1.1 image>loc"`
		Videos []struct {
			Title  string `xml:"title"`
			Player string `xml:"player_loc"`
		} `xml:"http://www.google.com/schemas/sitemap-video/1.1 video"`
		News *struct {
			Name     string `xml:"publication>name"`
			Language string `xml:"publication>language"`
			Title    string `xml:"title"`
		} `xml:"http://www.google.com/schemas/sitemap-news/0.9 news"`
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

// extensionsOf returns what the entries of a sitemap say besides their addresses.
func extensionsOf(s *testkit.Site, path string) (all []string) {
	s.Helper()
	for _, u := range entries(s, path).URLs {
		line := strings.TrimPrefix(u.Loc, testkit.Origin)
		for _, l := range u.Links {
			line += " " + l.Lang + "=" + strings.TrimPrefix(l.Href, testkit.Origin)
		}
		for _, i := range u.Images {
			line += " image " + strings.TrimPrefix(i, testkit.Origin)
		}
		for _, v := range u.Videos {
			line += " video " + v.Title + " " + strings.TrimPrefix(v.Player, testkit.Origin)
		}
		if u.News != nil {
			line += " news " + u.News.Name + "/" + u.News.Language + "/" + u.News.Title
		}
		all = append(all, line)
	}
	return all
}

// multimedia is a site whose pages have something for every extension. Virtual time begins with the
// year 2000.
func multimedia(published time.Time) http.Handler {
	languages := `<link rel="alternate" hreflang="en" href="/en"><link rel="alternate" hreflang="de" href="/de">
		<link rel="alternate" hreflang="x-default" href="/en"><link rel="alternate" hreflang="fr" href="/fr">`
	pages := map[string]string{
		"/": `<body><main>home <a href="/en">1</a><a href="/de">2</a><a href="/fr">3</a><a href="/news">4</a><a href="/film">5</a></main>`,
		"/en": languages + `<body><nav><img src="/logo.png"></nav><main>English <img src="images/a b.jpg?x=1&amp;y='2'">
			<img src="//cdn.example.net/b.png"><img src="https://s3.example.net/c.png?X-Amz-Signature=0123"><img src="http://10.0.0.7/d.png">
			<img src="https://u:p@cdn.example.net/e.png"><img src="/never/f.png"><img src="data:image/png;base64,AAAA"></main>`,
		"/de": languages + `<body><main>Deutsch</main>`,
		"/fr": `<body><main>Français, and names no other</main>`,
		"/news": `<html lang="en-GB"><head><script type="application/ld+json">{"@type":"NewsArticle","headline":"Cats & dogs <here>","datePublished":"` +
			published.UTC().Format(time.RFC3339) + `","publisher":{"@type":"Organization","name":"The Paper"}}</script></head><body><main>Cats and dogs.</main>`,
		"/film": `<script type="application/ld+json">{"@type":"VideoObject","name":"A film","description":"It is short.",
			"thumbnailUrl":"/film.jpg","embedUrl":"https://player.example.net/1","duration":"PT1M"}</script><body><main>A film.</main>`,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, body)
	})
}

func TestSitemapHasTheExtensionsThatAreSwitchedOn(t *testing.T) {
	images := " image /images/a%20b.jpg?x=1&y='2' image https://cdn.example.net/b.png"
	languages := " de=/de en=/en x-default=/en"
	film := " video A film https://player.example.net/1"
	for _, tt := range []struct {
		name string
		is   servemap.Extensions
		want []string
		news string
		none []string // namespaces that are not declared
	}{
		{"none", servemap.Extensions{}, []string{"/", "/de", "/en", "/film", "/fr", "/news"}, "", []string{"xmlns:"}},
		{"alternates", servemap.Extensions{Alternates: true}, []string{"/", "/de" + languages, "/en" + languages, "/film", "/fr", "/news"}, "", []string{"sitemap-"}},
		{"images", servemap.Extensions{Images: true}, []string{"/", "/de", "/en" + images, "/film", "/fr", "/news"}, "", []string{"xhtml", "sitemap-video"}},
		{"videos", servemap.Extensions{Videos: true}, []string{"/", "/de", "/en", "/film" + film, "/fr", "/news"}, "", []string{"xhtml", "sitemap-image"}},
		{"all", servemap.Extensions{Alternates: true, Images: true, Videos: true, News: true}, []string{"/", "/de" + languages, "/en" + languages + images, "/film" + film, "/fr", "/news"},
			"/news news The Paper/en/Cats & dogs <here>", []string{"sitemap-news"}},
		{"a publication of the owner's", servemap.Extensions{News: true, Publication: "Paper & Co"}, []string{"/", "/de", "/en", "/film", "/fr", "/news"},
			"/news news Paper & Co/en/Cats & dogs <here>", []string{"xmlns:"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := servemap.Options{Extensions: tt.is, Rules: []servemap.Rule{{Pattern: "/never/", List: servemap.DecisionNever}}}
			testkit.Run(t, testkit.Setup{Options: opts, Handler: multimedia(time.Date(1999, 12, 31, 23, 0, 0, 0, time.UTC))}, func(s *testkit.Site) {
				for range 2 { // the next visit reads in full what the first visits got listed
					for _, path := range []string{"/", "/en", "/de", "/fr", "/news", "/film"} {
						s.Visit(path)
					}
				}
				if got := extensionsOf(s, "/sitemap.xml"); !slices.Equal(got, tt.want) {
					s.Errorf("the sitemap has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
				}
				root, _, _ := strings.Cut(s.Get("/sitemap.xml").Body, "<url>")
				for _, ns := range tt.none {
					if strings.Contains(root, ns) {
						s.Errorf("%q is declared, and not used:\n%s", ns, root)
					}
				}
				if tt.news == "" {
					if a := s.Get("/sitemap-news.xml"); a.Status != http.StatusNotFound {
						s.Errorf("without news: status %d", a.Status)
					}
				} else if got := extensionsOf(s, "/sitemap-news.xml"); !slices.Equal(got, []string{tt.news}) {
					s.Errorf("news are %q, want %q", got, tt.news)
				}
				if told := strings.Contains(s.RobotsLine(), "-news.xml"); told != tt.is.News {
					s.Errorf("the lines for robots.txt are %q", s.RobotsLine())
				}
				served := []string{testkit.Origin + "/sitemap.xml"}
				if tt.news != "" {
					served = append(served, testkit.Origin+"/sitemap-news.xml")
				}
				if got := s.Sitemaps(); !slices.Equal(got, served) {
					s.Errorf("served are %q, want %q", got, served)
				}
			})
		})
	}
}
