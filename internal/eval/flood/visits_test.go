package flood

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// realEvery says that one in so many visits is to a real page.
const realEvery = 50

// flood is the order in which a site is visited.
type flood struct {
	cfg  config
	real []string
}

// visits returns the number of all visits.
func (f flood) visits() int { return f.cfg.junk + f.cfg.junk/(realEvery-1) }

// visit returns the location of the i-th visit.
func (f flood) visit(i int) string {
	if i%realEvery == realEvery-1 {
		return f.real[rand.New(rand.NewPCG(1, uint64(i))).IntN(len(f.real))]
	}
	return junkLocation(i - i/realEvery)
}

// each calls do for each visit, from several goroutines, at the flood's rate, until one
// fails.
func (f flood) each(workers int, do func(i int, loc string) error) error {
	var next atomic.Int64
	var failed atomic.Pointer[error]
	var wg sync.WaitGroup
	start := time.Now()
	for range workers {
		wg.Go(func() {
			for failed.Load() == nil {
				i := int(next.Add(1)) - 1
				if i >= f.visits() {
					return
				}
				f.pace(start, i)
				if err := do(i, f.visit(i)); err != nil {
					failed.CompareAndSwap(nil, &err)
				}
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return nil
}

// pace waits for the time of the i-th visit.
func (f flood) pace(start time.Time, i int) {
	if f.cfg.rate <= 0 {
		return
	}
	if ahead := time.Until(start.Add(time.Duration(float64(i) / f.cfg.rate * float64(
		time.Second)))); ahead > time.Millisecond {
		time.Sleep(ahead)
	}
}
