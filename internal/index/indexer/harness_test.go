package indexer

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/strict"
	"github.com/servemap/servemap/internal/testkit/visits"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// rig is an indexer and its files over a store, in virtual time.
type rig struct {
	*testing.T
	st      store.Store
	cfg     Config
	indexer *Indexer
	files   *files.Files
	visited map[string]int // how often each location was made due
	log     *base.Log
	hints   *messages.Hints
	stop    func()
}

// inBubble runs fn in a bubble of virtual time, with an indexer over cfg.Store. A nil Store
// means an empty store that checks each call and runs each update twice.
func inBubble(t *testing.T, cfg Config, fn func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var r *rig
		if cfg.Store == nil {
			r = newRig(t, new(memstore.Store), cfg)
		} else {
			r = openRig(t, cfg.Store, cfg)
		}
		defer func() { r.stop() }()
		fn(r)
	})
}

// runInBubble is inBubble in a subtest.
func runInBubble(t *testing.T, name string, cfg Config, fn func(*rig)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { inBubble(t, cfg, fn) })
}

// withPage begins with a home page that links to a listed page /a.
func withPage(t *testing.T, fn func(*rig)) {
	inBubble(t, Config{}, func(r *rig) {
		r.crawl("/a")
		r.wantListed("/", "/a")
		fn(r)
	})
}

// runWithPage is withPage in a subtest.
func runWithPage(t *testing.T, name string, fn func(*rig)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { withPage(t, fn) })
}

// newRig is openRig with a store that checks each call and runs each update twice.
func newRig(t *testing.T, st store.Store, cfg Config) *rig {
	t.Helper()
	return openRig(t, strict.New(t, st), cfg)
}

// openRig returns an indexer over st that runs. It must be called in a bubble.
func openRig(t *testing.T, st store.Store, cfg Config) *rig {
	t.Helper()
	base.FixRandom(t)
	r := &rig{T: t, cfg: cfg, st: st, visited: map[string]int{}, log: new(base.Log)}
	r.start()
	return r
}

func (r *rig) start() {
	r.Helper()
	origin, err := location.ParseOrigin("https://example.com")
	r.check(err)
	norm, err := location.New(origin, location.Config{More: r.cfg.Settings.Rules.Query})
	r.check(err)
	keys, err := keys.New(origin.String())
	r.check(err)
	cfg := r.cfg
	cfg.Logger = r.log.Logger()
	cfg.Store, cfg.Settings.Normalizer = txn.Guard(r.st, keys.Site(), cfg.Logger), norm
	cfg.Settings.KeepFor = cmp.Or(cfg.Settings.KeepFor, 90*24*time.Hour)
	if cfg.Settings.Entries == nil {
		cfg.Settings.Entries = map[string]bool{"/": true}
	}
	r.hints = messages.NewHints(cfg.Logger)
	cfg.Hints = r.hints
	cfg.Schedule = r
	r.files = files.New(files.Config{
		Store: cfg.Store, Keys: keys, URL: origin.URL, Name: "sitemap", Folder: "/", Every: time.Second,
		Extensions: cfg.Settings.Extensions,
		Logger:     cfg.Logger,
	})
	cfg.Files = r.files
	r.indexer, err = New(cfg)
	r.check(err)
	ctx, cancel := context.WithCancel(r.Context())
	var workers sync.WaitGroup
	workers.Go(func() { r.indexer.Run(ctx) })
	workers.Go(func() { r.files.Run(ctx) })
	r.stop = func() { cancel(); workers.Wait() }
}

// Reset counts how often a page is marked as due.
func (r *rig) Reset(location string) { r.visited[location]++ }

// restart replaces the indexer by a new one on the same store, as a restart of the process
// does.
func (r *rig) restart() {
	r.Helper()
	r.stop()
	r.start()
	r.flush()
}

func (r *rig) check(err error) {
	r.Helper()
	base.Check(r, err)
}

// seen is an observation of a page.
func seen(location, body string, change ...visits.Change) *observation.Observation {
	return visits.Page(location, body, time.Now(), change...)
}

// answered is an observation of a response other than a page.
func answered(location string, status int, change ...visits.Change) *observation.Observation {
	return visits.Answer(location, status, time.Now(), change...)
}

// offer offers an observation.
func (r *rig) offer(all ...*observation.Observation) {
	r.Helper()
	for _, s := range all {
		if !r.indexer.Offer(s) {
			r.Fatalf("%s: the queue is full", s.Location)
		}
	}
}

// sight offers an observation of a page and waits until it is stored. change adjusts the
// observation.
func (r *rig) sight(location, body string, change ...visits.Change) {
	r.Helper()
	r.offer(seen(location, body, change...))
	r.flush()
	time.Sleep(2 * time.Second) // the spacing of observations; also the next Unix second
}

// answer does the same for a response other than a page.
func (r *rig) answer(location string, status int, change ...visits.Change) {
	r.Helper()
	r.offer(answered(location, status, change...))
	r.flush()
}

// crawl sights a home page that links to pages, and then these.
func (r *rig) crawl(pages ...string) {
	r.Helper()
	r.sight("/", html("home", pages...))
	for _, p := range pages {
		r.sight(p, html(p[1:]))
	}
}

// mergeNow makes the worker merge the queued observations before anything else.
func (r *rig) mergeNow(all ...*observation.Observation) error {
	return r.indexer.call(r.Context(), func(ctx context.Context) error {
		r.offer(all...)
		return r.indexer.work(ctx, true)
	})
}

// flush waits until everything seen is stored and rendered.
func (r *rig) flush() {
	r.Helper()
	r.check(r.indexer.Flush(r.Context()))
	r.check(r.files.Render(r.Context()))
}

