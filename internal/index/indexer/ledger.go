// Package indexer is the worker that learns a site's pages. Requests offer it sightings.
// One goroutine turns them into looks, merges these into the store, runs tasks that are
// due by time, and tells the files what has changed. The worker never makes a request
// wait. How a look changes what is known is decided in package merge, not here.
package indexer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/index/crowd"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/index/tally"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/replicas"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/store"
)

// Config holds the settings of a ledger. All fields down to Logger are required, except
// Robots and Hints.
type Config struct {
	Store      store.Store
	Normalizer *location.Normalizer
	Files      *files.Files
	Rules      eligibility.Rules
	Entries    []string // locations
	Networks   int      // distinct networks that make evidence
	Confidence float64  // least probability of a changefreq
	Schedule   Schedule
	KeepFor    time.Duration   // how long an unseen page is kept
	Robots     *robots.Rules   // nil means the robots.txt that the site serves
	Hints      *messages.Hints // nil means no hints
	Logger     *slog.Logger
	MaxURLs    int                // of a part; 0 means the protocol's limit
	MaxBytes   int                // of a part; 0 means the protocol's limit
	Extensions sitemap.Namespaces // that entries have
	MaxWaiting int                // locations known and not listed; 0 means 250,000

	// RefreshEvery is how often to poll for other processes' changes; 0 means that
	// there are no other processes.
	RefreshEvery time.Duration
}

// Schedule decides when each page is looked at next.
type Schedule interface {
	Reset(location string) // marks a page as due at its next visit
}

// Ledger is the one writer of a site's records in this process.
type Ledger struct {
	cfg     Config
	queue   *queue
	calls   chan call
	stopped chan struct{} // closed when Run has returned
	readable

	// Only the worker uses the fields below, except for the settings in site.
	site      *merge.Site
	survey    *tally.Survey
	fleet     *replicas.Watch
	tasks     []task
	pending   []*observation.Exchange // taken from the queue and not yet stored
	shown     crowd.Contents
	furniture furniture
	budget    budget
	suspects  suspects
	review    review
	known     known
	syncing   syncing
}

// readable is what other goroutines may read of the worker at any time.
type readable struct {
	health   health
	robots   atomic.Pointer[robots.Obeyed]       // the robots.txt that holds
	sitemaps atomic.Pointer[[]string]            // that the robots.txt names, nil if it was not seen since the start
	waiting  atomic.Int64                        // locations that are known and not listed
	worked   atomic.Int64                        // nanoseconds that the worker was at work
	changes  [changelog.Happenings]atomic.Uint64 // to the sitemap
}

// known is what the worker knows about the store.
type known struct {
	opened  bool          // the site-wide records were read
	counted bool          // the waiting locations were counted once
	stamps  lastmod.Trust // the stamps that it holds
	events  int           // written to the journal since it was pruned
	evicted time.Time     // when an eviction last left too many waiting locations, zero if it did not
}

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
	if cfg.MaxWaiting == 0 {
		cfg.MaxWaiting = waitingKept
	}
	l := &Ledger{cfg: cfg, queue: newQueue(), calls: make(chan call), stopped: make(chan struct{})}
	l.site = &merge.Site{
		Settings: merge.Settings{
			Rules: cfg.Rules, Normalizer: cfg.Normalizer, Entries: map[string]bool{}, Networks: cfg.Networks,
			Confidence: cfg.Confidence, KeepFor: cfg.KeepFor, Extensions: cfg.Extensions,
		},
		Keys:    k,
		Book:    shards.Book{Keys: k, URL: origin.URL, MaxURLs: cfg.MaxURLs, MaxBytes: cfg.MaxBytes},
		Journal: changelog.Log{Keys: k},
	}
	for _, e := range cfg.Entries {
		l.site.Entries[e] = true
	}
	l.survey = tally.New(l.site, cfg.Hints)
	l.budget = newBudget(time.Now())
	l.suspects = suspects{}
	l.fleet = replicas.New(k, cfg.RefreshEvery, l.sharedKeys())
	l.tasks = l.newTasks()
	return l, nil
}

// Offer queues a sighting, or returns false if there is no room. It never waits. It may
// be called concurrently.
func (l *Ledger) Offer(s *observation.Exchange) bool {
	if !l.queue.offer(s) {
		s.Response.Release()
		return false
	}
	return true
}

// IsEntry reports whether visitors enter the site at location. It may be called
// concurrently.
func (l *Ledger) IsEntry(location string) bool { return l.site.Entries[location] }

// Drop counts a sighting that could not be offered. It may be called
// concurrently.
func (l *Ledger) Drop() { l.queue.dropped.Add(1) }

// Starved reports whether the site links to more pages that no anonymous visitor got than
// are listed. It may be called concurrently.
func (l *Ledger) Starved() bool { return l.survey.Starved() }

// Stats are the worker's counts.
type Stats struct {
	Sightings uint64 // taken since the start
	Dropped   uint64 // refused because there was no room
	Queued    int    // waiting to be read
	Waiting   int    // locations known and not listed
	Damaged   uint64 // records that could not be read
	Problem   error  // why the store cannot be used, nil if it can
	Counts    []tally.Count
	Worked    time.Duration                  // that the worker was at work
	Changes   map[changelog.Happening]uint64 // that this process has stored
}

// Stats may be called concurrently.
func (l *Ledger) Stats() Stats {
	changes := map[changelog.Happening]uint64{}
	for what := changelog.Added; what < changelog.Happenings; what++ {
		changes[what] = l.changes[what].Load()
	}
	return Stats{
		Worked: time.Duration(l.worked.Load()), Changes: changes,
		Sightings: l.queue.taken.Load(),
		Dropped:   l.queue.dropped.Load(),
		Queued:    l.queue.depth(),
		Waiting:   int(l.waiting.Load()),
		Damaged:   l.health.damaged.Load(),
		Problem:   l.trouble(),
		Counts:    l.survey.Counts(),
	}
}

// Queued returns how many sightings wait to be read. It may be called concurrently.
func (l *Ledger) Queued() int { return l.queue.depth() }

var errStopped = errors.New("the site is closed")

// call is work for the worker that a caller waits for.
type call struct {
	run  func(context.Context) error
	done chan error
}

// call runs fn in the worker's goroutine and returns its error.
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

// Flush waits until everything offered before the call is read, stored and synced. If the
// store cannot be used, it returns an error at once. The sightings stay queued and are
// stored when the store works again.
func (l *Ledger) Flush(ctx context.Context) error {
	return l.call(ctx, func(ctx context.Context) error { return l.work(ctx, true) })
}

// Forget takes location out of the sitemap, erases its record, and bars it until a rule
// lists it. Once Forget has returned nil, a loss of power cannot undo it.
func (l *Ledger) Forget(ctx context.Context, location string) error {
	l.cfg.Files.Withdraw(location, time.Now())
	return l.call(ctx, func(ctx context.Context) error {
		if err := l.open(ctx); err != nil {
			return err
		}
		if err := l.commit(ctx, nil, func(m *merge.Batch) { m.Forget(location) }); err != nil {
			return err
		}
		delete(l.suspects, location)
		return l.sync(ctx, true)
	})
}
