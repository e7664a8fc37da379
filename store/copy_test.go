package store_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/strict"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
	"github.com/servemap/servemap/store/memstore"
)

// learned returns a store with more records than an update takes, in number and in bytes. Some are
// empty.
func learned(t *testing.T) store.Store {
	t.Helper()
	st := new(memstore.Store)
	for i := range 1500 {
		base.MustPut(t, st, fmt.Sprintf("https://example.com|page|/%04d", i), strings.Repeat(string(rune(i)), i%7))
	}
	for i := range 20 {
		base.MustPut(t, st, fmt.Sprintf("https://example.org|page|/%02d", i), strings.Repeat(string(rune(i)), store.MaxValue))
	}
	base.MustPut(t, st, strings.Repeat("~", store.MaxKey), "\x00")
	return st
}

const learnedRecords = 1521

func TestCopyKeepsEveryRecord(t *testing.T) {
	src, back := learned(t), new(memstore.Store)
	disk, err := badgerstore.Open(t.TempDir(), nil)
	base.Check(t, err)
	defer disk.Close()
	for _, c := range []struct{ dst, src store.Store }{{disk, src}, {back, disk}} {
		n, err := store.Copy(context.Background(), strict.New(t, c.dst), strict.New(t, c.src))
		if err != nil || n != learnedRecords {
			t.Fatalf("Copy: %d records, error %v; want %d", n, err, learnedRecords)
		}
	}
	if !maps.Equal(base.Dump(t, back), base.Dump(t, src)) {
		t.Error("the copy holds other records")
	}
}

// failing is a store that fails after a number of updates, and runs do when it is synced.
type failing struct {
	store.Store
	left int
	do   func()
}

func (f *failing) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if f.left--; f.left < 0 {
		return store.ErrUnavailable
	}
	return f.Store.Update(ctx, keys, fn)
}

func (f *failing) Sync(ctx context.Context) error {
	f.do()
	return f.Store.Sync(ctx)
}

func TestCopyThatIsNotWholeSaysWhy(t *testing.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	holds := func(records ...string) *memstore.Store { // each with a key and its value
		st := new(memstore.Store)
		for _, r := range records {
			base.MustPut(t, st, r[:1], r[1:])
		}
		return st
	}
	large, src, dst := learned(t), holds("a1", "b1"), new(memstore.Store)
	for _, c := range []struct {
		name     string
		ctx      context.Context
		dst, src store.Store
		want     string
	}{
		{"a target that is not empty", t.Context(), holds("x2"), src, "not empty"},
		{"a target that takes no update", t.Context(), &failing{Store: new(memstore.Store)}, large, store.ErrUnavailable.Error()},
		{"a target that takes one", t.Context(), &failing{Store: new(memstore.Store), left: 1}, large, store.ErrUnavailable.Error()},
		{"a target that takes all but the last", t.Context(), &failing{Store: new(memstore.Store), left: 2}, large, store.ErrUnavailable.Error()},
		{"a context that is done", done, new(memstore.Store), large, context.Canceled.Error()},
		{"another value in the source", t.Context(), &failing{dst, 9, func() { base.MustPut(t, src, "b", "2") }}, src, "differ"},
		{"a record more in the source", t.Context(), &failing{new(memstore.Store), 9, func() { base.MustPut(t, src, "z", "") }}, src, "differ"},
		{"a record more in the target", t.Context(), func() store.Store {
			st := new(memstore.Store)
			return &failing{st, 9, func() { base.MustPut(t, st, "zz", "") }}
		}(), src, "differ"},
	} {
		_, err := store.Copy(c.ctx, c.dst, c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "example.com") {
			t.Errorf("%s: %v, want %q and no key", c.name, err, c.want)
		}
	}
}

// ExampleCopy moves what one store holds to another, such as from a folder to PostgreSQL
// when a site gets a second process.
func ExampleCopy() {
	ctx := context.Background()
	from, to := new(memstore.Store), new(memstore.Store)
	err := from.Update(ctx, []string{"key"}, func(values [][]byte) error {
		values[0] = []byte("value")
		return nil
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(store.Copy(ctx, to, from))
	// Output:
	// 1 <nil>
}
