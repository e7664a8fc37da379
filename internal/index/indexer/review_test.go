package indexer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/tally"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestPageThatNobodyGetsLeaves(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/old")
		r.keeps(89, "/", "/a")
		r.wantListed("/", "/a", "/old")
		r.keeps(3, "/", "/a")
		r.wantListed("/", "/a")
		r.wantVerdict("/old", eligibility.Gone, eligibility.Unseen)
		r.sight("/old", html("old"))
		r.wantListed("/", "/a", "/old")
		r.keeps(190, "/", "/a")
		r.wantNoTrace("/old")
	})
}

// No visit of the page itself is needed: a link is as good, whichever process sees it. It counts anew in each span.
func TestPageThatNobodyGetsStaysWhileAPageThatIsGotLinksToIt(t *testing.T) {
	base.OneByOne(t)
	changes := func(day int) string { return html(fmt.Sprintf("home, day %d", day), "/a", "/old") }
	for _, tt := range []struct {
		name    string
		page    func(day int) string
		visited int // which of two processes
		stays   bool
	}{
		{"the same page each day", func(int) string { return html("home", "/a", "/old") }, 0, true},
		{"a page that changes each day", changes, 0, true},
		{"a page that changes each day, in the other process", changes, 1, true},
		{"the link is gone", func(int) string { return html("home", "/a") }, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inFleetThat(t, time.Hour, func(a, b *rig) {
				r := []*rig{a, b}[tt.visited]
				r.crawl("/a", "/old")
				for day := range 170 {
					time.Sleep(24 * time.Hour)
					r.sight("/", tt.page(day))
				}
				if r.keeps(1, "/a"); tt.stays {
					r.wantListed("/", "/a", "/old")
				} else {
					r.wantVerdict("/old", eligibility.Gone, eligibility.Unseen)
				}
			})
		})
	}
}

// Only what others store tells such a process that the site has visitors.
func TestProcessWithoutVisitorsReviews(t *testing.T) {
	inFleetThat(t, time.Hour, func(a, b *rig) {
		a.crawl("/a", "/old")
		a.keeps(89, "/", "/a")
		a.stop()
		time.Sleep(4 * 24 * time.Hour)
		b.wantVerdict("/old", eligibility.Gone, eligibility.Unseen)
		b.wantListed("/", "/a")
	})
}

func count(verdict eligibility.Verdict, reason eligibility.Reason, pages int) tally.Count {
	return tally.Count{Verdict: verdict, Reason: reason, Pages: pages}
}

func TestStatsCountPagesByVerdict(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a", "/b", "/c")
		r.sight("/orphan", html("nobody links here"))
		r.sight(secretPage, html("secret"))
		r.answer("/c", 410)
		want := map[tally.Count]bool{
			count(eligibility.Listed, eligibility.ByEntry, 1): true, count(eligibility.Listed, eligibility.ByLink, 2): true,
			count(eligibility.Gone, eligibility.StatusGone, 1):    true,
			count(eligibility.Waiting, eligibility.NoEvidence, 1): true, count(eligibility.Held, eligibility.Capability,
				1): true,
		}
		check := func(when string) {
			t.Helper()
			got := r.indexer.Stats().Counts
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
		delete(want, count(eligibility.Listed, eligibility.ByLink, 2))
		want[count(eligibility.Listed, eligibility.ByLink, 1)],
			want[count(eligibility.Excluded, eligibility.Forgotten, 1)] = true, true
		check("after Forget")
		r.keeps(100, "/", "/a")
		delete(want, count(eligibility.Waiting, eligibility.NoEvidence, 1))
		delete(want, count(eligibility.Held, eligibility.Capability, 1))
		check("after what waited has gone")
	})
}

// A page that has expired leaves the files at once. At the next review it leaves the
// alternates of other pages, and the journal gets an event.
func TestReviewTakesEndedPagesOutOfTheAlternatesOfOthers(t *testing.T) {
	inBubble(t, Config{Settings: merge.Settings{Extensions: extension.Of(extension.Alternates)}}, func(r *rig) {
		until := time.Now().Add(time.Hour).UTC()
		r.sight("/", html("home", "/de", "/en"))
		for range 2 {
			r.sight("/de", inLanguages("hallo", "de=/de", "en=/en"), robotsTag("unavailable_after: "+until.Format(time.RFC1123)))
			r.sight("/en", inLanguages("hello", "de=/de", "en=/en"))
		}
		r.flush()
		if file := r.file(); !strings.Contains(file, `href="https://example.com/de"`) {
			t.Errorf("the file does not name the alternate:\n%s", file)
		}
		time.Sleep(time.Until(until) + 5*time.Second) // nobody visits the site meanwhile
		if file := r.file(); strings.Contains(file, "<loc>https://example.com/de</loc>") {
			t.Errorf("the file lists a page that has ended:\n%s", file)
		}
		time.Sleep(36 * time.Hour)
		r.wantListed("/", "/en")
		r.wantEvents(until.Add(-time.Second), "removed /de")
		if file := r.file(); strings.Contains(file, "/de") {
			t.Errorf("the file names a page that has ended:\n%s", file)
		}
	})
}

// pagesByPart returns the pages of each part by their own records.
func (r *rig) pagesByPart() map[int][]string {
	in := map[int][]string{}
	for _, p := range r.pages() {
		in[p.Shard] = append(in[p.Shard], p.Location)
	}
	for n, locations := range in {
		if got := len(r.kind(fmt.Sprintf("list|%06d", n))); got != len(locations) {
			r.Errorf("part %d lists %d pages, and %d say that they are in it", n, got, len(locations))
		}
	}
	return in
}

// wantEvents checks what the journal has since a time.
func (r *rig) wantEvents(since time.Time, want ...string) {
	r.Helper()
	var got []string
	for e, err := range r.indexer.Events(r.Context(), since) {
		if err != nil {
			r.Errorf("the events since %v: %v", since, err)
			return
		}
		got = append(got, [...]string{changelog.Added: "added ", changelog.Changed: "changed ",
			changelog.Removed: "removed "}[e.What]+e.Location)
	}
	base.EqualLists(r, got, want, "events are")
}

func TestBoilerplateIsKnownAfterARestart(t *testing.T) {
	inBubble(t, Config{}, func(r *rig) {
		menu := "<p>The menu of the site, which is on every page of it and is no news of any of them.</p>"
		links := numbered("/p%d", 12)
		r.sight("/", html(menu, links...))
		for i, location := range links {
			r.sight(location, html(fmt.Sprintf("%s<p>What page %d has to say, and no other page of the site does.</p>", menu,
				i)))
		}
		r.flush()
		before := r.indexer.site.Boilerplate.AppendBinary(nil)
		if len(before) < 100 {
			t.Fatalf("the boilerplate of 13 pages takes %d bytes", len(before))
		}
		r.restart()
		if after := r.indexer.site.Boilerplate.AppendBinary(nil); !bytes.Equal(after, before) {
			t.Errorf("%d bytes of boilerplate are %d others after a restart", len(before), len(after))
		}
	})
}
