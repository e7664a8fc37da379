package ledger

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/journal"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/internal/survey"
)

func TestRulesActOnWhatIsStored(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/b/c", "/b/d")
		r.restartWith(admit.Rule{Pattern: "/b/", Listing: admit.Never})
		r.wantListed("/", "/a")
		r.wantVerdict("/b/c", admit.Excluded, admit.RuleNever)
		r.restartWith()
		r.wantListed("/", "/a", "/b/c", "/b/d")
	})
}

func TestParameterThatIsAllowedLaterListsItsPages(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		page := html("in red, and long enough to be told from others: " + same)
		r.sight("/", html("home", "/shop?colour=red"))
		r.sight("/shop?colour=red", page, ownURL)
		r.wantVerdict("/shop?colour=red", admit.Excluded, admit.QueryNotCanonical)
		r.restartWith(admit.Rule{Pattern: "/shop", Query: []string{"colour"}})
		r.sight("/shop?colour=red", page)
		r.wantListed("/", "/shop?colour=red")
	})
}

func TestParameterThatIsNoLongerAllowedTakesItsPagesOut(t *testing.T) {
	inBubble(t, Config{Rules: rules(t, admit.Rule{Pattern: "/shop", Query: []string{"colour"}})}, func(r *rig) {
		r.crawl("/shop?colour=red", "/shop?page=2")
		r.sight("/item?id=5", variant("/item?id=5", "item"), ownURL)
		r.sight("/", html("home", "/shop?colour=red", "/shop?page=2", "/item?id=5"))
		r.wantListed("/", "/item?id=5", "/shop?colour=red", "/shop?page=2")
		r.restartWith()
		r.wantListed("/", "/item?id=5", "/shop?page=2")
		r.wantVerdict("/shop?colour=red", admit.Excluded, admit.QueryNotCanonical)
	})
}

func TestRuleListsALocationThatWaits(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a")
		r.sight("/landing/x", html("landing"))
		r.restartWith(admit.Rule{Pattern: "/landing/x$", Listing: admit.Always})
		r.wantListed("/", "/a", "/landing/x")
	})
}

func TestPageThatNobodyGetsLeaves(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/old")
		r.keeps(89, "/", "/a")
		r.wantListed("/", "/a", "/old")
		r.keeps(3, "/", "/a")
		r.wantListed("/", "/a")
		r.wantVerdict("/old", admit.Gone, admit.Unseen)
		r.sight("/old", html("old"))
		r.wantListed("/", "/a", "/old")
		r.keeps(190, "/", "/a")
		r.wantNoTrace("/old")
	})
}

func TestSiteThatStoodStillKeepsItsPages(t *testing.T) {
	for name, pause := range map[string]time.Duration{"a year": 365 * 24 * time.Hour, "ten years": 3650 * 24 * time.Hour} {
		runInBubble(t, name, Config{}, func(r *rig) {
			r.crawl("/a", "/b")
			r.stop()
			time.Sleep(pause)
			r.start()
			r.keeps(3, "/")
			r.wantListed("/", "/a", "/b")
			r.keeps(20, "/", "/a")
			r.wantListed("/", "/a")
		})
	}
}

func TestWaitingLocationsAreForgottenInTheEnd(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a")
		r.sight("/orphan", html("nobody links here"))
		r.answer("/for-one", 200, cacheControl("private"))
		r.forget("/a")
		r.keeps(100, "/")
		r.wantVerdict("/orphan", admit.Unknown, admit.None)
		r.wantVerdict("/for-one", admit.Unknown, admit.None)
		r.wantVerdict("/a", admit.Excluded, admit.Forgotten)
		if n := r.ledger.Stats().Waiting; n != 1 {
			t.Errorf("%d locations wait, want the one that is barred", n)
		}
	})
}

func count(verdict admit.Verdict, reason admit.Reason, pages int) survey.Count {
	return survey.Count{Verdict: verdict, Reason: reason, Pages: pages}
}

func TestStatsCountPagesByVerdict(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/b", "/c")
		r.sight("/orphan", html("nobody links here"))
		r.sight(secretPage, html("secret"))
		r.answer("/c", 410)
		want := map[survey.Count]bool{
			count(admit.Listed, admit.ByEntry, 1): true, count(admit.Listed, admit.ByLink, 2): true, count(admit.Gone, admit.StatusGone, 1): true,
			count(admit.Waiting, admit.NoEvidence, 1): true, count(admit.Held, admit.Capability, 1): true,
		}
		check := func(when string) {
			t.Helper()
			got := r.ledger.Stats().Counts
			for _, c := range got {
				if !want[c] {
					t.Errorf("%s: %d are %v because of %v", when, c.Pages, c.Verdict, c.Reason)
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: counts %v, want %v", when, got, want)
			}
		}
		check("as it went")
		r.restart()
		check("after a restart")
		r.forget("/b")
		delete(want, count(admit.Listed, admit.ByLink, 2))
		want[count(admit.Listed, admit.ByLink, 1)], want[count(admit.Excluded, admit.Forgotten, 1)] = true, true
		check("after Forget")
		r.keeps(100, "/", "/a")
		delete(want, count(admit.Waiting, admit.NoEvidence, 1))
		delete(want, count(admit.Held, admit.Capability, 1))
		check("after what waited has gone")
	})
}

