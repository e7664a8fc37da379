package files

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
)

// The rules may have changed since the pages were listed.
func TestExcludedPageIsNoAlternate(t *testing.T) {
	s := newShelf(t, func(c *Config) { c.Extensions, c.Rules = extension.Of(extension.Alternates), barring("/de") })
	s.list(shards.Entry{Extensions: inLanguages("de=/de", "en=/en", "fr=/fr")}, "/en", "/fr", "/de")
	s.render()
	if body := s.get("sitemap.xml").Body.String(); strings.Contains(body, "/de") ||
		!strings.Contains(body, `hreflang="fr"`) {
		t.Errorf("the sitemap is\n%s", body)
	}
}

func TestNewsLeaveAfterTwoDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t, func(c *Config) { c.Extensions = extension.Of(extension.News) })
		s.run()
		news := func(ago time.Duration) shards.Entry { return shards.Entry{Extensions: anArticle(ago)} }
		s.list(news(time.Hour), "/new")
		s.list(news(47*time.Hour), "/old")
		s.list(news(49*time.Hour), "/older")
		s.list(news(-10*time.Minute), "/ahead")
		s.list(shards.Entry{}, "/page")
		time.Sleep(2 * time.Minute)
		s.want("sitemap-news.xml", "/new", "/old")
		time.Sleep(10 * time.Minute)
		s.want("sitemap-news.xml", "/ahead", "/new", "/old")
		time.Sleep(2 * time.Hour)
		s.want("sitemap-news.xml", "/ahead", "/new")
		s.unlist("/new")
		time.Sleep(2 * time.Minute)
		s.want("sitemap-news.xml", "/ahead")
		time.Sleep(72 * time.Hour)
		if w := s.get("sitemap-news.xml"); w.Code != 404 {
			t.Errorf("without news: status %d", w.Code)
		}
	})
}

func TestFileOfNewsHasTheLatestArticles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t, func(c *Config) { c.Extensions, c.Publication = extension.Of(extension.News), "Paper & Co" })
		s.layout.MaxURLs = 0
		most := s.files.cfg.Extensions.Asides()[extension.News].Most
		for i := range 9 * most {
			n := i * 7 % (9 * most) // in no order
			s.list(shards.Entry{Extensions: anArticle(time.Duration(n) * time.Second)}, fmt.Sprintf("/%05d", n))
		}
		s.render()
		w := s.get("sitemap-news.xml")
		if got := locs(t, w.Body.Bytes()); len(got) != most || got[0] != "/00000" ||
			got[most-1] != fmt.Sprintf("/%05d", most-1) {
			t.Errorf("%d articles from %s to %s", len(got), got[0], got[len(got)-1])
		}
		if !strings.Contains(w.Body.String(), "<news:name>Paper &amp; Co</news:name>") ||
			strings.Contains(s.get("sitemap.xml").Body.String(), "news") {
			t.Errorf("the news are\n%.500s", w.Body)
		}
	})
}
