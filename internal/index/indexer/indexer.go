// Package indexer is the worker that learns a site's pages. Requests offer it observations. One
// goroutine reads them, merges them into the store, runs tasks that are due by time, and tells the files
// what has changed. The worker never makes a request wait. How an observation changes what is known is
// decided in package merge, not here.
//
// [Indexer] has the queue, the round of tasks and the transactions. Each task is a type in a file of
// its own. [Reader] answers questions about what is stored.
package indexer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/nowhere"
	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/index/sights"
	"github.com/servemap/servemap/internal/index/tally"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/secret"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/sitewide"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// Config says how an indexer works. All fields down to Logger are required, except Robots and Hints.
type Config struct {
	Store    store.Store
	Settings merge.Settings // Owns and Fails are the indexer's to set
	Files    *files.Files
	Schedule Schedule
	Robots   *robots.Rules   // nil means the robots.txt that the site serves
	Hints    *messages.Hints // nil means no hints
	Logger   *slog.Logger

	MaxURLs    int // the most pages of a file; 0 means the protocol's limit
	MaxWaiting int // locations known and not listed; 0 means 250,000

	Shared

	// Looks, if not nil, lets the site look at its own pages.
	Looks Looks

	// RefreshEvery is how often to poll for other processes' changes; 0 means that
	// there are no other processes.
	RefreshEvery time.Duration
}

// Shared has what the sites of a process share. A site that is alone in its process has the zero value.
type Shared struct {
	Memory  *response.Memory // between responses and their reading
	Reading *quota.Budget
}

// Looks has the site ask itself for locations, and learn the answers.
type Looks interface {
	Want(location string)       // never waits
	Looking() merge.Looking     // waits a little if it soon knows
	Fails(location string) bool // whether looks at a location get no answer
	Linked(location string)     // a listed page links to it, and nobody has got it yet
}

// Schedule decides when each page is observed next.
type Schedule interface {
	Reset(location string) // marks a page as due at its next visit
}

// Indexer is the one writer of a site's records in this process.
type Indexer struct {
	*reader.Reader
	Links   *tally.Links
	cfg     Config
	queue   *queue
	calls   chan call
	stopped chan struct{} // closed when Run has returned
	health  health
	worked  atomic.Int64                        // nanoseconds that the worker was at work
	changes [changelog.Happenings]atomic.Uint64 // of the sitemap, by kind
	shared  atomic.Pointer[secret.Key]          // the site's secret, if other processes use the store too

	// Only the worker uses the fields below, except for the settings in site.
	site   *merge.Site
	counts *tally.Tally
	parts
}

// parts are the parts of the worker. Most are tasks.
type parts struct {
	tasks       []task
	records     records
	replicas    replicated
	merging     merging
	sights      *sights.Store
	removals    removals
	eviction    eviction
	review      review
	trust       trustedDates
	boilerplate boilerplate
	robotsTxt   robotsTxt
	days        days
	syncing     syncing
}

// Secret returns the site's secret, by which processes that share the store know each other. It is nil before the store
// was read, and where only this process uses it.
func (x *Indexer) Secret() (key secret.Key) {
	if shared := x.shared.Load(); shared != nil {
		key = *shared
	}
	return key
}

// New returns an indexer. It does nothing until Run.
func New(cfg Config) (*Indexer, error) {
	origin := cfg.Settings.Normalizer.Origin()
	k, err := keys.New(origin.String())
	if err != nil {
		return nil, err
	}
	if cfg.Settings.KeepFor <= 0 {
		return nil, fmt.Errorf("keep for %v: it must be positive", cfg.Settings.KeepFor)
	}
	if cfg.MaxWaiting == 0 {
		cfg.MaxWaiting = waitingKept
	}
	var section func(string) string
	if rules := cfg.Settings.Rules; len(rules.Sections()) > 0 {
		section = rules.Section
	}
	site := &merge.Site{
		Settings: cfg.Settings,
		Keys:     k,
		Layout:   shards.Layout{Keys: k, URL: origin.URL, MaxURLs: cfg.MaxURLs, Section: section},
		Journal:  changelog.Log{Keys: k},
	}
	if site.Owns = cfg.Files.OwnsLocation; cfg.Looks != nil {
		site.Fails = cfg.Looks.Fails
	}
	seen := sights.New(cfg.Store, k)
	cfg.Store = seen
	x := &Indexer{
		Reader: reader.New(cfg.Store, site),
		Links: tally.NewLinks(func(location string) bool {
			return cfg.Files.OwnsLocation(location) ||
				cfg.Files.Lists(location)
		}), cfg: cfg, queue: newQueue(cfg.Memory), calls: make(chan call), stopped: make(chan struct{}),
		site: site, counts: tally.New(site, cfg.Hints),
	}
	x.parts = parts{
		records: records{Indexer: x}, merging: merging{Indexer: x, budget: quota.NewPart(cfg.Reading, quota.Reading,
			time.Now())}, sights: seen, removals: removals{Indexer: x, since: map[string]time.Time{}},
		eviction: eviction{Indexer: x}, review: review{Indexer: x}, trust: trustedDates{Indexer: x},
		boilerplate: boilerplate{Indexer: x}, robotsTxt: robotsTxt{Indexer: x},
		days: days{Indexer: x, fresh: sitewide.Days{}}, syncing: syncing{Indexer: x},
	}
	x.replicas = replicated{Indexer: x}
	x.tasks = []task{ // in the order in which a round runs them
		&x.replicas, &x.merging, &x.removals, &x.eviction, &x.review, &x.boilerplate, &x.days, sighted{x.sights}, &x.syncing,
	}
	return x, nil
}

