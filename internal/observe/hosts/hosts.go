// Package hosts keeps sites open while requests come for their hosts. It takes a function that finds the site of
// a host. A site is opened at its first request, and rests once none has come for some minutes. What it knows is in its
// store, so the next request opens it again.
package hosts

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// restAfter is how long a site is open without a request, at least, and at most twice that.
const restAfter = 5 * time.Minute

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
	// Rest ends an idle site. After an error the site stays open.
	Rest func(S) error
	// Close ends a site, whatever becomes of it.
	Close func(context.Context, S) error
}

// Table has the sites that are open. It is safe for concurrent use.
type Table[S any] struct {
	cfg Config[S]

	mu       sync.RWMutex
	open     map[string]*entry[S]
	sweeping *time.Timer // nil while no site is open
	closed   bool
	sweeps   sync.WaitGroup
}

type entry[S any] struct {
	get    func() (S, error)
	used   atomic.Bool   // since the last sweep
	held   int           // calls of Hold that were not released
	ending chan struct{} // closed once it has ended, or stays; nil if it does not end. Table.mu guards this and held
}

// New returns an empty table.
func New[S any](cfg Config[S]) *Table[S] { return &Table[S]{cfg: cfg, open: map[string]*entry[S]{}} }

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
	if err == nil && !e.used.Load() { // what could not be opened rests, and is tried again
		e.used.Store(true)
	}
	return site, err == nil
}

// Hold returns the site of a host, which stays open until it is released.
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
	}
	if site, err = e.get(); err != nil {
		release()
	}
	return site, release, err
}

// enter returns the entry of a host, nil if there is none, and adds to those who hold it. If it is ending, nobody
// can, and ending says until when.
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
	case e == nil:
		e = &entry[S]{get: sync.OnceValues(open)}
		e.used.Store(true)
		t.open[host] = e
	}
	e.held += holds
	if t.sweeping == nil {
		t.sweeping = time.AfterFunc(restAfter, t.sweep)
	}
	return e, nil
}

// sweep ends the sites for which no request came since the last sweep.
func (t *Table[S]) sweep() {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	t.sweeps.Add(1)
	defer t.sweeps.Done()
	idle := map[string]*entry[S]{}
	for host, e := range t.open {
		if !e.used.Swap(false) {
			idle[host] = e
		}
	}
	t.mu.Unlock()
	for host, e := range idle {
		if t.rest(host, e) != nil {
			break // the store is in trouble
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
	case len(t.open) == 0:
		t.sweeping = nil
	default:
		t.sweeping.Reset(restAfter)
	}
}

// rest ends a site, unless it is in use again.
func (t *Table[S]) rest(host string, e *entry[S]) error {
	t.mu.Lock()
	if e.used.Load() || e.held > 0 || t.closed {
		t.mu.Unlock()
		return nil
	}
	e.ending = make(chan struct{})
	t.mu.Unlock()
	site, err := e.get()
	if err == nil {
		err = t.cfg.Rest(site)
	} else {
		err = nil // it was never open
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
	t.sweeps.Wait()
	var (
		closing sync.WaitGroup
		mu      sync.Mutex
		failed  error
		slots   = make(chan struct{}, closedAtOnce)
	)
	for _, e := range t.open { // which no longer changes
		site, err := e.get()
		if err != nil {
			continue
		}
		slots <- struct{}{}
		closing.Go(func() {
			defer func() { <-slots }()
			if err := t.cfg.Close(ctx, site); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed = err // of many, the last one says enough
			}
		})
	}
	closing.Wait()
	return failed
}
