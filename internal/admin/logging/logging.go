// Package logging puts a queue between a logger and its handler. It takes log records and writes
// them to the handler in a goroutine. It must never make the caller wait for the handler, and no
// panic of the handler may reach the caller.
package logging

import (
	"context"
	"log/slog"
	"sync"
)

// most is how many records may wait. Each cause is logged once, so many wait only if the handler
// takes none.
const most = 256

// Queue takes records at once. A goroutine hands them to a handler one after the other, and ends
// when none is left. If the handler hangs and the queue is full, further records are lost. It is
// safe for concurrent use.
type Queue struct {
	to slog.Handler

	mu      sync.Mutex
	waiting []func()      // each writes a record
	written chan struct{} // closed once nothing waits; nil while nothing does
}

// NewQueue returns a queue whose records go to the handler to.
func NewQueue(to slog.Handler) *Queue { return &Queue{to: to} }

// Logger returns a logger whose calls return at once, whatever the handler does.
func (q *Queue) Logger() *slog.Logger { return slog.New(handler{q, q.to}) }

// Wait returns when everything logged is written, or when ctx ends.
func (q *Queue) Wait(ctx context.Context) {
	q.mu.Lock()
	written := q.written
	q.mu.Unlock()
	if written == nil {
		return
	}
	select {
	case <-written:
	case <-ctx.Done():
	}
}

// write writes until nothing waits.
func (q *Queue) write() {
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 {
			close(q.written)
			q.waiting, q.written = nil, nil
			q.mu.Unlock()
			return
		}
		next := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		next()
	}
}

// handler puts the records of a logger into a queue.
type handler struct {
	queue *Queue
	to    slog.Handler
}

// Enabled leaves the question to write, since the handler may be slow to answer.
func (h handler) Enabled(context.Context, slog.Level) bool { return true }

// Handle puts a record into the queue. If its handler panics, it is lost, since there is nobody to tell.
func (h handler) Handle(_ context.Context, r slog.Record) error {
	r = r.Clone()
	write := func() {
		defer func() { _ = recover() }()
		if ctx := context.Background(); h.to.Enabled(ctx, r.Level) {
			_ = h.to.Handle(ctx, r)
		}
	}
	h.queue.mu.Lock()
	defer h.queue.mu.Unlock()
	if len(h.queue.waiting) == most {
		return nil
	}
	h.queue.waiting = append(h.queue.waiting, write)
	if h.queue.written == nil {
		h.queue.written = make(chan struct{})
		go h.queue.write()
	}
	return nil
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.queue, h.to.WithAttrs(attrs)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.queue, h.to.WithGroup(name)} }
