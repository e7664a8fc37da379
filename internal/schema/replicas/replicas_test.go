package replicas

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

const (
	ours = keys.Keys("s|")
	site = "s|trust"
)

// put stores a record; nil deletes it.
func put(t *testing.T, st store.Store, key string, value []byte) {
	t.Helper()
	err := st.Update(t.Context(), []string{key}, func(values [][]byte) error {
		values[0] = value
		return nil
	})
	base.Check(t, err)
}

func newWatch() *Watch { return New(ours, time.Second, []string{site}) }

// poll returns what w sees, and calls Took.
func poll(t *testing.T, w *Watch, st store.Store) Changes {
	t.Helper()
	c, err := w.Poll(t.Context(), st)
	base.Check(t, err)
	w.Took(c)
	return c
}

// TestPollReportsWhatAnotherProcessChanged begins two processes on a store with a shard and a record
// of the site. Then one of them writes.
func TestPollReportsWhatAnotherProcessChanged(t *testing.T) {
	for _, tt := range []struct {
		name   string
		key    string
		value  []byte
		shards []int
		site   bool
	}{
		{"nothing", "s|other", []byte("new"), nil, false},
		{"a shard", ours.Shard(1), []byte("new"), []int{1}, false},
		{"a new shard", ours.Shard(2), []byte("new"), []int{2}, false},
		{"a shard of another site", keys.Keys("t|").Shard(1), []byte("new"), nil, false},
		{"a record of the site", site, []byte("new"), nil, true},
		{"the same value", ours.Shard(1), []byte("old"), nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			st, writer, reader := new(memstore.Store), newWatch(), newWatch()
			put(t, st, ours.Shard(1), []byte("old"))
			put(t, st, site, []byte("old"))
			for _, w := range []*Watch{writer, reader} {
				if c := poll(t, w, st); len(c.Shards) > 0 || c.Site[site] {
					t.Errorf("the first poll reports shards %v and site %v, want nothing", c.Shards, c.Site)
				}
			}
			put(t, st, tt.key, tt.value)
			writer.Wrote(map[string][]byte{tt.key: tt.value})
			if c := poll(t, writer, st); len(c.Shards) > 0 || c.Site[site] {
				t.Errorf("the process that wrote sees shards %v and site %v, want nothing of its own", c.Shards, c.Site)
			}
			for range 2 { // not taken, so the next poll returns the same
				if c, err := reader.Poll(t.Context(), st); err != nil || !slices.Equal(c.Shards, tt.shards) || c.Site[site] != tt.site {
					t.Errorf("the other process sees shards %v and site %v, %v; want %v and %v", c.Shards, c.Site, err, tt.shards, tt.site)
				}
			}
			poll(t, reader, st)
			if c := poll(t, reader, st); len(c.Shards) > 0 || c.Site[site] {
				t.Errorf("what was taken is seen again: shards %v and site %v", c.Shards, c.Site)
			}
		})
	}
}

// Both processes write the same shard. Each sees the other's change although it wrote too.
func TestPollReportsAChangeOfAPartThatThisProcessWroteBefore(t *testing.T) {
	st, one, other := new(memstore.Store), newWatch(), newWatch()
	poll(t, one, st)
	poll(t, other, st)
	for i, by := range []*Watch{one, other} {
		value := []byte{byte(i)}
		put(t, st, ours.Shard(1), value)
		by.Wrote(map[string][]byte{ours.Shard(1): value})
	}
	if c := poll(t, one, st); !slices.Equal(c.Shards, []int{1}) {
		t.Errorf("the first to write sees shards %v, want the other's change of 1", c.Shards)
	}
	if c := poll(t, other, st); len(c.Shards) > 0 {
		t.Errorf("the last to write sees shards %v, want none", c.Shards)
	}
}

func TestWroteBeforeTheFirstPollIsIgnored(t *testing.T) {
	st, w := new(memstore.Store), newWatch()
	put(t, st, ours.Shard(1), []byte("old"))
	w.Wrote(map[string][]byte{ours.Shard(1): []byte("other")})
	if c := poll(t, w, st); len(c.Shards) > 0 {
		t.Errorf("the first poll reports shards %v, want none", c.Shards)
	}
}

func TestPollThatFailsLosesNoChange(t *testing.T) {
	st, w := base.NewStore(), newWatch()
	poll(t, w, st)
	put(t, st, ours.Shard(1), []byte("new"))
	st.Down(store.ErrUnavailable)
	if _, err := w.Poll(t.Context(), st); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("error %v, want the store's", err)
	}
	st.Mend()
	if c := poll(t, w, st); !slices.Equal(c.Shards, []int{1}) {
		t.Errorf("shards %v, want 1", c.Shards)
	}
}

func TestDueIsCountedFromTheLastPollTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch()
		if alone := New(ours, 0, nil); w.Alone() || !alone.Alone() || !alone.Due().IsZero() {
			t.Error("only a process that is alone never polls")
		}
		if w.Due().After(time.Now()) {
			t.Error("the first poll is not due at once")
		}
		poll(t, w, new(memstore.Store))
		if want := time.Now().Add(time.Second); !w.Due().Equal(want) {
			t.Errorf("the next poll is due at %v, want %v", w.Due(), want)
		}
	})
}
