// Package sample chooses which of the listed pages to read. The choice depends on the addresses and the seed alone: not
// on the order of the file, nor on the machine.
package sample

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"
)

// Choice says how pages are chosen.
const Choice = "by chance, from each section of the site in turn"

// Order returns the places of all addresses in the order in which to read them: one by chance of each section, another
// one of each, and so on. A section is what shares the first folder.
func Order(addresses []string, seed uint64) (places []int) {
	hash := func(s string) uint64 { return xxh3.HashStringSeed(s, seed) }
	sections, round := make([]uint64, len(addresses)), make([]int, len(addresses))
	for i, a := range addresses {
		places, sections[i] = append(places, i), hash(section(a))
	}
	byChance := func(a, b int) int { return cmp.Compare(hash(addresses[a]), hash(addresses[b])) }
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
