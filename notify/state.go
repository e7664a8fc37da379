package notify

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/store"
)

// state is the one record that all processes of a site share. It holds all that must survive a
// restart, except which pages were sent lately (see sentPages).
type state struct {
	Status // as far as it is stored

	Key     string // the key of IndexNow that the notifier made
	KeyHash hash   // of the key in use
	Day     string // of SentToday, such as "2026-11-22", in UTC

	// Owner is the process that sends, until Until. Others wait.
	Owner string
	Until time.Time

	// Changes up to Floor, when the notifier first ran, are never sent. No change before
	// Cursor waits.
	Floor, Cursor time.Time

	Engines   map[string]Endpoint // by URL
	Submitted []string            // top files, to Google
	AskGoogle time.Time           // not before this time
}

const (
	// leaseFor is how long a process may send without renewing that. If it dies in a post, so
	// that nobody knows the outcome, another one repeats the post after that time.
	leaseFor = 5 * time.Minute
	// skew is how much the clocks of a fleet may differ, and how long it may take until a
	// change is stored.
	skew    = 2 * time.Minute
	longest = 24 * time.Hour // the longest of all waits
)

// readState reads a record. If it is absent or damaged, this is a first start. A time that only a
// wrong clock can have written becomes zero.
func readState(b []byte, now time.Time) (st state, err error) {
	if b != nil {
		if err = json.Unmarshal(b, &st); err != nil {
			st = state{}
		}
	}
	if st.Engines == nil {
		st.Engines = map[string]Endpoint{}
	}
	for _, t := range []struct {
		at   *time.Time
		most time.Duration
	}{{&st.Until, leaseFor}, {&st.Floor, 0}, {&st.Cursor, 0}, {&st.AskGoogle, longest}} {
		*t.at = sane(*t.at, now.Add(t.most))
	}
	for url, e := range st.Engines {
		e.NextTry = sane(e.NextTry, now.Add(longest+longest/8))
		st.Engines[url] = e
	}
	if st.Floor.IsZero() {
		st.Floor = now
	}
	st.Cursor = latest(st.Cursor, st.Floor)
	if day := now.UTC().Format(time.DateOnly); st.Day != day {
		st.Day, st.SentToday = day, 0
	}
	return st, err
}

func sane(t, most time.Time) time.Time {
	if t.After(most.Add(skew)) {
		return time.Time{}
	}
	return t
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// records are what the notifier keeps in the store.
type records struct {
	store     store.Store
	keys      keys.Keys
	log       *slog.Logger
	endpoints []string         // as in Options
	given     string           // the owner's key of IndexNow, "" if the notifier makes one
	owner     string           // this notifier's name in the lease
	made      time.Time        // when New was called, in whole milliseconds as changes have them
	now       func() time.Time // time.Now, except in tests
}

// errElsewhere ends what only the process that sends may do.
var errElsewhere = errors.New("another process sends")

// keyOf returns the key in use.
func (r *records) keyOf(st state) string { return cmp.Or(r.given, st.Key) }

// update changes the state by fn and returns the stored state. If fn returns an error, nothing
// changes. fn may run more than once.
func (r *records) update(ctx context.Context, fn func(st *state) error) (st state, err error) {
	err = r.store.Update(ctx, []string{r.keys.Notify("state")}, func(values [][]byte) error {
		from, damage := r.now(), error(nil)
		if values[0] == nil {
			from = r.made.Add(-1) // what the site learns before Run gets to this is news, too
		}
		if st, damage = readState(values[0], from); damage != nil {
			r.log.Warn("notify: the stored state is damaged; starting anew, as at the first start")
		}
		if err := fn(&st); err != nil {
			return err
		}
		values[0], err = json.Marshal(st)
		return err
	})
	return st, err
}

// lead takes the lease or renews it, and stores how far this process has got. While another
// process has the lease, the error is errElsewhere. lead returns the state even then.
func (r *records) lead(ctx context.Context, q queue) (state, error) {
	return r.update(ctx, func(st *state) error {
		now := r.now()
		if st.Owner != r.owner && now.Before(st.Until) {
			return errElsewhere
		}
		if st.Key == "" {
			st.Key = strings.ToLower(rand.Text())
		}
		if h := hashOf(r.keyOf(*st)); st.KeyHash != h {
			st.KeyHash, st.Engines = h, map[string]Endpoint{} // the engines' answers were about the old key
		}
		maps.DeleteFunc(st.Engines, func(url string, _ Endpoint) bool { return !slices.Contains(r.endpoints, url) })
		if st.Owner == r.owner {
			st.Cursor = latest(st.Cursor, q.cursor)
		}
		st.Owner, st.Until, st.Pending = r.owner, now.Add(leaseFor), q.pending
		return nil
	})
}

// settle stores the outcome of a post, and the pages that need no further one. It may be tried again: a page
// counts only once.
func (r *records) settle(ctx context.Context, p post) error {
	return r.store.Update(ctx, []string{r.keys.Notify("state"), r.keys.Notify(p.name)}, func(values [][]byte) (err error) {
		st, _ := readState(values[0], r.now())
		if p.endpoint != "" {
			st.Engines[p.endpoint] = p.engine
		}
		if len(p.settled) > 0 && values[1] == nil {
			values[1] = sentRecord(p.settled)
			switch p.engine.Verdict {
			case "":
				st.Dropped += len(p.settled)
			case verdictOK.name:
				st.SentToday += len(p.settled)
			}
		}
		values[0], err = json.Marshal(st)
		return err
	})
}
