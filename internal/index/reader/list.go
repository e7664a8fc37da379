package reader

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/pagerecord"
)

// Wanted selects some of the listed pages.
type Wanted struct {
	Prefix   string        // what their locations begin with
	Contains string        // what their locations contain in any case, given in lower case
	After    string        // the location after which to begin, "" for the first one
	Most     int           // how many at most
	Within   time.Duration // how long to look for them; 0 means as long as it takes
}

// Some has a row for each of some listed pages, in the order of their locations. Next is the
// location after which to go on, "" if there are no more.
type Some[Row any] struct {
	Rows []Row
	Next string
}

// clockEvery is how many locations are read before the clock is read again.
const clockEvery = 64

// List returns rows of those of the listed pages that are wanted. A record that cannot be read
// is left out.
func List[Row any](ctx context.Context, r *Reader, w Wanted, row func(*Known) Row) (some Some[Row], err error) {
	began, read, last, shown := time.Now(), 0, "", ""
	var p Known // large, so it is made once
	var ok bool
	for loc, value := range r.publicFrom(ctx, w.Prefix, w.After, &err) {
		read++
		if w.Within > 0 && read%clockEvery == 0 && time.Since(began) > w.Within {
			some.Next = last
			break
		}
		last = loc
		if w.Contains != "" && !strings.Contains(strings.ToLower(loc), w.Contains) {
			continue
		}
		p, ok = r.listed(loc, value)
		if ok && len(some.Rows) == w.Most {
			some.Next = shown
			break
		}
		if ok {
			some.Rows, shown = append(some.Rows, row(&p)), loc
		}
	}
	if err != nil {
		return Some[Row]{}, fmt.Errorf("reading the pages: %w", err)
	}
	return some, nil
}

// publicFrom yields the locations that are or were listed, with their records. A record is
// valid until the next one. It sets err if the store fails.
func (r *Reader) publicFrom(ctx context.Context, prefix, after string, err *error) func(func(string, []byte) bool) {
	return func(yield func(string, []byte) bool) {
		pages := r.site.Keys.Pages()
		if after != "" {
			after = pages + after
		}
		for rec, failed := range r.store.Scan(ctx, pages+prefix, after) {
			if failed != nil {
				*err = failed
				return
			}
			if !yield(strings.TrimPrefix(rec.Key, pages), rec.Value) {
				return
			}
		}
	}
}

// listed returns what is known of a page by its record, and whether it is listed.
func (r *Reader) listed(location string, value []byte) (Known, bool) {
	s, err := pagerecord.Decode(value)
	if err != nil || !s.Listed() {
		return Known{}, false
	}
	p := r.Know(location, s)
	return p, p.Verdict == eligibility.Listed
}

// JournalFrom returns since when the events are complete, the zero Time if none was ever dropped.
func (r *Reader) JournalFrom(ctx context.Context) (time.Time, error) {
	return r.site.Journal.From(ctx, r.store)
}

// Latest returns the last events; see [changelog.Log.Latest].
func (r *Reader) Latest(ctx context.Context, since time.Time, before changelog.Event,
	most int) ([]changelog.Event, error) {
	return r.site.Journal.Latest(ctx, r.store, since, before, most)
}
