package indexer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// suspects are the listed pages that may be gone, by location, with the time of the first
// sign by the monotonic clock. Each has a minute in which a visitor may still get the page.
type suspects map[string]time.Time

// openSuspects reads the suspects that are stored.
func (l *Ledger) openSuspects(ctx context.Context) error {
	now, read := time.Now(), suspects{}
	for r, err := range l.cfg.Store.Scan(ctx, l.site.Keys.Pendings(), "") {
		if err != nil {
			return err
		}
		location := strings.TrimPrefix(r.Key, l.site.Keys.Pendings())
		if since, ok := l.suspects[location]; ok {
			read[location] = since
		}
		read.note(location, pagerecord.ReadMinute(r.Value).Time(), now)
	}
	l.suspects = read
	return nil
}

// note adds a suspect. If since is in the future, some clock was ahead, and the minute
// begins now.
func (d suspects) note(location string, since, now time.Time) {
	if _, known := d[location]; !known || !since.After(now) {
		d[location] = now.Add(-max(0, now.Sub(since)))
	}
}

// overdue returns the locations whose minute is over, in order.
func (d suspects) overdue(now time.Time) []string {
	var gone []string
	for location, since := range d {
		if now.Sub(since) >= pagerecord.ConfirmAfter {
			gone = append(gone, location)
		}
	}
	slices.Sort(gone)
	return gone
}

// due returns when the next minute is over, zero if there are no suspects.
func (d suspects) due() (due time.Time) {
	for _, since := range d {
		if at := since.Add(pagerecord.ConfirmAfter); due.IsZero() || at.Before(due) {
			due = at
		}
	}
	return due
}

// confirmSuspects stores that the suspects whose minute is over are gone. apply then
// removes them from the suspects.
func (l *Ledger) confirmSuspects(ctx context.Context, _ bool) error {
	err := inPieces(l.suspects.overdue(time.Now()), batch, func(some []string) (int, error) {
		var keys []string
		for _, location := range some {
			keys = append(append(keys, l.site.RecordKeys(location)...), l.site.Keys.Pending(location))
		}
		return len(some), l.commit(ctx, keys, func(m *merge.Batch) {
			for _, location := range some {
				m.Confirm(location)
			}
		})
	}, l.unconfirmed)
	if err != nil {
		return fmt.Errorf("taking out pages that are gone: %w", err)
	}
	return nil
}

// unconfirmed gives up storing that a suspect is gone. The page still leaves the served
// files. Storing is tried again when the suspects are next read from the store.
func (l *Ledger) unconfirmed(location string) (again bool) {
	l.cfg.Files.Withdraw(location, l.suspects[location])
	delete(l.suspects, location)
	return false
}
