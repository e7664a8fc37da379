// Package quota keeps the visitors of one network from using up what all visitors share: memory,
// places in a queue, time to read. One rule holds for all of these: a network may take more only while it
// holds no more than is still free. One network alone leaves half, two leave a third, and a
// newcomer always finds something.
package quota

import (
	"hash/maphash"
	"net/netip"
	"sync/atomic"
	"time"
)

// payers is how many networks are told apart. Networks with the same hash count as one, but nobody
// can choose them, since each process has a key of its own.
const payers = 1 << 12

// Payer is the network that something is counted for. 0 is not known: all such requests come
// through a proxy nearby, or from the site itself. They have no bound, since they may be all there are.
type Payer uint16

// Payers tells networks apart.
type Payers struct{ key maphash.Seed }

// NewPayers returns Payers with a key of their own.
func NewPayers() Payers { return Payers{maphash.MakeSeed()} }

// Of returns the payer of a network, 0 for the zero Prefix.
func (p Payers) Of(network netip.Prefix) Payer {
	if !network.IsValid() {
		return 0
	}
	return Payer(1 + maphash.Comparable(p.key, network)%payers)
}

// Held is what each network holds of one thing. It is safe for concurrent use.
type Held struct{ by [payers + 1]atomic.Int64 }

// Add adds n, which may be negative, to what by holds, and returns that.
func (h *Held) Add(by Payer, n int64) int64 { return h.by[by].Add(n) }

// Of returns the count for a network, nil for one that has no bound.
func (h *Held) Of(by Payer) *atomic.Int64 {
	if by == 0 {
		return nil
	}
	return &h.by[by]
}

// May reports whether by may take more, if so much is free.
func (h *Held) May(by Payer, free int64) bool {
	return free > 0 && (by == 0 || h.by[by].Load() <= free)
}

// Fading is for what is used up, and comes again by itself: each time that Half has passed, a network is
// forgiven half of what it holds. Its Forgive is not safe for concurrent use.
type Fading struct {
	Held
	Half time.Duration
	last time.Duration
}

// Forgive forgives what is due at now, on a clock that begins at any time.
func (f *Fading) Forgive(now time.Duration) {
	times := (now - f.last) / f.Half
	if times <= 0 {
		return
	}
	f.last += times * f.Half
	for i := range f.by {
		if n := f.by[i].Load(); n != 0 {
			f.by[i].Store(n >> min(times, 63))
		}
	}
}
