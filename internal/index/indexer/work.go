package indexer

import (
	"context"
	"errors"
	"time"

	"github.com/servemap/servemap/store"
)

// Run works until ctx ends. Anything not stored by then is lost, so call Flush first.
func (l *Ledger) Run(ctx context.Context) {
	defer close(l.stopped)
	defer l.queue.close()
	timer := time.NewTimer(idleRound)
	defer timer.Stop()
	wake := l.queue.wake
	l.queue.poke() // the first round reads what the store holds
	for {
		var err error
		var begun time.Time
		select {
		case <-ctx.Done():
			return
		case c := <-l.calls:
			begun = time.Now()
			err = c.run(ctx)
			c.done <- err
		case <-wake:
			begun = time.Now()
			err = l.work(ctx, false)
		case <-timer.C:
			begun = time.Now()
			err = l.work(ctx, false)
		}
		l.worked.Add(int64(time.Since(begun)))
		if wake = l.queue.wake; err != nil {
			wake = nil // retry a store in trouble after retryRound, not at each sighting
			// It may be a new store by then, for example if its folder was removed.
			l.known.opened = l.known.opened && !errors.Is(err, store.ErrUnavailable)
		}
		l.note(ctx, err)
		timer.Reset(l.nextRound(err))
	}
}

// task is work that the worker does when it is due.
type task struct {
	due   func(now time.Time) time.Time             // the zero time if there is nothing to do
	run   func(ctx context.Context, all bool) error // all: do everything there is, without a budget
	flush bool                                      // Flush runs it even if it is not due
}

// nowIf returns now if there is something to do, and the zero time otherwise.
func nowIf(is bool, now time.Time) time.Time {
	if is {
		return now
	}
	return time.Time{}
}

// newTasks returns the tasks in the order in which a round runs them.
func (l *Ledger) newTasks() []task {
	return []task{
		{due: func(time.Time) time.Time { return l.fleet.Due() }, run: l.refresh, flush: true},
		{due: func(now time.Time) time.Time { return nowIf(len(l.pending) > 0 || l.queue.depth() > 0, now) }, run: l.mergeQueued},
		{due: func(time.Time) time.Time { return l.suspects.due() }, run: l.confirmSuspects},
		{due: l.evictDue, run: l.evict},
		{due: func(now time.Time) time.Time { return nowIf(l.known.events >= pruneAfter, now) }, run: l.pruneJournal},
		{due: l.reviewDue, run: l.reviewSome, flush: true},
		{due: func(now time.Time) time.Time { return nowIf(l.foundStamps() != l.known.stamps, now) }, run: l.keepStamps},
		{due: l.furnitureDue, run: l.keepFurniture, flush: true},
		{due: func(time.Time) time.Time { return l.survey.FewDue() }, run: l.hintFew},
		{due: l.syncDue, run: l.sync, flush: true},
	}
}

// The pauses of the worker when nothing wakes it.
const (
	idleRound  = time.Hour
	retryRound = time.Second
)

// nextRound returns how long the worker may rest after a round.
func (l *Ledger) nextRound(err error) time.Duration {
	if err != nil {
		return retryRound
	}
	now, next := time.Now(), idleRound
	for _, t := range l.tasks {
		if due := t.due(now); !due.IsZero() {
			next = min(next, max(1, due.Sub(now))) // not 0: a timer may crash the race detector if it is due at once in a synctest bubble
		}
	}
	return next
}

// work runs the tasks that are due. With all, no budget applies, and everything queued
// before the call is stored and synced when it returns.
func (l *Ledger) work(ctx context.Context, all bool) error {
	err := l.runTasks(ctx, all)
	if err != nil {
		l.withdrawUnstored()
	}
	return err
}

func (l *Ledger) runTasks(ctx context.Context, all bool) error {
	if err := l.open(ctx); err != nil {
		return err
	}
	for _, t := range l.tasks {
		now := time.Now()
		due := t.due(now)
		if idle := due.IsZero() || due.After(now); idle && !(all && t.flush) {
			continue
		}
		if err := t.run(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

func (l *Ledger) hintFew(context.Context, bool) error {
	l.survey.HintFew(time.Now())
	return nil
}

// batch is how many sightings the worker takes from the queue at once.
const batch = 128

// roundBatches is how many batches are merged before the other tasks get a turn.
const roundBatches = 16

// mergeQueued merges the queued sightings.
func (l *Ledger) mergeQueued(ctx context.Context, all bool) error {
	rounds := roundBatches
	if all {
		rounds = l.queue.depth()/batch + 2
	}
	for range rounds {
		if len(l.pending) == 0 {
			l.pending = l.queue.take(batch)
		}
		if len(l.pending) == 0 {
			break
		}
		if err := l.noteActivity(ctx, l.pending[len(l.pending)-1].At); err != nil {
			return err
		}
		if err := l.process(ctx, all); err != nil {
			return err
		}
	}
	return nil
}
