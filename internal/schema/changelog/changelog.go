// Package changelog remembers the last event of each page: when it was listed, changed or removed.
// Feeds and notifiers read from it what happened since a time. It touches no other record.
package changelog

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// Happening says what happened to a page in the sitemap. The numbers are stored.
type Happening uint8

// The happenings.
const (
	Added   Happening = 1 + iota // it was listed
	Changed                      // its content changed
	Removed                      // it is no longer listed

	Happenings // after the last one
)

// Event is the last event of a page that is or was listed.
type Event struct {
	Location string
	What     Happening
	At       time.Time          // to the millisecond
	Since    time.Time          // when it was listed, if the changelog still knows, else zero
	Why      eligibility.Reason // of a page that was removed, else None
}

// A Log remembers the last event of each page, ordered by time. So to find what changed since a
// time costs only as much as changed. Its methods only read and write tx, so that they can run
// again.
type Log struct{ Keys keys.Keys }

// Note replaces the event of a page by what happens to it at now, in Unix milliseconds. It returns
// now. before is what Note returned last time, 0 if never. The event of that time may be gone. why
// is the reason of the page's verdict; Note stores that of a removal.
func (l Log) Note(tx txn.Records, before int64, location string, what Happening, why eligibility.Reason,
	now int64) int64 {
	now = keys.LogTime(now)
	since := moment.Time(0)
	if before != 0 {
		old := l.Keys.Log(before, location)
		if e, ok := readEvent(tx.Get(old)); ok && what == Changed {
			if since = e.Since; e.What == Added {
				since = moment.Time(before)
			}
		}
		since = min(since, moment.Time(now)) // a clock that was ahead may have noted a later time
		tx.Put(old, nil)
	}
	if what != Removed {
		why = eligibility.None
	}
	tx.Put(l.Keys.Log(now, location), codec.Marshal(event{what, since, why}))
	return now
}

// Erase removes the event of a page. before is what Note returned last time, 0 if never.
func (l Log) Erase(tx txn.Records, before int64, location string) {
	if before != 0 {
		tx.Put(l.Keys.Log(before, location), nil)
	}
}

// event is the record of an event.
type event struct {
	What  Happening          `cbor:"1,keyasint"`
	Since moment.Time        `cbor:"2,keyasint,omitzero"`
	Why   eligibility.Reason `cbor:"3,keyasint,omitzero"`
}

func readEvent(b []byte) (e event, ok bool) {
	err := codec.Unmarshal(b, &e)
	return e, err == nil && e.What >= Added && e.What <= Removed
}

// ErrOlder says that the changelog does not reach back that far.
var ErrOlder = errors.New("it is longer ago than what is remembered")

// Events yields the events since a time, oldest first. An error ends it. The error wraps [ErrOlder]
// if the changelog is not complete since then. It may be called concurrently.
//
// An event noted by a clock ahead of this one is yielded only when its time comes. Otherwise a
// caller that continues after the last event would miss everything until then.
func (l Log) Events(ctx context.Context, st store.Store, since time.Time) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := l.reaches(ctx, st, since); err != nil {
			yield(Event{}, err)
			return
		}
		for e, err := range l.Scan(ctx, st, since.UnixMilli(), time.Now().UnixMilli()) {
			if !yield(e, err) || err != nil {
				return
			}
		}
		// If events were pruned during the scan, some may be missing.
		if err := l.reaches(ctx, st, since); err != nil {
			yield(Event{}, err)
		}
	}
}

// reaches returns [ErrOlder] if the changelog may not be complete since a time.
func (l Log) reaches(ctx context.Context, st store.Store, since time.Time) error {
	from, err := l.From(ctx, st)
	if err == nil && !from.IsZero() && since.UnixMilli() < from.UnixMilli() {
		err = ErrOlder
	}
	return err
}

// From returns since when the changelog is complete, the zero Time if no event was ever dropped. If the record of that
// is damaged, From assumes that events were dropped by their age alone.
func (l Log) From(ctx context.Context, st store.Store) (time.Time, error) {
	record, err := txn.Read(ctx, st, l.Keys.Changelog())
	var from moment.Time
	if record != nil && codec.Unmarshal(record, &from) != nil {
		return time.Now().Add(-keptFor), err
	}
	return from.Time(), err
}

