package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/index/sights"
)

// Run works until ctx ends. Anything not stored by then is lost, so call Flush first.
func (x *Indexer) Run(ctx context.Context) {
	defer close(x.stopped)
	defer x.queue.close()
	defer func() { x.merging.release(len(x.merging.pending)) }()
	timer := time.NewTimer(idleRound)
	defer timer.Stop()
	wake := x.queue.wake
	x.queue.poke() // the first round reads what the store holds
	for {
		var err error
		var begun time.Time
		select {
		case <-ctx.Done():
			return
		case c := <-x.calls:
			begun = time.Now()
			err = c.run(ctx)
			c.done <- err
		case <-wake:
			begun = time.Now()
			err = x.work(ctx, false)
		case <-timer.C:
			begun = time.Now()
			err = x.work(ctx, false)
		}
		x.worked.Add(int64(time.Since(begun)))
		if wake = x.queue.wake; err != nil {
			wake = nil               // retry a store in trouble after retryRound, not at each observation
			x.records.opened = false // the store may hold what it did not confirm, or may be a new one
		}
		x.note(ctx, err)
		timer.Reset(x.nextRound(err))
	}
}

// task is work that the worker does when it is due.
type task interface {
	due(now time.Time) time.Time             // the zero time if there is nothing to do; then run is not called
	run(ctx context.Context, all bool) error // all: do everything there is, without a budget, also if it is not due yet
}

// sighted stores the sights of pages when that is due.
type sighted struct{ *sights.Store }

func (s sighted) due(now time.Time) time.Time { return s.Due(now) }

func (s sighted) run(ctx context.Context, _ bool) error { return s.Save(ctx) }

// The pauses of the worker when nothing wakes it.
const (
	idleRound  = time.Hour
	retryRound = time.Second
)

// nextRound returns how long the worker may rest after a round.
func (x *Indexer) nextRound(err error) time.Duration {
	if err != nil {
		return retryRound
	}
	now, next := time.Now(), idleRound
	for _, t := range x.tasks {
		if due := t.due(now); !due.IsZero() {
			// not 0: a timer may crash the race detector if it is due at once in a synctest bubble
			next = min(next, max(1, due.Sub(now)))
		}
	}
	return next
}

// work runs the tasks that are due. With all, no budget applies, and everything queued
// before the call is stored and synced when it returns.
func (x *Indexer) work(ctx context.Context, all bool) error {
	if err := x.records.open(ctx); err != nil {
		return err
	}
	for _, t := range x.tasks {
		now := time.Now()
		if due := t.due(now); due.IsZero() || !all && due.After(now) {
			continue
		}
		if err := t.run(ctx, all); err != nil {
			return err
		}
	}
	return nil
}
