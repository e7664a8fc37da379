package storetest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/servemap/servemap/store"
)

// benchRecords is how many records a benchmark works on, each with a key of 60
// bytes and a value of 100, as pages have.
const benchRecords = 50_000

// Bench measures a store: updates and views of one key and of 200 out of
// 50,000 records, chosen at random, and a scan of all. open returns an empty
// store, and leaves closing it to b.Cleanup.
func Bench(b *testing.B, open func(b *testing.B) store.Store) {
	st := open(b)
	for first := 0; first < benchRecords; first += store.MaxKeys {
		keys := make([]string, store.MaxKeys)
		for i := range keys {
			keys[i] = benchKey(first + i)
		}
		if err := st.Update(context.Background(), keys, touch); err != nil {
			b.Fatal(err)
		}
	}
	for _, n := range []int{1, 200} {
		b.Run(fmt.Sprintf("Update%d", n), func(b *testing.B) { benchKeys(b, n, st.Update, touch) })
		b.Run(fmt.Sprintf("View%d", n), func(b *testing.B) { benchKeys(b, n, st.View, look) })
	}
	b.Run("Scan", func(b *testing.B) { benchScan(b, st) })
}

func benchKey(i int) string {
	return fmt.Sprintf("page/%06d/%s", i, "the-title-of-a-page-as-it-stands-in-its-location")
}

// touch changes a record as a sighting does.
func touch(values [][]byte) error {
	for i, value := range values {
		if value == nil {
			value = patterned(100)
		}
		binary.BigEndian.PutUint64(value, binary.BigEndian.Uint64(value)+1)
		values[i] = value
	}
	return nil
}

func look([][]byte) error { return nil }

type call func(context.Context, []string, func([][]byte) error) error

func benchKeys(b *testing.B, n int, do call, fn func([][]byte) error) {
	random := rand.New(rand.NewPCG(1, uint64(n)))
	keys := make([]string, n)
	b.ReportAllocs()
	for b.Loop() {
		at, step := random.IntN(benchRecords), 1+random.IntN(benchRecords/store.MaxKeys-1)
		for i := range keys {
			keys[i] = benchKey((at + i*step) % benchRecords)
		}
		if err := do(context.Background(), keys, fn); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(n)/b.Elapsed().Seconds(), "records/s")
}

func benchScan(b *testing.B, st store.Store) {
	b.ReportAllocs()
	records := 0
	for b.Loop() {
		for _, err := range st.Scan(context.Background(), "page/", "") {
			if err != nil {
				b.Fatal(err)
			}
			records++
		}
	}
	if records != b.N*benchRecords {
		b.Fatalf("%d scans saw %d records, want %d each", b.N, records, benchRecords)
	}
	b.ReportMetric(float64(records)/b.Elapsed().Seconds(), "records/s")
}
