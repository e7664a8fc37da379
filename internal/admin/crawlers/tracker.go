package crawlers

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"maps"
	"net/netip"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/keys"
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

// The bounds of the fetches that wait, and of the memory of addresses.
const (
	maxQueued  = 1024 // fetches that Run has not read yet
	maxHeld    = 1024 // fetches that wait for the DNS
	maxEach    = 64   // the same for one client
	maxLookups = 4    // at one time
	maxKnown   = 4096 // addresses with a verdict
	knownFor   = 24 * time.Hour
	retryAfter = time.Hour // if the DNS did not answer
)

const (
	followEvery  = time.Minute      // how often to look for changes of pages
	saveEvery    = 10 * time.Minute // how often to store the counts
	storeTimeout = 5 * time.Second
)

// Tracker follows the crawlers of one site. Saw and Report may be called concurrently.
type Tracker struct {
	cfg     Config
	seed    maphash.Seed // hides clients: addresses are not kept
	started time.Time
	fetches chan Fetch
	flushes chan chan<- error
	stopped chan struct{} // closed when Run returns

	// These fields belong to Run.
	known   map[uint64]known
	held    map[uint64][]Fetch // by client
	holding int                // how many fetches are in held
	asks    chan ask           // the clients in held
	answers chan answer
	since   time.Time // time of the changes to read next

	mu    sync.Mutex // guards the fields that Report reads; only Run changes them
	kept  [engines]account
	fresh [engines]account // counts not stored yet
	pages pages
}

// client is the engine that a request claims to be from, and its real address.
type client struct {
	engine Engine
	addr   netip.Addr
}

// known is what the DNS said about a client, and until when that counts.
type known struct {
	verdict verdict
	until   time.Time
}

// ask is a question to the DNS, about a client. id stands for it.
type ask struct {
	client
	id uint64
}

// answer is what the DNS says about a client.
type answer struct {
	id      uint64
	verdict verdict
}

// New returns a tracker. It does nothing before Run is called.
func New(cfg Config) *Tracker {
	t := &Tracker{
		cfg: cfg, seed: maphash.MakeSeed(), started: time.Now(), fetches: make(chan Fetch, maxQueued),
		flushes: make(chan chan<- error), stopped: make(chan struct{}),
		known: map[uint64]known{}, held: map[uint64][]Fetch{}, asks: make(chan ask, maxHeld), answers: make(chan answer, maxHeld), pages: newPages(),
	}
	for e := range t.kept {
		t.kept[e], t.fresh[e] = newAccount(), newAccount()
	}
	t.since = t.started
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
	defer close(t.asks)
	for range maxLookups {
		lookups.Go(func() {
			for a := range t.asks {
				if ctx.Err() != nil {
					continue // nobody waits for the answer
				}
				t.answers <- answer{a.id, verify(ctx, t.cfg.DNS, a.engine, a.addr)}
			}
		})
	}
	follow, save := time.NewTicker(followEvery), time.NewTicker(saveEvery)
	defer follow.Stop()
	defer save.Stop()
	_ = t.sync(ctx) // if the store fails, the tracker keeps the fresh counts and the ledger tells the owner
	for {
		select {
		case done := <-t.flushes:
			t.takeAll()
			done <- t.sync(ctx)
		case f := <-t.fetches:
			t.take(f)
		case a := <-t.answers:
			t.answered(a)
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

// take counts a fetch, and finds out whether its claim is true.
func (t *Tracker) take(f Fetch) {
	t.count(f, counts{Claimed: 1})
	f.Client = f.Client.Unmap().WithZone("")
	switch {
	case !f.Engine.Confirmable():
		t.note(f) // there is nothing better than its claim
		return
	case !eligibility.Network(f.Client).IsValid():
		return // not a public address, so the DNS cannot know it
	}
	c := client{f.Engine, f.Client}
	id := maphash.Comparable(t.seed, c)
	if k, is := t.known[id]; is && f.At.Before(k.until) {
		t.judge(f, k.verdict)
		return
	}
	if t.holding >= maxHeld || len(t.held[id]) >= maxEach {
		return
	}
	if _, waits := t.held[id]; !waits {
		t.asks <- ask{c, id} // there is room for each client in held
	}
	t.held[id] = append(t.held[id], f)
	t.holding++
}

// answered judges the fetches that waited for an answer.
func (t *Tracker) answered(a answer) {
	fetches := t.held[a.id]
	delete(t.held, a.id)
	t.holding -= len(fetches)
	t.remember(a, time.Now())
	for _, f := range fetches {
		t.judge(f, a.verdict)
	}
}

func (t *Tracker) remember(a answer, now time.Time) {
	if len(t.known) >= maxKnown {
		maps.DeleteFunc(t.known, func(_ uint64, k known) bool { return !now.Before(k.until) })
	}
	for id := range t.known {
		if len(t.known) < maxKnown {
			break
		}
		delete(t.known, id) // any one will do: it is looked up again
	}
	until := now.Add(knownFor)
	if a.verdict == unknown {
		until = now.Add(retryAfter)
	}
	t.known[a.id] = known{a.verdict, until}
}

// judge counts a fetch by what the DNS says about its client. Only a confirmed fetch counts
// as the engine's.
func (t *Tracker) judge(f Fetch, v verdict) {
	switch v {
	case confirmed:
		t.count(f, counts{Confirmed: 1})
		t.note(f)
	case refuted:
		t.count(f, counts{Refuted: 1})
	}
}

func (t *Tracker) count(f Fetch, n counts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fresh[f.Engine].count(moment.Of(f.At).Day(), n)
}

// note remembers what an engine fetched.
func (t *Tracker) note(f Fetch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.File != "" {
		t.fresh[f.Engine].fetch(f.File, fetched{moment.Of(f.At), uint16(f.Status)})
	}
	if f.Page != 0 && t.cfg.Lists(f.Page) {
		t.pages.fetch(f.Engine, f.Page, secondOf(f.At))
	}
}

// late is how long after its time a change may appear, since other processes' clocks
// differ.
const late = 2 * time.Minute

// follow reads which pages changed.
func (t *Tracker) follow(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	now := time.Now()
	for e, err := range t.cfg.Changes(ctx, t.since) {
		if err != nil {
			if errors.Is(err, changelog.ErrOlder) {
				t.since = now
			}
			return // follow reads the same changes next time
		}
		if e.What == changelog.Removed {
			continue
		}
		t.mu.Lock()
		t.pages.change(t.cfg.Hash(e.Location), secondOf(e.At))
		t.mu.Unlock()
	}
	if before := now.Add(-late); before.After(t.since) {
		t.since = before
	}
}
