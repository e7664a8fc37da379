package reader

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/txn"
)

// Wanted selects some of the listed pages.
type Wanted struct {
	Prefix   string        // what their locations begin with
	Contains string        // what else is in their locations, in lower case and of any case there
	After    string        // the location after which to begin, "" for the first one
	Most     int           // how many at most
	Within   time.Duration // how long to look for them; 0 means as long as it takes
}

// Some are listed pages in the order of their locations. Next is the location after
// which to go on, "" if there are no more.
type Some struct {
	Pages []Known
	Next  string
}

// List returns those of the listed pages that are wanted. A record that cannot be read
// is left out. It returns when ctx ends, whatever the store does.
func (r *Reader) List(ctx context.Context, w Wanted) (Some, error) {
	some, err := txn.Within(ctx, func() (Some, error) { return r.list(ctx, w) })
	if err != nil {
		return Some{}, fmt.Errorf("reading the pages: %w", err)
	}
	return some, nil
}

// clockEvery is how many locations are read before the clock is read again.
const clockEvery = 512

func (r *Reader) list(ctx context.Context, w Wanted) (some Some, err error) {
	began, read, last := time.Now(), 0, ""
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
		p, ok := r.listed(loc, value)
		if ok && len(some.Pages) == w.Most {
			some.Next = some.Pages[w.Most-1].Location
			break
		}
		if ok {
			some.Pages = append(some.Pages, p)
		}
	}
	return some, err
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
	p := r.know(location, s)
	return p, p.Verdict == eligibility.Listed
}

// JournalFrom returns since when the events are complete, the zero Time for since the
// site has had pages.
func (r *Reader) JournalFrom(ctx context.Context) (time.Time, error) {
	return txn.Within(ctx, func() (time.Time, error) { return r.site.Journal.From(ctx, r.store) })
}

// Latest returns the last events; see [changelog.Log.Latest]. It returns when ctx ends,
// whatever the store does.
func (r *Reader) Latest(ctx context.Context, since time.Time, before changelog.Event, most int) ([]changelog.Event, error) {
	return txn.Within(ctx, func() ([]changelog.Event, error) { return r.site.Journal.Latest(ctx, r.store, since, before, most) })
}

// Counts counts the events of some spans of time; see [changelog.Log.Counts]. It returns
// when ctx ends, whatever the store does.
func (r *Reader) Counts(ctx context.Context, since time.Time, span time.Duration, n int) ([]changelog.Count, error) {
	return txn.Within(ctx, func() ([]changelog.Count, error) { return r.site.Journal.Counts(ctx, r.store, since, span, n) })
}
