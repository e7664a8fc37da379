package crawlers

import (
	"maps"
	"time"
)

const maxPages = 1 << 16 // pages that are followed; of a larger site a random half, quarter and so on

// pages remembers when each engine last fetched a listed page since the start, in Unix seconds, 0 for
// never.
type pages struct {
	of   map[uint64][engines]uint32 // by a hash of the location
	skip uint64                     // a page with one of these bits in its hash is not followed
}

// fetch notes that an engine fetched a page, and halves the sample if it is too large.
func (p *pages) fetch(e Engine, hash uint64, at time.Time) {
	if hash&p.skip != 0 {
		return
	}
	one := p.of[hash]
	one[e] = max(one[e], uint32(at.Unix()))
	p.of[hash] = one
	for len(p.of) > maxPages {
		p.skip = p.skip<<1 | 1
		maps.DeleteFunc(p.of, func(hash uint64, _ [engines]uint32) bool { return hash&p.skip != 0 })
	}
}

// count counts the pages that an engine fetched since each of some times and that are still listed. On
// a large site this is an estimate.
func (p *pages) count(e Engine, listed func(hash uint64) bool, times ...time.Time) []int {
	n := make([]int, len(times))
	for hash, one := range p.of {
		for i, t := range times {
			if one[e] != 0 && int64(one[e]) >= t.Unix() && listed(hash) {
				n[i] += int(p.skip + 1)
			}
		}
	}
	return n
}
