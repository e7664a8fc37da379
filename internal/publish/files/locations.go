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

// Hash names a location in this process, for [Files.Names]. It is never 0.
func (f *Files) Hash(location string) uint64 { return max(1, f.hashOf(location)) }

// Names reports whether a served file lists the location with a hash. A page that was
// withdrawn counts until the next file is made.
func (f *Files) Names(hash uint64) bool { return f.served.Load().lists(hash) }

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
