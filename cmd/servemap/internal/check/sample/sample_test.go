package sample

import (
	"fmt"
	"slices"
	"testing"
)

func TestTheChoiceDependsOnAddressesAndSeedAlone(t *testing.T) {
	var all []string
	for i := range 300 {
		all = append(all, fmt.Sprintf("https://example.com/product/%d", i))
	}
	all = append(all, "https://example.com/about", "https://example.com/blog/a", "https://example.com/blog/b")
	first := func(addresses []string, seed uint64) (some []string) {
		for _, place := range Order(addresses, seed)[:9] {
			some = append(some, addresses[place])
		}
		return some
	}
	chosen := first(all, 1)
	turned := slices.Clone(all)
	slices.Reverse(turned)
	if again := first(turned, 1); !slices.Equal(again, chosen) {
		t.Errorf("in another order %v, not %v", again, chosen)
	}
	if other := first(all, 2); slices.Equal(other, chosen) {
		t.Error("another seed chooses the same")
	}
	for _, want := range []string{"https://example.com/about", "https://example.com/blog/a",
		"https://example.com/blog/b"} {
		if !slices.Contains(chosen, want) {
			t.Errorf("%s is of a small section, and not chosen: %v", want, chosen)
		}
	}
	if order := Order(all, 1); len(slices.Compact(slices.Sorted(slices.Values(order)))) != len(all) {
		t.Error("not each is there once")
	}
}
