package badgerstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// These tests hold Badger, and its options, to what the package relies on.

func openRaw(t *testing.T, o badger.Options) *badger.DB {
	t.Helper()
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() }) // the test may have closed it
	return db
}

// TestKeysLookAsDocumented holds the layout on disk to its format number.
func TestKeysLookAsDocumented(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	mustPut(t, s, "key", "value")
	err := current(s).badger.View(func(txn *badger.Txn) error {
		item, err := txn.Get([]byte("kkey"))
		if err != nil {
			return err
		}
		got, err := item.ValueCopy(nil)
		if want := []byte("value\x45\xc4\xb3\xe0"); err == nil && !bytes.Equal(got, want) {
			t.Errorf("format %d: the record is %q, want %q", format, got, want)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBadgerLogKeepsKeys(t *testing.T) {
	log := newLog()
	l := &badgerLog{log: log.logger(), dir: "/data"}
	cause := errors.New(`while running compactions for: {secret-key} err: no space left on device`)
	for range 3 {
		l.Warningf("While running doCompact: %v\n", cause)
		l.Errorf("Key [%s]: %s", "secret-key", "secret-value")
	}
	l.Infof("Left: %s", "secret-key")
	l.Debugf("First key=%q\n", "secret-key")
	log.want(t, 0, "secret")
	log.want(t, 1, "WARN badgerstore: badger: While running doCompact dir=/data cause=no space left on device")
	log.want(t, 2, "")
	for i := range 1000 {
		l.Errorf(strings.Repeat("x", i))
	}
	if len(l.seen) > maxSeen {
		t.Errorf("%d messages are remembered, want at most %d", len(l.seen), maxSeen)
	}
}

// TestCompactionsWait sees that Badger logs before a compaction makes a table, and
// that it waits for the logger.
func TestCompactionsWait(t *testing.T) {
	var asked atomic.Int32
	let, begun := make(chan struct{}), make(chan struct{})
	o := guestOptions(t.TempDir(), &badgerLog{log: newLog().logger(), beforeTable: func() {
		if asked.Add(1) == 1 {
			close(begun)
		}
		<-let
	}})
	o.NumLevelZeroTables = 1 // so that a compaction begins at once
	db := openRaw(t, o)
	writeTables(t, db)
	<-begun
	if n := compacted(db); n != 0 {
		t.Errorf("%d tables were made while they were held up", n)
	}
	close(let)
	if err := db.Close(); err != nil { // it waits for the compaction
		t.Fatal(err)
	}
	o.Logger = nil
	if made := compacted(openRaw(t, o)); made == 0 || int(asked.Load()) < made {
		t.Errorf("it asked %d times and made %d tables", asked.Load(), made)
	}
}

// TestTwoTablesAreMerged holds what waits to be merged to two tables.
func TestTwoTablesAreMerged(t *testing.T) {
	begun := make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	db := openRaw(t, guestOptions(t.TempDir(), &badgerLog{log: newLog().logger(), beforeTable: begin}))
	writeTables(t, db)
	select {
	case <-begun:
	case <-time.After(time.Minute):
		t.Error("two tables were written, and nobody merges them")
	}
}

// writeTables fills two logs, which become tables.
func writeTables(t *testing.T, db *badger.DB) {
	t.Helper()
	for i := range 2*memTableSize/(60<<10) + 20 {
		value := make([]byte, 60<<10)
		for j := range value {
			value[j] = byte(rand.Uint32())
		}
		err := db.Update(func(txn *badger.Txn) error { return txn.Set(fmt.Appendf(nil, "k%04d", i), value) })
		if err != nil {
			t.Fatal(err)
		}
	}
}

// compacted returns how many tables compactions have made.
func compacted(db *badger.DB) (n int) {
	for _, table := range db.Tables() {
		if table.Level > 0 {
			n++
		}
	}
	return n
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
	db := openRaw(t, o)
	for first := 0; first < len(keys); first += 500 {
		err := db.Update(func(txn *badger.Txn) error {
			for _, key := range keys[first:min(first+500, len(keys))] {
				if err := txn.Set(key, fmt.Appendf(nil, "%0152x", key[len(key)-16:])); err != nil {
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

// TestIndexIsShort holds the part of a table that repeats keys to a few bytes a
// record, of which 1.25 are the filter that tells which keys there are.
func TestIndexIsShort(t *testing.T) {
	o := guestOptions(t.TempDir(), nil)
	writePages(t, o, pageKeys(20_000))
	index, records := 0, 0
	for _, table := range openRaw(t, o).Tables() {
		index, records = index+table.IndexSz, records+int(table.KeyCount)
	}
	if records == 0 || index > 6*records {
		t.Errorf("the index takes %d bytes for %d records, want at most 6 each", index, records)
	}
}

// TestLevelsAboveTheLastAreSmall holds what may lie beside the records that it
// replaces to a twentieth of them, in the level above the last.
func TestLevelsAboveTheLastAreSmall(t *testing.T) {
	o := guestOptions(t.TempDir(), nil)
	o.BaseLevelSize = 64 << 10 // so that few records are enough
	o.CompactL0OnClose = true
	writePages(t, o, pageKeys(20_000))
	levels := openRaw(t, o).Levels()
	above, last := levels[len(levels)-2].TargetSize, levels[len(levels)-1].Size
	if above <= 0 || above*20 > last {
		t.Errorf("the level above one of %d bytes may have %d", last, above)
	}
}
