package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/record"
)

// openDoubts takes up the doubts that are stored. One noted by a clock that
// was ahead has its minute from now.
func (l *Ledger) openDoubts(ctx context.Context) error {
	now := time.Now()
	doubts := map[string]time.Time{}
	for r, err := range l.cfg.Store.Scan(ctx, l.keys.losts(), "") {
		if err != nil {
			return err
		}
		if record.Later(r.Value) {
			continue // a process of that version confirms it
		}
		location := strings.Clone(strings.TrimPrefix(r.Key, l.keys.losts()))
		doubts[location] = earlier(time.UnixMilli(int64(readCount(r.Value))), now)
	}
	l.doubts = doubts
	return nil
}

// earlier returns the earlier of two times.
func earlier(a, b time.Time) time.Time {
	if a.After(b) {
		return b
	}
	return a
}

// noteDoubt notes since when a location is in doubt. A doubt noted by a clock that
// was ahead has its minute from when it was first heard of.
func (l *Ledger) noteDoubt(location string, since, now time.Time) {
	if known, ok := l.doubts[location]; ok && since.After(now) {
		since = known
	}
	l.doubts[location] = earlier(since, now)
}

// overdue returns the locations that had their minute, in order. A doubt noted
// by a clock that was ahead has its minute from now.
func (l *Ledger) overdue(now time.Time) []string {
	var gone []string
	for location, since := range l.doubts {
		l.doubts[location] = earlier(since, now)
		if now.Sub(since) >= confirmAfter {
			gone = append(gone, location)
		}
	}
	slices.Sort(gone)
	return gone
}

// confirmDoubts stores that the pages which had their minute are gone. What is
// stored of a doubt ends it, see commitAt.
func (l *Ledger) confirmDoubts(ctx context.Context) error {
	now := time.Now()
	for chunk := range slices.Chunk(l.overdue(now), batch) {
		looks := make([]*look, len(chunk))
		for i, location := range chunk {
			looks[i] = &look{Sighting: &Sighting{Location: location, At: now}, confirm: true}
		}
		if err := l.store(ctx, looks); err != nil {
			return fmt.Errorf("taking out pages that are gone: %w", err)
		}
	}
	return nil
}

// unconfirmed keeps a doubt whose end the store does not take: the page leaves the
// files being served, and a minute later it is tried again.
func (l *Ledger) unconfirmed(location string) {
	l.cfg.Files.Withdraw(location, l.doubts[location])
	l.doubts[location] = time.Now()
}
