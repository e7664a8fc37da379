package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
)

// trial is one run.
type trial struct {
	cfg     config
	out     io.Writer
	pages   *pages
	flood   flood
	dir     string // of the store
	subject subject
	watch   *watch

	bare, before, after usage
	bareSpeed, speed    float64 // requests/s
	missing             int     // new pages that were not listed in time
}

// run floods a site as cfg says and prints what that cost.
func run(cfg config, out io.Writer) (err error) {
	dir, err := os.MkdirTemp(cfg.dir, "flood-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t := &trial{cfg: cfg, out: out, pages: newPages(cfg.pages, cfg.seed), dir: dir}
	t.pages.leastJunk = cfg.bytes
	t.flood = newFlood(cfg, allOf(t.pages.levels()))
	if err := t.runBare(); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelWarn}))
	st, err := badgerstore.Open(dir, &badgerstore.Options{Logger: log})
	if err != nil {
		return err
	}
	err = t.runOn(st, log)
	return errors.Join(err, st.Close())
}

func allOf(levels [][]string) (all []string) {
	for _, l := range levels {
		all = append(all, l...)
	}
	return all
}

// bareVisits are enough to tell the speed and the memory of the site alone.
const bareVisits = 200_000

// runBare floods the site without the library, to know what the flood itself costs.
func (t *trial) runBare() error {
	alone := subject(&bare{served{handler: t.pages}})
	if t.cfg.http {
		w, err := newWired(&served{handler: t.pages})
		if err != nil {
			return err
		}
		alone = w
	}
	cfg := t.cfg
	cfg.rate, cfg.junk = 0, min(cfg.junk, bareVisits)
	f := newFlood(cfg, t.flood.real)
	f.cfg.rate = 0
	w := newWatch("", nil, nil)
	start := time.Now()
	err := f.each(alone.workers(), func(_ int, v visit) error { return alone.visit(v) })
	t.bareSpeed = float64(f.visits()) / time.Since(start).Seconds()
	w.end()
	t.bare = w.most
	return errors.Join(err, alone.close(context.Background()))
}

// bare is the site alone, with nothing to close.
type bare struct{ served }

func (bare) close(context.Context) error { return nil }

// runOn floods the site with the library.
func (t *trial) runOn(st store.Store, log *slog.Logger) (err error) {
	if t.subject, err = t.newSubject(st, log); err != nil {
		return err
	}
	ctx := context.Background()
	if err := t.crawl(ctx); err != nil {
		return err
	}
	t.before = measure(t.dir)
	if err := t.pour(ctx); err != nil {
		return err
	}
	if err := t.printCosts(ctx); err != nil {
		return err
	}
	if !t.cfg.during {
		if err := t.growth(ctx); err != nil {
			return err
		}
	}
	if err := t.subject.close(ctx); err != nil {
		return err
	}
	kinds, err := census(ctx, st)
	if err != nil {
		return err
	}
	printCensus(t.table(), kinds)
	return t.judge()
}

func (t *trial) newSubject(st store.Store, log *slog.Logger) (subject, error) {
	if t.cfg.direct {
		return newDirect(t.pages, st, log)
	}
	s, err := newServed(t.cfg, t.pages, st, log)
	if err != nil || !t.cfg.http {
		return s, err
	}
	return newWired(s)
}

// crawlStep is how many pages a crawler gets before it lets the site rest: what waits to be read is bounded.
const crawlStep = 100

// crawl visits the real pages as a crawler does, level by level.
func (t *trial) crawl(ctx context.Context) error {
	for _, level := range t.pages.levels() {
		for step := range slices.Chunk(level, crawlStep) {
			if err := t.visitAll(step); err != nil {
				return err
			}
			if err := t.subject.flush(ctx); err != nil {
				return err
			}
		}
	}
	l, err := t.listed()
	fmt.Fprintf(t.out, "after a crawl: real listed %d of %d\n", l.real, t.cfg.pages)
	return err
}

// editions is how often the changing pages change during the flood.
const editions = 5

