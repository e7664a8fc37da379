package indexer

import (
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
)

// refusals of a page, in the ways in which a site may refuse it to one client alone.
var waysToRefuse = []struct {
	name   string
	refuse func(r *rig, change ...func(*observation.Exchange))
	reason eligibility.Reason
}{
	{"401", func(r *rig, change ...func(*observation.Exchange)) {
		r.answer("/a", http.StatusUnauthorized, change...)
	}, eligibility.Denied},
	{"403", func(r *rig, change ...func(*observation.Exchange)) { r.answer("/a", http.StatusForbidden, change...) }, eligibility.Denied},
	{"log-in", func(r *rig, change ...func(*observation.Exchange)) {
		r.answer("/a", http.StatusFound, append(change, redirect("/login?next=/a"))...)
	}, eligibility.LoginRedirect},
	{"log-in for good", func(r *rig, change ...func(*observation.Exchange)) {
		r.answer("/a", http.StatusMovedPermanently, append(change, redirect("https://accounts.example/oauth/authorize"))...)
	}, eligibility.LoginRedirect},
	{"moved off the site", func(r *rig, change ...func(*observation.Exchange)) {
		r.answer("/a", http.StatusPermanentRedirect, append(change, redirect("https://other.example/"))...)
	}, eligibility.Moved},
}

// notModified is the answer to a client that has a copy of the page.
func notModified(r *rig) { r.answer("/a", http.StatusNotModified) }

// askedForHead is the answer to a HEAD request. It says little: many sites answer any HEAD
// with 200.
func askedForHead(r *rig) {
	s := seen("/a", "")
	s.Kind = eligibility.Alive
	r.ledger.Offer(s)
	r.flush()
}

// One client may be refused what all others get.
func TestRefusalNeedsASecondNetworkOrAnotherDay(t *testing.T) {
	known := func(network string) []func(*observation.Exchange) {
		return []func(*observation.Exchange){from(network)}
	}
	for _, tt := range []struct {
		name          string
		first, second []func(*observation.Exchange) // by whom
		after         time.Duration
		meanwhile     func(*rig)
		out           bool
	}{
		{"nobody else", known(netA), nil, 48 * time.Hour, nil, false},
		{"the same network soon", known(netA), known(netA), 23 * time.Hour, nil, false},
		{"the same network a day later", known(netA), known(netA), 24 * time.Hour, nil, true},
		{"another network within the minute", known(netA), known(netB), 10 * time.Second, nil, true},
		{"another network an hour later", known(netA), known(netB), time.Hour, nil, true},
		{"one of a known and one of an unknown network", known(netA), []func(*observation.Exchange){}, time.Hour, nil, false},
		{"unknown networks soon", []func(*observation.Exchange){}, []func(*observation.Exchange){}, 23 * time.Hour, nil, false},
		{"unknown networks a day later", []func(*observation.Exchange){}, []func(*observation.Exchange){}, 24 * time.Hour, nil, true},
		{"a witness before another network", known(netA), known(netB), time.Hour, func(r *rig) { r.sight("/a", html("a")) }, false},
		{"a witness before another day", known(netA), known(netA), 24 * time.Hour, func(r *rig) { r.sight("/a", html("a")) }, false},
		{"a 304 before another network", known(netA), known(netB), time.Hour, notModified, false},
		{"a 304 before another day", known(netA), known(netA), 24 * time.Hour, notModified, false},
		{"a HEAD before another network", known(netA), known(netB), time.Hour, askedForHead, true},
		{"a restart before another network", known(netA), known(netB), time.Hour, (*rig).restart, true},
		{"a restart before another day", known(netA), known(netA), 24 * time.Hour, (*rig).restart, true},
	} {
		for _, way := range waysToRefuse {
			runWithPage(t, tt.name+", "+way.name, func(r *rig) {
				way.refuse(r, tt.first...)
				time.Sleep(tt.after / 2)
				if tt.meanwhile != nil {
					tt.meanwhile(r)
				}
				r.wait(tt.after - tt.after/2)
				r.wantListed("/", "/a")
				if tt.second != nil {
					way.refuse(r, tt.second...)
				}
				if tt.after < pagerecord.ConfirmAfter {
					r.wantListed("/", "/a")
				}
				r.wait(pagerecord.ConfirmAfter)
				if !tt.out {
					r.wantListed("/", "/a")
					return
				}
				r.wantListed("/")
				r.wantVerdict("/a", eligibility.Gone, way.reason)
				r.sight("/a", html("a"))
				r.wantListed("/", "/a")
			})
		}
	}
}

