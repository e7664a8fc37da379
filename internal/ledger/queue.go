package ledger

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/servemap/servemap/internal/look"
)

// QueueBytes bounds what waits to be read, without the bodies, which are bounded
// by the buffers they are kept in. What does not fit is dropped and counted: the
// page stays due, and another visit will show it.
const QueueBytes = 2 << 20

// queue holds sightings between the requests, which never wait, and the one
// worker.
type queue struct {
	mu      sync.Mutex
	waiting []*look.Sighting
	bytes   int // that those hold
	closed  bool
	wake    chan struct{}
	taken   atomic.Uint64 // sightings there was room for
	dropped atomic.Uint64
}

func newQueue() *queue { return &queue{wake: make(chan struct{}, 1)} }

// offer takes s, or returns false if there is no room.
func (q *queue) offer(s *look.Sighting) bool {
	size := s.Size()
	q.mu.Lock()
	ok := !q.closed && q.bytes+size <= QueueBytes
	if ok {
		q.waiting, q.bytes = append(q.waiting, s), q.bytes+size
	}
	q.mu.Unlock()
	if !ok {
		q.dropped.Add(1)
		return false
	}
	q.taken.Add(1)
	q.poke()
	return true
}

// poke wakes the worker.
func (q *queue) poke() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take returns up to n sightings, in the order they came.
func (q *queue) take(n int) []*look.Sighting {
	q.mu.Lock()
	defer q.mu.Unlock()
	n = min(n, len(q.waiting))
	taken := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	for _, s := range taken {
		q.bytes -= s.Size()
	}
	if len(q.waiting) == 0 {
		q.waiting = nil
	}
	return taken
}

// all returns what waits, in the order it came.
func (q *queue) all() []*look.Sighting {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.waiting)
}

// depth returns how many sightings wait.
func (q *queue) depth() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// close refuses what is offered from now on.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
}
