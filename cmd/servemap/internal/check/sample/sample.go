// Package sample chooses which of the listed pages to read. The choice depends on the addresses and the seed alone: not
// on the order of the file, nor on the machine.
package sample

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
)

// Choice says how pages are chosen.
const Choice = "by chance, from each section of the site in turn"

// folder matches what the addresses of a section share: the site, and the first folder.
var folder = regexp.MustCompile(`^(\w+://[^/?]*/[^/?]+/)[^?]`)

// Order returns the places of all entries in the order in which to read them: one by chance of each section, another
// one of each, and so on. What stands at the root is a section too.
func Order(all []listing.Entry, seed uint64) (places []int) {
	self, section, round := make([]uint64, len(all)), make([]uint64, len(all)), make([]int, len(all))
	for i, e := range all {
		m := append(folder.FindStringSubmatch(e.Loc), "", "")
		places, self[i], section[i] = append(places, i), xxh3.HashStringSeed(e.Loc, seed), xxh3.HashStringSeed(m[1], seed)
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(self[a], self[b]) })
	seen := map[uint64]int{}
	for _, i := range places {
		round[i] = seen[section[i]]
		seen[section[i]]++
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(round[a], round[b]), cmp.Compare(section[a], section[b]))
	})
	return places
}
