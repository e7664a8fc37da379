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
	type one struct {
		place int
		hash  uint64
	}
	sections := map[string][]one{}
	for i, a := range addresses {
		name := section(a)
		sections[name] = append(sections[name], one{i, xxh3.HashStringSeed(a, seed)})
	}
	names := make([]string, 0, len(sections))
	for name, all := range sections {
		slices.SortFunc(all, func(a, b one) int { return cmp.Compare(a.hash, b.hash) })
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(xxh3.HashStringSeed(a, seed), xxh3.HashStringSeed(b, seed)) })
	for round := 0; len(places) < len(addresses); round++ {
		for _, name := range names {
			if all := sections[name]; round < len(all) {
				places = append(places, all[round].place)
			}
		}
	}
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
