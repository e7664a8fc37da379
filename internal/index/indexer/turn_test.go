package indexer

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// steps notes which processes review, in the order of their steps.
type steps struct {
	mu    sync.Mutex
	taken []string
	slow  func(step int) time.Duration // how long a step takes, by their number
	all   int
}

// passes returns how many steps are taken in a row by one process, in order, such as "a 3", and forgets them.
func (s *steps) passes() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.taken) > 0 {
		n := slices.IndexFunc(s.taken, func(by string) bool { return by != s.taken[0] })
		if n < 0 {
			n = len(s.taken)
		}
		all, s.taken = append(all, fmt.Sprintf("%s %d", s.taken[0], n)), s.taken[n:]
	}
	return all
}

// stepping is the store of one process, which notes its steps over the pages.
type stepping struct {
	store.Store
	steps *steps
	by    string
}

func (s *stepping) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	if strings.HasSuffix(prefix, "|page|") {
		s.steps.mu.Lock()
		s.steps.taken = append(s.steps.taken, s.by)
		s.steps.all++
		var slow time.Duration
		if s.steps.slow != nil {
			slow = s.steps.slow(s.steps.all)
		}
		s.steps.mu.Unlock()
		time.Sleep(slow)
	}
	return s.Store.Scan(ctx, prefix, after)
}

