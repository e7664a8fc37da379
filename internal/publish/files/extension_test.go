package files

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/shards"
)

func TestPartDeclaresTheNamespacesInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t, func(c *Config) { c.Extensions = sitemap.Images | sitemap.Alternates })
		x := everything()
		s.list(shards.Entry{Extension: &shards.Extension{Videos: x.Videos}}, "/v")
		s.list(shards.Entry{Extension: &shards.Extension{Images: x.Images}}, "/i")
		s.list(shards.Entry{Extension: &shards.Extension{Images: []string{"javascript:1"}}}, "/bad")
		s.list(shards.Entry{}, "/4")
		s.render()
		first, second := s.get("sitemap-1.xml").Body.String(), s.get("sitemap-2.xml").Body.String()
		if !strings.Contains(first, "xmlns:image") || strings.Contains(first, "xmlns:xhtml") || strings.Contains(first, "video") {
			t.Errorf("the first part is\n%s", first)
		}
		if !strings.Contains(first, "<url><loc>https://example.com/bad</loc></url>") {
			t.Errorf("a page whose images are none is not listed without them:\n%s", first)
		}
		if !strings.HasPrefix(second, sitemap.URLSetOpen) {
			t.Errorf("a part without extensions is\n%s", second)
		}
	})
}

// A withdrawn page must be named nowhere, although the store does not know yet. Other alternates stay.
func TestWithdrawnPageIsNoAlternate(t *testing.T) {
	{
		synctest.Test(t, func(t *testing.T) {
			s := newShelf(t, func(c *Config) { c.Extensions = sitemap.Alternates })
			e := shards.Entry{Extension: &shards.Extension{Alternates: []shards.Alternate{{Lang: "de", Location: "/de"}, {Lang: "en", Location: "/en"}, {Lang: "fr", Location: "/fr"}}}}
			s.list(shards.Entry{}, "/1", "/2")
			s.list(e, "/en", "/fr", "/de")
			s.render()
			s.files.Withdraw("/de", time.Now())
			for _, name := range []string{"sitemap-1.xml", "sitemap-2.xml"} {
				if body := s.get(name).Body.String(); strings.Contains(body, "/de") || !strings.Contains(body, `hreflang="fr"`) {
					t.Errorf("%s is\n%s", name, body)
				}
			}
			if n := s.files.Listed(); n != 4 {
				t.Errorf("%d pages are listed, want 4", n)
			}
		})
	}
}

// The rules may have changed since the pages were listed.
func TestExcludedPageIsNoAlternate(t *testing.T) {
	s := newShelf(t, func(c *Config) { c.Extensions, c.Rules = sitemap.Alternates, barring("/de") })
	s.list(shards.Entry{Extension: &shards.Extension{Alternates: []shards.Alternate{{Lang: "de", Location: "/de"}, {Lang: "en", Location: "/en"}, {Lang: "fr", Location: "/fr"}}}}, "/en", "/fr", "/de")
	s.render()
	if body := s.get("sitemap.xml").Body.String(); strings.Contains(body, "/de") || !strings.Contains(body, `hreflang="fr"`) {
		t.Errorf("the sitemap is\n%s", body)
	}
}

func TestNewsLeaveAfterTwoDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t, func(c *Config) { c.News = true })
		now := time.Now().Unix()
		news := func(ago int64) shards.Entry {
			return shards.Entry{Extension: &shards.Extension{News: &sitemap.News{Publication: "P", Language: "en", Published: now - ago, Title: "T"}}}
		}
		s.list(news(3600), "/new")
		s.list(news(47*3600), "/old")
		s.list(news(49*3600), "/older")
		s.list(news(-600), "/ahead")
		s.list(shards.Entry{}, "/page")
		s.render()
		s.want("sitemap-news.xml", "/new", "/old")
		time.Sleep(2 * time.Hour)
		s.render()
		s.want("sitemap-news.xml", "/ahead", "/new")
		s.files.Withdraw("/new", time.Now())
		s.want("sitemap-news.xml", "/ahead")
		if err := s.book.PruneNews(t.Context(), s.st, time.Now()); err != nil {
			t.Fatal(err)
		}
		left := 0
		for _, err := range s.st.Scan(t.Context(), s.book.Keys.Announced(), "") {
			if left++; err != nil {
				t.Fatal(err)
			}
		}
		if left != 2 {
			t.Errorf("%d keys of news are left, want those of the two young ones", left)
		}
		time.Sleep(72 * time.Hour)
		s.render()
		if w := s.get("sitemap-news.xml"); w.Code != 404 {
			t.Errorf("without news: status %d", w.Code)
		}
	})
}
