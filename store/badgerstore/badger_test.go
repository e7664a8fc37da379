package badgerstore

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"github.com/servemap/servemap/internal/testkit/base"
)

// These tests check what the package relies on in Badger and its options.

func openRaw(t *testing.T, o badger.Options) *badger.DB {
	t.Helper()
	db, err := badger.Open(o)
	base.Check(t, err)
	t.Cleanup(func() { db.Close() }) // the test may have closed it
	return db
}

// TestCompactionsWaitForTheLogger checks that Badger logs before a compaction makes a table, and
// waits for the logger.
func TestCompactionsWaitForTheLogger(t *testing.T) {
	var asked atomic.Int32
	let, begun := make(chan struct{}), make(chan struct{})
	o := guestOptions(t.TempDir(), badgerLog{func() {
		if asked.Add(1) == 1 {
			close(begun)
		}
		<-let
	}})
	o.NumLevelZeroTables = 1 // so that a compaction begins at once
	db := openRaw(t, o)
	writeTables(t, db)
	<-begun
	base.Equal(t, compacted(db), 0, "tables were made while they were held up")
	close(let)
	if err := db.Close(); err != nil { // Close waits for the compaction
		t.Fatal(err)
	}
	o.Logger = nil
	if made := compacted(openRaw(t, o)); made == 0 || int(asked.Load()) < made {
		t.Errorf("it asked %d times and made %d tables", asked.Load(), made)
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
		base.Check(t, err)
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
