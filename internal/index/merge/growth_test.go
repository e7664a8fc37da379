package merge

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/index/observation"
)

// paid says for which network an exchange is counted.
func paid(by quota.Payer) change { return func(e *observation.Exchange) { e.Payer = by } }

// One client that walks through a calendar without end fills neither the sitemap nor the day of others.
func TestLinksListSoManyPagesADay(t *testing.T) {
	const maze, other = quota.Payer(1), quota.Payer(2)
	bySite := func(e *observation.Exchange) { e.Explored = true }
	for _, tt := range []struct {
		name   string
		grown  map[quota.Payer]int64 // today
		site   int                   // pages that it lists
		visit  change
		listed bool
	}{
		{"a network with less than half", map[quota.Payer]int64{maze: growthADay/2 - 1}, 0, paid(maze), true},
		{"a network with more than half", map[quota.Payer]int64{maze: growthADay/2 + 1}, 0, paid(maze), false},
		{"another network then", map[quota.Payer]int64{maze: growthADay/2 + 1}, 0, paid(other), true},
		{"a network with more than half, of a large site", map[quota.Payer]int64{maze: growthADay/2 + 1}, 20 * growthADay, paid(maze), true},
		{"a network that is not known may have all", map[quota.Payer]int64{0: growthADay - 1}, 0, paid(0), true},
		{"and no more", map[quota.Payer]int64{0: growthADay}, 0, paid(0), false},
		{"the site itself", map[quota.Payer]int64{maze: growthADay}, 0, bySite, true},
	} {
		run(t, tt.name, options{}, func(w *world) {
			w.sight("/", html("home", "/day/1"))
			w.site.Listed = tt.site
			w.site.Growth.Add(tt.grown, w.now)
			see := func() { w.sight("/day/1", html("day"), tt.visit) }
			if see(); w.record("/day/1").Listed() != tt.listed {
				w.Errorf("it is %+v", w.record("/day/1").Standing)
			}
			if tt.listed {
				return
			}
			w.wantVerdict("/day/1", waiting, eligibility.Growth)
			w.wait(24 * time.Hour)
			see()
			w.wantListed("/", "/day/1")
		})
	}
}

func TestPagesThatLinksListAreCounted(t *testing.T) {
	w := newWorld(t, options{})
	w.sight("/routed", html("routed"), route("/routed", true), paid(1))
	w.sight("/", html("home", "/a", "/b", "/c"), paid(1))
	for range 2 {
		w.sight("/a", html("a"), paid(1))
		w.sight("/b", html("b"), paid(2))
		w.sight("/c", html("c"), func(e *observation.Exchange) { e.Explored = true })
	}
	if g := w.site.Growth; g.total != 2 || g.held.Of(1).Load() != 1 || g.held.Of(2).Load() != 1 {
		t.Errorf("%d are counted, %d and %d", g.total, g.held.Of(1).Load(), g.held.Of(2).Load())
	}
}
