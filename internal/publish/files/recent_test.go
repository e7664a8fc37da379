package files

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/shards"
)

// diary is the journal of a shelf. Like a ledger, it remembers for each page when its last
// event was and in which part it is.
type diary struct {
	*shelf
	j    changelog.Journal
	last map[string]int64
	part map[string]int
}

func newDiary(t *testing.T, change ...func(*Config)) *diary {
	d := &diary{shelf: newShelf(t, change...), last: map[string]int64{}, part: map[string]int{}}
	d.j = changelog.Journal{Keys: d.book.Keys}
	return d
}

// happens writes events of pages to the journal, a second apart.
func (d *diary) happens(what changelog.Happening, locations ...string) {
	d.Helper()
	for _, l := range locations {
		d.write(func(tx shards.Tx) {
			switch what {
			case changelog.Added:
				d.part[l] = d.book.Add(tx, d.part[l], l, shards.Entry{})
			case changelog.Changed:
				d.book.Set(tx, d.part[l], l, changedAt(time.Now().Unix()))
			case changelog.Removed:
				d.book.Remove(tx, d.part[l], l)
			}
			d.last[l] = d.j.Note(tx, d.last[l], l, what, eligibility.None, time.Now().UnixMilli(), d.part[l])
		})
		d.files.Changed(d.part[l])
		time.Sleep(time.Second)
	}
}

// An event by another process whose clock is a little ahead is recent at once. An event
// by a clock that is further ahead becomes recent when its time comes.
func TestRecentPageOfAClockThatIsAheadIsShownOnceItsTimeHasCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t, func(c *Config) { c.Recent = 2 * time.Hour })
		d.happens(changelog.Added, "/a", "/b")
		note := func(what changelog.Happening, location string, ahead time.Duration) {
			d.write(func(tx shards.Tx) {
				d.last[location] = d.j.Note(tx, d.last[location], location, what, eligibility.None, time.Now().Add(ahead).UnixMilli(), 1)
			})
			d.files.ChangedAll()
			d.render()
		}
		note(changelog.Changed, "/a", 30*time.Second)
		d.want("sitemap-recent.xml", "/a", "/b")
		note(changelog.Changed, "/a", time.Hour)
		d.want("sitemap-recent.xml", "/b")
		time.Sleep(time.Hour)
		note(changelog.Changed, "/b", 0)
		d.want("sitemap-recent.xml", "/b", "/a")
	})
}

func TestRecentFileShowsPagesOfTheLastDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t, func(c *Config) { c.Recent = 24 * time.Hour })
		if d.render(); d.get("sitemap-recent.xml").Code != 503 {
			t.Error("a file of recent pages before anything is listed")
		}
		d.happens(changelog.Added, "/a", "/b", "/c", "/d")
		d.run()
		time.Sleep(2 * time.Minute)
		d.want("sitemap-recent.xml", "/d", "/c", "/b", "/a")
		d.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml")
		tag := d.get("sitemap-recent.xml").Header().Get("Etag")
		if w := d.get("sitemap-recent.xml.gz", with("If-None-Match", tag[:len(tag)-1]+`-gzip"`)); w.Code != 304 {
			t.Errorf("status %d for the tag of the same file", w.Code)
		}

		time.Sleep(12 * time.Hour)
		d.happens(changelog.Changed, "/b")
		d.happens(changelog.Removed, "/c")
		time.Sleep(2 * time.Minute)
		d.want("sitemap-recent.xml", "/b", "/d", "/a")

		d.st.fail("")
		d.files.Withdraw("/d", time.Now())
		synctest.Wait()
		d.want("sitemap-recent.xml", "/b", "/a")
		d.st.mend()

		time.Sleep(13 * time.Hour)
		d.want("sitemap-recent.xml", "/b")
		time.Sleep(13 * time.Hour)
		if w := d.get("sitemap-recent.xml"); w.Code != 404 {
			t.Errorf("status %d although nothing is recent", w.Code)
		}
		if got := strings.Join(d.files.Tops(), " "); got != "sitemap.xml sitemap-recent.xml" {
			t.Errorf("crawlers are told of %s", got)
		}
	})
}

func TestRecentPagesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDiary(t, func(c *Config) { c.Recent = 24 * time.Hour })
		d.book.MaxURLs = 500
		for i := range recentMost + 50 {
			d.happens(changelog.Added, fmt.Sprintf("/%04d", i))
		}
		d.render()
		urls := locs(t, d.get("sitemap-recent.xml").Body.Bytes())
		if len(urls) != recentMost || urls[0] != "/1049" || urls[recentMost-1] != "/0050" {
			t.Errorf("%d pages from %s to %s", len(urls), urls[0], urls[len(urls)-1])
		}
	})
}
