// Command sampling shows what observations of pages cost in the background, and that reading pages
// stays within its budget under any number of observations:
//
//	go run ./internal/eval/sampling
//
// Every observation goes through the indexer as in a site. First come pages of 95 KB that differ at
// each observation, as fast as the indexer can read them, until the saved CPU time is spent. Then
// they come at steady rates. The indexer checks the status, the headers and the head of each
// page, and reads as many pages as the budget allows.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/index/indexer"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/store/memstore"
)

func main() {
	saved := flag.Duration("saved", 40*time.Second, "CPU time that is used up first; a new site may read for 30 seconds")
	each := flag.Duration("each", 10*time.Second, "length of each measurement after that")
	kit.Main("sampling", func(ctx context.Context) error {
		bench, err := kit.NewBench(new(memstore.Store), kit.BenchOptions{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			return err
		}
		defer bench.Close()
		s := &site{indexer: bench.Indexer, each: *each}
		for version := range s.bodies {
			for i := range s.bodies[version] {
				s.bodies[version][i] = body(i, version)
			}
		}
		return s.show(ctx, *saved)
	})
}

const (
	pages     = 64
	pageBytes = 95 << 10
)

// site is an indexer with the pages that it gets, each in two versions.
type site struct {
	indexer *indexer.Indexer
	each    time.Duration
	bodies  [2][pages][]byte
	next    int // observation
}

func location(i int) string { return fmt.Sprintf("/page/%d", i) }

func body(page, version int) []byte {
	return kit.Page{Title: fmt.Sprintf("Page %d", page)}.Append(nil, func(b []byte) []byte {
		for n := 0; len(b) < pageBytes; n++ {
			b = fmt.Appendf(b, `<div class="row"><h2>Section %d of page %d</h2><p>Version %d says <b>this</b> in section %d.</p></div>`, n, page, version, n)
		}
		for i := range pages {
			b = kit.AppendLink(b, location(i), fmt.Sprintf("Page %d", i))
		}
		return b
	})
}

// same is an observation of the next page in its first version.
func (s *site) same() *observation.Exchange { return s.visit(0) }

// changed is an observation of the next page, which differs from its last observation.
func (s *site) changed() *observation.Exchange { return s.visit(s.next / pages % 2) }

func (s *site) visit(version int) *observation.Exchange {
	i := s.next % pages
	s.next++
	return kit.Visit(location(i), time.Now(), s.bodies[version][i])
}

// show prints what observations cost.
func (s *site) show(ctx context.Context, saved time.Duration) error {
	if err := s.learn(ctx); err != nil {
		return err
	}
	const few, many = 100, 500
	fmt.Println("observations of                       observations/s   CPU of a core")
	unchanged := s.row("pages that are the same", many, s.same)
	s.spend("pages that changed, as fast as they go", saved, s.changed)
	for s.indexer.Stats().Queued > 0 {
		time.Sleep(pause)
	}
	fewCPU := s.row("pages that changed, what was saved is spent", few, s.changed)
	manyCPU := s.row("the same", many, s.changed)
	check := (manyCPU - fewCPU) / (many - few)
	fmt.Printf("an observation of a page that is the same %.0f us, a check of one that changed %.0f us; reading takes %.1f %% of a core\n",
		1e6*unchanged/many, 1e6*check, 100*(fewCPU-few*check))
	return nil
}

// learn shows each page twice, so that all are listed and read.
func (s *site) learn(ctx context.Context) error {
	for range 2 {
		s.indexer.Offer(kit.Visit("/", time.Now(), s.bodies[0][0])) // it links to all pages
		for range pages {
			s.indexer.Offer(s.same())
		}
		if err := s.indexer.Flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pause is how long a measurement pauses between two rounds of observations.
const pause = 10 * time.Millisecond

// row offers observations at a rate. It prints and returns the CPU time they cost, as a share of
// one core.
func (s *site) row(name string, perSecond int, next func() *observation.Exchange) float64 {
	begun, before, visits := time.Now(), kit.CPUTime(), 0
	for time.Since(begun) < s.each {
		time.Sleep(pause)
		for due := int(time.Since(begun).Seconds() * float64(perSecond)); visits < due; visits++ {
			s.indexer.Offer(next())
		}
	}
	return report(name, visits, time.Since(begun), kit.CPUTime()-before)
}

// spend lets the indexer read pages as fast as possible, until it has used so much CPU time.
func (s *site) spend(name string, cpu time.Duration, next func() *observation.Exchange) {
	const queued = 256 // observations that wait at most
	begun, before, visits := time.Now(), kit.CPUTime(), 0
	for kit.CPUTime()-before < cpu {
		for n := queued - s.indexer.Stats().Queued; n > 0; n-- {
			s.indexer.Offer(next())
			visits++
		}
		time.Sleep(pause)
	}
	report(name, visits, time.Since(begun), kit.CPUTime()-before)
}

func report(name string, visits int, passed, cpu time.Duration) float64 {
	share := cpu.Seconds() / passed.Seconds()
	fmt.Printf("%-44s %7.0f %13.1f %%\n", name, float64(visits)/passed.Seconds(), 100*share)
	return share
}
