package files

import (
	"hash/maphash"
	"slices"
)

// locations is a set of locations, as sorted hashes. The hashes are in memory only
// and have another seed in each process, so that no stranger can know of two
// locations with one hash. nil holds none.
type locations []uint64

// hashOf returns what a set of locations holds of one.
func (f *Files) hashOf(location string) uint64 { return maphash.String(f.seed, location) }

// newLocations returns the set of these hashes, and keeps none of the slice.
func newLocations(hashes []uint64) locations {
	if len(hashes) == 0 {
		return nil
	}
	slices.Sort(hashes)
	return slices.Clone(slices.Compact(hashes))
}

func (s locations) has(hash uint64) bool {
	_, is := slices.BinarySearch(s, hash)
	return is
}

// without returns the set without some of its members.
func (s locations) without(gone locations) locations {
	return slices.DeleteFunc(slices.Clone(s), gone.has)
}
