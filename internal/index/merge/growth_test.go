package merge

import (
	"maps"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/visits"
)

// A calendar without end fills neither memory nor disk, whoever walks through it.
func TestLinksListSoManyPagesADay(t *testing.T) {
	visitor := func(*observation.Observation) {}
	for _, tt := range []struct {
		name   string
		grown  int // today
		site   int // pages that it lists
		visit  change
		listed bool
	}{
		{"the last of a day", growthADay - 1, 0, visitor, true},
		{"one more", growthADay, 0, visitor, false},
		{"one more of a large site", growthADay, 20 * growthADay, visitor, true},
		{"the site itself", growthADay, 0, own, true},
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
			tried := visits.Page("/day/1", html("day"), w.now)
			w.site.ReadToTry(tried)
			base.Equal(w, New(txn.New(maps.Clone(w.records)), w.site, w.now).Try(tried).Reason, eligibility.Growth,
				"what is tried")
			w.wait(24 * time.Hour)
			see()
			w.wantListed("/", "/day/1")
		})
	}
}

func TestPagesThatLinksListAreCounted(t *testing.T) {
	w := newWorld(t, options{})
	w.sight("/routed", html("routed"), route("/routed", true))
	w.sight("/", html("home", "/a", "/b", "/c", "/both"))
	w.sight("/both", html("both"), route("/both", true))
	for range 2 {
		w.sight("/a", html("a"))
		w.sight("/b", html("b"))
		w.sight("/c", html("c"), own)
	}
	base.Equal(t, w.site.Growth.pages, 2, "are counted")
}
