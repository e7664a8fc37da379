package sitewide

import (
	"slices"
	"testing"
)

// idOf returns IDs that tell the locations of these tests apart.
func idOf(location string) uint64 { return uint64(len(location)) }

func TestDuplicatesAreReadAsTheyWereWritten(t *testing.T) {
	for _, tt := range []struct {
		name    string
		listed  string
		members []uint64
		bytes   int // of the record, 0 for none
	}{
		{"none", "", nil, 0},
		{"a lone listed page follows from its location", "/a", []uint64{2}, 10},
		{"a lone page that is not listed", "", []uint64{7}, 9},
		{"a listed page and another", "/a", []uint64{2, 7}, 14},
		{"a listed page with a query is no member", "/a?b", nil, 12},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Duplicates{Listed: tt.listed}
			for _, id := range tt.members {
				d.Join(id)
				d.Join(id) // it is already a member
			}
			b := d.Encode(idOf)
			got := ReadDuplicates(b, idOf)
			if got.Listed != tt.listed || !slices.Equal(got.IDs, tt.members) || len(b) != tt.bytes {
				t.Errorf("stored as %+v in %d bytes, want %+v in %d", got, len(b), d, tt.bytes)
			}
			for i, id := range tt.members {
				if got.Leave(id); got.Members() != len(tt.members)-1-i {
					t.Errorf("%d members after %d left", got.Members(), i+1)
				}
			}
		})
	}
}

func TestMembersOfAContentAreBounded(t *testing.T) {
	var d Duplicates
	for id := range uint64(2 * membersKept) {
		d.Join(id)
	}
	if d.Members() != membersKept {
		t.Errorf("%d members, want %d", d.Members(), membersKept)
	}
}

func TestSiblingsAreReadAsTheyWereWritten(t *testing.T) {
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
		{"as they are", func(*Siblings) {}, Siblings{Linked: 3, Day: 10, Grown: 3}},
		{"an orphan comes", func(s *Siblings) { s.Recount(Uncounted, Orphan) }, Siblings{Linked: 3, Orphans: 1, Day: 10, Grown: 3}},
		{"a page becomes an orphan", func(s *Siblings) { s.Recount(Linked, Orphan) }, Siblings{Linked: 2, Orphans: 1, Day: 10, Grown: 3}},
		{"a page leaves", func(s *Siblings) { s.Recount(Linked, Uncounted) }, Siblings{Linked: 2, Day: 10, Grown: 3}},
		{"an observation comes late", func(s *Siblings) { s.Grow(9) }, Siblings{Linked: 3, Day: 10, Grown: 4}},
		{"a new day", func(s *Siblings) { s.Grow(12) }, Siblings{Linked: 3, Day: 12, Grown: 1}},
		{"a clock was ahead", func(s *Siblings) { s.Grow(5) }, Siblings{Linked: 3, Day: 5, Grown: 1}},
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
