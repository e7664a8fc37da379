package ledger

import (
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/admit"
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
// while the handler of the page may still be at work. It belongs to one
// goroutine. The zero value is empty.
type early struct {
	waiting map[string]*look // by location
	order   []*look          // the oldest first
	bytes   int              // that those in order hold
	ready   []*look          // which may count by now
}

// keep remembers where the location of a look leads.
func (e *early) keep(k *look) {
	// No body, and no hash of it: the page is still to be read for all else that
	// it says.
	kept := &look{
		Sighting: &Sighting{Kind: k.Kind, Location: k.Location, At: k.At, Response: &tap.Response{Status: k.Response.Status}},
		network:  k.network, echo: k.echo, links: k.links, target: k.target,
	}
	if kept.bytes() > earlyBytes {
		return
	}
	if e.waiting == nil {
		e.waiting = map[string]*look{}
	}
	e.waiting[k.Location] = kept
	e.order = append(e.order, kept)
	for e.bytes += kept.bytes(); e.bytes > earlyBytes; {
		e.drop()
	}
}

// drop forgets the oldest look.
func (e *early) drop() {
	oldest := e.order[0]
	e.order, e.bytes = e.order[1:], e.bytes-oldest.bytes()
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

// isEarly reports whether it is remembered where the location leads.
func (m *merge) isEarly(location string) bool {
	return m.l.early.waiting[location] != nil ||
		slices.ContainsFunc(m.effects.early, func(k *look) bool { return k.Location == location })
}

// catchesUp reports whether something vouches by now for a location that was
// seen before.
func (m *merge) catchesUp() bool { return slices.ContainsFunc(m.effects.due, m.isEarly) }

// next returns a look that may count by now, nil if there is none.
func (e *early) next() *look {
	if len(e.ready) == 0 {
		return nil
	}
	k := e.ready[0]
	e.ready = e.ready[1:]
	return k
}

// bytes returns how many bytes a look that is remembered holds, about.
func (k *look) bytes() int {
	n := k.size() + len(k.target)
	for _, ln := range k.links {
		n += 32 + len(ln.location)
	}
	return n
}

// followEarly merges where locations lead for which something vouches by now.
func (l *Ledger) followEarly(ctx context.Context) (err error) {
	for k := l.early.next(); k != nil && err == nil; k = l.early.next() {
		if k.Kind == admit.Redirected {
			err = l.commit(ctx, []string{l.keys.Page(k.Location), l.wait(k.Location)}, func(m *merge) { m.apply(k) })
		} else {
			err = l.follow(ctx, k, noNews)
		}
	}
	return err
}
