package files

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

func TestOneFileThenAnIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(shards.Entry{}, "/b", "/a", "/c&d'")
		s.render()
		s.want("sitemap.xml", "/a", "/b", "/c&d'")
		s.want("sitemap-1.xml", "/a", "/b", "/c&d'")
		s.list(shards.Entry{}, "/e")
		s.render()
		s.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml")
		s.want("sitemap-1.xml", "/a", "/b", "/c&d'")
		s.want("sitemap-2.xml", "/e")
		for _, name := range []string{"sitemap-3.xml", "sitemap-0.xml", "sitemap-01.xml", "sitemap-.xml", "sitemap",
			"sitemap.txt", "sitemap-recent.xml", "sitemap-news.xml", "other.xml", "sitemap-1.xml.gz.gz",
			"sitemaps-explained.xml"} {
			if w := s.get(name); w.Code != http.StatusNotFound || s.files.Owns(name) && name != "sitemap-3.xml" {
				t.Errorf("%s: status %d, want 404 and that it is none of the site's", name, w.Code)
			}
		}
	})
}

func TestChangeMakesOneFileNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(shards.Entry{}, "/1", "/2", "/3", "/4", "/5")
		s.render()
		time.Sleep(time.Hour)
		before := s.files.served.Load()
		s.write(func(tx txn.Records) {
			if s.at(time.Now()).Set(tx, 2, "/4", changedAt(time.Now().Unix())) {
				s.files.Changed(2)
			}
		})
		s.render()
		after := s.files.served.Load()
		if after.files[1] != before.files[1] {
			t.Error("part 1 was made anew, although only part 2 changed")
		}
		if after.files[2] == before.files[2] {
			t.Error("part 2 is the old one")
		}
	})
}

func TestPassesArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.run()
		synctest.Wait()
		time.Sleep(time.Hour)
		s.list(shards.Entry{}, "/a")
		synctest.Wait()
		s.want("sitemap.xml", "/a") // the first change after a quiet time
		s.list(shards.Entry{}, "/b")
		time.Sleep(59 * time.Second)
		s.want("sitemap.xml", "/a")
		time.Sleep(2 * time.Second)
		s.want("sitemap.xml", "/a", "/b")
	})
}

func TestShardThatCannotBeReadKeepsItsFileAlone(t *testing.T) {
	s := newShelf(t)
	s.list(shards.Entry{}, "/1", "/2", "/3", "/4")
	s.render()
	s.write(func(tx txn.Records) {
		s.layout.Remove(tx, 1, "/2")
		s.layout.Remove(tx, 1, "/3")
		s.layout.Remove(tx, 2, "/4")
		s.layout.Add(tx, 2, "/5", shards.Entry{})
	})
	s.files.Changed(1, 2)
	s.files.Follow(Policy{Robots: robots.Parse([]byte("User-agent: *\nDisallow: /1"))})
	s.fail(s.layout.Keys.List(1, ""))
	for range 2 {
		if err := s.files.Render(t.Context()); !errors.Is(err, errBroken) {
			t.Errorf("Render returned %v", err)
		}
		s.want("sitemap-1.xml", "/1", "/2", "/3")
		s.want("sitemap-2.xml", "/5")
	}
	if got := strings.Count(s.log.String(), "level=WARN"); got != 1 {
		t.Errorf("%d warnings, want one for one cause:\n%s", got, s.log)
	}
	s.mend()
	s.render()
	s.want("sitemap.xml", "/5")
}

// Its dates change the trust in those of the others, so all files are made twice.
func TestFileThatIsMadeAtTheSecondTryHasNotFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(shards.Entry{}, "/1", "/2", "/3", "/4", "/5", "/6")
		s.render()
		s.write(func(tx txn.Records) {
			s.layout.Remove(tx, 1, "/1")
			for _, l := range []string{"/4", "/5", "/6"} {
				s.layout.Set(tx, 2, l, shards.Entry{Date: lastmod.Date{At: moment.Of(time.Now()), By: lastmod.Page}})
			}
		})
		s.files.Changed(1, 2)
		s.fail(s.layout.Keys.List(1, ""))
		s.delay.Store(int64(time.Hour))
		time.AfterFunc(time.Minute, s.mend) // while the second shard is read for the first time
		s.render()
		s.want("sitemap-1.xml", "/2", "/3")
		if s.files.due.any() {
			t.Error("a file is to be made again")
		}
	})
}

func TestElementsAreThoseOfTheServedFile(t *testing.T) {
	s := newShelf(t, func(c *Config) { c.Extensions = extension.Of(extension.Alternates) })
	s.list(shards.Entry{Extensions: inLanguages("de=/a", "en=/b", "fr=/fr")}, "/b", "/c&d")
	s.render()
	s.list(shards.Entry{}, "/later")
	together := sitemap.URLSetOpen(s.files.cfg.Extensions.Namespaces())
	for _, location := range []string{"/a", "/b", "/c&d", "/later"} {
		together += s.files.Element(t.Context(), 1, location)
	}
	if together += sitemap.URLSetClose; together != s.get("sitemap.xml").Body.String() {
		t.Errorf("the elements are\n%s\nand the sitemap is\n%s", together, s.get("sitemap.xml").Body)
	}
}
