// Package logging puts a queue between a logger and its handler. It takes log records and writes
// them to the handler in a goroutine. It must never make the caller wait for the handler, and no
// panic of the handler may reach the caller.
package logging

import (
	"context"
	"log/slog"
	"sync"
)

// most is how many records may wait. Each cause is logged once, so there are only many if the log
// takes none.
const most = 256

// Queue takes records at once. A goroutine hands them to a handler one after the other, and ends
// when none is left. If the handler hangs and the queue is full, further records are lost. It is
// safe for concurrent use.
type Queue struct {
	to slog.Handler

	mu      sync.Mutex
	waiting []record
	written chan struct{} // closed once nothing waits; nil while nothing does
}

type record struct {
	slog.Record
	to slog.Handler
}

// NewQueue returns a queue of records for to.
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

func (q *Queue) add(r record) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == most {
		return
	}
	q.waiting = append(q.waiting, r)
	if q.written == nil {
		q.written = make(chan struct{})
		go q.write()
	}
}

// next returns the next record to write, if there is one.
func (q *Queue) next() (record, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		close(q.written)
		q.waiting, q.written = nil, nil
		return record{}, false
	}
	r := q.waiting[0]
	q.waiting = q.waiting[1:]
	return r, true
}

func (q *Queue) write() {
	for r, ok := q.next(); ok; r, ok = q.next() {
		r.write()
	}
}

// write hands the record to its handler. If that panics, the record is lost, since there is nobody
// to tell.
func (r record) write() {
	defer func() { _ = recover() }()
	ctx := context.Background()
	if r.to.Enabled(ctx, r.Level) {
		_ = r.to.Handle(ctx, r.Record)
	}
}

// handler puts the records of a logger into a queue.
type handler struct {
	queue *Queue
	to    slog.Handler
}

// Enabled leaves the question to write, since the handler may be slow to answer.
func (h handler) Enabled(context.Context, slog.Level) bool { return true }

func (h handler) Handle(_ context.Context, r slog.Record) error {
	h.queue.add(record{r.Clone(), h.to})
	return nil
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.queue, h.to.WithAttrs(attrs)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.queue, h.to.WithGroup(name)} }
