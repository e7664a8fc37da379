package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/mark"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/eval/kit"
	parsed "github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/store/memstore"
)

// history calls each for every fetch of some sites, one site after the other.
type history func(each func(*fetch) error) error

// replay runs every detector over a history and adds the outcome to the report.
func replay(h history, to *report) error {
	var s *site
	finish := func() error {
		if s == nil {
			return nil
		}
		err := s.finish()
		*to = append(*to, s.report())
		return err
	}
	err := h(func(f *fetch) error {
		if s == nil || s.name != f.Site {
			if err := finish(); err != nil {
				return err
			}
			var err error
			if s, err = newSite(f.Site); err != nil {
				return err
			}
		}
		return s.take(f)
	})
	return errors.Join(err, finish())
}

// site is the history of one site during its replay.
type site struct {
	name    string
	pages   map[string]*judged
	order   []string // of the pages
	facts   map[string]*parsed.Facts
	tallies []tally // of the simple detectors, and last of ours
	simple  []func(*sight) bool
	dates   []map[string]int64 // from the simple detectors, by page
	store   *memstore.Store
	ours    *kit.Bench
	alone   [seeds]alone
}

// seeds is how many times the mark runs alone, each time with other hashes of the blocks.
const seeds = 5

// alone is the mark without an indexer: it dates changes itself.
type alone struct {
	site  mark.Site
	marks map[string]mark.Mark
	dates map[string]int64
}

func (a *alone) take(s *sight, seed int) {
	v := mark.Read(&s.facts, uint64(seed))
	a.site.Consult(&v, a.marks[s.Page], xxh3.HashString(s.Page))
	m, outcome, since := a.marks[s.Page].Observe(&v, s.Unix)
	if a.marks[s.Page] = m; outcome == mark.Changed {
		a.dates[s.Page] = since
	}
}

// forever keeps pages although their last visit is long ago.
const forever = 100 * 365 * 24 * time.Hour

func newSite(name string) (*site, error) {
	s := &site{name: name, store: new(memstore.Store), pages: map[string]*judged{}, facts: map[string]*parsed.Facts{}}
	for _, b := range baselines {
		s.tallies = append(s.tallies, tally{detector: b.name})
		s.simple = append(s.simple, b.fresh())
		s.dates = append(s.dates, map[string]int64{})
	}
	s.tallies = append(s.tallies, tally{detector: "ours"})
	for i := range s.alone {
		s.tallies = append(s.tallies, tally{detector: "the mark alone"})
		s.alone[i] = alone{marks: map[string]mark.Mark{}, dates: map[string]int64{}}
	}
	return s, s.observe()
}

func (s *site) observe() (err error) {
	s.ours, err = kit.NewBench(s.store, kit.BenchOptions{KeepFor: forever, Unrendered: true, Logger: slog.New(slog.DiscardHandler)})
	return err
}

// take replays one fetch.
func (s *site) take(f *fetch) error {
	p := s.pages[f.Page]
	if p == nil {
		p = newPage(len(s.tallies))
		s.pages[f.Page] = p
		s.order = append(s.order, f.Page)
	} else if err := s.ask(f.Page, f.Unix); err != nil {
		return err
	}
	p.note(f)
	start := time.Now()
	seen := &sight{fetch: f, facts: parsed.Read([]byte(f.HTML), parsed.Options{ContentType: kit.HTML})}
	s.facts[f.Page] = &seen.facts
	parsing := time.Since(start)
	for i, detect := range s.simple {
		start := time.Now()
		if detect(seen) {
			s.dates[i][f.Page] = f.Unix
		}
		s.tallies[i].spend(parsing + time.Since(start))
	}
	for i := range s.alone {
		start := time.Now()
		s.alone[i].take(seen, i)
		s.tallies[len(baselines)+1+i].spend(parsing + time.Since(start))
	}
	start = time.Now()
	s.ours.Indexer.Offer(kit.Visit(s.location(f.Page), time.Unix(f.Unix, 0), []byte(f.HTML)))
	err := s.ours.Indexer.Flush(context.Background())
	s.tallies[len(baselines)].spend(time.Since(start))
	return err
}

// location returns where a page is served, from the number of pages before it.
func (s *site) location(page string) string { return fmt.Sprintf("/%d", slices.Index(s.order, page)) }

// ask notes the date that each detector publishes for a page at a time.
func (s *site) ask(name string, now int64) error {
	p := s.pages[name]
	for i := range baselines {
		p.publish(i, s.dates[i][name], &s.tallies[i])
	}
	for i := range s.alone {
		p.publish(len(baselines)+1+i, s.alone[i].dates[name], &s.tallies[len(baselines)+1+i])
	}
	known, err := s.ours.Indexer.Page(context.Background(), s.location(name))
	date := known.Entry.LastMod(s.ours.Files.Trust(), moment.Seconds(now)).Seconds()
	p.publish(len(baselines), date, &s.tallies[len(baselines)])
	return err
}

// finish asks for the last dates, and counts.
func (s *site) finish() error {
	defer s.ours.Close()
	for _, name := range s.order {
		p := s.pages[name]
		if err := s.ask(name, p.fetches[len(p.fetches)-1]); err != nil {
			return err
		}
		for i := range s.tallies {
			s.tallies[i].pages++
			p.count(i, &s.tallies[i])
		}
		size, err := s.ours.Indexer.MarkSize(context.Background(), s.location(name))
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

// report says what the site's detectors found.
func (s *site) report() siteReport {
	pages := make([]*judged, len(s.order))
	for i, name := range s.order {
		pages[i] = s.pages[name]
	}
	return siteReport{s.name, s.tallies, crawls(pages)}
}
