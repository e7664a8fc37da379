package sitewide

import "testing"

func TestSiblings(t *testing.T) {
	var linked Siblings
	for range 3 {
		linked.Recount(Uncounted, Linked)
		linked.Grow(10)
	}
	for _, tt := range []struct {
		name   string
		change func(*Siblings)
		want   Siblings
	}{
		{"as they are", func(*Siblings) {}, Siblings{Linked: 3, day: 10, grown: 3}},
		{"an orphan comes", func(s *Siblings) { s.Recount(Uncounted, Orphan) }, Siblings{Linked: 3, Orphans: 1, day: 10, grown: 3}},
		{"a page becomes an orphan", func(s *Siblings) { s.Recount(Linked, Orphan) }, Siblings{Linked: 2, Orphans: 1, day: 10, grown: 3}},
		{"a page leaves", func(s *Siblings) { s.Recount(Linked, Uncounted) }, Siblings{Linked: 2, day: 10, grown: 3}},
		{"a look comes late", func(s *Siblings) { s.Grow(9) }, Siblings{Linked: 3, day: 10, grown: 4}},
		{"a new day", func(s *Siblings) { s.Grow(12) }, Siblings{Linked: 3, day: 12, grown: 1}},
		{"a clock was ahead", func(s *Siblings) { s.Grow(5) }, Siblings{Linked: 3, day: 5, grown: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := linked
			if tt.change(&s); s != tt.want {
				t.Errorf("%+v, want %+v", s, tt.want)
			}
			if got := ReadSiblings(s.Encode()); got != s {
				t.Errorf("stored as %+v, want %+v", got, s)
			}
		})
	}
	for day, want := range map[int64]int{8: 0, 9: 3, 10: 3, 11: 0} {
		if got := linked.GrownOn(day); got != want {
			t.Errorf("on day %d it has grown by %d, want %d", day, got, want)
		}
	}
	if new(Siblings).Encode() != nil {
		t.Error("nothing is stored as something")
	}
}
