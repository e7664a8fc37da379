package files

import (
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/journal"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/store"
)

// recentAhead is how far ahead of this clock an event may be to be recent, as that
// of another process may have noted it. One of a clock that was further ahead would
// stay at the top until its time comes.
const recentAhead = time.Minute

// recentMost is the most pages that the file of recent pages lists.
const recentMost = 1000

// composeRecent makes the file of the pages that were listed or changed lately, the
// last one first.
func (f *Files) composeRecent(ctx context.Context, p *pass, now time.Time) (*file, error) {
	events, err := f.recentEvents(ctx, now)
	if err != nil {
		return nil, err
	}
	m := making{trust: p.trust, now: moment.Of(now)}
	made := new(file)
	f.maker.begin(0)
	for chunk := range slices.Chunk(events, store.MaxKeys) {
		entries, err := f.view(ctx, len(chunk), func(i int) string { return f.cfg.Keys.List(chunk[i].Part, chunk[i].Location) })
		if err != nil {
			return nil, err
		}
		for i, e := range chunk {
			entry, err := book.DecodeEntry(entries[i])
			if err != nil || !f.shows(&m, e.Location, &entry) {
				continue
			}
			if f.append(e.Location, &entry, &m) {
				made.until = earlier(earlier(made.until, entry.Until), leaves(e.At, f.cfg.Recent))
				f.maker.press.flush()
			}
		}
	}
	return f.maker.end(made), nil
}

// leaves returns when a page is no longer recent: at the next full hour, so that the
// file does not become another one for each page.
func leaves(at time.Time, recent time.Duration) moment.Time {
	return moment.Of(at.Add(recent).Truncate(time.Hour).Add(time.Hour))
}

// recentEvents returns the last events of pages that are listed, the last one
// first, recentMost at most.
func (f *Files) recentEvents(ctx context.Context, now time.Time) ([]journal.Event, error) {
	from, to := now.Add(-f.cfg.Recent).UnixMilli(), now.Add(recentAhead).UnixMilli()
	var ring []journal.Event // of the last ones; once it is full, the oldest is at next
	next := 0
	for e, err := range (journal.Journal{Keys: f.cfg.Keys}).Scan(ctx, f.cfg.Store, from, to) {
		switch {
		case err != nil:
			return nil, err
		case e.What == journal.Removed:
		case len(ring) < recentMost:
			ring = append(ring, e)
		default:
			ring[next] = e
			next = (next + 1) % recentMost
		}
	}
	last := slices.Concat(ring[next:], ring[:next])
	slices.Reverse(last)
	return last, nil
}
