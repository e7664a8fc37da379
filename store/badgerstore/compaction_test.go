package badgerstore

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/dgraph-io/badger/v4"
)

// TestCompactionsWait holds Badger to saying, before a compaction makes a table,
// what it is held up by; and sees that it can be.
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
	db, err := badger.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	writeTables(t, db)
	<-begun
	if n := below(db); n != 0 {
		t.Errorf("%d tables were made while they were held up", n)
	}
	close(let)
	if err := db.Close(); err != nil { // it waits for the compaction
		t.Fatal(err)
	}
	o.Logger = nil
	if db, err = badger.Open(o); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if made := below(db); made == 0 || int(asked.Load()) < made {
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
		if err != nil {
			t.Fatal(err)
		}
	}
}

// below returns how many tables compactions have made.
func below(db *badger.DB) (n int) {
	for _, table := range db.Tables() {
		if table.Level > 0 {
			n++
		}
	}
	return n
}
