package flood

import (
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/badgerstore"
)

// trial is one run.
type trial struct {
	*testing.T
	cfg    config
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

// run floods a site without the library, to measure what the flood itself costs, and then one with it.
func run(test *testing.T, cfg config) {
	t := &trial{T: test, cfg: cfg, pages: newPages(cfg.pages), folder: test.TempDir()}
	t.pages.leastJunk = cfg.bytes
	t.flood = flood{cfg, slices.Concat(t.pages.levels()...)}
	t.runBare()
	log := new(base.Log)
	level := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	st, err := badgerstore.Open(t.folder, &badgerstore.Options{Logger: level})
	base.Check(t, err)
	t.Cleanup(func() { base.Check(t, st.Close()) })
	t.site, err = kit.NewSite(st, servemap.Options{Logger: level})
	base.Check(t, err)
	t.target = newTarget(t, t.site.Wrap(t.pages), cfg.http)
	t.crawl()
	t.pour()
	base.Check(t, t.site.Close(t.Context()))
	t.Log(log)
	t.judge()
}

// bareVisits is enough to measure the memory of the site alone.
const bareVisits = 200_000

func (t *trial) runBare() {
	bare := newTarget(t, t.pages, t.cfg.http)
	f := flood{t.cfg, t.flood.real}
	f.cfg.junk, f.cfg.rate = min(f.cfg.junk, bareVisits), 0
	defer kit.Every(measureEvery, func(int) { t.bare = t.bare.Max(kit.Measure("")) })()
	base.Check(t, f.each(bare.workers, func(_ int, loc string) error { return bare.visit(loc) }))
}

// crawlStep is how many pages a crawler gets before it pauses, since the queue of unread
// pages is bounded.
const crawlStep = 100

// crawl visits the real pages as a crawler does, level by level.
func (t *trial) crawl() {
	for _, level := range t.pages.levels() {
		for step := range slices.Chunk(level, crawlStep) {
			base.Check(t, t.visitAll(step))
			base.Check(t, t.site.Flush(t.Context()))
		}
	}
	l, err := t.listing()
	base.Check(t, err)
	t.Logf("after a crawl: real listed %d of %d", l.real, t.cfg.pages)
}

// pour is the flood itself.
func (t *trial) pour() {
	t.watch = &watch{t: t, fewest: t.cfg.pages + grown}
	defer kit.Every(measureEvery, t.watch.measure)()
	start, total := time.Now(), t.flood.visits()
	grew := make(chan error, 1)
	base.Check(t, t.flood.each(t.target.workers, func(i int, loc string) error {
		if i == total/2 {
			go func() { grew <- t.growth() }()
		}
		return t.target.visit(loc)
	}))
	poured := time.Since(start)
	base.Check(t, <-grew)
	t.speed = float64(total) / poured.Seconds()
	start = time.Now()
	base.Check(t, t.site.Flush(t.Context()))
	t.Logf("%d visits in %.1f s, then all merged in %.1f s", total, poured.Seconds(), time.Since(start).Seconds())
	base.Check(t, t.watch.look())
}

// growth makes a section link to new pages, and waits for them to be listed.
func (t *trial) growth() error {
	t.pages.open.Add(grown)
	fresh := t.pages.articles[len(t.pages.articles)-grown:]
	missing := func() (int, error) {
		listed, err := t.sitemap()
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
	t.Logf("new pages: %d of %d listed after %.1f s", grown-left, grown, time.Since(start).Seconds())
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

// sitemap returns what the sitemap lists.
func (t *trial) sitemap() (map[string]bool, error) {
	return kit.ReadSitemap(kit.FromHandler(t.site.Wrap(http.NotFoundHandler())))
}

// listing is what a sitemap lists.
type listing struct {
	real, junk int
}

func (t *trial) listing() (listing, error) {
	var l listing
	listed, err := t.sitemap()
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
