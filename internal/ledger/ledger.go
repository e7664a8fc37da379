// Package ledger merges what responses showed into what is known of a site's
// pages. Requests offer sightings and never wait; one worker reads them in
// order, merges each into the state of its location, and stores that. How a
// sighting changes a state is a pure function of the two, so that a store may
// run it again.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/files"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/journal"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/priority"
	"github.com/servemap/servemap/internal/robots"
	"github.com/servemap/servemap/internal/secret"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store"
)

// Config says what a ledger works with. All down to Logger but Robots and Hints
// are required.
type Config struct {
	Store      store.Store
	Normalizer *location.Normalizer
	Files      *files.Files
	Rules      admit.Rules
	Entries    []string              // locations
	Networks   int                   // distinct networks that make evidence
	Confidence float64               // least probability of a changefreq
	MakeDue    func(location string) // has the next visit to a page looked at
	KeepFor    time.Duration         // how long a page is kept that is not seen
	Robots     *robots.Rules         // nil means those of the robots.txt that is seen
	Hints      *hint.Hints           // nil gives none
	Logger     *slog.Logger
	MaxURLs    int                // of a part; 0 means the protocol's limit
	MaxBytes   int                // of a part; 0 means the protocol's limit
	Extensions sitemap.Namespaces // that entries have
	// InferPriority has the pages ranked by their links and visits.
	InferPriority bool
	MaxWaiting    int // locations known and not listed; 0 means 250,000
	// Unbudgeted has every page read in full when it is seen, whatever that costs,
	// as Flush does.
	Unbudgeted bool

	// RefreshEvery is how often it is looked what other processes that share the
	// store have changed; 0 means that there are none.
	RefreshEvery time.Duration
}

// Ledger is the one writer of a site's records in this process.
type Ledger struct {
	cfg     Config
	keys    keys.Keys
	book    book.Book
	journal journal.Journal
	entries map[string]bool
	queue   *queue
	calls   chan call
	stopped chan struct{} // closed when Run has returned

	// What only the worker touches.
	secret      *secret.Names
	opened      bool // secret and doubts are what the store says
	counted     bool // the waiting locations were counted once
	followed    followed
	early       early
	contents    contents
	furniture   furniture
	shells      shells
	leaving     leaving
	census      census
	few         few
	reputations lastmod.Reputations
	stamped     lastmod.Trust // whose stamps are stored
	budget      budget
	review      review
	extended    sitemap.Namespaces // for which the entries are in line
	ranks       *priority.Ranks    // of the last whole pass, nil before
	activity    activity
	clock       clock
	others      others
	filling     int              // the part that a page was added to last, 0 if none was
	events      int              // noted in the journal since it was pruned
	doubts      map[string]doubt // listed pages that may be gone, and have their minute

	toldUnconfirmed bool // see unconfirmed

	unsynced bool
	urgent   bool // what is unsynced must not wait
	synced   time.Time
	pending  []*Sighting // taken from the queue and not yet stored

	tally     tally
	robots    atomic.Pointer[obeyed]
	waiting   atomic.Int64
	starved   atomic.Bool
	sightings atomic.Uint64
	damaged   atomic.Uint64
	trust     atomic.Pointer[lastmod.Trust]

	mu      sync.Mutex
	problem error // why the store cannot be used, nil if it can
}

// confirmAfter is how long a page in doubt has to show that it is there.
const confirmAfter = time.Minute

// New returns a ledger. It does nothing until Run.
func New(cfg Config) (*Ledger, error) {
	origin := cfg.Normalizer.Origin()
	k, err := keys.New(origin.String())
	if err != nil {
		return nil, err
	}
	if cfg.KeepFor <= 0 {
		return nil, fmt.Errorf("keep for %v: it must be positive", cfg.KeepFor)
	}
	l := &Ledger{
		cfg:     cfg,
		keys:    k,
		book:    book.Book{Keys: k, URL: origin.URL, MaxURLs: cfg.MaxURLs, MaxBytes: cfg.MaxBytes},
		journal: journal.Journal{Keys: k, Started: time.Now()},
		entries: map[string]bool{},
		queue:   newQueue(),
		calls:   make(chan call),
		stopped: make(chan struct{}),
		doubts:  map[string]doubt{},
		budget:  newBudget(time.Now()),
		others:  newOthers(cfg.RefreshEvery),
	}
	if cfg.MaxWaiting == 0 {
		l.cfg.MaxWaiting = waitingKept
	}
	for _, e := range cfg.Entries {
		l.entries[e] = true
	}
	if g, ok := cfg.Store.(*txn.Guarded); ok {
		g.LogTo(cfg.Logger)
	}
	return l, nil
}

