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

// The events of a page.
type happening int

const (
	added happening = iota
	changed
	removed
)

// happens makes something happen to pages, a second apart.
func (d *diary) happens(what happening, locations ...string) {
	d.Helper()
	for _, l := range locations {
		d.write(func(tx txn.Records) {
			switch what {
			case added:
				d.part[l] = d.layout.Add(tx, d.part[l], l, shards.Entry{})
			case changed:
				d.layout.Set(tx, d.part[l], l, changedAt(time.Now().Unix()))
			case removed:
				d.layout.Remove(tx, d.part[l], l)
			}
		})
		d.files.Changed(d.part[l])
		time.Sleep(time.Second)
	}
}
