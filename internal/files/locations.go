package files

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// locations is a set of the locations of one file, in some 18 bits each. Of
// 65,536 locations that are not in it, it says of one or so that it is.
//
// What it keeps of a location are the first bits of a hash: so many, that there
// are about as many buckets as locations, and 16 more. The latter are in low,
// sorted by bucket; high has for each bucket a 1 for every member and then a 0.
// The zero value is empty.
type locations struct {
	buckets uint // how many bits tell the bucket
	low     []uint16
	high    []uint64
	begin   []uint32 // where in high the buckets 0, 64, 128 ... begin
}

// hashOf returns what a set of locations is made of. The sets are in memory only,
// and their seed is another one in each process, so that no stranger can know of
// locations for which they err.
func (f *Files) hashOf(location string) uint32 { return uint32(maphash.String(f.seed, location) >> 32) }

// newLocations returns the set of the locations with these hashes, which it
// sorts. A file has at most 65,536.
func newLocations(hashes []uint32) *locations {
	slices.Sort(hashes)
	s := &locations{buckets: uint(min(16, bits.Len(uint(len(hashes)))))}
	s.low = make([]uint16, len(hashes))
	s.high = make([]uint64, (len(hashes)+1<<s.buckets+63)/64)
	s.begin = make([]uint32, 0, (1<<s.buckets+63)/64)
	i, at := 0, 0
	for bucket := range 1 << s.buckets {
		if bucket%64 == 0 {
			s.begin = append(s.begin, uint32(at))
		}
		for ; i < len(hashes) && s.bucket(hashes[i]) == bucket; i++ {
			s.low[i] = s.rest(hashes[i])
			s.high[at/64] |= 1 << (at % 64)
			at++
		}
		at++
	}
	return s
}

func (s *locations) bucket(hash uint32) int { return int(uint64(hash) >> (32 - s.buckets)) }

// rest returns the bits after those that tell the bucket.
func (s *locations) rest(hash uint32) uint16 { return uint16(hash >> (16 - s.buckets)) }

// has reports whether the set holds the location with this hash. A nil set
// holds none.
func (s *locations) has(hash uint32) bool {
	if s == nil || len(s.low) == 0 {
		return false
	}
	bucket := s.bucket(hash)
	at := s.skip(int(s.begin[bucket/64]), bucket%64)
	rest := s.rest(hash)
	for ; s.high[at/64]>>(at%64)&1 == 1; at++ {
		if s.low[at-bucket] == rest {
			return true
		}
	}
	return false
}

// skip returns the place in high after the next zeros zeros from at on.
func (s *locations) skip(at, zeros int) int {
	for zeros > 0 {
		word := ^s.high[at/64] >> (at % 64) << (at % 64)
		if n := bits.OnesCount64(word); n < zeros {
			zeros -= n
			at = (at/64 + 1) * 64
			continue
		}
		for range zeros - 1 {
			word &= word - 1
		}
		return at/64*64 + bits.TrailingZeros64(word) + 1
	}
	return at
}

// equal reports whether both sets hold the same.
func (s *locations) equal(t *locations) bool {
	return s != nil && t != nil && slices.Equal(s.low, t.low) && slices.Equal(s.high, t.high)
}
