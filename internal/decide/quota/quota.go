// Package quota keeps the visitors of one network, and one of several sites, from using up what all share: memory,
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

// payers is how many networks are told apart. Networks with the same hash count as one.
const payers = 1 << 12

// Payer is the network that something is counted for. 0 is not known: all such requests come
// through a proxy nearby, or from the site itself. They have no bound, since they may be all there are.
type Payer uint16

// All stands for all networks of a site, where several sites share something.
const All Payer = payers + 1

// key is the process's own, so that nobody can choose networks with one hash.
var key = maphash.MakeSeed()

// PayerOf returns the payer of a network, 0 for the zero Prefix.
func PayerOf(network netip.Prefix) Payer {
	if !network.IsValid() {
		return 0
	}
	return Payer(1 + maphash.Comparable(key, network)%payers)
}

// Held is what each network holds of one thing. It grows with the networks that hold something. It is safe for
// concurrent use.
type Held struct {
	by [payers/chunk + 1]atomic.Pointer[[chunk]atomic.Int64]
}

const chunk = 1 << 6

// of returns the count for a network.
func (h *Held) of(by Payer) *atomic.Int64 {
	some := &h.by[by/chunk]
	if some.Load() == nil {
		some.CompareAndSwap(nil, new([chunk]atomic.Int64))
	}
	return &some.Load()[by%chunk]
}

// Add adds n, which may be negative, to what by holds, and returns that.
func (h *Held) Add(by Payer, n int64) int64 { return h.of(by).Add(n) }

// Of returns the count for a network, nil for one that has no bound.
func (h *Held) Of(by Payer) *atomic.Int64 {
	if by == 0 {
		return nil
	}
	return h.of(by)
}

// May reports whether by may take more, if so much is free.
func (h *Held) May(by Payer, free int64) bool {
	return free > 0 && (by == 0 || h.of(by).Load() <= free)
}

// halve halves what each network holds, as often as times says.
func (h *Held) halve(times time.Duration) {
	for i := range h.by {
		some := h.by[i].Load()
		if some == nil {
			continue
		}
		for j := range some {
			if n := some[j].Load(); n != 0 {
				some[j].Store(n >> min(times, 63))
			}
		}
	}
}
