package look

import (
	"time"

	"github.com/servemap/servemap/internal/tap"
)

const (
	// earlyFor is for how long it is remembered where a location leads that
	// nothing vouched for when it was seen. Later its next visitor shows it anyway.
	earlyFor = time.Minute
	// earlyBytes bounds what is remembered. The oldest goes first.
	earlyBytes = 1 << 20
)

// Early remembers where pages and lasting redirects lead that were seen before
// the page that links to them: a visitor follows a link as soon as it is there,
// while the handler of the page may still be at work. It belongs to one goroutine.
// The zero value is empty.
type Early struct {
	waiting map[string]*Look // by location
	order   []*Look          // the oldest first
	bytes   int              // that those in order hold
	ready   []*Look          // which may count by now
}

// Has reports whether it is remembered where a location leads.
func (e *Early) Has(location string) bool { return e.waiting[location] != nil }

// Keep remembers where the location of a look leads.
func (e *Early) Keep(k *Look) {
	// No body, and no hash of it: the page is still to be read for all else that
	// it says.
	kept := &Look{
		Sighting: &Sighting{Kind: k.Kind, Location: k.Location, At: k.At, Response: &tap.Response{Status: k.Response.Status}},
		Net:      k.Net, Echo: k.Echo, Target: k.Target,
	}
	kept.Links = k.Links
	if heldBytes(kept) > earlyBytes {
		return
	}
	if e.waiting == nil {
		e.waiting = map[string]*Look{}
	}
	e.waiting[k.Location] = kept
	e.order = append(e.order, kept)
	for e.bytes += heldBytes(kept); e.bytes > earlyBytes; {
		e.drop()
	}
}

// drop forgets the oldest look.
func (e *Early) drop() {
	oldest := e.order[0]
	e.order, e.bytes = e.order[1:], e.bytes-heldBytes(oldest)
	if e.waiting[oldest.Location] == oldest {
		delete(e.waiting, oldest.Location)
	}
}

// Enter notes that something vouches for a location by now.
func (e *Early) Enter(location string, now time.Time) {
	k := e.waiting[location]
	if k == nil {
		return
	}
	delete(e.waiting, location)
	if now.Sub(k.At) <= earlyFor {
		e.ready = append(e.ready, k)
	}
}

// Next returns a look that may count by now, nil if there is none.
func (e *Early) Next() *Look {
	if len(e.ready) == 0 {
		return nil
	}
	k := e.ready[0]
	e.ready = e.ready[1:]
	return k
}

// heldBytes returns how many bytes a look that is remembered holds, about.
func heldBytes(k *Look) int {
	n := k.Size() + len(k.Target)
	for _, ln := range k.Links {
		n += 32 + len(ln.Location)
	}
	return n
}
