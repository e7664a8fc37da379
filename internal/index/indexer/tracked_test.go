package indexer

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
)

// tracked gives a sighting a target with tracking parameters.
func tracked(s *observation.Exchange) { s.Tracked = true }

func TestTrackedLookKeepsAPageThatIsThere(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/b", "/old")
		for range 40 {
			r.keeps(3, "/", "/a")
			r.sight("/b", html("the landing page of a campaign"), tracked)
			r.sight("/old", html("the landing page of a campaign"), tracked, robotsTag("noindex"))
		}
		r.wantListed("/", "/a", "/b")
		r.wantVerdict("/old", eligibility.Gone, eligibility.Unseen)
	})
}

// The first look at the page itself is the first that dates it, whenever a campaign led to it.
func TestTrackedLookDatesNothing(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a"))
		r.sight("/a", html("the landing page"), tracked, lastModified(time.Now().Add(-48*time.Hour)))
		if p := r.page("/a"); p.Verdict != eligibility.Listed || p.Looks != 0 || r.lastMod("/a") != 0 {
			t.Errorf("/a is %v after %d looks with the date %d, want it listed without any", p.Verdict, p.Looks, r.lastMod("/a"))
		}
		if r.looked["/a"] == 0 {
			t.Error("/a is not looked at again soon, though nobody has read it")
		}
		time.Sleep(24 * time.Hour)
		first, given := time.Now(), time.Now().Add(-36*time.Hour)
		r.sight("/a", html("a"), lastModified(given))
		if p := r.page("/a"); !p.FirstSeen.Equal(first) || p.Looks != 1 || r.lastMod("/a") != given.Unix() {
			t.Errorf("/a was first seen at %v, after %d looks its date is %d; want %v, 1 and %d", p.FirstSeen, p.Looks, r.lastMod("/a"), first, given.Unix())
		}
	})
}

// Visitors of a campaign are evidence for a page like others, but not for a page that the
// site answers to any address.
func TestNetworksOfTrackedLooksCount(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/p/one", "/p/two", "/p/three")
		for _, network := range []string{"8.8.4.0/24", "9.9.8.0/24"} {
			r.sight("/p/one", html("text of /p/one"), from(network))
		}
		visit := func(location, text string) {
			for _, network := range []string{"8.8.8.0/24", "9.9.9.0/24", "1.1.1.0/24"} {
				r.sight(location, html(text), tracked, from(network))
			}
		}
		visit("/p/orphan", "a page that nothing links to")
		visit("/p/junk", "text of /p/one")
		r.wantVerdict("/p/orphan", eligibility.Listed, eligibility.ByNetworks)
		r.wantVerdict("/p/junk", eligibility.Held, eligibility.Duplicate)
		r.wantListed("/", "/p/one", "/p/two", "/p/three", "/p/orphan")
	})
}

// Links on a page that a visitor of a campaign gets prove nothing.
func TestLinksOfATrackedLookProveNothing(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/a"), tracked)
		r.sight("/a", html("a"))
		r.wantListed("/")
		r.sight("/", html("home", "/a"))
		r.wantListed("/", "/a")
	})
}
