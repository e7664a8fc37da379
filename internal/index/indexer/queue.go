package indexer

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
)

// QueueBytes bounds the queue. The bodies are not included; their buffers bound them.
// Made-up pages leave a part of the room to those that something on the site vouches for. An observation that does not
// fit is dropped and counted. Its page stays due, so that the next visit offers it again.
const QueueBytes = 5 << 19

// queue hands observations from the requests, which never wait, to the one worker.
type queue struct {
	mu      sync.Mutex
	waiting []*observation.Observation
	bytes   int // of waiting
	memory  *response.Memory
	closed  bool
	wake    chan struct{}
	taken   atomic.Uint64 // observations that were queued
	dropped atomic.Uint64
}

func newQueue(m *response.Memory) *queue {
	return &queue{memory: cmp.Or(m, response.NewMemory(math.MaxInt64)), wake: make(chan struct{}, 1)}
}

// offer takes s, or returns false if there is no room.
func (q *queue) offer(s *observation.Observation) bool {
	size := s.Size()
	q.mu.Lock()
	room := int64(QueueBytes)
	if !s.Vouched && !s.Explored {
		room = quota.Open(room)
	}
	ok := !q.closed && int64(q.bytes+size) <= room && q.memory.Take(int64(size), int64(q.bytes+size))
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

// take returns up to n of the observations that came first.
func (q *queue) take(n int) []*observation.Observation {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := slices.Clone(q.waiting[:min(n, len(q.waiting))])
	clear(q.waiting[:len(taken)]) // else the array would keep them in memory
	if q.waiting = q.waiting[len(taken):]; len(q.waiting) == 0 {
		q.waiting = nil
	}
	for _, s := range taken {
		size := s.Size()
		q.bytes -= size
		q.memory.Give(int64(size))
	}
	return taken
}

// depth returns how many observations wait.
func (q *queue) depth() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// close refuses what is offered from now on, and drops what waits.
func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	for _, s := range q.take(math.MaxInt) {
		s.Response.Release()
	}
}
