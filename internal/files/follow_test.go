package files

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/robots"
)

func TestNothingIsMadeBeforeFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(book.Entry{}, "/a")
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
	caught := lastmod.Trust{lastmod.Page: {All: true}}
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
		{"a stamp that others found", Policy{}, Policy{Trust: lastmod.Trust{lastmod.Page: {Stamps: new(lastmod.Stamps).With(lastmod.Stamp{From: 1, To: 2})}}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf(t)
				s.list(changedAt(moment.Of(time.Now()).Seconds()), "/a", "/b")
				s.files.Follow(tt.from)
				s.render()
				before := s.st.scans.Load()
				s.files.Follow(tt.to)
				s.render()
				if anew := s.st.scans.Load() > before; anew != tt.anew {
					t.Errorf("the files were made anew: %v, want %v", anew, tt.anew)
				}
			})
		})
	}
}
