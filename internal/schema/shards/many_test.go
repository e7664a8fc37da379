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
			base.Check(t, txn.Update(t.Context(), st, b.Guess(0, location),
				func(tx *txn.Tx) { n = b.Add(tx, 0, location, Entry{}) }))
			base.Equal(t, n, i+1+sections*(round/b.MaxURLs), "%s is in shard", location)
			b.Filling, b.Sections[n] = max(b.Filling, n), b.SectionOf(location)
		}
	}
}

// Other processes may have begun many shards since this one read which there are.
func TestPageGetsAShardAmongManyThatAreNotKnownYet(t *testing.T) {
	st, b := new(memstore.Store), testLayout()
	b.Section = func(location string) string { return location[:4] }
	const sections = 100
	for i := range sections {
		b.Filling = i
		base.Check(t, txn.Update(t.Context(), st, nil, func(tx *txn.Tx) { b.Add(tx, 0, fmt.Sprintf("/%03d/1", i), Entry{}) }))
	}
	b.Filling = 0
	for location, want := range map[string]int{fmt.Sprintf("/%03d/2", sections-1): sections, "/new/1": sections + 1} {
		n := 0
		base.Check(t, txn.Update(t.Context(), st, b.Guess(0, location),
			func(tx *txn.Tx) { n = b.Add(tx, 0, location, Entry{}) }))
		base.Equal(t, n, want, "%s is in shard", location)
	}
}