// Scan yields the events between two times, both included, in Unix milliseconds. It skips
// unreadable ones.
func (l Log) Scan(ctx context.Context, st store.Store, from, to int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for r, err := range st.Scan(ctx, l.Keys.Logs(), l.Keys.Log(from, "")) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			at, location, ok := keys.Logged(l.Keys, r.Key)
			if ok && at > to {
				return
			}
			e, whole := readEvent(r.Value)
			if !ok || !whole {
				continue
			}
			if !yield(Event{location, e.What, time.UnixMilli(at), e.Since.Time(), e.Why}, nil) {
				return
			}
		}
	}
}

// The bounds of the changelog. An event takes some 100 bytes.
const (
	keptFor     = 7 * 24 * time.Hour
	keptBytes   = 128 << 20
	pruneAtOnce = 500
)

// Prune drops events older than 7 days, and then the oldest until the others take at most 128 MiB. It
// notes since when the changelog is complete. It returns how many bytes the events take.
func (l Log) Prune(ctx context.Context, st store.Store, now time.Time) (size int, err error) {
	return l.prune(ctx, st, now.Add(-keptFor), keptBytes)
}

// prune goes by keys, so that it also drops an unreadable event in time.
func (l Log) prune(ctx context.Context, st store.Store, oldest time.Time, most int) (size int, err error) {
	for r, err := range st.Scan(ctx, l.Keys.Logs(), "") {
		if err != nil {
			return 0, err
		}
		size += len(r.Key) + len(r.Value)
	}
	var dropped []string
	for r, err := range st.Scan(ctx, l.Keys.Logs(), "") { // one scan: Badger reads over what was deleted for long
		if err != nil {
			return 0, err
		}
		at, _, ok := keys.Logged(l.Keys, r.Key)
		if ok && at >= oldest.UnixMilli() && size <= most {
			break
		}
		size -= len(r.Key) + len(r.Value)
		if dropped = append(dropped, r.Key); len(dropped) == pruneAtOnce {
			if err := l.drop(ctx, st, dropped); err != nil {
				return 0, err
			}
			dropped = dropped[:0]
		}
	}
	return size, l.drop(ctx, st, dropped)
}

// drop drops the first events, by their keys. It notes before that the changelog begins after them.
func (l Log) drop(ctx context.Context, st store.Store, first []string) error {
	if len(first) == 0 {
		return nil
	}
	last, _, _ := keys.Logged(l.Keys, first[len(first)-1])
	err := st.Update(ctx, []string{l.Keys.Changelog()}, func(values [][]byte) error {
		var from moment.Time
		_ = codec.Unmarshal(values[0], &from)                     // a damaged record is replaced
		values[0] = codec.Marshal(max(from, moment.Time(last+1))) // another process may have dropped more
		return nil
	})
	if err != nil {
		return err
	}
	return st.Update(ctx, first, func(values [][]byte) error {
		clear(values)
		return nil
	})
}

// Guess returns the keys that noting an event at now needs. now is in Unix milliseconds. before is
// what [Log.Note] returned last time, 0 if never.
func (l Log) Guess(before int64, location string, now int64) []string {
	names := []string{l.Keys.Log(now, location)}
	if before != 0 {
		names = append(names, l.Keys.Log(before, location))
	}
	return names
}

// Kind says what happened to a page since a time: a page that was listed since then and
// changed later was added.
func (e Event) Kind(since time.Time) Happening {
	if e.What == Changed && !e.Since.IsZero() && !e.Since.Before(since) {
		return Added
	}
	return e.What
}

// Latest returns the last events since a time, at most most of them, the newest first. If
// before is not zero, they are the last ones before the event of its time and location. The
// changelog may not be complete since then; see [Log.From]. It may be called concurrently.
func (l Log) Latest(ctx context.Context, st store.Store, since time.Time, before Event,
	most int) (last []Event, err error) {
	until := time.Now()
	if !before.At.IsZero() && before.At.Before(until) {
		until = before.At
	}
	for e, err := range l.Scan(ctx, st, since.UnixMilli(), until.UnixMilli()) {
		if err != nil {
			return nil, err
		}
		if e.At.Equal(before.At) && e.Location >= before.Location {
			break
		}
		if last = append(last, e); len(last) == 2*most { // the latest are still to come
			last = append(last[:0], last[most:]...)
		}
	}
	last = last[max(0, len(last)-most):]
	slices.Reverse(last)
	return last, nil
}
