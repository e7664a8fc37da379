package store_test

import (
	"context"
	"errors"
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

func TestCopyRefusesATargetThatIsNotEmpty(t *testing.T) {
	src, dst := new(memstore.Store), new(memstore.Store)
	base.MustPut(t, src, "secret", "1")
	base.MustPut(t, dst, "other", "2")
	_, err := store.Copy(context.Background(), dst, src)
	if err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("Copy: %v, want an error that says that the target is not empty", err)
	}
	if got := base.Dump(t, dst); !maps.Equal(got, map[string]string{"other": "2"}) {
		t.Errorf("the target had one record, and now holds %q", got)
	}
}

// TestCopyReturnsWhatEndsIt has a store that fails, and a context that ends.
func TestCopyReturnsWhatEndsIt(t *testing.T) {
	broken := base.NewStore()
	broken.Refuse(store.ErrUnavailable)
	if _, err := store.Copy(t.Context(), broken, learned(t)); !errors.Is(err, store.ErrUnavailable) ||
		strings.Contains(err.Error(), "example.com") {
		t.Errorf("Copy to a store that takes nothing: %v, want its own error", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store.Copy(ctx, new(memstore.Store), learned(t)); !errors.Is(err, context.Canceled) {
		t.Errorf("Copy with a context that is done: %v, want context.Canceled", err)
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
