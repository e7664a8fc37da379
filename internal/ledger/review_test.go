package ledger

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admit"
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

func TestParameterThatIsAllowedLater(t *testing.T) {
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

func TestParameterThatIsNoLongerAllowed(t *testing.T) {
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
		r.forget("/a")
		r.keeps(100, "/")
		r.wantVerdict("/orphan", admit.Unknown, admit.None)
		r.wantVerdict("/a", admit.Excluded, admit.Forgotten)
		if n := r.ledger.Stats().Waiting; n != 1 {
			t.Errorf("%d locations wait, want the one that is barred", n)
		}
	})
}

func count(verdict admit.Verdict, reason admit.Reason, pages int) survey.Count {
	return survey.Count{Verdict: verdict, Reason: reason, Pages: pages}
}

func TestCountsByVerdict(t *testing.T) {
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

func TestUnavailableAfter(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.sight("/", html("home", "/offer", "/event"))
		until := time.Now().Add(time.Hour).UTC()
		r.sight("/offer", html("offer"), robotsTag("unavailable_after: "+until.Format(time.RFC1123)))
		r.sight("/event", fmt.Sprintf(`<html><head><meta name=robots content="unavailable_after: %s"></head><body>event</body></html>`, until.Format(time.RFC3339)))
		r.wantListed("/", "/offer", "/event")
		time.Sleep(time.Hour + time.Minute)
		if got := r.files.Listed(); got != 1 {
			t.Errorf("%d pages are served after their end", got)
		}
		r.sight("/event", fmt.Sprintf(`<html><head><meta name=robots content="unavailable_after: %s"></head><body>event</body></html>`, until.Format(time.RFC3339)))
		r.wantVerdict("/event", admit.Excluded, admit.NoIndex)
	})
}

// A page that has expired leaves the files at once. At the next review it leaves the
// alternates of other pages, and the journal gets an event.
func TestPageThatHasEndedIsNamedByNoOtherAfterAReview(t *testing.T) {
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