func TestSecondReasonToDoubtKeepsTheFirstMinute(t *testing.T) {
	elsewhere := strings.Replace(html("a"), "<head>", `<head><link rel=canonical href="/b">`, 1)
	forbid := func(r *rig) { r.answer("/a", http.StatusForbidden, from(netA)) }
	for _, tt := range []struct {
		name   string
		do     func(*rig)
		reason eligibility.Reason
	}{
		{"a 403 and then a 404 of the same network", func(r *rig) { forbid(r); r.answer("/a", http.StatusNotFound, from(netA)) }, eligibility.NotFound},
		{"a 403 and then a canonical elsewhere", func(r *rig) { forbid(r); r.sight("/a", elsewhere, from(netA)) }, eligibility.CanonicalElsewhere},
		{"a 404 and then a canonical elsewhere", func(r *rig) { r.answer("/a", http.StatusNotFound); r.sight("/a", elsewhere) }, eligibility.CanonicalElsewhere},
		{"a canonical elsewhere and then a 403", func(r *rig) { r.sight("/a", elsewhere, from(netA)); forbid(r) }, eligibility.CanonicalElsewhere},
	} {
		runWithPage(t, tt.name, func(r *rig) {
			tt.do(r)
			r.wait(pagerecord.ConfirmAfter - 3*time.Second)
			r.wantListed("/", "/a")
			r.wait(3 * time.Second)
			r.wantListed("/")
			if p := r.page("/a"); p.Reason != tt.reason {
				r.Errorf("/a is out because of %v, want %v", p.Reason, tt.reason)
			}
		})
	}
}

// runWithPages is withPages in a subtest.
func runWithPages(t *testing.T, name string, n int, fn func(r *rig, pages []string)) {
	t.Run(name, func(t *testing.T) { withPages(t, n, fn) })
}

// withPages begins with a home page and n listed pages, which it names.
func withPages(t *testing.T, n int, fn func(r *rig, pages []string)) {
	inBubble(t, Config{}, func(r *rig) {
		pages := numbered("/p%03d", n)
		r.sight("/", html("home", pages...))
		for _, p := range pages {
			r.sight(p, html(p))
		}
		r.wantListed(append([]string{"/"}, pages...)...)
		fn(r, pages)
	})
}

// missing answers a network 404 for some pages.
func (r *rig) missing(network string, pages ...string) {
	for _, p := range pages {
		if network == "" {
			r.answer(p, http.StatusNotFound)
		} else {
			r.answer(p, http.StatusNotFound, from(network))
		}
	}
}

// wantLeft checks that all pages but the home page and those of rest are out.
func (r *rig) wantLeft(rest ...string) {
	r.Helper()
	r.flush()
	r.wantListed(append([]string{"/"}, rest...)...)
}

func TestOneNetworkTakesOutTenPagesADay(t *testing.T) {
	for _, network := range []string{netA, ""} {
		runWithPages(t, "network "+network, 30, func(r *rig, pages []string) {
			r.missing(network, pages[:12]...) // of which ten leave
			time.Sleep(pagerecord.ConfirmAfter)
			r.wantLeft(pages[10:]...)

			r.missing(network, pages[10:20]...)
			time.Sleep(pagerecord.ConfirmAfter)
			r.missing(network, pages[10:20]...)
			time.Sleep(23 * time.Hour)
			r.missing(network, pages[10:20]...)
			r.wantLeft(pages[10:]...)
			r.wantNoSuspects()
			r.restart()
			time.Sleep(time.Hour)
			r.missing(network, pages[10:15]...)
			r.wantLeft(pages[15:]...) // it saw these on another day
			r.missing(netC, pages[15:20]...)
			if network != "" {
				r.wantLeft(pages[20:]...) // and another network those
			}
			time.Sleep(2 * time.Hour) // its day is over
			r.missing(network, pages[20:30]...)
			r.wait(pagerecord.ConfirmAfter)
			if n := r.files.Listed(); n != 1 && network != "" {
				r.Errorf("%d pages are listed, want the first", n)
			}
		})
	}
}

// A page that others get although a network was told 404 does not count among the pages
// that the network takes out.
func TestPageThatIsThereIsNotCountedAsTakenOut(t *testing.T) {
	withPages(t, 30, func(r *rig, pages []string) {
		r.missing(netA, pages[:4]...)
		for _, p := range pages[:4] {
			r.sight(p, html(p), from(netD))
		}
		r.missing(netA, pages[20:]...)
		time.Sleep(pagerecord.ConfirmAfter)
		r.wantLeft(pages[:20]...)
	})
}

// A client that asks again and gets the page proves nothing about itself.
func TestRefusalThatItsOwnNetworkRefutesIsNotCounted(t *testing.T) {
	withPages(t, 30, func(r *rig, pages []string) {
		for _, p := range pages[:9] {
			r.missing(netA, p)
			r.sight(p, html(p), from(netA))
		}
		r.missing(netA, pages[20])
		time.Sleep(pagerecord.ConfirmAfter)
		r.wantLeft(append(slices.Clone(pages[:20]), pages[21:]...)...)
	})
}

// On a site that knows no networks, pages that are gone leave after a day even while one
// client is refused what others get.
func TestPageThatIsGoneLeavesAlsoWhereNoNetworkIsKnown(t *testing.T) {
	withPages(t, 10, func(r *rig, pages []string) {
		for range 2 {
			for _, p := range pages[:5] {
				r.answer(p, http.StatusForbidden)
				r.sight(p, html(p))
			}
			r.answer(pages[8], http.StatusForbidden)
			r.missing("", pages[9])
			time.Sleep(24 * time.Hour)
		}
		r.wantLeft(pages[:9]...)
	})
}