// wait lets time pass, and waits until everything is stored and rendered.
func (r *rig) wait(d time.Duration) {
	r.Helper()
	time.Sleep(d)
	r.flush()
}

// keeps visits some pages once a day for so many days.
func (r *rig) keeps(days int, pages ...string) {
	r.Helper()
	for range days {
		time.Sleep(24 * time.Hour)
		for _, p := range pages {
			r.answer(p, 304)
		}
	}
	r.flush()
}

func (r *rig) forget(location string) {
	r.Helper()
	r.check(r.indexer.Forget(r.Context(), location))
}

// put replaces a record of the store. Nil deletes it.
func (r *rig) put(key string, value []byte) {
	r.Helper()
	r.check(r.st.Update(r.Context(), []string{key}, func(values [][]byte) error {
		values[0] = value
		return nil
	}))
}

// drop removes the records whose keys begin with a kind.
func (r *rig) drop(kinds ...string) {
	r.Helper()
	for _, kind := range kinds {
		for key := range r.kind(kind) {
			r.put(key, nil)
		}
	}
}

// dump returns all that the store holds.
func (r *rig) dump() map[string]string { return base.Dump(r, r.st) }

// kind returns the records whose keys begin with a kind.
func (r *rig) kind(kind string) map[string]string {
	found := map[string]string{}
	for key, value := range r.dump() {
		if strings.HasPrefix(strings.TrimPrefix(key, "https://example.com|"), kind) {
			found[key] = value
		}
	}
	return found
}

func (r *rig) page(location string) reader.Known {
	r.Helper()
	p, err := r.indexer.Page(r.Context(), location)
	r.check(err)
	return p
}

// pages returns all listed pages.
func (r *rig) pages() (all []reader.Known) {
	r.Helper()
	for p, err := range r.indexer.Pages(r.Context()) {
		r.check(err)
		all = append(all, p)
	}
	return all
}

// wantVerdict checks the verdict and its reason.
func (r *rig) wantVerdict(location string, verdict eligibility.Verdict, reason eligibility.Reason) {
	r.Helper()
	if p := r.page(location); p.Verdict != verdict || p.Reason != reason {
		r.Errorf("%s is %v because of %v, want %v because of %v", location, p.Verdict, p.Reason, verdict, reason)
	}
}

// wantObservations checks how many observations of a page and how many changes of it are counted.
func (r *rig) wantObservations(location string, visits, changes int) {
	r.Helper()
	if p := r.page(location); int(p.Observations) != visits || int(p.Dates.Count) != changes {
		r.Errorf("%s has %d observations and %d changes, want %d and %d", location, p.Observations, p.Dates.Count, visits,
			changes)
	}
}

// wantListed checks which locations the store and the files list.
func (r *rig) wantListed(want ...string) {
	r.Helper()
	var got []string
	for _, p := range r.pages() {
		got = append(got, p.Location)
		if !r.files.Lists(p.Location) {
			r.Errorf("%s is listed in the store and not in the file", p.Location)
		}
	}
	slices.Sort(want)
	base.EqualLists(r, got, want, "listed are")
	if n := r.files.Listed(); n != len(want) {
		r.Errorf("the files list %d pages, want %d", n, len(want))
	}
}

// wantShown checks which of /, /a and /b are in the files being served.
func (r *rig) wantShown(want ...string) {
	r.Helper()
	for _, location := range []string{"/", "/a", "/b"} {
		if got := r.files.Lists(location); got != slices.Contains(want, location) {
			r.Errorf("the files list %s: %v, want %v", location, got, !got)
		}
	}
}

// lastMod returns the published date of a listed location, 0 for none.
func (r *rig) lastMod(location string) int64 {
	r.Helper()
	return r.page(location).Entry.LastMod(r.files.Trust(), moment.Of(time.Now())).Seconds()
}

// wantLastMod checks the published date of a listed location, 0 for none.
func (r *rig) wantLastMod(location string, want int64) {
	r.Helper()
	if got := r.lastMod(location); got != want {
		r.Errorf("the lastmod of %s is %v, want %v; it is %v", location, fromSeconds(got).UTC(), fromSeconds(want).UTC(),
			time.Now().UTC())
	}
}

// wantNoSuspects checks that no page waits to be confirmed as gone.
func (r *rig) wantNoSuspects() {
	r.Helper()
	base.Equal(r, len(r.indexer.removals.since), 0, "pages are suspects")
}

// wantLogged checks how often the log has a text.
func (r *rig) wantLogged(text string, want int) {
	r.Helper()
	r.log.Want(r, want, text)
}

// wantNoTrace checks that a text is nowhere in the store or the log.
func (r *rig) wantNoTrace(text string) {
	r.Helper()
	base.WantNoTrace(r, r.st, r.log, text)
}

// The observations that the tests merge; see package visits.
var (
	illustrated, inLanguages = visits.Illustrated, visits.InLanguages
	html, variant, numbered  = visits.HTML, visits.Variant, visits.Numbered
	route                    = visits.Route
	header, lastModified     = visits.Header, visits.LastModified
	robotsTag, redirect      = visits.RobotsTag, visits.Redirect
	cacheControl             = visits.CacheControl
	ownQuery                 = visits.OwnQuery
	fromSeconds              = visits.FromSeconds
)

const (
	same        = "The same text at several locations, which is long enough to tell this page apart from any other one."
	noindexPage = `<html><head><meta name=robots content=noindex></head><body>a</body></html>`
	secretPage  = "/d/3f2504e0-4f89-41d3-9a0c-0305e82c3301"
)
