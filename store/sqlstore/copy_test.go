package sqlstore

import (
	"context"
	"fmt"
	"testing"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
)

// TestGrowIntoAFleet takes what a site has learned from a folder to PostgreSQL,
// and back.
func TestGrowIntoAFleet(t *testing.T) {
	folder := func() *badgerstore.Store {
		st, err := badgerstore.Open(t.TempDir(), nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		return st
	}
	alone, again := folder(), folder()
	keys := make([]string, store.MaxKeys)
	for i := range keys {
		keys[i] = fmt.Sprintf("https://example.com|page|/%04d", i)
	}
	err := alone.Update(context.Background(), keys, func(values [][]byte) error {
		for i := range values {
			values[i] = make([]byte, i)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	fleet, _ := open(t)
	for _, c := range []struct{ dst, src store.Store }{{fleet, alone}, {again, fleet}} {
		if n, err := store.Copy(context.Background(), c.dst, c.src, nil); err != nil || n != len(keys) {
			t.Fatalf("Copy: %d records, error %v; want %d", n, err, len(keys))
		}
	}
}
