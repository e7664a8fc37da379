// Package hosts keeps sites open while requests come for their hosts. It takes a function that finds the site of a
// host. A site is opened at its first request, and rests once none has come for some minutes, or once its host has no
// site any more. What the site knows is in its store, so the next request opens it again. While many are open, those
// without a request for the longest time rest sooner, and then other hosts have no site until there is room.
package hosts

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	round        = 10 * time.Second // between two sweeps
	restAfter    = 30               // so many rounds without a request end a site; as often, Find is asked again
	crowdedAfter = 3                // so many end it while more than Config.Most are open
)

// closedAtOnce is how many sites Close ends at once. Each waits for the disk.
const closedAtOnce = 64

// ErrUnknown is the error for a host without a site.
var ErrUnknown = errors.New("the host has no site")

// Name returns the name of the host that a request names: in lower case, and without the ports that are a scheme's own.
func Name(host string) string {
	return strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(host, ":443"), ":80"))
}

// Config says how sites are opened and ended.
type Config[S any] struct {
	// Find returns what opens the site of a host, nil if it has none.
	Find func(ctx context.Context, host string) (open func() (S, error))
	// Most is how many sites stay open. Up to a tenth more may be open while the longest idle are ended. Beyond that no
	// site opens, and Full is called, once.
	Most int
	Full func()
	// Rest ends an idle site. After an error the site stays open.
	Rest func(context.Context, S) error
	// Close ends a site, whatever becomes of it.
	Close func(context.Context, S) error
}

// Table has the sites that are open. It is safe for concurrent use.
type Table[S any] struct {
	cfg Config[S]

	mu       sync.RWMutex
	open     map[string]*entry[S]
	sweeping *time.Timer // nil while no site is open
	rounds   int
	closed   bool
	sweeps   sync.WaitGroup
	resting  context.Context // ends when Close begins
	stop     context.CancelFunc
	full     sync.Once
}

type entry[S any] struct {
	get    func() (S, error)
	idle   atomic.Int32  // sweeps since the last request
	held   int           // calls of Hold that were not released
	ending chan struct{} // closed once the site has ended, or stays after all; nil before. Table.mu guards it and held
}

// New returns an empty table.
func New[S any](cfg Config[S]) *Table[S] {
	t := &Table[S]{cfg: cfg, open: map[string]*entry[S]{}}
	t.resting, t.stop = context.WithCancel(context.Background())
	return t
}

// Get returns the site of a host, which may end at any time.
func (t *Table[S]) Get(ctx context.Context, host string) (site S, ok bool) {
	t.mu.RLock()
	e := t.open[host]
	t.mu.RUnlock()
	if e == nil {
		if e, _ = t.enter(ctx, host, 0); e == nil {
			return site, false
		}
	}
	site, err := e.get()
	if err == nil && e.idle.Load() > 0 { // what could not be opened rests, and is tried again
		e.idle.Store(0)
	}
	return site, err == nil
}

// Hold returns the site of a host, which stays open until it is released. It opens it however many are open.
func (t *Table[S]) Hold(ctx context.Context, host string) (site S, release func(), err error) {
	e, ending := t.enter(ctx, host, 1)
	for ; ending != nil; e, ending = t.enter(ctx, host, 1) {
		select {
		case <-ending:
		case <-ctx.Done():
			return site, nil, ctx.Err()
		}
	}
	if e == nil {
		return site, nil, ErrUnknown
	}
	release = func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		e.held--
		e.idle.Store(0)
	}
	if site, err = e.get(); err != nil {
		release()
	}
	return site, release, err
}

// enter returns the entry of a host, nil if it has no site, and adds to the calls that hold it. An entry that is ending
// cannot be held; then enter also returns what is closed once it has ended.
func (t *Table[S]) enter(ctx context.Context, host string, holds int) (e *entry[S], ending chan struct{}) {
	open := t.cfg.Find(ctx, host)
	t.mu.Lock()
	defer t.mu.Unlock()
	e = t.open[host]
	switch {
	case e != nil && e.ending != nil:
		return e, e.ending
	case e == nil && (open == nil || t.closed):
		return nil, nil
	case e == nil && holds == 0 && len(t.open) >= t.cfg.Most+t.cfg.Most/10:
		t.full.Do(func() { go t.cfg.Full() })
		return nil, nil
	case e == nil:
		e = &entry[S]{get: sync.OnceValues(open)}
		t.open[host] = e
	}
	e.held += holds
	if t.sweeping == nil {
		t.sweeping = time.AfterFunc(round, t.sweep)
	}
	return e, nil
}

// sweep ends the sites that nobody asks for, the longest idle first. Now and then it also ends those whose host has no
// site any more.
func (t *Table[S]) sweep() {
	type idle struct {
		host string
		*entry[S]
		rounds int32 // without a request
	}
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	t.sweeps.Add(1)
	defer t.sweeps.Done()
	t.rounds++
	asks, excess := t.rounds%restAfter == 0, len(t.open)-t.cfg.Most
	var some []idle
	for host, e := range t.open {
		if n := e.idle.Add(1); e.held == 0 && (asks || n > crowdedAfter) {
			some = append(some, idle{host, e, n})
		}
	}
	t.mu.Unlock()
	slices.SortFunc(some, func(a, b idle) int { return cmp.Compare(b.rounds, a.rounds) })
	for i, e := range some {
		left := asks && t.cfg.Find(t.resting, e.host) == nil
		if left || e.rounds > restAfter || e.rounds > crowdedAfter && i < excess {
			if t.rest(e.host, e.entry, left) != nil {
				break // the store is in trouble
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
	case len(t.open) == 0:
		t.sweeping = nil
	default:
		t.sweeping.Reset(round)
	}
}

// rest ends a site, unless it is held, or in use again although its host has not left.
func (t *Table[S]) rest(host string, e *entry[S], left bool) error {
	t.mu.Lock()
	if !left && e.idle.Load() == 0 || e.held > 0 || t.closed {
		t.mu.Unlock()
		return nil
	}
	e.ending = make(chan struct{})
	t.mu.Unlock()
	site, err := e.get()
	if err == nil {
		err = t.cfg.Rest(t.resting, site)
	} else {
		err = nil // the site was never open
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	close(e.ending)
	if e.ending = nil; err == nil {
		delete(t.open, host)
	}
	return err
}

// Close ends all sites. Get still returns those that were open.
func (t *Table[S]) Close(ctx context.Context) error {
	t.mu.Lock()
	t.closed = true
	if t.sweeping != nil {
		t.sweeping.Stop()
	}
	t.mu.Unlock()
	t.stop()
	t.sweeps.Wait()
	var closing errgroup.Group
	closing.SetLimit(closedAtOnce)
	for _, e := range t.open { // nobody changes it any more
		if site, err := e.get(); err == nil {
			closing.Go(func() error { return t.cfg.Close(ctx, site) })
		}
	}
	return closing.Wait() // one of many errors says enough
}