// largeFleet runs fn with processes that share a store of so many pages that a pass takes stepsOfPass steps.
// They poll so often.
func largeFleet(t *testing.T, names string, every time.Duration, fn func(fleet map[string]*rig, s *steps)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		st, s, fleet := new(memstore.Store), new(steps), map[string]*rig{}
		for i := range (stepsOfPass - 1) * reviewStep {
			err := st.Update(t.Context(), []string{fmt.Sprintf("https://example.com|page|/damaged/%06d", i)}, func(values [][]byte) error {
				values[0] = []byte("damaged")
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		for by := range strings.SplitSeq(names, "") {
			fleet[by] = openRig(t, &stepping{st, s, by}, Config{RefreshEvery: every})
			defer func() { fleet[by].stop() }()
		}
		time.Sleep(time.Duration(len(names)) * (every + time.Second)) // the passes after the start
		fn(fleet, s)
	})
}

const stepsOfPass = 5

// wantPasses checks that so many passes were made since the last call, one after the other.
func (s *steps) wantPasses(t *testing.T, when string, want int) {
	t.Helper()
	got, steps, broken := s.passes(), 0, false
	for _, pass := range got {
		var n int
		_, _ = fmt.Sscanf(pass[2:], "%d", &n)
		steps, broken = steps+n, broken || n%stepsOfPass != 0
	}
	if steps != want*stepsOfPass || broken {
		t.Errorf("%s: steps %v, want %d passes of %d, one after the other", when, got, want, stepsOfPass)
	}
}

func TestProcessesReviewOneAfterTheOther(t *testing.T) {
	for _, every := range []time.Duration{refreshEvery, time.Hour} {
		t.Run(fmt.Sprintf("they poll every %v", every), func(t *testing.T) {
			largeFleet(t, "abc", every, func(fleet map[string]*rig, s *steps) {
				s.wantPasses(t, "each after its start, which may bring other settings", 3)
				a, b, c := fleet["a"], fleet["b"], fleet["c"]
				a.sight("/", html("home", "/a", "/b"))
				b.sight("/a", html("a"))
				c.sight("/b", html("b"))
				time.Sleep(a.indexer.site.SpanLength() + every)
				s.wantPasses(t, "in a span", 1)
				want := a.indexer.Stats()
				for by, r := range fleet {
					if got := r.indexer.Stats(); !slices.Equal(got.Counts, want.Counts) || !slices.Contains(got.Counts, count(eligibility.Listed, eligibility.ByLink, 2)) || got.Changelog != want.Changelog || got.Changelog == 0 {
						t.Errorf("%s counts %v and a changelog of %d bytes, a %v and %d; two are listed by links", by, got.Counts, got.Changelog, want.Counts, want.Changelog)
					}
				}
				for range 5 {
					time.Sleep(a.indexer.site.SpanLength() + every)
					s.wantPasses(t, "in each span", 1)
				}
				serveRobots(b, 200, "User-agent: *\nDisallow: /a\n")
				time.Sleep(every + 2*time.Second)
				s.wantPasses(t, "after robots.txt has changed", 1)
				a.wantVerdict("/a", eligibility.Excluded, eligibility.Disallowed)
				c.stop()
				c.start()
				time.Sleep(every + 2*time.Second)
				s.wantPasses(t, "after a process has started anew", 1)
			})
		})
	}
}

func TestSlowReviewKeepsItsTurnUnlessItHangs(t *testing.T) {
	for _, tt := range []struct {
		name string
		slow func(step int) time.Duration
		want []int // steps in a row by one process
	}{
		{"slow", func(int) time.Duration { return turnFor / 4 }, []int{5, 5}},
		{"hangs until the other has reviewed, and goes on", func(step int) time.Duration {
			if step == 2 {
				return turnFor + 2*refreshEvery
			}
			return 0
		}, []int{2, 5, 3}},
		{"hangs until the other reviews, and begins anew after it", func(step int) time.Duration {
			if step == 2 {
				return turnFor + 2*refreshEvery
			}
			return refreshEvery
		}, []int{2, 5, 5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			largeFleet(t, "ab", refreshEvery, func(fleet map[string]*rig, s *steps) {
				time.Sleep(4 * turnFor) // the passes after the start
				s.passes()
				s.mu.Lock()
				s.all, s.slow = 0, tt.slow
				s.mu.Unlock()
				for _, r := range fleet {
					r.check(r.indexer.call(r.Context(), func(context.Context) error { r.indexer.review.begin(); return nil }))
				}
				time.Sleep(10 * turnFor)
				var got []int
				for _, pass := range s.passes() {
					var n int
					_, _ = fmt.Sscanf(pass[2:], "%d", &n)
					got = append(got, n)
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("steps in a row by one process are %v, want %v", got, tt.want)
				}
			})
		})
	}
}

func TestAnotherProcessReviewsOnceOneHasDied(t *testing.T) {
	for _, tt := range []struct {
		name string
		dies func(r *rig)
	}{
		{"for ever", func(r *rig) { r.stop() }},
		{"and has started anew", func(r *rig) { r.stop(); r.start() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			largeFleet(t, "ab", refreshEvery, func(fleet map[string]*rig, s *steps) {
				s.passes()
				time.Sleep(fleet["a"].indexer.site.SpanLength() - time.Minute)
				var begun []string
				for ; len(begun) == 0; begun = s.passes() {
					time.Sleep(time.Millisecond)
				}
				first, _, _ := strings.Cut(begun[0], " ")
				tt.dies(fleet[first])
				time.Sleep(turnFor - time.Second)
				if early := s.passes(); len(early) > 0 {
					t.Errorf("%s has begun a pass and died; before its time was over there were %v", first, early)
				}
				time.Sleep(2 * refreshEvery)
				after := s.passes()
				if len(after) == 0 || !strings.HasSuffix(after[0], fmt.Sprint(" ", stepsOfPass)) {
					t.Errorf("%s has begun a pass and died; then there were %v, want a whole pass", first, after)
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

// A link that stays counts anew in each span, also for a process that does not review.
func TestLinkKeepsAPageInEachProcess(t *testing.T) {
	for i, name := range []string{"one", "the other"} {
		t.Run(name, func(t *testing.T) {
			inFleetThat(t, time.Hour, func(a, b *rig) {
				visited := []*rig{a, b}[i]
				visited.crawl("/a", "/old")
				for day := range 170 {
					time.Sleep(24 * time.Hour)
					visited.sight("/", html(fmt.Sprintf("home, day %d", day), "/a", "/old"))
				}
				visited.keeps(1, "/a")
				visited.wantListed("/", "/a", "/old")
			})
		})
	}
}
