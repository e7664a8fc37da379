package crawlers

import (
	"context"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/store"
)

// Config is what a Tracker works with. All fields but Ranges are required.
type Config struct {
	Store  store.Store
	Keys   keys.Keys
	DNS    Resolver
	Ranges Ranges // the addresses of engines, which then need no DNS
	// Lists reports whether a location with this hash is listed now. Listed returns how many are.
	Lists  func(hash uint64) bool
	Listed func() int
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
	saveEvery    = 10 * time.Minute // how often to store the counts
	storeTimeout = 5 * time.Second
)

// Tracker follows the crawlers of one site. Saw, Flush and Report may be called concurrently.
type Tracker struct {
	cfg     Config
	started time.Time
	fetches chan *Fetch // small while it is empty
	flushes chan chan<- error
	stopped chan struct{} // closed when Run returns
	clients clients       // of Run

	mu    sync.Mutex // guards the fields that Report reads; only Run changes them
	kept  [engines]record
	fresh [engines]record // not stored yet
	pages pages
}

// New returns a tracker. It does nothing before Run is called.
func New(cfg Config) *Tracker {
	return &Tracker{
		cfg: cfg, started: time.Now(), fetches: make(chan *Fetch, maxQueued), flushes: make(chan chan<- error), stopped: make(chan struct{}),
		clients: newClients(cfg.Ranges), pages: pages{of: map[uint64][engines]uint32{}},
	}
}

// Saw notes a fetch. It never waits: if too many come at once, it drops the fetch.
func (t *Tracker) Saw(f Fetch) {
	select {
	case t.fetches <- &f:
	default:
	}
}

// Flush counts the fetches seen before the call, stores the counts, and reads those of other processes.
// It does not wait for the DNS. Once Run has returned, it does nothing.
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
	for range maxLookups {
		lookups.Go(func() { t.clients.lookup(ctx, t.cfg.DNS) })
	}
	save := time.NewTicker(saveEvery)
	defer save.Stop()
	_ = t.sync(ctx) // if the store fails, the tracker keeps the fresh counts and the worker tells the owner
	for {
		select {
		case done := <-t.flushes:
			t.takeAll()
			done <- t.sync(ctx)
		case f := <-t.fetches:
			t.count(*f, t.clients.verdict(*f), 1)
		case a := <-t.clients.answers:
			t.clients.learn(a, time.Now())
			t.count(a.fetch, a.verdict, 0)
		case <-save.C:
			_ = t.sync(ctx)
		case <-ctx.Done():
			t.takeAll()
			_ = t.sync(ctx)
			return
		}
	}
}

// confirmable reports whether the engine's addresses can be confirmed.
func (t *Tracker) confirmable(e Engine) bool {
	return table[e].domains != nil || t.cfg.Ranges[e] != nil
}

// takeAll counts the fetches that are queued.
func (t *Tracker) takeAll() {
	for range len(t.fetches) {
		f := *<-t.fetches
		t.count(f, t.clients.verdict(f), 1)
	}
}

// count counts a fetch as claimed or not, and by what is known about its client. Only a confirmed
// fetch counts as the engine's.
func (t *Tracker) count(f Fetch, v verdict, claimed int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	day, files := Day{Claimed: claimed}, map[string]File{}
	switch v {
	case confirmed:
		if t.confirmable(f.Engine) {
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

// sync adds the fresh counts to the stored ones, and reads what other processes have added. If the store
// fails, sync adds them next time. If the store writes but its answer is lost, sync adds the fresh counts
// twice. So it waits for the answer even after ctx has ended.
func (t *Tracker) sync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	names, access := make([]string, engines), t.cfg.Store.View
	for e := range t.fresh {
		names[e] = t.cfg.Keys.Crawler(table[e].name)
		if len(t.fresh[e].Days) > 0 {
			access = t.cfg.Store.Update
		}
	}
	var stored [engines]record
	err := access(ctx, names, func(values [][]byte) error {
		for e := range t.fresh {
			stored[e] = readRecord(values[e], moment.Of(time.Now()))
			if stored[e].add(t.fresh[e]); len(t.fresh[e].Days) > 0 {
				values[e] = codec.Marshal(stored[e])
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing what crawlers fetched: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept, t.fresh = stored, [engines]record{}
	return nil
}

// Fetched returns when each engine last fetched a page since the start, by a hash of its location.
func (t *Tracker) Fetched(hash uint64) map[string]time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := map[string]time.Time{}
	for e, seconds := range t.pages.of[hash] {
		if seconds != 0 {
			at[table[e].name] = time.Unix(int64(seconds), 0).UTC()
		}
	}
	return at
}

// Report returns a report on each engine that any client has claimed to be.
func (t *Tracker) Report(now time.Time) (reports []Report) {
	listed := t.cfg.Listed()
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range engines {
		r := Report{Engine: Engine(i), Confirmable: t.confirmable(Engine(i)), Since: t.started}
		r.record.add(t.kept[i])
		if r.record.add(t.fresh[i]); len(r.record.Days) == 0 {
			continue
		}
		n := t.pages.count(r.Engine, t.cfg.Lists, now.Add(-24*time.Hour), now.Add(-7*24*time.Hour), time.Unix(0, 0))
		r.Day, r.Week, r.Never = n[0], n[1], max(0, listed-n[2])
		reports = append(reports, r)
	}
	return reports
}
