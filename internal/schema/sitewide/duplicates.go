package sitewide

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
)

// Duplicates is the record of one content. It has the IDs of the pages that show it and would each
// be listed if no other did, and the one that is listed.
type Duplicates struct {
	Listed string // a location, "" for none

	members []uint64
	unread  codec.Unread
}

// ReadDuplicates reads what Encode wrote. id returns the ID of a location.
func ReadDuplicates(b []byte, id func(location string) uint64) (d Duplicates) {
	d.unread, _ = codec.Read(b, codec.Into(d.fields))
	if len(d.members) == 0 && OwnPage(d.Listed) {
		d.members = []uint64{id(d.Listed)}
	}
	return d
}

// Encode returns nil if there is nothing to remember. A lone listed member is not stored: it
// follows from the location, and most contents have no other member.
func (d Duplicates) Encode(id func(location string) uint64) []byte {
	if len(d.members) == 1 && OwnPage(d.Listed) && d.members[0] == id(d.Listed) {
		d.members = nil
	}
	return codec.Write(d.fields, d.unread)
}

func (d *Duplicates) fields(f *codec.Fields) {
	f.Data(1, 1, func(int) []byte { return []byte(d.Listed) }, func(b []byte) {
		if listed := string(b); keys.IsLocation(listed) {
			d.Listed = listed
		}
	})
	f.Data(2, 1, func(int) (b []byte) {
		for _, id := range d.members {
			b = binary.BigEndian.AppendUint64(b, id)
		}
		return b
	}, func(b []byte) {
		for ; len(b) >= 8; b = b[8:] {
			d.members = append(d.members, binary.BigEndian.Uint64(b))
		}
	})
}

// OwnPage reports whether a location counts as a page of its own among those with one content. A
// query that changes nothing makes no page.
func OwnPage(location string) bool { return location != "" && !strings.Contains(location, "?") }

// membersKept bounds the members of one content. It exceeds the size of a cluster, so that one
// member that leaves does not end the cluster.
const membersKept = eligibility.ClusterSize + 12

// Members returns how many pages show the content.
func (d *Duplicates) Members() int { return len(d.members) }

// Join adds a page, unless it is a member or there are enough.
func (d *Duplicates) Join(id uint64) {
	if len(d.members) < membersKept && !slices.Contains(d.members, id) {
		d.members = append(d.members, id)
	}
}

// Leave removes a page.
func (d *Duplicates) Leave(id uint64) {
	d.members = slices.DeleteFunc(d.members, func(m uint64) bool { return m == id })
}
