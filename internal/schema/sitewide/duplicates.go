package sitewide

import (
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
)

// Duplicates is the record of one content. It has the one page with this content that is listed, and the IDs of all
// pages that show it and would be listed if no other did.
type Duplicates struct {
	Listed string   `cbor:"1,keyasint,omitzero"` // a location, "" for none
	IDs    []uint64 `cbor:"2,keyasint,omitzero"` // of the members
	// the IDs of listed pages that suddenly show it, and had another content before
	Borrowers []uint64 `cbor:"3,keyasint,omitzero"`
}

// ReadDuplicates reads what Encode wrote. id returns the ID of a location.
func ReadDuplicates(b []byte, id func(location string) uint64) (d Duplicates) {
	if codec.Unmarshal(b, &d) != nil || d.Listed != "" && !keys.IsLocation(d.Listed) {
		d = Duplicates{}
	}
	if len(d.IDs) == 0 && OwnPage(d.Listed) {
		d.IDs = []uint64{id(d.Listed)}
	}
	return d
}

// Encode returns nil if there is nothing to remember. A lone listed member is not stored: it
// follows from the location, and most contents have no other member.
func (d Duplicates) Encode(id func(location string) uint64) []byte {
	if len(d.IDs) == 1 && OwnPage(d.Listed) && d.IDs[0] == id(d.Listed) {
		d.IDs = nil
	}
	return codec.MarshalOrNil(d)
}

// OwnPage reports whether a location counts as a page of its own among those with one content. A
// query that changes nothing makes no page.
func OwnPage(location string) bool { return location != "" && !strings.Contains(location, "?") }

// membersKept bounds the members of one content. It is above the size of a cluster, so that a cluster does not end when
// one member leaves.
const membersKept = eligibility.ClusterSize + 12

// Members returns how many pages show the content.
func (d *Duplicates) Members() int { return len(d.IDs) }

// Join adds a page, unless it is a member or there are enough.
func (d *Duplicates) Join(id uint64) { d.IDs = with(d.IDs, id) }

// Leave removes a page.
func (d *Duplicates) Leave(id uint64) { d.IDs = without(d.IDs, id) }

// Borrow adds a borrower, unless there are enough.
func (d *Duplicates) Borrow(id uint64) { d.Borrowers = with(d.Borrowers, id) }

// Return removes a borrower.
func (d *Duplicates) Return(id uint64) { d.Borrowers = without(d.Borrowers, id) }

// BorrowedBeside reports whether there are borrowers besides one page.
func (d *Duplicates) BorrowedBeside(id uint64) bool {
	return slices.ContainsFunc(d.Borrowers, func(m uint64) bool { return m != id })
}

func with(ids []uint64, id uint64) []uint64 {
	if len(ids) < membersKept && !slices.Contains(ids, id) {
		ids = append(ids, id)
	}
	return ids
}

func without(ids []uint64, id uint64) []uint64 {
	return slices.DeleteFunc(ids, func(m uint64) bool { return m == id })
}
