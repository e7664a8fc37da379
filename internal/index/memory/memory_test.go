package memory

import "testing"

func TestLinksAreRememberedWhileTheMemoryGrows(t *testing.T) {
	var f Followed
	for n := uint64(1); n <= 3*followedLinks; n++ {
		f.Add(map[uint64]bool{n * 0x9E3779B97F4A7C15: true})
		if !f.Has(n*0x9E3779B97F4A7C15) || f.Has(n) {
			t.Fatalf("link %d: %t, and one that was never merged: %t", n, f.Has(n*0x9E3779B97F4A7C15), f.Has(n))
		}
		if n == 100 && len(f.slots) > 256 {
			t.Errorf("100 links take %d slots", len(f.slots))
		}
	}
	if len(f.slots) != followedLinks {
		t.Errorf("it has %d slots, want at most %d", len(f.slots), followedLinks)
	}
	kept := 0
	for n := uint64(3*followedLinks - 100); n <= 3*followedLinks; n++ {
		if f.Has(n * 0x9E3779B97F4A7C15) {
			kept++
		}
	}
	if kept < 95 {
		t.Errorf("of the last 101 links it remembers %d", kept)
	}
	if f.Forget(); f.Has(0) {
		t.Error("it forgot nothing")
	}
}
