package badgerstore

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// earlierOptions are those of the versions that had blocks of 4 KiB, as many
// fresh tables as Badger has by default, and levels that are ten times the one above.
func earlierOptions(dir string, logger badger.Logger) badger.Options {
	o := guestOptions(dir, logger)
	o.BlockSize, o.NumLevelZeroTables, o.LevelSizeMultiplier = 4<<10, 4, 10
	return o
}

// pageKeys returns keys as long as those of pages, in order.
func pageKeys(n int) [][]byte {
	keys := make([][]byte, n)
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "khttps://www.example.com|page|/topics/harbour-%02d/%05d-evening-lantern-concert-%016x", i/5000, i, rand.Uint64())
	}
	return keys
}

// writePages writes a value as long as a page's at each key, and closes Badger, which makes tables of it.
func writePages(t *testing.T, o badger.Options, keys [][]byte) {
	t.Helper()
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	for first := 0; first < len(keys); first += 500 {
		err := db.Update(func(txn *badger.Txn) error {
			for _, key := range keys[first:min(first+500, len(keys))] {
				if err := txn.Set(key, pageValue(key)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// pageValue is the value at key.
func pageValue(key []byte) []byte { return fmt.Appendf(nil, "%0152x", key[len(key)-16:]) }

// indexOf returns the bytes of the tables' indexes, by the record.
func indexOf(t *testing.T, o badger.Options) float64 {
	t.Helper()
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	index, records := 0, 0
	for _, table := range db.Tables() {
		index, records = index+table.IndexSz, records+int(table.KeyCount)
	}
	if records == 0 {
		t.Fatal("there are no tables")
	}
	return float64(index) / float64(records)
}

// TestIndexIsShort holds the part of a table that repeats keys to a few bytes of a
// record, of which 1.25 are the filter that tells which keys there are.
func TestIndexIsShort(t *testing.T) {
	keys := pageKeys(20_000)
	for _, tt := range []struct {
		name  string
		as    func(string, badger.Logger) badger.Options
		short bool
	}{
		{"as it is", guestOptions, true},
		{"as it was", earlierOptions, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := tt.as(t.TempDir(), nil)
			writePages(t, o, keys)
			if got := indexOf(t, o); (got <= 6) != tt.short {
				t.Errorf("the index takes %.1f bytes a record, at most 6: %v", got, tt.short)
			}
		})
	}
}

// TestTwoTablesAreMerged holds what waits to be merged to two tables.
func TestTwoTablesAreMerged(t *testing.T) {
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	db, err := badger.Open(guestOptions(t.TempDir(), &badgerLog{log: newLog().logger(), beforeTable: begin}))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	writeTables(t, db)
	select {
	case <-begun:
	case <-time.After(time.Minute):
		t.Error("two tables were written, and nobody merges them")
	}
}

// TestEarlierTables has a folder pass from one version's options to another's and back, with all
// its tables merged by each.
func TestEarlierTables(t *testing.T) {
	keys := pageKeys(5000)
	for _, tt := range []struct {
		name         string
		first, later func(string, badger.Logger) badger.Options
	}{
		{"an upgrade", earlierOptions, guestOptions},
		{"a step back", guestOptions, earlierOptions},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			writePages(t, tt.first(dir, nil), keys[:3000])
			writePages(t, tt.later(dir, nil), keys[2000:])
			for _, as := range []func(string, badger.Logger) badger.Options{tt.later, tt.first} {
				if spoilt, err := inspect(dir, mark{}, true); spoilt != 0 || err != nil {
					t.Fatalf("%d tables are taken for damaged: %v", spoilt, err)
				}
				wantPages(t, as(dir, nil), keys)
			}
		})
	}
}

// wantPages merges all tables, and then looks for what writePages wrote.
func wantPages(t *testing.T, o badger.Options, keys [][]byte) {
	t.Helper()
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Flatten(1); err != nil {
		t.Fatal(err)
	}
	err = db.View(func(txn *badger.Txn) error {
		for _, key := range keys {
			item, err := txn.Get(key)
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			if got, err := item.ValueCopy(nil); err != nil || string(got) != string(pageValue(key)) {
				return fmt.Errorf("%s: is %q, %v", key, got, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestLevelsAboveTheLastAreSmall holds what may lie beside the records that it
// replaces to a twentieth of them, in the level above the last.
func TestLevelsAboveTheLastAreSmall(t *testing.T) {
	o := guestOptions(t.TempDir(), nil)
	o.BaseLevelSize = 64 << 10 // so that few records are enough
	o.CompactL0OnClose = true
	writePages(t, o, pageKeys(20_000))
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	levels := db.Levels()
	above, last := levels[len(levels)-2].TargetSize, levels[len(levels)-1].Size
	if above <= 0 || above*20 > last {
		t.Errorf("the level above one of %d bytes may have %d", last, above)
	}
}
