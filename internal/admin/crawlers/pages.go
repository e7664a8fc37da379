package crawlers

import (
	"maps"
	"slices"
	"time"
)

const (
	maxPages  = 1 << 16     // pages that are followed; of a larger site a random half, quarter and so on
	maxDelays = 100         // delays of an engine that are remembered, the last ones
	early     = time.Minute // how long before the noted time of a change a fetch may have revealed it
)

// page is what is known of one listed page since the start, in Unix seconds. 0 is never.
type page struct {
	changed uint32          // when it was listed or changed last
	fetched [engines]uint32 // when each engine fetched it last
}

// pages remembers when listed pages changed and were fetched.
type pages struct {
	of     map[uint64]page // by a hash of the location
	skip   uint64          // a page with one of these bits in its hash is not followed
	delays [engines][]time.Duration
}

// fetch notes that an engine fetched a page.
func (p *pages) fetch(e Engine, hash uint64, at time.Time) {
	one := p.of[hash]
	before := one.fetched[e]
	if one.fetched[e] = max(before, uint32(at.Unix())); one.changed != 0 && since(before, one.changed) < -early {
		p.delayed(e, since(one.fetched[e], one.changed))
	}
	p.put(hash, one)
}

// change notes that a page was listed or changed. The same change may be noted again. A
// later fetch that is known already counts as the first fetch after it.
func (p *pages) change(hash uint64, at time.Time) {
	one, now := p.of[hash], uint32(at.Unix())
	if now <= one.changed {
		return
	}
	one.changed = now
	for e, fetched := range one.fetched {
		if fetched != 0 {
			p.delayed(Engine(e), since(fetched, now))
		}
	}
	p.put(hash, one)
}

// since returns how long after a change a fetch was.
func since(fetched, changed uint32) time.Duration {
	return time.Duration(int64(fetched)-int64(changed)) * time.Second
}

// delayed notes how long after a change a fetch was, unless it came before the change.
func (p *pages) delayed(e Engine, d time.Duration) {
	if d < -early {
		return
	}
	p.delays[e] = append(p.delays[e], max(0, d))
	p.delays[e] = p.delays[e][max(0, len(p.delays[e])-maxDelays):]
}

// put stores what is known of a page, and halves the sample if it is too large.
func (p *pages) put(hash uint64, one page) {
	if hash&p.skip == 0 {
		p.of[hash] = one
	}
	for len(p.of) > maxPages {
		p.skip = p.skip<<1 | 1
		maps.DeleteFunc(p.of, func(hash uint64, _ page) bool { return hash&p.skip != 0 })
	}
}

// count counts the pages that an engine fetched since each of some times and that are still
// listed. On a large site this is an estimate.
func (p *pages) count(e Engine, listed func(hash uint64) bool, times ...time.Time) []int {
	n := make([]int, len(times))
	for hash, one := range p.of {
		if one.fetched[e] == 0 || !listed(hash) {
			continue
		}
		for i, t := range times {
			if int64(one.fetched[e]) >= t.Unix() {
				n[i] += int(p.skip + 1)
			}
		}
	}
	return n
}

// median returns the median of an engine's delays, and how many delays there are.
func (p *pages) median(e Engine) (time.Duration, int) {
	n := len(p.delays[e])
	if n == 0 {
		return 0, 0
	}
	return slices.Sorted(slices.Values(p.delays[e]))[n/2], n
}
