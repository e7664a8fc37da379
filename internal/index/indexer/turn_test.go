package indexer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

const stepsOfPass = 5

// fleet are three processes that share a store of so many pages that a pass takes stepsOfPass steps.
type fleet struct {
	*testing.T
	rigs  []*rig
	steps atomic.Int64 // over the pages
	loses atomic.Bool  // the answer to the next claim
}

// inLargeFleet runs fn with a fleet whose processes poll so often, after the passes at their start.
func inLargeFleet(t *testing.T, every time.Duration, fn func(f *fleet)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		st, f := new(memstore.Store), &fleet{T: t}
		for i := range (stepsOfPass - 1) * reviewStep {
			base.MustPut(t, st, fmt.Sprintf("https://example.com|page|/damaged/%06d", i), "damaged")
		}
		for i := range 3 {
			f.rigs = append(f.rigs, openRig(t, f.stepping(st), Config{RefreshEvery: every}))
			defer func() { f.rigs[i].stop() }()
		}
		time.Sleep(3 * (every + time.Second))
		f.wantPasses("each after its start, which may bring other settings", 3)
		fn(f)
	})
}

// stepping returns the store of a process, whose steps over the pages are counted.
func (f *fleet) stepping(shared store.Store) store.Store {
	st := &base.Store{Store: shared}
	st.OnScan(func(_ context.Context, prefix string) error {
		if strings.HasSuffix(prefix, "|page|") {
			f.steps.Add(1)
		}
		return nil
	})
	st.OnUpdateOf("|review", func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		claims := false
		err := shared.Update(ctx, keys, func(values [][]byte) error {
			before := slices.Clone(values)
			err := fn(values)
			claims = !slices.EqualFunc(before, values, bytes.Equal)
			return err
		})
		if claims && f.loses.CompareAndSwap(true, false) {
			return errors.Join(err, errors.New("the answer is lost"))
		}
		return err
	})
	return st
}

// wantPasses checks that so many passes were made since the last call.
func (f *fleet) wantPasses(when string, want int) {
	f.Helper()
	if steps := f.steps.Swap(0); steps != int64(want*stepsOfPass) {
		f.Errorf("%s: %d steps, want %d passes of %d", when, steps, want, stepsOfPass)
	}
}

func TestOneProcessReviewsInASpan(t *testing.T) {
	for _, every := range []time.Duration{time.Minute, time.Hour} {
		t.Run(fmt.Sprintf("they poll every %v", every), func(t *testing.T) {
			inLargeFleet(t, every, func(f *fleet) {
				a, b, c := f.rigs[0], f.rigs[1], f.rigs[2]
				a.sight("/", html("home", "/a", "/b"))
				b.sight("/a", html("a"))
				c.sight("/b", html("b"))
				time.Sleep(a.indexer.site.SpanLength() + every)
				f.wantPasses("in a span", 1)
				want := a.indexer.Stats()
				for i, r := range f.rigs {
					if got := r.indexer.Stats(); !slices.Equal(got.Counts, want.Counts) ||
						!slices.Contains(got.Counts, count(eligibility.Listed, eligibility.ByLink, 2)) ||
						got.Changelog != want.Changelog || got.Changelog == 0 {
						t.Errorf("process %d counts %v and a changelog of %d bytes, the first one %v and %d; two are listed by links", i,
							got.Counts, got.Changelog, want.Counts, want.Changelog)
					}
				}
				for range 3 {
					time.Sleep(a.indexer.site.SpanLength() + every)
					f.wantPasses("in each span", 1)
				}
				serveRobots(b, 200, "User-agent: *\nDisallow: /a\n")
				time.Sleep(every + 2*time.Second)
				f.wantPasses("after robots.txt has changed", 1)
				a.wantVerdict("/a", eligibility.Excluded, eligibility.Disallowed)
				c.stop()
				c.start()
				time.Sleep(every + 2*time.Second)
				f.wantPasses("after a process has started anew", 1)
			})
		})
	}
}

func TestAnotherProcessReviewsInTheNextSpanOnceOneHasDied(t *testing.T) {
	inLargeFleet(t, refreshEvery, func(f *fleet) {
		a := f.rigs[0]
		a.check(a.indexer.call(a.Context(), func(ctx context.Context) error {
			_, err := a.indexer.review.claim(ctx)
			return err
		}))
		a.stop()
		time.Sleep(a.indexer.site.SpanLength() - time.Minute)
		f.wantPasses("before its time is over", 0)
		time.Sleep(2 * time.Minute)
		f.wantPasses("in the next span", 1)
	})
}

func TestClaimWhoseAnswerIsLostCostsNoSpan(t *testing.T) {
	inLargeFleet(t, refreshEvery, func(f *fleet) {
		f.loses.Store(true)
		time.Sleep(f.rigs[0].indexer.site.SpanLength() + refreshEvery)
		f.wantPasses("in the span", 1)
	})
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
