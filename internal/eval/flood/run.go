package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
)

// trial is one run.
type trial struct {
	cfg    config
	out    io.Writer
	pages  *pages
	flood  flood
	folder string // of the store
	site   *servemap.Site
	target target
	watch  *watch

	bare    kit.Usage // of the site without the library
	speed   float64   // requests/s
	missing int       // new pages that were not listed in time
}

// run floods a site as cfg says and prints the costs.
func run(ctx context.Context, cfg config, out io.Writer) (err error) {
	folder, err := os.MkdirTemp("", "flood-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	t := &trial{cfg: cfg, out: out, pages: newPages(cfg.pages), folder: folder}
	t.pages.leastJunk = cfg.bytes
	t.flood = flood{cfg, slices.Concat(t.pages.levels()...)}
	if err := t.runBare(); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelWarn}))
	st, err := badgerstore.Open(folder, &badgerstore.Options{Logger: log})
	if err != nil {
		return err
	}
	return errors.Join(t.runOn(ctx, st, log), st.Close())
}

// bareVisits is enough to measure the memory of the site alone.
const bareVisits = 200_000

// runBare floods the site without the library, to measure what the flood itself costs.
func (t *trial) runBare() error {
	bare, err := newTarget(t.pages, t.cfg.http)
	if err != nil {
		return err
	}
	cfg := t.cfg
	cfg.junk = min(cfg.junk, bareVisits)
	f := flood{cfg, t.flood.real}
	f.cfg.rate = 0
	stop := kit.Every(measureEvery, func(int) { t.bare = t.bare.Max(kit.Measure("")) })
	err = f.each(bare.workers, func(_ int, loc string) error { return bare.visit(loc) })
	stop()
	return errors.Join(err, bare.close())
}

// runOn floods the site with the library.
func (t *trial) runOn(ctx context.Context, st store.Store, log *slog.Logger) (err error) {
	if err := t.start(st, log); err != nil {
		return err
	}
	if err := t.crawl(ctx); err != nil {
		return err
	}
	if err := t.pour(ctx); err != nil {
		return err
	}
	t.printCosts()
	if err := errors.Join(t.target.close(), t.site.Close(ctx)); err != nil {
		return err
	}
	return t.judge()
}

// start assembles the site, and the target in front of it.
func (t *trial) start(st store.Store, log *slog.Logger) error {
	site, err := kit.NewSite(st, servemap.Options{Logger: log})
	if err != nil {
		return err
	}
	t.site = site
	t.target, err = newTarget(site.Wrap(t.pages), t.cfg.http)
	return err
}

// crawlStep is how many pages a crawler gets before it pauses, since the queue of unread
// pages is bounded.
const crawlStep = 100

// crawl visits the real pages as a crawler does, level by level.
func (t *trial) crawl(ctx context.Context) error {
	for _, level := range t.pages.levels() {
		for step := range slices.Chunk(level, crawlStep) {
			if err := t.visitAll(step); err != nil {
				return err
			}
			if err := t.site.Flush(ctx); err != nil {
				return err
			}
		}
	}
	l, err := t.listing()
	fmt.Fprintf(t.out, "after a crawl: real listed %d of %d\n", l.real, t.cfg.pages)
	return err
}

// pour is the flood itself.
func (t *trial) pour(ctx context.Context) error {
	t.watch = &watch{t: t, fewest: t.cfg.pages + grown}
	stop := kit.Every(measureEvery, t.watch.measure)
	defer stop()
	start, total := time.Now(), t.flood.visits()
	grew := make(chan error, 1)
	err := t.flood.each(t.target.workers, func(i int, loc string) error {
		if i == total/2 {
			go func() { grew <- t.growth() }()
		}
		return t.target.visit(loc)
	})
	if err != nil {
		return err
	}
	poured := time.Since(start)
	if err := <-grew; err != nil {
		return err
	}
	t.speed = float64(total) / poured.Seconds()
	start = time.Now()
	if err := t.site.Flush(ctx); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%d visits in %.1f s, then all merged in %.1f s\n", total, poured.Seconds(),
		time.Since(start).Seconds())
	return t.watch.look()
}

// growth makes a section link to new pages, and waits for them to be listed.
func (t *trial) growth() error {
	t.pages.open.Add(grown)
	fresh := t.pages.articles[len(t.pages.articles)-grown:]
	missing := func() (int, error) {
		listed, err := kit.ReadSitemap(kit.FromHandler(t.site.Wrap(http.NotFoundHandler())))
		n := 0
		for _, loc := range fresh {
			n += kit.One(!listed[loc])
		}
		return n, err
	}
	start := time.Now()
	left, err := missing()
	for ; left > 0 && err == nil && time.Since(start) < t.cfg.patience; left, err = missing() {
		if err := t.visitAll(append(t.pages.levels()[1], fresh...)); err != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
	fmt.Fprintf(t.out, "new pages: %d of %d listed after %.1f s\n", grown-left, grown, time.Since(start).Seconds())
	t.missing = left
	return err
}

func (t *trial) visitAll(locs []string) error {
	for _, loc := range locs {
		if err := t.target.visit(loc); err != nil {
			return err
		}
	}
	return nil
}

// listing is what a sitemap lists.
type listing struct {
	real, junk int
}

func (t *trial) listing() (listing, error) {
	var l listing
	listed, err := kit.ReadSitemap(kit.FromHandler(t.site.Wrap(http.NotFoundHandler())))
	for loc := range listed {
		if t.pages.real(loc) {
			l.real++
		} else {
			l.junk++
		}
	}
	return l, err
}

// watch measures the site and reads its sitemap again and again during the flood.
type watch struct {
	t *trial

	mu     sync.Mutex
	most   kit.Usage
	fewest int // real pages in the sitemap
	junk   int // most junk pages in it
	last   listing
	err    error // the first
}

const (
	measureEvery = 100 * time.Millisecond
	lookEvery    = 10 // measurements
)

func (w *watch) measure(n int) {
	if n%lookEvery == 0 {
		_ = w.look() // the error is kept
	}
	u := kit.Measure(w.t.folder)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.most = w.most.Max(u)
}

// look reads the sitemap. It returns the first error that it met.
func (w *watch) look() error {
	l, err := w.t.listing()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.fewest, w.junk, w.last = min(w.fewest, l.real), max(w.junk, l.junk), l
	return w.err
}
