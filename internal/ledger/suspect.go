package ledger

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/merge"
)

// suspect is what is known of a page that may be gone.
type suspect struct {
	noted time.Time     // since when it is suspected, as stored
	from  time.Time     // when the wait began
	wait  time.Duration // until the page's end is stored, or that is tried again
}

// suspects are the listed pages that may be gone. Each has a minute in which a visitor may
// get it after all.
type suspects struct {
	of   map[string]suspect // by location
	told bool               // see unconfirmed
}

// confirmSeldom is the longest wait where the store does not take that a page is gone.
const confirmSeldom = time.Hour

// openSuspects reads the suspects that are stored.
func (l *Ledger) openSuspects(ctx context.Context) error {
	now := time.Now()
	before := l.suspects.of
	l.suspects.of = map[string]suspect{}
	for r, err := range l.cfg.Store.Scan(ctx, l.site.Keys.Losts(), "") {
		if err != nil {
			l.suspects.of = before
			return err
		}
		location := strings.Clone(strings.TrimPrefix(r.Key, l.site.Keys.Losts()))
		if known, ok := before[location]; ok {
			l.suspects.of[location] = known
		}
		l.suspects.note(location, merge.ReadMinute(r.Value).Time(), now)
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

// note notes since when a location is suspected. A known suspect keeps its deadline. So
// one that was noted by a clock which was ahead has its minute from when it was first
// read, and where the store does not take that a page is gone, that is not tried more
// often.
func (d *suspects) note(location string, since, now time.Time) {
	known, ok := d.of[location]
	switch {
	case !ok || !known.noted.Equal(since):
		known = suspect{since, earlier(since, now), merge.ConfirmAfter}
	case since.After(known.from) && !since.After(now):
		known.from = since
	}
	d.of[location] = known
}

// overdue returns the locations that had their minute, in order. Where the clock went
// back since, the minute begins now.
func (d *suspects) overdue(now time.Time) []string {
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
func (d *suspects) due(now time.Time) (due time.Time) {
	for _, one := range d.of {
		if at := earlier(one.from, now).Add(one.wait); due.IsZero() || at.Before(due) {
			due = at
		}
	}
	return due
}

// confirmSuspects stores that the pages which had their minute are gone. They are
// no suspects then, see apply.
func (l *Ledger) confirmSuspects(ctx context.Context, _ bool) error {
	now := time.Now()
	for chunk := range slices.Chunk(l.suspects.overdue(now), batch) {
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

// unconfirmed keeps a suspect where the store does not take that it is gone. The page
// leaves the files being served, and storing that is tried again after ever longer waits.
func (l *Ledger) unconfirmed(location string) {
	d := l.suspects.of[location]
	l.cfg.Files.Withdraw(location, d.from)
	d.from, d.wait = time.Now(), min(2*d.wait, confirmSeldom)
	l.suspects.of[location] = d
	if !l.suspects.told {
		l.suspects.told = true
		l.cfg.Logger.Warn("servemap: the store does not take that a page is gone; the page is not served, and it is tried again within the hour")
	}
}
