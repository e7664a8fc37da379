package merge

import "testing"

func TestSiblings(t *testing.T) {
	var n siblings
	for range 3 {
		n.grow(10)
		n.add(sibling, 1)
	}
	n.add(orphan, 1)
	n.add(stranger, 1)
	if n != (siblings{siblings: 3, orphans: 1, day: 10, grown: 3}) {
		t.Errorf("%+v", n)
	}
	for day, want := range map[int64]int{9: 3, 10: 3, 11: 0} {
		if got := n.grownOn(day); got != want {
			t.Errorf("on day %d it has grown by %d, want %d", day, got, want)
		}
	}
	n.grow(9)
	if n.day != 10 || n.grown != 4 {
		t.Errorf("a clock that went back: %+v", n)
	}
	n.grow(12)
	if n.grownOn(12) != 1 {
		t.Errorf("a new day: %+v", n)
	}
	if got := readSiblings(n.encode()); got != n {
		t.Errorf("stored as %+v, want %+v", got, n)
	}
	if new(siblings).encode() != nil {
		t.Error("nothing is stored as something")
	}
}