// Offer hands a sighting over, or returns false if there is no room for it.
// It never waits. It may be called concurrently.
func (l *Ledger) Offer(s *Sighting) bool {
	if !l.queue.offer(s) {
		s.Response.Release()
		return false
	}
	l.sightings.Add(1)
	return true
}

// IsEntry reports whether visitors enter the site at location. It may be called
// concurrently.
func (l *Ledger) IsEntry(location string) bool { return l.entries[location] }

// Drop counts a sighting that could not be offered. It may be called
// concurrently.
func (l *Ledger) Drop() { l.queue.dropped.Add(1) }

// Doubts returns what is known against the dates that pages are given. It may be
// called concurrently.
func (l *Ledger) Doubts() lastmod.Trust {
	if t := l.trust.Load(); t != nil {
		return *t
	}
	return lastmod.Trust{}
}

// Stats are counts of the worker's doings.
type Stats struct {
	Sightings uint64 // taken since the start
	Dropped   uint64 // not taken for want of room
	Queued    int    // waiting to be read
	Waiting   int    // locations known and not listed
	Damaged   uint64 // records that could not be read
	Problem   error  // why the store cannot be used, nil if it can
	Counts    []Count
}

// Stats may be called concurrently.
func (l *Ledger) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Stats{
		Sightings: l.sightings.Load(),
		Dropped:   l.queue.dropped.Load(),
		Queued:    l.queue.depth(),
		Waiting:   int(l.waiting.Load()),
		Damaged:   l.damaged.Load(),
		Problem:   l.trouble(),
		Counts:    l.tally.counted(),
	}
}

// trouble returns why the store cannot be used: what it said last, or that it
// says nothing.
func (l *Ledger) trouble() error {
	if g, ok := l.cfg.Store.(*txn.Guarded); ok && l.problem == nil {
		return g.Stalled()
	}
	return l.problem
}

var errStopped = errors.New("the site is closed")

// call is work that somebody waits for.
type call struct {
	run  func(context.Context) error
	done chan error
}

// call has the worker run fn, and returns what it returned.
func (l *Ledger) call(ctx context.Context, fn func(context.Context) error) error {
	c := call{fn, make(chan error, 1)}
	select {
	case l.calls <- c:
	case <-l.stopped:
		return errStopped
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-c.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Flush returns when everything offered before the call is read, stored and
// synced. It returns an error at once if the store cannot be used; what was
// offered is then still kept, and stored when the store can be used again.
func (l *Ledger) Flush(ctx context.Context) error {
	return l.call(ctx, func(ctx context.Context) error { return l.work(ctx, true) })
}

// Run works until ctx ends. What is then not stored is lost; Flush first.
func (l *Ledger) Run(ctx context.Context) {
	defer close(l.stopped)
	defer l.queue.close()
	timer := time.NewTimer(0) // the first round reads what the store holds
	defer timer.Stop()
	wake := l.queue.wake
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case c := <-l.calls:
			err = c.run(ctx)
			c.done <- err
		case <-wake:
			err = l.work(ctx, false)
		case <-timer.C:
			err = l.work(ctx, false)
		}
		if wake = l.queue.wake; err != nil {
			wake = nil // a store in trouble is asked again when it is time
			// It may be another one then, as where a folder was removed and made anew.
			l.opened = l.opened && !errors.Is(err, store.ErrUnavailable)
		}
		l.note(ctx, err)
		timer.Reset(l.nextRound(err))
	}
}

