package indexer

import (
	"slices"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

const ours = keys.Keys("s|")

// watching is what a process knows of the records of a store.
func watching(st store.Store) *replicated {
	return &replicated{Indexer: &Indexer{cfg: Config{Store: st, RefreshEvery: time.Second}, site: &merge.Site{Keys: ours}}}
}

// wantChanged checks what the process sees changed, and takes it in.
func (f *replicated) wantChanged(t *testing.T, when string, shards []int, trust bool) {
	t.Helper()
	for range 2 { // the first time nothing is taken in, so it is seen again
		now, err := f.poll(t.Context())
		base.Check(t, err)
		if got, is := f.shards(now), f.changed(now, ours.Trust()); !slices.Equal(got, shards) || is != trust {
			t.Errorf("%s: shards %v are changed, and trust: %t; want %v and %t", when, got, is, shards, trust)
		}
	}
	f.seen, _ = f.poll(t.Context())
}

// Both processes write the same shard. The first one sees the other's change although it wrote too.
func TestChangeOfAShardThatThisProcessWroteBeforeIsNoticed(t *testing.T) {
	st := base.NewStore()
	one, other := watching(st), watching(st)
	one.wantChanged(t, "at first", nil, false)
	other.wantChanged(t, "at first", nil, false)
	for i, by := range []*replicated{one, other} {
		value := []byte{byte(i)}
		base.MustPut(t, st, ours.Shard(1), string(value))
		by.wrote(map[string][]byte{ours.Shard(1): value})
	}
	one.wantChanged(t, "the first to write", []int{1}, false)
	other.wantChanged(t, "the last to write", nil, false)
}
