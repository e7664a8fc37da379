package files

import (
	"testing"
	"time"

	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

// diary is a shelf that remembers for each page in which shard it is.
type diary struct {
	*shelf
	part map[string]int
}

func newDiary(t *testing.T, change ...func(*Config)) *diary {
	return &diary{shelf: newShelf(t, change...), part: map[string]int{}}
}

// happens makes something happen to a page, and a second pass.
func (d *diary) happens(location string, what func(txn.Records)) {
	d.Helper()
	d.write(what)
	d.files.Changed(d.part[location])
	time.Sleep(time.Second)
}

// add lists pages.
func (d *diary) add(locations ...string) {
	d.Helper()
	for _, l := range locations {
		d.happens(l, func(tx txn.Records) { d.part[l] = d.layout.Add(tx, d.part[l], l, shards.Entry{}) })
	}
}