// batch is how many sightings are taken from the queue at once.
const batch = 128

// roundBatches is how many batches are merged before time gets its due.
const roundBatches = 16

// work merges what waits in the queue, then sees to what time has brought
// about. all means that nothing is left of what waits at the beginning, that
// no budget applies, and that everything is synced.
func (l *Ledger) work(ctx context.Context, all bool) error {
	err := l.workStored(ctx, all)
	if err != nil {
		l.withdrawUnstored()
	}
	return err
}

func (l *Ledger) workStored(ctx context.Context, all bool) error {
	if err := l.open(ctx); err != nil {
		return err
	}
	if err := l.refresh(ctx, all); err != nil {
		return err
	}
	rounds := roundBatches
	if all {
		rounds = l.queue.depth()/batch + 2
	}
	for range rounds {
		if len(l.pending) == 0 {
			l.pending = l.queue.take(batch)
		}
		if len(l.pending) == 0 {
			break
		}
		if err := l.noteActivity(ctx, l.pending[len(l.pending)-1].At); err != nil {
			return err
		}
		if err := l.process(ctx, all); err != nil {
			return err
		}
	}
	if err := l.confirmDoubts(ctx); err != nil {
		return err
	}
	if err := l.evict(ctx); err != nil {
		return err
	}
	if err := l.pruneJournal(ctx); err != nil {
		return err
	}
	if err := l.reviewSome(ctx, all); err != nil {
		return err
	}
	if err := l.keepStamps(ctx); err != nil {
		return err
	}
	if err := l.keepFurniture(ctx, all); err != nil {
		return err
	}
	l.hintFew(time.Now())
	return l.sync(ctx, all)
}

// sync makes what was stored survive a loss of power: at once for a withdrawal
// and for Flush, else once a second at most, and while there is much to do
// only so often that a loss stays small.
func (l *Ledger) sync(ctx context.Context, now bool) error {
	wait := syncEvery
	if l.queue.depth() > 0 {
		wait = syncBusy
	}
	if !l.unsynced || !now && !l.urgent && time.Since(l.synced) < wait {
		return nil
	}
	if err := l.cfg.Store.Sync(ctx); err != nil {
		return err
	}
	l.unsynced, l.urgent, l.synced = false, false, time.Now()
	return nil
}

// The pauses of the worker when nothing wakes it.
const (
	idleRound  = time.Hour
	retryRound = time.Second
	syncEvery  = time.Second
	syncBusy   = 5 * time.Second
)

func (l *Ledger) nextRound(err error) time.Duration {
	next := idleRound
	switch {
	case err != nil:
		return retryRound
	case l.queue.depth() > 0:
		return 0
	case l.unsynced:
		next = max(0, time.Until(l.synced.Add(syncEvery)))
	}
	if l.review.running {
		next = min(next, reviewPause)
	} else {
		next = min(next, max(0, l.reviewDue(time.Now())))
	}
	if l.others.exist() {
		next = min(next, l.others.due(time.Now()))
	}
	if l.few.waits() {
		next = min(next, max(0, time.Until(l.few.since.Add(fewFor))))
	}
	if l.furniture.changed {
		next = min(next, max(0, l.furnitureDue(time.Now())))
	}
	for _, d := range l.doubts {
		next = min(next, max(0, time.Until(d.from.Add(d.wait))), d.wait)
	}
	return next
}

// note keeps the store's trouble for Stats, and logs each cause once.
func (l *Ledger) note(ctx context.Context, err error) {
	if err != nil && ctx.Err() != nil {
		return
	}
	l.mu.Lock()
	before := l.problem
	l.problem = err
	l.mu.Unlock()
	switch {
	case errors.Is(err, store.ErrUnavailable):
		// The store tells of its troubles itself.
	case err != nil && (before == nil || before.Error() != err.Error()):
		l.cfg.Logger.Warn("servemap: the store cannot be used; the site goes on, and what is seen is stored when it can", "err", err)
	case err == nil && before != nil:
		l.cfg.Files.ChangedAll()
	}
}
