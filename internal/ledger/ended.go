package ledger

import (
	"context"
	"slices"
	"sync"
	"time"
)

// endedKept bounds the pages that have ended and are still listed in the store.
const endedKept = 10_000

// ended are pages which the files no longer show, since the time has come for
// which they announced their end. They are to leave the store at once, so that no
// other page names them as itself in another language.
type ended struct {
	mu        sync.Mutex
	locations map[string]bool
}

// Ended is what [part.Config.Ended] asks for. It may be called concurrently.
func (l *Ledger) Ended(location string) bool {
	ok := l.ended.add(location)
	l.queue.poke()
	return ok
}

func (e *ended) add(location string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.locations) >= endedKept && !e.locations[location] {
		return false
	}
	if e.locations == nil {
		e.locations = map[string]bool{}
	}
	e.locations[location] = true
	return true
}

// some returns up to n of the pages, in order.
func (e *ended) some(n int) (locations []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for location := range e.locations {
		if locations = append(locations, location); len(locations) == n {
			break
		}
	}
	slices.Sort(locations)
	return locations
}

func (e *ended) remove(locations []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, location := range locations {
		delete(e.locations, location)
	}
}

func (e *ended) waits() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.locations) > 0
}

// endPages takes pages that have ended out of the store, as many as wait but no
// more than roundBatches. One whose end was put off meanwhile stays, and is told
// of again if the files do not know that.
func (l *Ledger) endPages(ctx context.Context) error {
	for range roundBatches {
		locations := l.ended.some(batch)
		if len(locations) == 0 {
			break
		}
		if err := inHalves(locations, func(some []string) error { return l.endSome(ctx, some) }); err != nil {
			return err
		}
		l.ended.remove(locations)
	}
	return nil
}

func (l *Ledger) endSome(ctx context.Context, locations []string) error {
	var keys []string
	for _, location := range locations {
		keys = append(keys, l.keys.page(location))
	}
	now := time.Now()
	return l.commitAt(ctx, now, keys, func(m *merge) {
		for _, location := range locations {
			if s, _ := m.load(location); s.listed() && s.ended(now) {
				s.end(now)
				m.save(location, s)
			}
		}
	})
}
