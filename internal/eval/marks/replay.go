package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/files"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/ledger"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/moment"
	parsed "github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/tap"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store/memstore"
)

// history calls each for every fetch of some sites, one site after the other.
type history func(each func(*fetch) error) error

// replay runs every detector over a history and adds the outcome to the report.
// After so many fetches of a site, and again after as many, its ledger is
// started anew; not so for 0.
func replay(ctx context.Context, h history, restart int, to *report) error {
	var s *site
	finish := func() error {
		if s == nil {
			return nil
		}
		err := s.finish(ctx)
		to.sites = append(to.sites, siteReport{s.name, s.tallies})
		return err
	}
	err := h(func(f *fetch) error {
		if s == nil || s.name != f.Site {
			if err := finish(); err != nil {
				return err
			}
			var err error
			if s, err = newSite(ctx, f.Site); err != nil {
				return err
			}
		}
		if s.fetches++; restart > 0 && s.fetches%restart == 0 {
			if err := s.ours.restart(ctx); err != nil {
				return err
			}
		}
		return s.take(ctx, f)
	})
	return errors.Join(err, finish())
}

// site is one site's history while it is replayed.
type site struct {
	name    string
	fetches int
	pages   map[string]*judged
	order   []string // of the pages
	facts   map[string]*parsed.Facts
	tallies []tally
	simple  []func(*sight) bool
	dates   []map[string]int64 // that the simple detectors give, by page
	ours    *observed
}

func newSite(ctx context.Context, name string) (*site, error) {
	s := &site{name: name, pages: map[string]*judged{}, facts: map[string]*parsed.Facts{}, tallies: make([]tally, len(baselines)+1)}
	for i, b := range baselines {
		s.tallies[i].Detector = b.name
		s.simple = append(s.simple, b.fresh())
		s.dates = append(s.dates, map[string]int64{})
	}
	s.tallies[len(baselines)].Detector = "ours"
	var err error
	s.ours, err = observe(ctx)
	return s, err
}

// take replays one fetch.
func (s *site) take(ctx context.Context, f *fetch) error {
	p := s.pages[f.Page]
	if p == nil {
		p = newPage(len(s.tallies))
		s.pages[f.Page] = p
		s.order = append(s.order, f.Page)
	} else if err := s.ask(ctx, f.Page, f.Unix); err != nil {
		return err
	}
	p.note(f)
	start := time.Now()
	seen := &sight{fetch: f, facts: parsed.Read([]byte(f.HTML), parsed.Options{ContentType: htmlType})}
	parsing := time.Since(start)
	for i, detect := range s.simple {
		start := time.Now()
		if detect(seen) {
			s.dates[i][f.Page] = f.Unix
		}
		s.spend(i, parsing+time.Since(start))
	}
	last := seen.facts
	s.facts[f.Page] = &last
	start = time.Now()
	err := s.ours.look(ctx, s.number(f.Page), f)
	s.spend(len(baselines), time.Since(start))
	return err
}

func (s *site) spend(detector int, d time.Duration) {
	s.tallies[detector].spent += d
	s.tallies[detector].Fetches++
}

// number returns how many pages came before one.
func (s *site) number(name string) (n int) {
	for s.order[n] != name {
		n++
	}
	return n
}

// ask notes what each detector publishes of a page at a time.
func (s *site) ask(ctx context.Context, name string, now int64) error {
	p := s.pages[name]
	for i := range baselines {
		p.publish(i, s.dates[i][name], &s.tallies[i])
	}
	date, err := s.ours.lastMod(ctx, s.number(name), now)
	p.publish(len(baselines), date, &s.tallies[len(baselines)])
	return err
}

// finish asks for the last dates and counts.
func (s *site) finish(ctx context.Context) error {
	defer s.ours.close()
	for n, name := range s.order {
		p := s.pages[name]
		if err := s.ask(ctx, name, p.fetches[len(p.fetches)-1]); err != nil {
			return err
		}
		for i := range s.tallies {
			s.tallies[i].Pages++
			p.count(i, &s.tallies[i])
		}
		size, err := s.ours.ledger.MarkSize(ctx, locationOf(n))
		if err != nil {
			return err
		}
		s.tallies[len(baselines)].bytes += size
	}
	for i, b := range baselines {
		s.tallies[i].bytes = b.bytes(s.facts)
	}
	return nil
}

// observed is a site's ledger, over a store in memory.
type observed struct {
	store  *memstore.Store
	ledger *ledger.Ledger
	files  *files.Files
	stop   context.CancelFunc
	runs   sync.WaitGroup
}

const htmlType = "text/html; charset=utf-8"

// forever keeps the pages, whose last visit is long ago.
const forever = 100 * 365 * 24 * time.Hour

func observe(ctx context.Context) (*observed, error) {
	o := &observed{store: new(memstore.Store)}
	return o, o.start(ctx)
}

// restart ends the ledger and goes on with another one over the same store, as a
// program that is started again.
func (o *observed) restart(ctx context.Context) error {
	o.close()
	return o.start(ctx)
}

func (o *observed) start(ctx context.Context) error {
	origin, err := location.ParseOrigin("https://example.com")
	if err != nil {
		return err
	}
	norm, err := location.New(origin, location.Config{})
	if err != nil {
		return err
	}
	keys, err := keys.New(origin.String())
	if err != nil {
		return err
	}
	st, log := txn.Guard(o.store, keys.Site()), slog.New(slog.DiscardHandler)
	o.files = files.New(files.Config{
		Store: st, Keys: keys, URL: origin.URL, Name: "sitemap", Folder: "/", Every: time.Second,
		Doubts: func() lastmod.Trust { return o.ledger.Trust() }, Logger: log,
	})
	o.ledger, err = ledger.New(ledger.Config{
		Store: st, Normalizer: norm, Files: o.files, Entries: []string{"/"}, Networks: 3, Confidence: 0.5, KeepFor: forever,
		MakeDue: func(string) {}, Logger: log,
	})
	if err != nil {
		return err
	}
	ctx, o.stop = context.WithCancel(ctx)
	o.runs.Go(func() { o.ledger.Run(ctx) })
	return nil
}

func (o *observed) close() {
	o.stop()
	o.runs.Wait()
}

// locationOf returns where a page is served.
func locationOf(page int) string { return fmt.Sprintf("/%d", page) }

// look has the ledger see a fetch.
func (o *observed) look(ctx context.Context, page int, f *fetch) error {
	o.ledger.Offer(&look.Sighting{
		Kind: admit.Witness, Location: locationOf(page), At: time.Unix(f.Unix, 0),
		Response: &tap.Response{Status: http.StatusOK, Header: tap.Header{ContentType: htmlType}, Body: []byte(f.HTML), Complete: true},
	})
	return o.ledger.Flush(ctx)
}

// lastMod returns the date that the sitemap would show at a time.
func (o *observed) lastMod(ctx context.Context, page int, now int64) (int64, error) {
	p, err := o.ledger.Page(ctx, locationOf(page))
	return p.Entry.LastMod(o.files.Trust(), moment.Seconds(now)).Seconds(), err
}
