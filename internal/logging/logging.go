// Package logging puts a queue between a logger and its handler. It takes log
// records and writes them to the handler in a goroutine. It must never make the
// caller wait for the handler, or let a panic of the handler reach the caller.
package logging

import (
	"context"
	"log/slog"
	"sync"
)

// most is how many records wait at most. Each cause is logged once, so that many
// are only there while the log takes none.
const most = 256

// Queue takes records at once, and hands them to a handler one after the other
// in a goroutine of its own, which ends when none is left. While the handler
// takes none, and as many wait as may, further ones are lost. It is safe for
// concurrent use.
type Queue struct {
	to slog.Handler

	mu      sync.Mutex
	waiting []record
	written chan struct{} // closed when nothing waits any more; nil while nothing does
}

type record struct {
	slog.Record
	to slog.Handler
}

// NewQueue returns a queue of records for to.
func NewQueue(to slog.Handler) *Queue { return &Queue{to: to} }

// Logger returns a logger whose calls return at once, whatever the handler does.
func (q *Queue) Logger() *slog.Logger { return slog.New(handler{q, q.to}) }

// Wait returns when all that was logged is written, or when ctx ends.
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

// next returns the record to be written next, unless there is none.
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

// write hands the record to its handler. Should that panic, the record is lost,
// as there is nobody to tell.
func (r record) write() {
	defer func() { _ = recover() }()
	ctx := context.Background()
	if r.to.Enabled(ctx, r.Level) {
		_ = r.to.Handle(ctx, r.Record)
	}
}

// handler is the end of a queue that a logger writes to.
type handler struct {
	queue *Queue
	to    slog.Handler
}

// Enabled leaves it to the writing: the handler may take its time to say so.
func (h handler) Enabled(context.Context, slog.Level) bool { return true }

func (h handler) Handle(_ context.Context, r slog.Record) error {
	h.queue.add(record{r.Clone(), h.to})
	return nil
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.queue, h.to.WithAttrs(attrs)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.queue, h.to.WithGroup(name)} }
