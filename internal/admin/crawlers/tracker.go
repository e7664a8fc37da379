package crawlers

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/store"
)

const (
	saveEvery    = 10 * time.Minute // how often to store the counts
	storeTimeout = 5 * time.Second
	maxWaiting   = 64 // fetches that wait for the DNS, so that none waits for long
)

// Fetch is a request of a client that claims to be an engine's crawler.
type Fetch struct {
	Engine Engine
	Client netip.Addr // the zero Addr if it is not known
	File   string     // the name of the requested file of the sitemap, "" for a page
	Status int        // of the answer, for a file
}

// Tracker follows the crawlers of one site. Its methods may be called concurrently.
type Tracker struct {
	st      store.Store
	keys    keys.Keys
	dns     Resolver
	storing chan struct{} // full while counts are being stored

	mu      sync.Mutex // guards the fields below; never held for long
	clients verifier
	shown   [engines]Record // what is stored, and the fresh counts
	fresh   [engines]Record // not stored yet
}

// New returns a tracker. The addresses in ranges need no DNS.
func New(st store.Store, k keys.Keys, dns Resolver, ranges Ranges) *Tracker {
	return &Tracker{
		st: st, keys: k, dns: dns, storing: make(chan struct{}, 1),
		clients: verifier{ranges: ranges, asks: make(chan Fetch, maxWaiting)},
	}
}

// Saw notes a fetch.
func (t *Tracker) Saw(f Fetch) {
	f.Client = f.Client.Unmap().WithZone("")
	t.mu.Lock()
	defer t.mu.Unlock()
	t.count(f, 1, t.clients.confirmed(f))
}

// count counts a fetch as claimed or not. Only a confirmed one counts as the engine's.
func (t *Tracker) count(f Fetch, claimed int, confirmed bool) {
	now, day, files := moment.Of(time.Now()), Day{Claimed: claimed}, map[string]File{}
	if confirmed && t.clients.confirmable(f.Engine) {
		day.Confirmed = 1
	}
	if confirmed && f.File != "" {
		files[f.File] = File{now, f.Status}
	}
	one := Record{map[int64]Day{now.Day(): day}, files}
	t.fresh[f.Engine].add(one)
	t.shown[f.Engine].add(one)
}

// Run asks the DNS and stores the counts until ctx ends, and then stores them once more.
func (t *Tracker) Run(ctx context.Context) {
	var lookups sync.WaitGroup
	for range maxLookups {
		lookups.Go(func() { t.lookup(ctx) })
	}
	for ctx.Err() == nil {
		_ = t.Flush(context.WithoutCancel(ctx)) // if the store fails, the fresh counts stay, and the worker tells the owner
		select {
		case <-time.After(saveEvery):
		case <-ctx.Done():
		}
	}
	lookups.Wait()
	_ = t.Flush(context.WithoutCancel(ctx))
}

// lookup asks the DNS about one client after another, until ctx ends.
func (t *Tracker) lookup(ctx context.Context) {
	for {
		select {
		case f := <-t.clients.asks:
			if lookup(ctx, t.dns, f.Engine, f.Client) {
				t.mu.Lock()
				t.clients.known[client{f.Engine, f.Client}] = true
				delete(t.clients.asked, networkOf(f.Client)) // engines have many addresses in one network
				t.count(f, 0, true)
				t.mu.Unlock()
			}
		case <-ctx.Done():
			return
		}
	}
}

// Flush adds the fresh counts to the stored ones, and reads what other processes have added. It does not wait
// for the DNS. If the store fails, the counts are added next time: twice, if it was only its answer that failed.
func (t *Tracker) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	select {
	case t.storing <- struct{}{}:
		defer func() { <-t.storing }()
	case <-ctx.Done():
		return ctx.Err()
	}
	t.mu.Lock()
	fresh := t.fresh
	t.fresh = [engines]Record{}
	t.mu.Unlock()
	names := make([]string, engines)
	for e := range names {
		names[e] = t.keys.Crawler(table[e].name)
	}
	var stored [engines]Record
	err := t.st.Update(ctx, names, func(values [][]byte) error {
		for e := range fresh {
			stored[e] = readRecord(values[e], moment.Of(time.Now()))
			if stored[e].add(fresh[e]); len(fresh[e].Days) > 0 {
				values[e] = codec.Marshal(stored[e])
			}
		}
		return nil
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil {
		for e := range fresh {
			t.fresh[e].add(fresh[e])
		}
		return fmt.Errorf("storing what crawlers fetched: %w", err)
	}
	for e := range stored {
		stored[e].add(t.fresh[e]) // what came meanwhile
	}
	t.shown = stored
	return nil
}

// Report is what one engine fetched.
type Report struct {
	Engine      Engine
	Confirmable bool // its addresses are published, or the DNS knows them
	Record
}

// Report returns a report on each engine that any client has claimed to be.
func (t *Tracker) Report() (reports []Report) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range engines {
		r := Report{Engine: Engine(i), Confirmable: t.clients.confirmable(Engine(i))}
		if r.add(t.shown[i]); len(r.Days) > 0 {
			reports = append(reports, r)
		}
	}
	return reports
}

// Metrics returns what crawlers fetched, for Prometheus. A nil Tracker has no series.
func (t *Tracker) Metrics() []metrics.Family {
	var requests, sitemap []metrics.Series
	if t != nil {
		for _, r := range t.Report() {
			engine, last := r.Engine.String(), r.Days[slices.Max(slices.Collect(maps.Keys(r.Days)))]
			requests = append(requests, metrics.One(last.Claimed, "crawler", engine, "result", "claimed")...)
			requests = append(requests, metrics.One(last.Confirmed, "crawler", engine, "result", "confirmed")...)
			var got moment.Time // when the crawler last got a file
			for _, f := range r.Files {
				if f.Status < http.StatusBadRequest {
					got = max(got, f.At)
				}
			}
			sitemap = append(sitemap, metrics.When(got.Time(), "crawler", engine)...)
		}
	}
	return []metrics.Family{
		metrics.Gauge("servemap_crawler_requests",
			"Requests of the last day that a crawler came: those that claimed its name, and of these the confirmed ones.",
			requests),
		metrics.Gauge("servemap_crawler_sitemap_fetched_timestamp_seconds", "When a crawler last got a file of the sitemap.",
			sitemap),
	}
}
