package crawlers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/netip"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// Config is what a Tracker works with. All fields are required.
type Config struct {
	Store store.Store
	Keys  keys.Keys
	DNS   Resolver
	// Hash names a location. Lists reports whether a location with this hash is listed now.
	// Listed returns how many locations are listed.
	Hash   func(location string) uint64
	Lists  func(hash uint64) bool
	Listed func() int
	// Changes yields what happened to listed pages since a time.
	Changes func(ctx context.Context, since time.Time) iter.Seq2[changelog.Event, error]
}

// Fetch is a request of a client that claims to be an engine's crawler.
type Fetch struct {
	Engine Engine
	Client netip.Addr // the zero Addr if it is not known
	At     time.Time
	Page   uint64 // the hash of the requested location, 0 for none
	File   string // the name of the requested file of the sitemap, "" for none
	Status int    // of the answer, for a file
}

const (
	maxQueued    = 1024             // fetches that Run has not read yet
	followEvery  = time.Minute      // how often to look for changes of pages
	saveEvery    = 10 * time.Minute // how often to store the counts
	storeTimeout = 5 * time.Second
	late         = 2 * time.Minute // how long after its time a change may appear, since the clocks of processes differ
)

// Tracker follows the crawlers of one site. Saw, Flush and Report may be called concurrently.
type Tracker struct {
	cfg     Config
	started time.Time
	fetches chan Fetch
	flushes chan chan<- error
	stopped chan struct{} // closed when Run returns

	clients clients   // of Run
	since   time.Time // of Run: the time of the changes to read next

	mu    sync.Mutex // guards the fields that Report reads; only Run changes them
	kept  [engines]record
	fresh [engines]record // not stored yet
	pages pages
}

// New returns a tracker. It does nothing before Run is called.
func New(cfg Config) *Tracker {
	now := time.Now()
	t := &Tracker{
		cfg: cfg, started: now, fetches: make(chan Fetch, maxQueued), flushes: make(chan chan<- error), stopped: make(chan struct{}),
		clients: newClients(), since: now, pages: pages{of: map[uint64]page{}},
	}
	for e := range t.kept {
		t.kept[e], t.fresh[e] = newRecord(), newRecord()
	}
	return t
}

// Saw notes a fetch. It never waits: if too many come at once, it drops the fetch.
func (t *Tracker) Saw(f Fetch) {
	select {
	case t.fetches <- f:
	default:
	}
}

// Flush counts the fetches seen before the call, stores the counts, and reads those of
// other processes. It does not wait for the DNS. Once Run has returned, it does nothing.
func (t *Tracker) Flush(ctx context.Context) error {
	done := make(chan error, 1)
	select {
	case t.flushes <- done:
	case <-t.stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run works until ctx ends, and then stores the counts.
func (t *Tracker) Run(ctx context.Context) {
	defer close(t.stopped)
	var lookups sync.WaitGroup
	defer lookups.Wait()
	defer close(t.clients.asks)
	t.clients.ask(ctx, t.cfg.DNS, &lookups)
	follow, save := time.NewTicker(followEvery), time.NewTicker(saveEvery)
	defer follow.Stop()
	defer save.Stop()
	_ = t.sync(ctx) // if the store fails, the tracker keeps the fresh counts and the worker tells the owner
	for {
		select {
		case done := <-t.flushes:
			t.takeAll()
			done <- t.sync(ctx)
		case f := <-t.fetches:
			t.take(f)
		case a := <-t.clients.answers:
			for _, f := range t.clients.learn(a, time.Now()) {
				t.count(f, a.verdict, 0)
			}
		case <-follow.C:
			t.follow(ctx)
		case <-save.C:
			_ = t.sync(ctx)
		case <-ctx.Done():
			t.takeAll()
			_ = t.sync(ctx)
			return
		}
	}
}

// takeAll takes the fetches that are queued.
func (t *Tracker) takeAll() {
	for range len(t.fetches) {
		t.take(<-t.fetches)
	}
}

func (t *Tracker) take(f Fetch) { t.count(f, t.clients.verdict(f), 1) }

// count counts a fetch as claimed or not, and by what the DNS says about its client. Only a
// confirmed fetch counts as the engine's.
func (t *Tracker) count(f Fetch, v verdict, claimed int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	day, files := Day{Claimed: claimed}, map[string]File{}
	switch v {
	case confirmed:
		if f.Engine.Confirmable() {
			day.Confirmed = 1
		}
		if f.File != "" {
			files[f.File] = File{moment.Of(f.At), f.Status}
		}
		if f.Page != 0 && t.cfg.Lists(f.Page) {
			t.pages.fetch(f.Engine, f.Page, f.At)
		}
	case refuted:
		day.Refuted = 1
	}
	t.fresh[f.Engine].add(record{map[int64]Day{moment.Of(f.At).Day(): day}, files})
}

// follow reads which pages changed.
func (t *Tracker) follow(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	now := time.Now()
	for e, err := range t.cfg.Changes(ctx, t.since) {
		if errors.Is(err, changelog.ErrOlder) {
			t.since = now
		}
		if err != nil {
			return // follow reads the same changes next time
		}
		if e.What != changelog.Removed {
			t.mu.Lock()
			t.pages.change(t.cfg.Hash(e.Location), e.At)
			t.mu.Unlock()
		}
	}
	if before := now.Add(-late); before.After(t.since) {
		t.since = before
	}
}

// sync adds the fresh counts to the stored ones, and reads what other processes have added.
// If the store fails, sync adds them next time. If the store writes but its answer is lost,
// sync adds the fresh counts twice. So it waits for the answer even after ctx has ended.
func (t *Tracker) sync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	var names []string
	access := t.cfg.Store.View
	fresh := [engines]record{} // a copy, because a store that hangs may read it for long
	for e := range t.fresh {
		names = append(names, t.cfg.Keys.Crawler(table[e].name))
		fresh[e] = newRecord()
		if fresh[e].add(t.fresh[e]); len(fresh[e].Days) > 0 {
			access = t.cfg.Store.Update
		}
	}
	stored, err := txn.Within(ctx, func() (stored [engines]record, err error) {
		err = access(ctx, names, func(values [][]byte) error {
			for e := range fresh {
				stored[e] = readRecord(values[e], moment.Of(time.Now()))
				if stored[e].add(fresh[e]); len(fresh[e].Days) > 0 {
					values[e] = codec.Marshal(stored[e])
				}
			}
			return nil
		})
		return stored, err
	})
	if err != nil {
		return fmt.Errorf("storing what crawlers fetched: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = stored
	for e := range t.fresh {
		t.fresh[e] = newRecord()
	}
	return nil
}

// Report returns a report on each engine that any client has claimed to be.
func (t *Tracker) Report(now time.Time) (reports []Report) {
	listed := t.cfg.Listed()
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range engines {
		r := Report{Engine: Engine(i), record: newRecord(), Since: t.started}
		r.record.add(t.kept[i])
		if r.record.add(t.fresh[i]); len(r.record.Days) == 0 {
			continue
		}
		n := t.pages.count(r.Engine, t.cfg.Lists, now.Add(-24*time.Hour), now.Add(-7*24*time.Hour), time.Unix(0, 0))
		r.Day, r.Week, r.Never = n[0], n[1], max(0, listed-n[2])
		r.Delay, r.Delays = t.pages.median(r.Engine)
		reports = append(reports, r)
	}
	return reports
}