// pour is the flood itself.
func (t *trial) pour(ctx context.Context) error {
	t.watch = newWatch(t.dir, t.pages, t.subject.sitemap())
	defer t.watch.end()
	start, total := time.Now(), t.flood.visits()
	grew := make(chan error, 1)
	err := t.flood.each(t.subject.workers(), func(i int, v visit) error {
		if i%(total/editions+1) == 0 {
			t.pages.edition.Add(1)
		}
		if t.cfg.during && i == total/2 {
			go func() { grew <- t.growth(ctx) }()
		}
		return t.subject.visit(v)
	})
	if err != nil {
		return err
	}
	poured := time.Since(start)
	if t.cfg.during {
		if err := <-grew; err != nil {
			return err
		}
	}
	t.speed = float64(total) / poured.Seconds()
	start = time.Now()
	if err := t.subject.flush(ctx); err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%d visits in %.1f s, then all merged in %.1f s\n", total, poured.Seconds(), time.Since(start).Seconds())
	return t.watch.look()
}

// growth has a section lead to new pages, and waits for them to be listed.
func (t *trial) growth(ctx context.Context) error {
	t.pages.open.Add(grown)
	fresh := t.pages.articles[len(t.pages.articles)-grown:]
	missing := func() (int, error) {
		n := len(fresh)
		err := readSitemap(t.subject.sitemap(), func(loc string) {
			if t.pages.number[loc] >= len(t.pages.articles)-grown {
				n--
			}
		})
		return n, err
	}
	start := time.Now()
	left, err := missing()
	for ; left > 0 && err == nil && time.Since(start) < t.cfg.patience; left, err = missing() {
		if err := t.visitAll(append(t.pages.levels()[1], fresh...)); err != nil {
			return err
		}
		if t.cfg.direct {
			err = t.subject.flush(ctx)
		}
		if err != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
	fmt.Fprintf(t.out, "new pages: %d of %d listed after %.1f s\n", grown-left, grown, time.Since(start).Seconds())
	if t.missing = left; left > 0 && err == nil {
		if err = t.subject.flush(ctx); err != nil {
			return err
		}
		left, err = missing()
		fmt.Fprintf(t.out, "new pages: %d of %d listed after a Flush\n", grown-left, grown)
	}
	return err
}

func (t *trial) visitAll(locs []string) error {
	for _, loc := range locs {
		if err := t.subject.visit(visit{loc, t.flood.client(0)}); err != nil {
			return err
		}
	}
	return nil
}

func (t *trial) listed() (listing, error) { return listedOf(t.pages, t.subject.sitemap()) }

// listing is what a sitemap lists.
type listing struct {
	real, junk int
	folders    map[string]int // of the junk
}

func listedOf(p *pages, sitemap http.Handler) (listing, error) {
	l := listing{folders: map[string]int{}}
	err := readSitemap(sitemap, func(loc string) {
		if p.real(loc) {
			l.real++
			return
		}
		l.junk++
		l.folders[folder(loc)]++
	})
	return l, err
}

func (t *trial) table() *tabwriter.Writer {
	return tabwriter.NewWriter(t.out, 0, 0, 2, ' ', tabwriter.AlignRight)
}

// watch measures again and again while something runs.
type watch struct {
	dir     string
	pages   *pages
	sitemap http.Handler // nil for none

	stop chan struct{}
	once sync.Once
	wg   sync.WaitGroup

	mu     sync.Mutex
	most   usage
	fewest int // real pages in the sitemap
	junk   int // most junk pages in it
	last   listing
	err    error // the first
}

const (
	measureEvery = 100 * time.Millisecond
	lookEvery    = 10 // measurements
)

func newWatch(dir string, p *pages, sitemap http.Handler) *watch {
	w := &watch{dir: dir, pages: p, sitemap: sitemap, stop: make(chan struct{}), fewest: 1 << 30}
	w.wg.Go(w.run)
	return w
}

func (w *watch) run() {
	tick := time.NewTicker(measureEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		if n%lookEvery == 0 {
			_ = w.look() // it is kept for end
		}
		w.measure()
		select {
		case <-tick.C:
		case <-w.stop:
			w.measure()
			return
		}
	}
}

func (w *watch) measure() {
	u := measure(w.dir)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.most = w.most.peak(u)
}

// look reads the sitemap. It returns the first error that any look met.
func (w *watch) look() error {
	if w.sitemap == nil {
		return nil
	}
	l, err := listedOf(w.pages, w.sitemap)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
	w.fewest, w.junk, w.last = min(w.fewest, l.real), max(w.junk, l.junk), l
	return w.err
}

// end stops the watching.
func (w *watch) end() {
	w.once.Do(func() { close(w.stop) })
	w.wg.Wait()
}

// live returns the usage when what is dead is gone from the heap.
func live(dir string) usage {
	u := measure(dir)
	runtime.GC()
	u.heap, u.held = heapBytes()
	return u
}
