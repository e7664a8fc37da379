package files

import (
	"fmt"
	"testing"
)

func TestLocations(t *testing.T) {
	f := New(Config{})
	for _, n := range []int{0, 1, 2, 3, 1000} {
		var hashes, odd []uint64
		for i := range n {
			h := f.hashOf(fmt.Sprintf("/page/%d", i))
			if hashes = append(hashes, h, h); i%2 == 1 { // a location may be there twice
				odd = append(odd, h)
			}
		}
		s := newLocations(hashes)
		even := s.without(newLocations(odd))
		for i := range 2 * n {
			h := f.hashOf(fmt.Sprintf("/page/%d", i))
			if s.has(h) != (i < n) || even.has(h) != (i < n && i%2 == 0) {
				t.Fatalf("of %d locations, number %d is there: %t, and without the odd ones: %t", n, i, s.has(h), even.has(h))
			}
		}
		if len(s) != n {
			t.Errorf("a set of %d has %d members", n, len(s))
		}
	}
}
