// Command revisit simulates what a site learns of pages that no visitor requests. It
// compares two orders of looks: round robin, and by the gain that package explore expects
// of a look, with the rates that package rate has learned.
//
//	go run ./internal/eval/revisit
package main

import (
	"flag"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/rate"
)

const (
	day    = 24 * time.Hour
	warmUp = 200 * day // not counted: in this time the rates are learned
	length = 500 * day
	slice  = time.Hour

	longest = 90 * day // between two looks at a page
)

// page is a page that changes at random.
type page struct {
	seen     explore.Seen
	mean     time.Duration // between changes, really
	next     time.Time     // its next change
	stale    time.Time     // since when a change is unseen, zero if there is none
	estimate rate.Estimate
}

// result has the counts of a run.
type result struct {
	fresh, counts         int // pages that were up to date, of all, once a day
	looks, changes, found int
	delay                 float64 // of all changes found, in days
}

func main() {
	pages := flag.Int("pages", 20_000, "pages of the site")
	seed := flag.Uint64("seed", 1, "seed of the simulation")
	flag.Parse()
	fmt.Printf("%d pages whose rates are lognormal, the median changes once in 60 days; 300 days are counted\n", *pages)
	fmt.Printf("%-15s %-11s %8s %6s %11s %8s\n", "budget a page", "order", "looks", "fresh", "mean delay", "found")
	for _, every := range []time.Duration{30 * day, 10 * day} {
		for _, order := range []struct {
			name   string
			choose func(s *site, now time.Time, budget int) []int
		}{{"round robin", (*site).roundRobin}, {"most gain", (*site).mostGain}} {
			r := run(newSite(*pages, *seed), int(time.Duration(*pages)*slice/every), order.choose)
			fmt.Printf("each %2.0f days    %-11s %8d %5.1f%% %9.1f d %8d of %d\n", every.Hours()/24, order.name,
				r.looks, 100*float64(r.fresh)/float64(r.counts), r.delay/float64(max(1, r.found)), r.found, r.changes)
		}
	}
}

// site is what is simulated.
type site struct {
	pages []page
	index map[string]int
	hand  int
	rnd   *rand.Rand
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func newSite(n int, seed uint64) *site {
	s := &site{pages: make([]page, n), index: map[string]int{}, rnd: rand.New(rand.NewPCG(seed, 2))}
	for i := range s.pages {
		p := &s.pages[i]
		p.mean = time.Duration(60 * float64(day) * math.Exp(1.5*s.rnd.NormFloat64()))
		p.seen = explore.Seen{Location: fmt.Sprintf("/%06d", i), Last: start}
		p.next = start.Add(s.exp(p.mean))
		p.estimate = p.estimate.Saw(start.Unix(), false)
		s.index[p.seen.Location] = i
	}
	return s
}

func (s *site) exp(mean time.Duration) time.Duration {
	return time.Duration(float64(mean) * s.rnd.ExpFloat64())
}

func (s *site) roundRobin(_ time.Time, budget int) (chosen []int) {
	for range budget {
		chosen, s.hand = append(chosen, s.hand), (s.hand+1)%len(s.pages)
	}
	return chosen
}

func (s *site) mostGain(now time.Time, budget int) (chosen []int) {
	locations, err := explore.Choose(s.all(), now, longest, budget)
	if err != nil {
		panic(err) // all yields no error
	}
	for _, loc := range locations {
		chosen = append(chosen, s.index[loc])
	}
	return chosen
}

func (s *site) all() iter.Seq2[explore.Seen, error] {
	return func(yield func(explore.Seen, error) bool) {
		for i := range s.pages {
			if !yield(s.pages[i].seen, nil) {
				return
			}
		}
	}
}

// run looks at pages for the length of the simulation.
func run(s *site, budget int, choose func(*site, time.Time, int) []int) (r result) {
	for now := start.Add(slice); now.Before(start.Add(length)); now = now.Add(slice) {
		counted := now.Sub(start) > warmUp
		r.changes += s.change(now, counted)
		for _, i := range choose(s, now, budget) {
			p := &s.pages[i]
			changed := !p.stale.IsZero()
			if counted {
				r.looks++
			}
			if changed && counted {
				r.found++
				r.delay += now.Sub(p.stale).Hours() / 24
			}
			p.look(now, changed)
		}
		if counted && now.Hour() == 0 {
			r.count(s)
		}
	}
	return r
}

// change lets the pages change up to now, and returns how many changes count. For each page
// only one at a time counts, since a look finds no more.
func (s *site) change(now time.Time, counted bool) (changes int) {
	for i := range s.pages {
		p := &s.pages[i]
		for p.next.Before(now) {
			if p.stale.IsZero() {
				p.stale = p.next
			}
			if counted {
				changes++
			}
			p.next = p.next.Add(s.exp(p.mean))
		}
	}
	return changes
}

func (p *page) look(now time.Time, changed bool) {
	p.estimate = p.estimate.Saw(now.Unix(), changed)
	if changed || p.seen.Likely > 0 {
		least, likely, most := p.estimate.Interval()
		p.seen.Least, p.seen.Likely, p.seen.Most = seconds(least), seconds(likely), seconds(most)
	}
	p.seen.Looks++
	p.seen.Last, p.seen.Watched, p.stale = now, now.Sub(start), time.Time{}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (r *result) count(s *site) {
	for i := range s.pages {
		r.counts++
		if s.pages[i].stale.IsZero() {
			r.fresh++
		}
	}
}
