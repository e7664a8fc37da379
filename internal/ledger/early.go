package ledger

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/tap"
)

const (
	// earlyFor is for how long it is remembered where a location leads that
	// nothing vouched for when it was seen. Later its next visitor shows it anyway.
	earlyFor = time.Minute
	// earlyBytes bounds what is remembered. The oldest goes first.
	earlyBytes = 1 << 20
)

// early remembers where pages and lasting redirects lead that were seen before
// the page that links to them: a visitor follows a link as soon as it is there,
// while the handler of the page may still be at work. It belongs to the
// worker.
type early struct {
	waiting map[string]*look.Look // by location
	order   []*look.Look          // the oldest first
	bytes   int                   // that those in order hold
	ready   []*look.Look          // which may count by now
}

// keep remembers where the location of a look leads.
func (e *early) keep(k *look.Look) {
	// No body, and no hash of it: the page is still to be read for all else that
	// it says.
	kept := &look.Look{
		Sighting: &look.Sighting{Kind: k.Kind, Location: k.Location, At: k.At, Response: &tap.Response{Status: k.Response.Status}},
		Net:      k.Net, Echo: k.Echo, Target: k.Target,
	}
	kept.Links = k.Links
	if heldBytes(kept) > earlyBytes {
		return
	}
	e.waiting[k.Location] = kept
	e.order = append(e.order, kept)
	for e.bytes += heldBytes(kept); e.bytes > earlyBytes; {
		e.drop()
	}
}

// drop forgets the oldest look.
func (e *early) drop() {
	oldest := e.order[0]
	e.order, e.bytes = e.order[1:], e.bytes-heldBytes(oldest)
	if e.waiting[oldest.Location] == oldest {
		delete(e.waiting, oldest.Location)
	}
}

// enter notes that something vouches for a location by now.
func (e *early) enter(location string, now time.Time) {
	k := e.waiting[location]
	if k == nil {
		return
	}
	delete(e.waiting, location)
	if now.Sub(k.At) <= earlyFor {
		e.ready = append(e.ready, k)
	}
}

// next returns a look that may count by now, nil if there is none.
func (e *early) next() *look.Look {
	if len(e.ready) == 0 {
		return nil
	}
	k := e.ready[0]
	e.ready = e.ready[1:]
	return k
}

// heldBytes returns how many bytes a look that is remembered holds, about.
func heldBytes(k *look.Look) int {
	n := k.Size() + len(k.Target)
	for _, ln := range k.Links {
		n += 32 + len(ln.Location)
	}
	return n
}

// followEarly merges where locations lead for which something vouches by now.
func (l *Ledger) followEarly(ctx context.Context) (err error) {
	for k := l.early.next(); k != nil && err == nil; k = l.early.next() {
		if k.Kind == admit.Redirected {
			err = l.commit(ctx, l.site.RecordKeys(k.Location), func(m *merge.Batch) { m.Apply(&merge.Look{Look: k}) })
		} else {
			err = l.follow(ctx, &merge.Look{Look: k}, merge.NoNews)
		}
	}
	return err
}
