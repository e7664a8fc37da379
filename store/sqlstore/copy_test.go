package sqlstore

import (
	"context"
	"fmt"
	"testing"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// TestGrowIntoAFleet copies what a site has learned to PostgreSQL, and back.
func TestGrowIntoAFleet(t *testing.T) {
	alone, again := new(memstore.Store), new(memstore.Store)
	for i := range store.MaxKeys {
		mustPut(t, alone, fmt.Sprintf("https://example.com|page|/%04d", i), fmt.Sprintf("%*d", i, i))
	}
	fleet, _ := open(t)
	for _, c := range []struct{ dst, src store.Store }{{fleet, alone}, {again, fleet}} {
		if n, err := store.Copy(context.Background(), c.dst, c.src); err != nil || n != store.MaxKeys {
			t.Fatalf("Copy: %d records, error %v; want %d", n, err, store.MaxKeys)
		}
	}
}
