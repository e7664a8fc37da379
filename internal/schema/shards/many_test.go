package shards

import (
	"fmt"
	"testing"

	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

// Each key that a transaction asks for in vain costs another run, and there are only so many. A page must get a shard
// even if the shards of many other sections came after the last one of its own.
func TestPageOfASectionGetsAShardAmongManyOthers(t *testing.T) {
	st, b := new(memstore.Store), testLayout()
	b.Section = func(location string) string { return location[:4] }
	b.Sections = map[int]string{}
	const sections = 100
	for round := range 2 * b.MaxURLs {
		for i := range sections {
			location, n := fmt.Sprintf("/%03d/%d", i, round), 0
			base.Check(t, txn.Update(t.Context(), st, b.Guess(0, location), func(tx *txn.Tx) { n = b.Add(tx, 0, location, Entry{}) }))
			base.Equal(t, n, i+1+sections*(round/b.MaxURLs), "%s is in shard", location)
			b.Filling, b.Sections[n] = max(b.Filling, n), b.SectionOf(location)
		}
	}
}
