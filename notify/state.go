package notify

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/store"
)

// state is the one record that all processes of a site share. It holds all that must survive a
// restart, except which pages were sent lately.
type state struct {
	Status // as far as it is stored

	Key string // the key of IndexNow in use
	Day string // of SentToday, such as "2026-11-22", in UTC

	// Owner is the process that sends, until Until. Others wait.
	Owner string
	Until time.Time

	// Changes up to Floor, when the notifier first ran, are never sent. No change before
	// Cursor waits.
	Floor, Cursor time.Time

	AskGoogle time.Time // when Google may be asked next
}

const (
	// leaseFor is how long a process may send without renewing that. If it dies in a post, so
	// that nobody knows the outcome, another one repeats the post after that time.
	leaseFor = 5 * time.Minute
	// skew is how much the clocks of a fleet may differ, and how long it may take until a
	// change is stored.
	skew        = 2 * time.Minute
	longest     = 24 * time.Hour  // the longest of all waits
	saveTimeout = 2 * time.Second // for the store; the next pass tries again
	maxHead     = 20              // bytes that a post takes in the record of what was sent, beside its pages
)

// readState reads a record. If it is absent or damaged, this is a first start. A time that only a
// wrong clock can have written becomes zero.
func readState(b []byte, now time.Time) (st state, err error) {
	if b != nil {
		if err = json.Unmarshal(b, &st); err != nil {
			st = state{}
		}
	}
	times := []*time.Time{&st.Until, &st.Floor, &st.Cursor, &st.AskGoogle}
	for i := range st.Endpoints {
		times = append(times, &st.Endpoints[i].NextTry)
	}
	for _, t := range times {
		if t.After(now.Add(2 * longest)) {
			*t = time.Time{}
		}
	}
	st.begin(now)
	return st, err
}

// begin begins a new day, if it is one.
func (st *state) begin(now time.Time) {
	if day := now.UTC().Format(time.DateOnly); st.Day != day {
		st.Day, st.SentToday = day, 0
	}
}

// use makes these the key and the endpoint in use, "" for none. A change of either drops the answers so far: they were
// about the old key, or another engine's.
func (st *state) use(key, endpoint string) {
	var endpoints []Endpoint
	if endpoint != "" {
		endpoints = append(endpoints, Endpoint{URL: endpoint})
	}
	same := func(a, b Endpoint) bool { return a.URL == b.URL }
	if key != st.Key || !slices.EqualFunc(st.Endpoints, endpoints, same) {
		st.Key, st.Endpoints = key, endpoints
	}
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// sentPages says when pages were last sent, or were found not to be sent again. It forgets a page once no change of it
// is later than the cursor.
type sentPages map[hash]moment.Time

// hash stands for a page. It is short, so that a record has room for the pages of a day. If two pages share
// one, a change of the second may be left to the sitemap.
type hash uint32

func hashOf(url string) hash {
	sum := sha256.Sum256([]byte(url))
	return hash(binary.BigEndian.Uint32(sum[:]))
}

// record returns the record of the pages that were sent between two times: the pages of each post by its time. If they
// are too many, it has those of the last posts. It forgets the others, and what a wrong clock has noted for later.
func (s sentPages) record(since, now time.Time) []byte {
	maps.DeleteFunc(s, func(_ hash, at moment.Time) bool { return at < moment.Of(since) || at > moment.Of(now) })
	posts := map[moment.Time][]byte{}
	for _, page := range slices.Sorted(maps.Keys(s)) {
		posts[s[page]] = binary.BigEndian.AppendUint32(posts[s[page]], uint32(page))
	}
	size := 0
	for _, at := range slices.Backward(slices.Sorted(maps.Keys(posts))) {
		if size += len(posts[at]) + maxHead; size > store.MaxValue {
			delete(posts, at)
		}
	}
	return codec.Marshal(posts)
}

// readSent reads a record. A damaged one counts as empty.
func readSent(b []byte) sentPages {
	s, posts := sentPages{}, map[moment.Time][]byte{}
	_ = codec.Unmarshal(b, &posts)
	for at, pages := range posts {
		for ; len(pages) >= 4; pages = pages[4:] {
			s[hash(binary.BigEndian.Uint32(pages))] = at
		}
	}
	return s
}

// errElsewhere is the error where another process sends, and this one must not.
var errElsewhere = errors.New("another notifier sends for this site, or was ended in the midst of it less than 5 " +
	"minutes ago; if it is in this process, make one notifier with the options of both")

// save takes or renews the lease for a time, and stores the state. While this process has the lease, nobody else
// changes what is stored, so what it remembers counts, even if the last call failed. Otherwise what is stored counts.
// While another process has the lease, the error is errElsewhere.
func (n *Notifier) save(ctx context.Context, lease time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	st, sent := state{}, sentPages(nil)
	err := n.store.Update(ctx, []string{n.keys.Notify("state"), n.keys.Notify("sent")}, func(values [][]byte) error {
		now, err := n.now(), error(nil)
		sent = nil
		if st, err = readState(values[0], now); err != nil {
			n.log.Warn("notify: the stored state is damaged; starting anew, as at the first start")
		}
		switch {
		case st.Owner == n.owner && n.st.Owner == n.owner:
			st, sent = n.st, n.sent
		case st.Owner != n.owner && now.Before(st.Until):
			return errElsewhere
		default:
			sent = readSent(values[1])
		}
		if st.Floor.IsZero() {
			st.Floor = n.made.Add(-1) // what the site learns before Run gets to this is news, too
		}
		st.Cursor = latest(st.Cursor, st.Floor)
		st.use(cmp.Or(n.given, st.Key, strings.ToLower(rand.Text())), n.endpoint)
		st.begin(now)
		st.Owner, st.Until = n.owner, now.Add(lease)
		forget := now.Add(-interval)
		if st.Cursor.Before(forget) {
			forget = st.Cursor
		}
		values[1] = sent.record(forget, now.Add(skew))
		values[0], err = json.Marshal(st)
		return err
	})
	if n.endpoint != "" {
		n.know(cmp.Or(n.given, st.Key))
	}
	switch {
	case err == nil:
		n.st, n.sent = st, sent
	case errors.Is(err, errElsewhere):
		n.st = state{}
	}
	return err
}