// Offer queues an observation, or returns false if there is no room. It never waits. It may
// be called concurrently.
func (x *Indexer) Offer(s *observation.Observation) bool {
	if !x.queue.offer(s) {
		s.Response.Release()
		return false
	}
	return true
}

// look asks for a look of the site's own at a location.
func (x *Indexer) look(location string) {
	if x.cfg.Looks != nil {
		x.cfg.Looks.Want(location)
	}
}

// Alone reports whether no other process shares the store.
func (x *Indexer) Alone() bool { return x.replicas.alone() }

// IsEntry reports whether visitors enter the site at location. It may be called
// concurrently.
func (x *Indexer) IsEntry(location string) bool { return x.site.Entries[location] }

// Drop counts an observation that could not be offered. It may be called
// concurrently.
func (x *Indexer) Drop() { x.queue.dropped.Add(1) }

// Starved reports whether the site links to more pages that no anonymous visitor got than
// are listed. It may be called concurrently.
func (x *Indexer) Starved() bool { return x.counts.Starved() }

// Stats are the worker's counts.
type Stats struct {
	Observations uint64 // observations taken since the start
	Dropped      uint64 // refused because there was no room
	Queued       int    // waiting to be read
	Waiting      int    // locations known and not listed
	Damaged      uint64 // records that could not be read
	Problem      error  // why the store cannot be used, nil if it can
	Counts       []tally.Count
	Worked       time.Duration                  // how long the worker was at work
	Changelog    int                            // bytes of the changelog at the last review
	Changes      map[changelog.Happening]uint64 // that this process has stored
}

// Stats may be called concurrently.
func (x *Indexer) Stats() Stats {
	changes := map[changelog.Happening]uint64{}
	for what := changelog.Added; what < changelog.Happenings; what++ {
		changes[what] = x.changes[what].Load()
	}
	return Stats{
		Worked: time.Duration(x.worked.Load()), Changes: changes, Changelog: int(x.review.journal.Load()),
		Observations: x.queue.taken.Load(),
		Dropped:      x.queue.dropped.Load(),
		Queued:       x.queue.depth(),
		Waiting:      x.counts.Waiting(),
		Damaged:      x.health.damaged.Load(),
		Problem:      x.trouble(),
		Counts:       x.counts.Counts(),
	}
}

// Queued returns how many observations wait to be read. It may be called concurrently.
func (x *Indexer) Queued() int { return x.queue.depth() }

var errStopped = errors.New("the site is closed")

// call is work for the worker that a caller waits for.
type call struct {
	run  func(context.Context) error
	done chan error
}

// call runs fn in the worker's goroutine, once the records are open, and returns its error.
func (x *Indexer) call(ctx context.Context, fn func(context.Context) error) error {
	c := call{func(ctx context.Context) error {
		if err := x.records.open(ctx); err != nil {
			return err
		}
		return fn(ctx)
	}, make(chan error, 1)}
	select {
	case x.calls <- c:
	case <-x.stopped:
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
// store cannot be used, it returns an error at once. The observations stay queued and are
// stored when the store works again.
func (x *Indexer) Flush(ctx context.Context) error {
	return x.call(ctx, func(ctx context.Context) error { return x.work(ctx, true) })
}

// Nowhere notes what the site shows at a made-up address, see [nowhere.Beside]. A location that shows the same is no
// page either. Some locations may have been taken for pages before.
func (x *Indexer) Nowhere(ctx context.Context, stands string, shows *nowhere.Page, shown []string) error {
	return x.call(ctx, func(ctx context.Context) error {
		x.site.LearnNowhere(stands, shows, time.Now())
		return x.commit(ctx, x.keys(shown), func(m *merge.Transaction) {
			for _, location := range shown {
				m.ShowsNothing(location)
			}
		})
	})
}

// Try returns what would be known of a page after an observation like a visitor's, and stores nothing.
func (x *Indexer) Try(ctx context.Context, o *observation.Observation) (known reader.Known, err error) {
	err = x.call(ctx, func(ctx context.Context) error {
		o.Explored, o.Inside = false, false
		x.merging.parse(o, func() { x.site.ReadToTry(o) })
		return txn.Try(ctx, x.cfg.Store, x.keys([]string{o.Location}), func(t *txn.Tx) {
			known = x.Know(o.Location, merge.New(t, x.site, time.Now()).Try(o))
		})
	})
	return known, err
}

// Forget takes location out of the sitemap, erases its record, and bars it until a rule lists it or
// [Indexer.Allow] is called. Once Forget has returned nil, a loss of power cannot undo it.
func (x *Indexer) Forget(ctx context.Context, location string) error {
	return x.change(ctx, func(ctx context.Context) error {
		return x.commit(ctx, x.keys([]string{location}), func(m *merge.Transaction) { m.Forget(location) })
	})
}

// Allow undoes Forget: location is no longer barred. Its next visit can list it.
func (x *Indexer) Allow(ctx context.Context, location string) error {
	return x.change(ctx, func(ctx context.Context) error {
		return x.commit(ctx, x.keys([]string{location}), func(m *merge.Transaction) { m.Allow(location) })
	})
}

// change runs a change in the worker's goroutine, and returns once no loss of power can undo it.
func (x *Indexer) change(ctx context.Context, how func(context.Context) error) error {
	return x.call(ctx, func(ctx context.Context) error {
		if err := how(ctx); err != nil {
			return err
		}
		return x.syncing.run(ctx, true)
	})
}
