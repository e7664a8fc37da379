package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// doubt is what is known of a page that may be gone.
type doubt struct {
	noted time.Time     // since when it is stored that it may be
	from  time.Time     // when the wait began
	wait  time.Duration // before its end is stored, or tried to be once more
}

// confirmSeldom is the longest wait where the store does not take the end of a doubt.
const confirmSeldom = time.Hour

// openDoubts takes up the doubts that are stored. One noted by a clock that
// was ahead has its minute from now.
func (l *Ledger) openDoubts(ctx context.Context) error {
	now := time.Now()
	before := l.doubts
	l.doubts = map[string]doubt{}
	for r, err := range l.cfg.Store.Scan(ctx, l.keys.Losts(), "") {
		if err != nil {
			l.doubts = before
			return err
		}
		location := strings.Clone(strings.TrimPrefix(r.Key, l.keys.Losts()))
		if known, ok := before[location]; ok {
			l.doubts[location] = known
		}
		l.noteDoubt(location, time.UnixMilli(int64(readCount(r.Value))), now)
	}
	return nil
}

// earlier returns the earlier of two times.
func earlier(a, b time.Time) time.Time {
	if a.After(b) {
		return b
	}
	return a
}

// noteDoubt notes since when a location is in doubt. One that is known goes on: so
// a doubt noted by a clock that was ahead has its minute from when it was first
// heard of, and one whose end the store does not take is not tried more often.
func (l *Ledger) noteDoubt(location string, since, now time.Time) {
	known, ok := l.doubts[location]
	switch {
	case !ok || !known.noted.Equal(since):
		known = doubt{since, earlier(since, now), confirmAfter}
	case since.After(known.from) && !since.After(now):
		known.from = since
	}
	l.doubts[location] = known
}

// overdue returns the locations that had their minute, in order. A doubt noted
// by a clock that was ahead has its minute from now.
func (l *Ledger) overdue(now time.Time) []string {
	var gone []string
	for location, d := range l.doubts {
		d.from = earlier(d.from, now)
		l.doubts[location] = d
		if now.Sub(d.from) >= d.wait {
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
// files being served, and that is tried to be stored again, ever more seldom.
func (l *Ledger) unconfirmed(location string) {
	d := l.doubts[location]
	l.cfg.Files.Withdraw(location, d.from)
	d.from, d.wait = time.Now(), min(2*d.wait, confirmSeldom)
	l.doubts[location] = d
	if !l.toldUnconfirmed {
		l.toldUnconfirmed = true
		l.cfg.Logger.Warn("servemap: the store does not take that a page is gone; the page is not served, and it is tried again within the hour")
	}
}
