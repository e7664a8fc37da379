package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/pagerecord"
)

// doubt is what is known of a page that may be gone.
type doubt struct {
	noted time.Time     // since when it is stored that it may be
	from  time.Time     // when the wait began
	wait  time.Duration // before its end is stored, or tried to be once more
}

// doubts are the listed pages that may be gone, and have their minute. It belongs to the
// worker.
type doubts struct {
	of   map[string]doubt // by location
	told bool             // see unconfirmed
}

// confirmSeldom is the longest wait where the store does not take the end of a doubt.
const confirmSeldom = time.Hour

// openDoubts takes up the doubts that are stored. One noted by a clock that
// was ahead has its minute from now.
func (l *Ledger) openDoubts(ctx context.Context) error {
	now := time.Now()
	before := l.doubts.of
	l.doubts.of = map[string]doubt{}
	for r, err := range l.cfg.Store.Scan(ctx, l.keys.Losts(), "") {
		if err != nil {
			l.doubts.of = before
			return err
		}
		location := strings.Clone(strings.TrimPrefix(r.Key, l.keys.Losts()))
		if known, ok := before[location]; ok {
			l.doubts.of[location] = known
		}
		l.doubts.note(location, pagerecord.ReadMinute(r.Value).Time(), now)
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

// note notes since when a location is in doubt. A known doubt keeps its deadline: so
// a doubt noted by a clock that was ahead has its minute from when it was first
// heard of, and one whose end the store does not take is not tried more often.
func (d *doubts) note(location string, since, now time.Time) {
	known, ok := d.of[location]
	switch {
	case !ok || !known.noted.Equal(since):
		known = doubt{since, earlier(since, now), pagerecord.ConfirmAfter}
	case since.After(known.from) && !since.After(now):
		known.from = since
	}
	d.of[location] = known
}

// overdue returns the locations that had their minute, in order. A doubt noted
// by a clock that was ahead has its minute from now.
func (d *doubts) overdue(now time.Time) []string {
	var gone []string
	for location, one := range d.of {
		one.from = earlier(one.from, now)
		d.of[location] = one
		if now.Sub(one.from) >= one.wait {
			gone = append(gone, location)
		}
	}
	slices.Sort(gone)
	return gone
}

// due returns when the next page has had its minute.
func (d *doubts) due(now time.Time) (due time.Time) {
	for _, one := range d.of {
		if at := earlier(one.from, now).Add(one.wait); due.IsZero() || at.Before(due) {
			due = at
		}
	}
	return due
}

// confirmDoubts stores that the pages which had their minute are gone. What is
// stored of a doubt ends it, see commitAt.
func (l *Ledger) confirmDoubts(ctx context.Context, _ bool) error {
	now := time.Now()
	for chunk := range slices.Chunk(l.doubts.overdue(now), batch) {
		looks := make([]*sighted, len(chunk))
		for i, location := range chunk {
			looks[i] = &sighted{Look: &merge.Look{Look: &look.Look{Sighting: &look.Sighting{Location: location, At: now}}, Confirm: true}}
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
	d := l.doubts.of[location]
	l.cfg.Files.Withdraw(location, d.from)
	d.from, d.wait = time.Now(), min(2*d.wait, confirmSeldom)
	l.doubts.of[location] = d
	if !l.doubts.told {
		l.doubts.told = true
		l.cfg.Logger.Warn("servemap: the store does not take that a page is gone; the page is not served, and it is tried again within the hour")
	}
}
