package files

import (
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/journal"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/store"
)

// recentAhead is how far ahead of this clock an event may be to be recent, as that
// of another process may have noted it. One of a clock that was further ahead would
// stay at the top until its time comes.
const recentAhead = time.Minute

// recentMost is the most pages that the file of recent pages lists.
const recentMost = 1000

// renderRecent makes the file of the pages that were listed or changed lately,
// the last one first; one without a file if there are none. It is small enough
// to be kept whole. The caller holds Files.turn.
func (f *Files) renderRecent(ctx context.Context, trust lastmod.Trust, old *index) (*index, error) {
	now := time.Now()
	events, err := f.recentEvents(ctx, now)
	if err != nil {
		return nil, err
	}
	entries, err := f.entriesOf(ctx, events)
	if err != nil {
		return nil, err
	}
	m := making{trust: trust, now: moment.Of(now), gone: f.withdrawals()}
	made := new(file)
	p := &f.press
	p.begin(pieceBytes)
	p.text = append(p.text, sitemap.URLSetOpen...)
	for i, e := range events {
		entry, err := book.DecodeEntry(entries[i])
		if err != nil || !f.shows(&m, e.Location, &entry) {
			continue
		}
		if f.append(p, e.Location, &entry, &m) {
			made.until = earlier(earlier(made.until, entry.Until), leaves(e.At, f.cfg.Recent))
			p.flush(false)
		}
	}
	return f.endSide(ctx, f.cfg.Keys.Recent(), made, old, sitemap.URLSetClose, now), nil
}

// leaves returns when a page is no longer recent: at the next
// full hour, so that the file does not become another one for each.
func leaves(at time.Time, recent time.Duration) moment.Time {
	return moment.Of(at.Add(recent).Truncate(time.Hour).Add(time.Hour))
}

// recentEvents returns the last events of pages that are listed, the last one
// first, recentMost at most.
func (f *Files) recentEvents(ctx context.Context, now time.Time) ([]journal.Event, error) {
	events := journal.Journal{Keys: f.cfg.Keys}.Scan(ctx, f.cfg.Store, now.Add(-f.cfg.Recent).UnixMilli(), now.Add(recentAhead).UnixMilli())
	var ring []journal.Event // of the last ones; once it is full, the oldest is at next
	next := 0
	for e, err := range events {
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

// entriesOf returns the stored entries of the events' pages, nil for those that
// are not where the journal says.
func (f *Files) entriesOf(ctx context.Context, events []journal.Event) ([][]byte, error) {
	entries := make([][]byte, 0, len(events))
	for chunk := range slices.Chunk(events, store.MaxKeys) {
		some, err := f.viewEntries(ctx, len(chunk), func(i int) string { return f.cfg.Keys.List(chunk[i].Part, chunk[i].Location) })
		if err != nil {
			return nil, err
		}
		entries = append(entries, some...)
	}
	return entries, nil
}

// viewEntries returns the records of n keys, nil for those that are not there.
func (f *Files) viewEntries(ctx context.Context, n int, key func(int) string) (entries [][]byte, err error) {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = key(i)
	}
	err = f.cfg.Store.View(ctx, keys, func(values [][]byte) error {
		for _, v := range values {
			entries = append(entries, slices.Clone(v))
		}
		return nil
	})
	return entries, err
}
