package look

import (
	"time"

	"github.com/servemap/servemap/internal/tap"
)

const (
	// earlyFor is how long to remember where a location leads that nothing vouched for when it was
	// seen. After that, the next visitor will show it anyway.
	earlyFor = time.Minute
	// earlyBytes bounds the memory for that. The oldest look goes first.
	earlyBytes = 1 << 20
)

// Early remembers where pages and lasting redirects lead if they were seen before the page that
// links to them. This happens because visitors follow a new link at once, while the handler of the
// linking page may still run. Early belongs to one goroutine. The zero value is empty.
type Early struct {
	waiting map[string]*Look // by location
	order   []*Look          // oldest first
	bytes   int              // bytes of memory of the looks in order
	ready   []*Look          // looks that may count now
}

// Has reports whether Early remembers where a location leads.
func (e *Early) Has(location string) bool { return e.waiting[location] != nil }

// Keep remembers where the location of a look leads.
func (e *Early) Keep(k *Look) {
	// No body, and no hash of it: the page must still be read for everything else.
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

// Enter notes that something vouches for a location now.
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

// Next returns a look that may count now, or nil.
func (e *Early) Next() *Look {
	if len(e.ready) == 0 {
		return nil
	}
	k := e.ready[0]
	e.ready = e.ready[1:]
	return k
}

// heldBytes returns about how many bytes of memory a kept look needs.
func heldBytes(k *Look) int {
	n := k.Size() + len(k.Target)
	for _, ln := range k.Links {
		n += 32 + len(ln.Location)
	}
	return n
}
