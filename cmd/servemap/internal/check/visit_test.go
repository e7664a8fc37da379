package check

import (
	"fmt"
	"slices"
	"testing"

	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
)

func TestTheChoiceDependsOnAddressesAndSeedAlone(t *testing.T) {
	var all []listing.Entry
	for i := range 300 {
		all = append(all, listing.Entry{Loc: fmt.Sprintf("https://example.com/product/%d", i)})
	}
	small := []string{"https://example.com/about", "https://example.com/blog/a", "https://example.com/blog/b"}
	for _, loc := range small {
		all = append(all, listing.Entry{Loc: loc})
	}
	first := func(of []listing.Entry, seed uint64) (some []string) {
		for _, place := range order(of, seed)[:9] {
			some = append(some, of[place].Loc)
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
	for _, want := range small {
		if !slices.Contains(chosen, want) {
			t.Errorf("%s is of a small section, and not chosen: %v", want, chosen)
		}
	}
	var urgent []listing.Entry
	for _, at := range []string{"/", "/product/9f8a7c6d5e4f3a2b1c0d9e8f7a6b5c4d", "/product/.env"} {
		urgent = append(urgent, listing.Entry{Loc: "https://example.com" + at})
	}
	for _, e := range urgent {
		if got := first(append(slices.Clone(all), urgent...), 1)[:3]; !slices.Contains(got, e.Loc) {
			t.Errorf("%s is not among the first: %v", e.Loc, got)
		}
	}
	if n := len(slices.Compact(slices.Sorted(slices.Values(order(all, 1))))); n != len(all) {
		t.Error("not each is there once")
	}
}
