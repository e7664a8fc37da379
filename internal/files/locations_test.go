package files

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestASetHoldsWhatIsInItAndHardlyAnythingElse(t *testing.T) {
	f := New(Config{})
	for _, n := range []int{0, 1, 2, 3, 64, 1000, 50_000} {
		var hashes []uint32
		for i := range n {
			hashes = append(hashes, f.hashOf(fmt.Sprintf("/page/%d", i)))
		}
		s := newLocations(hashes)
		for i := range n {
			if !s.has(f.hashOf(fmt.Sprintf("/page/%d", i))) {
				t.Fatalf("of %d locations, the set does not hold number %d", n, i)
			}
		}
		const others = 65_536
		wrong := 0
		for i := range others {
			if s.has(f.hashOf(fmt.Sprintf("/other/%d", i))) {
				wrong++
			}
		}
		if wrong > 8 {
			t.Errorf("a set of %d holds %d of %d others", n, wrong, others)
		}
	}
}

func TestASetHoldsTheSameHashTwice(t *testing.T) {
	s := newLocations([]uint32{5, 5, 0, 1<<32 - 1})
	for _, h := range []uint32{0, 5, 1<<32 - 1} {
		if !s.has(h) {
			t.Errorf("%d is missing", h)
		}
	}
	if !s.equal(newLocations([]uint32{0, 5, 1<<32 - 1, 5})) || s.equal(newLocations([]uint32{0, 5, 1 << 30, 1<<32 - 1})) || s.equal(nil) {
		t.Error("sets are not compared by what they hold")
	}
	if (*locations)(nil).has(0) {
		t.Error("a set that is not known holds something")
	}
}

func TestASetIsSmall(t *testing.T) {
	hashes := make([]uint32, 50_000)
	for i := range hashes {
		hashes[i] = rand.Uint32()
	}
	s := newLocations(hashes)
	if bits := 16*len(s.low) + 64*len(s.high) + 32*len(s.begin); bits > 19*len(hashes) {
		t.Errorf("a location takes %.1f bits", float64(bits)/float64(len(hashes)))
	}
}

func BenchmarkHas(b *testing.B) {
	hashes := make([]uint32, 50_000)
	for i := range hashes {
		hashes[i] = rand.Uint32()
	}
	s := newLocations(hashes)
	h := uint32(0)
	for b.Loop() {
		h += 2_654_435_761
		s.has(h)
	}
}
