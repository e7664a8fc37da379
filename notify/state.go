package notify

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/store"
)

// state is the one record that all processes of a site share. It holds all that must
// survive a restart, except what was sent lately (see sent).
type state struct {
	Status // as far as it is stored

	Key     string // the key of IndexNow that the notifier made
	KeyHash hash   // of the key in use
	Day     string // of SentToday, such as "2026-11-22", in UTC

	// Owner is the process that sends, until Until. Others wait.
	Owner string
	Until time.Time

	// Changes up to Floor are never sent: it is when the notifier first ran, and a rush
	// moves it. All changes before Cursor are settled.
	Floor, Cursor time.Time

	Engines   map[string]engine // by the URL of the endpoint
	Submitted []string          // top files, to Google
	AskGoogle time.Time         // not before this time
}

const (
	// leaseFor is longer than a pass takes, and longer than two clocks of a fleet differ.
	leaseFor = 2 * time.Minute
	// doubtFor is how long the lease lasts from the beginning of a post until its outcome is
	// stored. So a post whose outcome nobody knows is repeated after that time.
	doubtFor = 10 * time.Minute
	longest  = 24 * time.Hour // the longest of all waits
	// skew is how much the clocks of a fleet may differ, and how long it may take until a
	// change is stored.
	skew = 2 * time.Minute
)

// readState reads a record. If it is absent or damaged, this is a first start. A time that
// only a wrong clock can have written becomes zero.
func readState(b []byte, now time.Time) (st state, err error) {
	if b != nil {
		if err = json.Unmarshal(b, &st); err != nil {
			st = state{}
		}
	}
	if st.Engines == nil {
		st.Engines = map[string]engine{}
	}
	st.Until = sane(st.Until, now.Add(doubtFor+skew))
	for url, e := range st.Engines {
		e.NextTry = sane(e.NextTry, now.Add(longest+longest/8+skew))
		st.Engines[url] = e
	}
	st.AskGoogle = sane(st.AskGoogle, now.Add(longest+skew))
	if st.Floor = sane(st.Floor, now.Add(skew)); st.Floor.IsZero() {
		st.Floor = now // a first start, or a wrong clock: earlier changes are not sent
	}
	st.Cursor = latest(sane(st.Cursor, now.Add(skew)), st.Floor)
	if day := now.UTC().Format(time.DateOnly); st.Day != day {
		st.Day, st.SentToday = day, 0
	}
	return st, err
}

func sane(t, most time.Time) time.Time {
	if t.After(most) {
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
	store store.Store
	keys  keys.Keys
	log   *slog.Logger
	given string           // the owner's key of IndexNow, "" if the notifier makes one
	owner string           // this notifier's name in the lease
	made  time.Time        // when New was called, in whole milliseconds as changes have them
	now   func() time.Time // time.Now, except in tests
}

// errElsewhere ends an update that only the process that sends may make.
var errElsewhere = errors.New("another process sends")

// leads reports whether this process may send.
func (r *records) leads(st state) bool { return st.Owner == r.owner && r.now().Before(st.Until) }

// keyOf returns the key in use.
func (r *records) keyOf(st state) string { return cmp.Or(r.given, st.Key) }

// update changes the state by fn and returns the stored state. If fn returns an error,
// nothing changes. fn may run more than once.
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
func (r *records) lead(ctx context.Context, q queue, keyFile string) (state, error) {
	return r.update(ctx, func(st *state) error {
		now := r.now()
		if st.Owner != r.owner && now.Before(st.Until) {
			return errElsewhere
		}
		if st.Key == "" {
			st.Key = strings.ToLower(rand.Text())
		}
		if h := hashOf(r.keyOf(*st)); st.KeyHash != h {
			st.KeyHash, st.Engines = h, map[string]engine{} // the engines' answers were about the old key
		}
		if st.Owner == r.owner {
			st.Cursor = latest(st.Cursor, q.cursor)
		}
		st.Owner, st.Until = r.owner, now.Add(leaseFor)
		st.Pending, st.Rush = q.pending, q.rushing
		st.KeyFile = cmp.Or(keyFile, st.KeyFile)
		return nil
	})
}

// settle stores the outcome of a post, and the pages that need no further one. It may be
// tried again: a page counts only once.
func (r *records) settle(ctx context.Context, p post) error {
	names := append(r.shardKeys(), r.keys.Notify("state"))
	return r.store.Update(ctx, names, func(values [][]byte) error {
		now := r.now()
		st, _ := readState(values[shards], now)
		if p.endpoint != "" {
			st.Engines[p.endpoint] = p.engine
		}
		if st.Owner == r.owner {
			st.Until = now.Add(leaseFor)
		}
		for i := range shards {
			s := sent{}
			s.read(values[i], now)
			if added := s.add(p.settled, i, now); p.sent {
				st.SentToday += added
			}
			st.Dropped += s.add(p.dropped, i, time.Time{})
			values[i] = s.write(now.Add(-interval), st.Cursor.Add(-skew))
		}
		var err error
		values[shards], err = json.Marshal(st)
		return err
	})
}
