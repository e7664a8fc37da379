package sqlstore

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/servemap/servemap/store"
)

// BenchmarkMerge has fleets of servers count visits to 100,000 pages, in
// batches of as many as an update takes. Each page is visited by way of
// several servers, so their batches overlap.
func BenchmarkMerge(b *testing.B) {
	for _, c := range []struct {
		name    string
		servers int
		setting string // of the connections
	}{
		{"1server", 1, ""},
		{"4servers", 4, ""},
		{"4serversAsync", 4, "synchronous_commit=off"},
	} {
		b.Run(c.name, func(b *testing.B) {
			db := database(b)
			table := schema(b, db) + ".servemap"
			fleet := make([]store.Store, c.servers)
			for i := range fleet {
				fleet[i] = openTable(b, dial(b, withSetting(address(), c.setting)), table)
			}
			for first := 0; first < mergePages; first += store.MaxKeys {
				if err := fleet[0].Update(context.Background(), mergeKeys(first, 1), visit); err != nil {
					b.Fatal(err)
				}
			}
			b.ResetTimer()
			mergeAll(b, fleet, b.N)
			b.ReportMetric(float64(b.N)*store.MaxKeys/b.Elapsed().Seconds(), "pages/s")
		})
	}
}

const mergePages = 100_000

// mergeAll has the servers merge n batches in all.
func mergeAll(t testing.TB, fleet []store.Store, n int) {
	var end sync.WaitGroup
	for i, st := range fleet {
		end.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), uint64(n)))
			for range n/len(fleet) + min(1, max(0, n%len(fleet)-i)) {
				keys := mergeKeys(random.IntN(mergePages), 1+random.IntN(mergePages/store.MaxKeys-1))
				if err := st.Update(context.Background(), keys, visit); err != nil {
					t.Errorf("Update: %v", err)
					return
				}
			}
		})
	}
	end.Wait()
}

// mergeKeys returns the keys of as many pages as an update takes, from the
// first on and step apart, in order.
func mergeKeys(first, step int) []string {
	keys := make([]string, store.MaxKeys)
	for i := range keys {
		keys[i] = fmt.Sprintf("page/%06d/the-title-of-a-page-as-it-stands-in-its-location", (first+i*step)%mergePages)
	}
	slices.Sort(keys)
	return keys
}

// visit counts in records of 100 bytes.
func visit(values [][]byte) error {
	for i, value := range values {
		if value == nil {
			value = make([]byte, 100)
		}
		binary.BigEndian.PutUint64(value, binary.BigEndian.Uint64(value)+1)
		values[i] = value
	}
	return nil
}