// A page that has expired leaves the files at once. At the next review it leaves the
// alternates of other pages, and the journal gets an event.
func TestReviewTakesEndedPagesOutOfTheAlternatesOfOthers(t *testing.T) {
	inBubble(t, Config{Extensions: sitemap.Alternates}, func(r *rig) {
		until := time.Now().Add(time.Hour).UTC()
		r.sight("/", html("home", "/de", "/en"))
		for range 2 {
			r.sight("/de", inLanguages("hallo", "de=/de", "en=/en"), robotsTag("unavailable_after: "+until.Format(time.RFC1123)))
			r.sight("/en", inLanguages("hello", "de=/de", "en=/en"))
		}
		r.flush()
		r.wantAlternates("/en", "de=/de")
		time.Sleep(time.Until(until) + 5*time.Second) // nobody visits the site meanwhile
		if file, _ := r.file(); strings.Contains(file, "<loc>https://example.com/de</loc>") {
			t.Errorf("the file lists a page that has ended:\n%s", file)
		}
		time.Sleep(36 * time.Hour)
		r.wantListed("/", "/en")
		r.wantAlternates("/en")
		r.wantEvents(until.Add(-time.Second), "removed /de")
		if file, _ := r.file(); strings.Contains(file, "/de") {
			t.Errorf("the file names a page that has ended:\n%s", file)
		}
	})
}

// perPart counts the stored entries of each part.
func (r *rig) perPart() map[string]int {
	in := map[string]int{}
	for key := range r.dump() {
		if rest, is := strings.CutPrefix(key, "https://example.com|list|"); is {
			in[rest[:6]]++
		}
	}
	return in
}

func TestPagesMoveWhenTheLimitOfAPartChanges(t *testing.T) {
	inBubble(t, Config{MaxURLs: 12}, func(r *rig) {
		want := append([]string{"/"}, numbered("/p%02d", 29)...)
		r.crawl(want[1:]...)
		for _, limit := range []int{5, 1, 30, 7} {
			r.cfg.MaxURLs = limit
			r.restart()
			r.flush() // what was moved
			r.wantListed(want...)
			for n, pages := range r.perPart() {
				if pages > limit {
					t.Errorf("with a limit of %d, part %s has %d pages", limit, n, pages)
				}
			}
			if n := len(r.pagesByPart()); n < 30/limit {
				t.Errorf("with a limit of %d there are %d parts", limit, n)
			}
			r.wantEvents(time.Now().Add(-time.Second)) // to move is not to change
		}
	})
}

// pagesByPart returns the pages of each part by their own records.
func (r *rig) pagesByPart() map[int][]string {
	in := map[int][]string{}
	for _, p := range r.pages() {
		in[p.Part] = append(in[p.Part], p.Location)
	}
	for n, locations := range in {
		if got := r.perPart()[fmt.Sprintf("%06d", n)]; got != len(locations) {
			r.Errorf("part %d lists %d pages, and %d say that they are in it", n, got, len(locations))
		}
	}
	return in
}

// wantEvents checks what the journal has since a time.
func (r *rig) wantEvents(since time.Time, want ...string) {
	r.Helper()
	var got []string
	for e, err := range r.ledger.Events(r.Context(), since) {
		if err != nil {
			r.Errorf("the events since %v: %v", since, err)
			return
		}
		got = append(got, [...]string{journal.Added: "added ", journal.Changed: "changed ", journal.Removed: "removed "}[e.What]+e.Location)
	}
	if !slices.Equal(got, want) {
		r.Errorf("events are %q, want %q", got, want)
	}
}

// TestExplainKnowsThatAPageIsForOneVisitor visits an unknown page that says that it is
// for one visitor. Explain can tell that.
func TestExplainKnowsThatAPageIsForOneVisitor(t *testing.T) {
	for directive, why := range map[string]admit.Reason{"private, must-revalidate": admit.Private, "no-store, no-cache": admit.NoStore} {
		runInBubble(t, directive, Config{}, func(r *rig) {
			r.sight("/", html("home", "/linked"))
			r.answer("/for-one", 200, cacheControl(directive))
			r.answer("/linked", 200, cacheControl(directive))
			r.wantVerdict("/for-one", admit.Excluded, why)
			r.wantVerdict("/linked", admit.Excluded, why)
			r.wantNoTrace("for-one")

			r.sight("/for-one", html("a page for all"))
			r.wantVerdict("/for-one", admit.Waiting, admit.NoEvidence)
			r.sight("/linked", html("another page for all"))
			r.wantListed("/", "/linked")
			if at := r.lastMod("/linked"); at != 0 {
				r.Errorf("lastmod %v of a page that was never compared with itself", at)
			}
		})
	}
}
