package ledger

import (
	"fmt"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/rate"
)

// built is a static site with the time of its build as Last-Modified. Each page has a
// text, in one of several editions.
func built(r *rig, pages []string, at time.Time, menu string, edition func(i int) int) {
	r.Helper()
	for i, p := range pages {
		text := fmt.Sprintf("%s%s In its edition %d it has grown a new lid, of which page %d says more.", about, p, edition(i), i)
		r.sight(p, product(i, fmt.Sprintf("€ %d.95", 20+i), menu, text), lastModified(at.Add(time.Duration(i)*time.Second/20)))
	}
}

// A deploy gives every page a new menu and the time of the build. Only pages whose text it
// changed get that date.
func TestDeployDatesOnlyWhatItChanged(t *testing.T) {
	const pages = 60
	newMenu := shopMenu + `<li><a href="/jobs">Jobs</a><li><a href="/press">Press</a>`
	for _, tt := range []struct {
		name   string
		edited func(i int) bool
		menu   string
	}{
		{"nothing but the menu", func(int) bool { return false }, newMenu},
		{"nothing at all", func(int) bool { return false }, shopMenu},
		{"three pages in ten", func(i int) bool { return i%10 < 3 }, shopMenu},
		{"three pages in ten, and the menu", func(i int) bool { return i%10 < 3 }, newMenu},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			all := numbered("/thing-%d", pages)
			r.sight("/", html("home", all...))
			first := time.Now().Add(-30 * 24 * time.Hour)
			for range 2 {
				built(r, all, first, shopMenu, func(int) int { return 1 })
				time.Sleep(24 * time.Hour)
			}
			deploy := time.Now()
			time.Sleep(time.Hour)
			for range 3 {
				built(r, all, deploy, tt.menu, func(i int) int {
					if tt.edited(i) {
						return 2
					}
					return 1
				})
				time.Sleep(24 * time.Hour)
			}
			for i, p := range all {
				got := r.lastMod(p)
				if !tt.edited(i) && got != 0 {
					r.Errorf("%s was restamped to %v", p, fromSeconds(got).UTC())
				}
				if tt.edited(i) && (got < deploy.Unix() || got > deploy.Add(2*time.Hour).Unix()) {
					r.Errorf("%s has the lastmod %v, and was edited at %v", p, fromSeconds(got).UTC(), deploy.UTC())
				}
			}
		})
	}
}

// A change that is confirmed later gets the given date that moved when it was first seen.
func TestLateChangeHasItsExactDate(t *testing.T) {
	withShop(t, 3, func(r *rig, pages []string) {
		old := time.Now().Add(-1000 * time.Hour)
		page := func(price string) string { return product(0, price, shopMenu, about+pages[0]) }
		r.sight(pages[0], page("€ 20.95"), lastModified(old))
		time.Sleep(5 * time.Hour)
		exact := time.Now()
		time.Sleep(5 * time.Hour)
		for range 2 {
			r.sight(pages[0], page("€ 9.95"), lastModified(exact))
			time.Sleep(time.Hour)
		}
		r.wantLastMod(pages[0], exact.Unix())
	})
}

// The estimate learns the time of a change from a believed source, and otherwise the time
// when it was seen.
func TestRateUsesTheDateOfABelievedSource(t *testing.T) {
	for _, tt := range []struct {
		name   string
		before func(r *rig) // the changes
		exact  bool
	}{
		{"believed", func(*rig) {}, true},
		{"caught", func(r *rig) {
			for range 2 {
				r.sight("/liar", html("liar"), lastModified(time.Now()))
			}
		}, false},
	} {
		runInBubble(t, tt.name, Config{}, func(r *rig) {
			r.sight("/", html("home", "/a", "/liar"))
			tt.before(r)
			var want rate.Estimate
			saved := time.Now().Add(-100 * time.Hour)
			for i := range 8 {
				at := time.Now()
				page := html(fmt.Sprintf("This is what the page says in its edition %[1]d, and %[1]d times it says so.", i))
				r.sight("/a", page, lastModified(saved))
				if tt.exact && i > 0 {
					want = want.SawChangeAt(at.Unix(), saved.Unix())
				} else {
					want = want.Saw(at.Unix(), i > 0)
				}
				for range 6 { // looks without a change
					time.Sleep(time.Hour)
					want = want.Saw(time.Now().Unix(), false)
					r.sight("/a", page, lastModified(saved))
				}
				saved = time.Now()
				time.Sleep(3 * time.Hour)
			}
			freq, p := want.Freq()
			got := r.page("/a")
			if got.Freq != freq || got.Confidence != p {
				r.Errorf("%v with %v, want %v with %v", got.Freq, got.Confidence, freq, p)
			}
			if by := got.Entry.ExactBy; (by == lastmod.Server) != tt.exact {
				r.Errorf("the change was dated by %v", by)
			}
		})
	}
}
