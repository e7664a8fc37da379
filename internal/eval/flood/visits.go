package main

import (
	"math/rand/v2"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// quorum is how many networks visit each junk location with -quorum: the default of
	// Options.Limits.Networks.
	quorum = 3
	// block is how many junk locations at most are visited from one network before the next
	// network begins with the first of them. So all networks visit a location before it is
	// forgotten, and the new targets are within the ration of looks; see package due.
	block = 20_000
	// passSeconds is how long one pass over a block takes with -quorum: longer than the
	// pause between two looks at one target.
	passSeconds = 3.6
	// realEvery: one in so many visits is to a real page.
	realEvery = 50
	// maxNetworks is the highest number of client networks.
	maxNetworks = 1 << 16
)

// visit is one request.
type visit struct {
	loc    string
	client netip.Addr
}

// flood is the order in which a site is visited.
type flood struct {
	cfg    config
	real   []string
	passes int
	block  int
}

func newFlood(cfg config, real []string) flood {
	blocks := (cfg.junk + block - 1) / block
	f := flood{cfg: cfg, real: real, passes: 1, block: (cfg.junk + blocks - 1) / blocks}
	if cfg.quorum {
		f.passes = quorum
		if f.cfg.rate == 0 && !cfg.direct {
			f.cfg.rate = float64(f.block) / passSeconds
		}
	}
	return f
}

// junk returns the number of visits to junk, and visits the number of all visits.
func (f flood) junk() int   { return f.cfg.junk * f.passes }
func (f flood) visits() int { return f.junk() + f.junk()/(realEvery-1) }

// visit returns the i-th visit.
func (f flood) visit(i int) visit {
	r := rand.New(rand.NewPCG(f.cfg.seed, uint64(i)))
	if i%realEvery == realEvery-1 {
		return visit{f.real[r.IntN(len(f.real))], f.client(r.IntN(f.cfg.networks))}
	}
	n, pass := f.order(i - i/realEvery)
	first := rand.New(rand.NewPCG(f.cfg.seed+1, uint64(n))).IntN(f.cfg.networks)
	return visit{junkLocation(n, f.cfg.seed), f.client((first + pass) % f.cfg.networks)}
}

// order returns the junk location of the i-th visit to junk, and its pass: the number of
// earlier visits to this location.
func (f flood) order(i int) (n, pass int) {
	begin := i / (f.block * f.passes) * f.block
	size := min(f.block, f.cfg.junk-begin)
	i -= begin * f.passes
	return begin + i%size, i / size
}

// client returns an address of the n-th network.
func (f flood) client(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{11, byte(n >> 8), byte(n), 7})
}

// each calls do for each visit, from several goroutines, at the flood's rate, until one
// fails.
func (f flood) each(workers int, do func(i int, v visit) error) error {
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
	if ahead := time.Until(start.Add(time.Duration(float64(i) / f.cfg.rate * float64(time.Second)))); ahead > time.Millisecond {
		time.Sleep(ahead)
	}
}
