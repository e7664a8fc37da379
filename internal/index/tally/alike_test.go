package tally

import "testing"

func TestPagesThatShowOneTextAreMany(t *testing.T) {
	for _, tt := range []struct {
		pages, listed int
		many          bool
	}{
		{2, 3, false}, {3, 3, true}, {3, 5, true}, {3, 8, false}, {4, 8, true},
		{10, 83, true}, {9, 83, false}, {10, 300, false}, {20, 300, true}, {20, 100_000, true},
	} {
		if is := isMany(tt.pages, tt.listed); is != tt.many {
			t.Errorf("%d of %d: %t", tt.pages, tt.listed, is)
		}
	}
}
