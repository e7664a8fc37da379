package files

import (
	"math"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestNothingIsMadeBeforeFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(shards.Entry{}, "/a")
		s.stop()
		s.files = New(s.files.cfg)
		s.start(s.files.Run)
		s.files.Changed(1)
		s.files.ChangedAll()
		s.render()
		s.wantNothing("before Follow")
		s.files.Follow(Policy{Robots: robots.Parse([]byte("User-agent: *\nDisallow: /b"))})
		s.render()
		s.want("sitemap.xml", "/a")
	})
}

// TestFollowMakesFilesAnewWhereItMakesADifference follows one policy and then another.
func TestFollowMakesFilesAnewWhereItMakesADifference(t *testing.T) {
	disallow := func(path string) *robots.Rules { return robots.Parse([]byte("User-agent: *\nDisallow: " + path)) }
	caught := lastmod.Trust{lastmod.Page: {Caught: true}}
	for _, tt := range []struct {
		name     string
		from, to Policy
		anew     bool
	}{
		{"the same", Policy{Trust: caught, Robots: disallow("/x")}, Policy{Trust: caught, Robots: disallow("/x")}, false},
		{"another robots.txt", Policy{Robots: disallow("/x")}, Policy{Robots: disallow("/y")}, true},
		{"no robots.txt any more", Policy{Robots: disallow("/x")}, Policy{}, true},
		{"a source lost its trust", Policy{}, Policy{Trust: caught}, true},
		{"a source won it back", Policy{Trust: caught}, Policy{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf(t)
				s.list(changedAt(moment.Of(time.Now()).Seconds()), "/a", "/b")
				s.files.Follow(tt.from)
				s.render()
				before := s.scans.Load()
				s.files.Follow(tt.to)
				s.render()
				base.Equal(t, s.scans.Load() > before, tt.anew, "the files were made anew")
			})
		})
	}
}

func TestPageLeavesWhenItExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		at := func(d time.Duration) shards.Entry { return shards.Entry{Until: moment.Of(time.Now().Add(d)).Second()} }
		s.list(shards.Entry{}, "/a")
		s.list(at(-time.Second), "/before")
		s.list(at(90*time.Minute), "/last")
		s.list(at(48*time.Hour), "/other") // the first of shard 2
		s.list(shards.Entry{Until: math.MaxInt64}, "/z")
		s.run()
		synctest.Wait()
		s.want("sitemap-1.xml", "/a", "/last")
		s.want("sitemap-2.xml", "/other", "/z")
		if s.files.Lists("/before") || s.files.Listed() != 4 {
			t.Errorf("of 4 pages %d are listed", s.files.Listed())
		}

		time.Sleep(10 * time.Second)
		s.files.Changed() // the store was asked, and nothing has changed
		time.Sleep(90*time.Minute - 11*time.Second)
		s.want("sitemap-1.xml", "/a", "/last")
		old := s.get("sitemap.xml").Body.String()
		time.Sleep(time.Second)
		synctest.Wait()
		s.want("sitemap-1.xml", "/a")
		s.want("sitemap-2.xml", "/other", "/z")
		if s.files.Lists("/last") || s.files.Listed() != 3 {
			t.Errorf("of 3 pages %d are listed", s.files.Listed())
		}
		if s.get("sitemap.xml").Body.String() == old {
			t.Error("the index does not say that part 1 became new")
		}

		// Another page leaves shard 2 first.
		s.unlist("/z")
		time.Sleep(48*time.Hour - 90*time.Minute)
		synctest.Wait()
		s.want("sitemap.xml", "/a") // shard 2 lists nothing more
		if w := s.get("sitemap-2.xml"); w.Code != http.StatusNotFound {
			t.Errorf("status %d for a part that lists nothing", w.Code)
		}
	})
}
