// Package sample chooses which of the listed pages to read. The choice depends on the addresses and the seed alone: not
// on the order of the file, nor on the machine.
package sample

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
)

// Choice says how pages are chosen.
const Choice = "by chance, from each section of the site in turn"

// Order returns the places of all entries in the order in which to read them: one by chance of each section, another
// one of each, and so on. A section is what shares the first folder.
func Order(all []listing.Entry, seed uint64) (places []int) {
	hash := func(s string) uint64 { return xxh3.HashStringSeed(s, seed) }
	sections, round := make([]uint64, len(all)), make([]int, len(all))
	for i, e := range all {
		places, sections[i] = append(places, i), hash(section(e.Loc))
	}
	byChance := func(a, b int) int { return cmp.Compare(hash(all[a].Loc), hash(all[b].Loc)) }
	slices.SortFunc(places, byChance)
	seen := map[uint64]int{}
	for _, i := range places {
		round[i] = seen[sections[i]]
		seen[sections[i]]++
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(round[a], round[b]), cmp.Compare(sections[a], sections[b]))
	})
	return places
}

// section returns the first folder of an address, "" for a page at the root.
func section(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	if rest == "" {
		return ""
	}
	return first
}
