// Command sampling shows what looks at pages cost in the background, and that
// reading pages keeps to its budget under any number of looks:
//
//	go run ./internal/eval/sampling
//
// Every look goes through the ledger as a site has it. First pages of 95 KB that
// are others at each look come as fast as they can be read, until what is saved
// up is spent. Then they come at steady rates: each is checked, for its status,
// its headers and its head, and as many are read as the budget pays for.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/files"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/ledger"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/store/memstore"
)

func main() {
	log.SetFlags(0)
	saved := flag.Duration("saved", 40*time.Second, "how much CPU is used up first; a new site may read for 30 seconds")
	each := flag.Duration("each", 10*time.Second, "of each measurement after that")
	flag.Parse()
	s, err := newSite()
	if err != nil {
		log.Fatal(err)
	}
	defer s.close()
	if err := s.show(*saved, *each); err != nil {
		log.Fatal(err)
	}
}

// site is a ledger with the pages that it is shown.
type site struct {
	ledger  *ledger.Ledger
	pages   *pages
	stop    context.CancelFunc
	workers sync.WaitGroup
}

func newSite() (*site, error) {
	origin, err := location.ParseOrigin("https://example.com")
	if err != nil {
		return nil, err
	}
	norm, err := location.New(origin, location.Config{})
	if err != nil {
		return nil, err
	}
	keys, err := keys.New(origin.String())
	if err != nil {
		return nil, err
	}
	s := &site{pages: newPages()}
	st, quiet := new(memstore.Store), slog.New(slog.DiscardHandler)
	files := files.New(files.Config{
		Store: st, Keys: keys, URL: origin.URL, Name: "sitemap", Folder: "/", Every: 5 * time.Second,
		Doubts: func() lastmod.Trust { return s.ledger.Doubts() }, Logger: quiet,
	})
	s.ledger, err = ledger.New(ledger.Config{
		Store: st, Normalizer: norm, Files: files, Entries: []string{"/"}, Networks: 3, Confidence: 0.5, KeepFor: 90 * 24 * time.Hour,
		MakeDue: func(string) {}, Logger: quiet,
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.workers.Go(func() { s.ledger.Run(ctx) })
	s.workers.Go(func() { files.Run(ctx) })
	return s, nil
}

func (s *site) close() {
	s.stop()
	s.workers.Wait()
}

// show prints what looks cost.
func (s *site) show(saved, each time.Duration) error {
	if err := s.learn(); err != nil {
		return err
	}
	const few, many = 100, 500
	fmt.Println("looks at                                     looks/s   CPU of a core")
	unchanged := s.row("pages that are the same", each, many, s.pages.same)
	s.spend("pages that changed, as fast as they go", saved, s.pages.changed)
	s.drain()
	fewCPU := s.row("pages that changed, what was saved is spent", each, few, s.pages.changed)
	manyCPU := s.row("the same", each, many, s.pages.changed)
	check := (manyCPU - fewCPU) / (many - few)
	fmt.Printf("a look at a page that is the same %.0f us, a check of one that changed %.0f us; reading takes %.1f %% of a core\n",
		1e6*unchanged/many, 1e6*check, 100*(fewCPU-few*check))
	return nil
}

// learn shows each page once, and has all of them listed and read.
func (s *site) learn() error {
	for range 2 {
		s.ledger.Offer(s.pages.front())
		for range pagesShown {
			s.ledger.Offer(s.pages.same())
		}
		if err := s.ledger.Flush(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// row offers looks at a rate for a time, and prints and returns the CPU they
// cost, as a share of one core.
func (s *site) row(name string, d time.Duration, perSecond int, next func() *ledger.Sighting) float64 {
	begun, before, looks := time.Now(), cpuTime(), 0
	for time.Since(begun) < d {
		time.Sleep(pause)
		for due := int(time.Since(begun).Seconds() * float64(perSecond)); looks < due; looks++ {
			s.ledger.Offer(next())
		}
	}
	return report(name, looks, time.Since(begun), cpuTime()-before)
}

// spend has pages read as fast as that goes, until so much CPU was used.
func (s *site) spend(name string, cpu time.Duration, next func() *ledger.Sighting) {
	begun, before, looks := time.Now(), cpuTime(), 0
	for cpuTime()-before < cpu {
		for n := queued - s.ledger.Stats().Queued; n > 0; n-- {
			s.ledger.Offer(next())
			looks++
		}
		time.Sleep(pause)
	}
	report(name, looks, time.Since(begun), cpuTime()-before)
}

func report(name string, looks int, passed, cpu time.Duration) float64 {
	share := cpu.Seconds() / passed.Seconds()
	fmt.Printf("%-44s %7.0f %13.1f %%\n", name, float64(looks)/passed.Seconds(), 100*share)
	return share
}

// pause is how long a measurement rests between two rounds of looks.
const pause = 10 * time.Millisecond

// queued is how many looks wait at most while pages come as fast as they go.
const queued = 256

func (s *site) drain() {
	for s.ledger.Stats().Queued > 0 {
		time.Sleep(10 * time.Millisecond)
	}
}
