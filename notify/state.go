package notify

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// state is the one record that all processes of a site share. It holds all that must
// survive a restart, except what was sent lately (see sent).
type state struct {
	Key     string // the key of IndexNow that the notifier made
	KeyHash hash   // of the key in use

	// Owner is the process that sends, until Until. Others wait.
	Owner string
	Until time.Time
	// Intent is when a post began whose outcome is not stored. It is the zero Time if there
	// is none.
	Intent time.Time

	// Began is when changes began to count: at the first start, or after a gap in the
	// journal. Changes up to Floor are never sent; a rush moves it.
	Began, Floor time.Time
	// Cursor is the time before which all changes are settled.
	Cursor time.Time

	Day  string // of Sent, such as "2026-11-22", in UTC
	Sent int

	Dropped, Rushed int  // as in Status
	Rush            bool // so many pages change now that none are sent
	Pending         int
	KeyFile         string // what the last check saw

	Engines map[string]engine // by the URL of the endpoint
	Google  googleState
}

const (
	// leaseFor is longer than a pass takes, and longer than two clocks of a fleet differ.
	leaseFor = 2 * time.Minute
	// doubtFor is how long nobody posts after a post with unknown outcome.
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
	st.Until = sane(st.Until, now.Add(leaseFor+skew))
	st.Intent = sane(st.Intent, now.Add(skew))
	for url, e := range st.Engines {
		e.Until = sane(e.Until, now.Add(longest+longest/8+skew))
		st.Engines[url] = e
	}
	st.Google.Until = sane(st.Google.Until, now.Add(longest+skew))
	if st.Floor.IsZero() || st.Floor.After(now.Add(skew)) {
		st.Began, st.Floor = now, now // a first start, or a wrong clock: earlier changes are not sent
	}
	st.Cursor = latest(sane(st.Cursor, now.Add(skew)), st.Floor)
	if day := now.UTC().Format(time.DateOnly); st.Day != day {
		st.Day, st.Sent = day, 0
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

// leads reports whether a process may send, and for how much longer.
func (st *state) leads(owner string, now time.Time) bool {
	return st.Owner == owner && now.Before(st.Until)
}

// errElsewhere ends an update that only the process that sends may make.
var errElsewhere = errors.New("another process sends")

// update changes the state by fn and returns the stored state. If fn returns an error,
// nothing changes. fn may run more than once.
func (n *Notifier) update(ctx context.Context, fn func(st *state, now time.Time) error) (st state, err error) {
	err = n.store.Update(ctx, []string{n.keys.Notify("state")}, func(values [][]byte) error {
		now := n.now()
		from, damage := now, error(nil)
		if values[0] == nil {
			from = n.made.Add(-1) // what the site learns before Run gets to this is news, too
		}
		if st, damage = readState(values[0], from); damage != nil {
			n.log.Warn("notify: the stored state is damaged; starting anew, as at the first start")
		}
		if err := fn(&st, now); err != nil {
			return err
		}
		values[0], err = json.Marshal(st)
		return err
	})
	return st, err
}

// lead takes the lease or renews it, and stores how far this process has got. While another
// process has the lease, the error is errElsewhere. lead returns the state even then,
// unless it has no key yet.
func (n *Notifier) lead(ctx context.Context) (state, error) {
	st, err := n.update(ctx, func(st *state, now time.Time) error {
		if st.Owner != n.owner && now.Before(st.Until) {
			return errElsewhere
		}
		if st.Key == "" {
			st.Key = strings.ToLower(rand.Text())
		}
		if h := hashOf(n.keyOf(*st)); st.KeyHash != h {
			st.KeyHash, st.Engines = h, map[string]engine{} // the engines' answers were about the old key
		}
		if st.Owner == n.owner {
			st.Cursor = latest(st.Cursor, n.cursor)
		}
		st.Owner, st.Until = n.owner, now.Add(leaseFor)
		st.Pending, st.Rush = n.pending, n.rushing
		st.KeyFile = cmp.Or(n.keyFile, st.KeyFile)
		return nil
	})
	return st, err
}

// sent is what was sent lately, by hash of the URL. It is stored in shards, since a value
// has a size limit.
type sent map[hash]sending

type hash [8]byte

// sending says which change of a page was sent, and when.
type sending struct{ change, at time.Time }

func hashOf(url string) hash {
	sum := sha256.Sum256([]byte(url))
	return hash(sum[:8])
}

const (
	shards     = 16
	entrySize  = 20 // the hash, the time of the change in milliseconds, the time of the sending in seconds
	shardBytes = 3000 * entrySize
)

func (n *Notifier) shardKeys() []string {
	names := make([]string, shards)
	for i := range names {
		names[i] = n.keys.Notify(fmt.Sprintf("sent|%02d", i))
	}
	return names
}

func (n *Notifier) readSent(ctx context.Context) (s sent, err error) {
	err = n.store.View(ctx, n.shardKeys(), func(values [][]byte) error {
		s = sent{}
		for _, v := range values {
			s.read(v)
		}
		return nil
	})
	return s, err
}

func (s sent) read(shard []byte) {
	for e := range slices.Chunk(shard, entrySize) {
		if len(e) == entrySize {
			s[hash(e)] = sending{
				time.UnixMilli(int64(binary.BigEndian.Uint64(e[8:]))),
				time.Unix(int64(binary.BigEndian.Uint32(e[16:])), 0),
			}
		}
	}
}

// write returns a shard with what was sent since a time, and what was sent of changes not
// before the cursor. If that is too much, it leaves out the oldest.
func (s sent) write(since, cursor time.Time) []byte {
	kept := make([]hash, 0, len(s))
	for h, e := range s {
		if e.at.After(since) || !e.change.Before(cursor) {
			kept = append(kept, h)
		}
	}
	slices.SortFunc(kept, func(a, b hash) int { return s[b].at.Compare(s[a].at) })
	shard := make([]byte, 0, len(kept)*entrySize)
	for _, h := range kept[:min(len(kept), shardBytes/entrySize)] {
		shard = append(shard, h[:]...)
		shard = binary.BigEndian.AppendUint64(shard, uint64(s[h].change.UnixMilli()))
		shard = binary.BigEndian.AppendUint32(shard, uint32(max(0, s[h].at.Unix())))
	}
	return shard
}

// settle stores the outcome of a post: the engine's state, and the pages that need no
// further post. It may be tried again. A dropped page keeps the time when it was last sent.
func (n *Notifier) settle(ctx context.Context, p post) error {
	names := append(n.shardKeys(), n.keys.Notify("state"))
	return n.store.Update(ctx, names, func(values [][]byte) error {
		now := n.now()
		st, _ := readState(values[shards], now)
		if st.Intent.Equal(p.began) { // otherwise this was stored before, and the store's answer was lost
			st.Intent = time.Time{}
			if p.engine.accepted() {
				st.Sent += len(p.settled)
			}
		}
		if p.endpoint != "" {
			st.Engines[p.endpoint] = p.engine
		}
		for i := range shards {
			s := sent{}
			s.read(values[i])
			for _, c := range p.settled {
				if int(c.hash[0])%shards == i {
					s[c.hash] = sending{c.at, now}
				}
			}
			for _, c := range p.dropped {
				if int(c.hash[0])%shards == i && s[c.hash].change.Before(c.at) { // otherwise it is counted already
					s[c.hash] = sending{c.at, c.told}
					st.Dropped++
				}
			}
			values[i] = s.write(now.Add(-interval), st.Cursor.Add(-skew))
		}
		var err error
		values[shards], err = json.Marshal(st)
		return err
	})
}
