package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

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
		set(t, st, fmt.Sprintf("https://example.com|page|/%04d", i), bytes.Repeat([]byte{byte(i)}, i%7))
	}
	for i := range 20 {
		set(t, st, fmt.Sprintf("https://example.org|page|/%02d", i), bytes.Repeat([]byte{byte(i)}, store.MaxValue))
	}
	set(t, st, strings.Repeat("~", store.MaxKey), []byte{0})
	return st
}

const learnedRecords = 1521

func set(t *testing.T, st store.Store, key string, value []byte) {
	t.Helper()
	err := st.Update(context.Background(), []string{key}, func(values [][]byte) error {
		values[0] = bytes.Clone(value)
		return nil
	})
	if err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// same fails the test unless a and b hold the same records.
func same(t *testing.T, a, b store.Store) {
	t.Helper()
	if got, want := all(t, a), all(t, b); got != want {
		t.Errorf("the copy holds %d bytes, or other ones, want %d", len(got), len(want))
	}
}

func all(t *testing.T, st store.Store) string {
	t.Helper()
	var b strings.Builder
	for r, err := range st.Scan(context.Background(), "", "") {
		if err != nil {
			t.Fatalf("Scan: %v", err)
		}
		fmt.Fprintf(&b, "%s=%x\n", r.Key, r.Value)
	}
	return b.String()
}

func TestCopyKeepsEveryRecord(t *testing.T) {
	src, back := learned(t), new(memstore.Store)
	disk, err := badgerstore.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	for _, c := range []struct{ dst, src store.Store }{{disk, src}, {back, disk}} {
		n, err := store.Copy(context.Background(), strict.New(t, c.dst), strict.New(t, c.src))
		if err != nil || n != learnedRecords {
			t.Fatalf("Copy: %d records, error %v; want %d", n, err, learnedRecords)
		}
	}
	same(t, back, src)
}

func TestEmptyStoreIsCopied(t *testing.T) {
	if n, err := store.Copy(context.Background(), new(memstore.Store), new(memstore.Store)); n != 0 || err != nil {
		t.Errorf("Copy of an empty store: %d records, error %v", n, err)
	}
}

func TestCopyRefusesATargetThatIsNotEmpty(t *testing.T) {
	src, dst := new(memstore.Store), new(memstore.Store)
	set(t, src, "secret", []byte("1"))
	set(t, dst, "other", []byte("2"))
	_, err := store.Copy(context.Background(), dst, src)
	if err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("Copy: %v, want an error that says that the target is not empty", err)
	}
	if got := all(t, dst); got != "other=32\n" {
		t.Errorf("the target had one record, and now holds %q", got)
	}
}

// TestCopyThatBreaksOff makes each update fail in turn.
func TestCopyThatBreaksOff(t *testing.T) {
	src := learned(t)
	for done := range 3 {
		_, err := store.Copy(context.Background(), &breaking{Store: new(memstore.Store), left: done}, src)
		if !errors.Is(err, store.ErrUnavailable) || strings.Contains(err.Error(), "example.com") {
			t.Errorf("Copy to a store that breaks after %d updates: %v, want its own error", done, err)
		}
	}
}

// breaking is a store that fails after a number of updates.
type breaking struct {
	store.Store
	left int
}

func (b *breaking) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if b.left--; b.left < 0 {
		return store.ErrUnavailable
	}
	return b.Store.Update(ctx, keys, fn)
}

// TestCopyNoticesWriters changes one of the stores at the end of the copy.
func TestCopyNoticesWriters(t *testing.T) {
	for name, change := range map[string]func(dst, src store.Store){
		"a record more in the source":  func(_, src store.Store) { set(t, src, "zz", []byte{}) },
		"a record less in the source":  func(_, src store.Store) { set(t, src, "a", nil) },
		"another value in the source":  func(_, src store.Store) { set(t, src, "b", []byte("2")) },
		"an empty value in the target": func(dst, _ store.Store) { set(t, dst, "b", []byte{}) },
	} {
		src, dst := new(memstore.Store), new(memstore.Store)
		set(t, src, "a", []byte("1"))
		set(t, src, "b", []byte("1"))
		_, err := store.Copy(context.Background(), &changing{dst, func() { change(dst, src) }}, src)
		if err == nil || !strings.Contains(err.Error(), "differ") {
			t.Errorf("with %s: %v, want an error that says that they differ", name, err)
		}
	}
}

// changing is a store that runs do when it is synced.
type changing struct {
	store.Store
	do func()
}

func (c *changing) Sync(ctx context.Context) error {
	c.do()
	return c.Store.Sync(ctx)
}

func TestCopyKeepsToItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
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
