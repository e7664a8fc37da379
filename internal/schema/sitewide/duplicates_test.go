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
