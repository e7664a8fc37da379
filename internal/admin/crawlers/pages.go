package crawlers

import (
	"maps"
	"slices"
	"time"
)

// maxPages is how many pages are followed. Of a larger site a random half, quarter and so
// on of all pages is followed.
const maxPages = 1 << 16

// early is how long before the noted time of a change a fetch may have seen it. The change
// may have been found in that very fetch, which is read some seconds later.
const early = time.Minute

// maxDelays is how many delays of an engine are remembered, the last ones.
const maxDelays = 100

// second is a time in Unix seconds, 0 for none. It takes half the memory of a moment.
type second uint32

func secondOf(t time.Time) second { return second(max(1, t.Unix())) }

// sub returns how long after u the time s is.
func (s second) sub(u second) time.Duration {
	return time.Duration(int64(s)-int64(u)) * time.Second
}

// page is what is known of one listed page since the start.
type page struct {
	changed second          // when it was listed or changed last
	fetched [engines]second // when each engine fetched it last
}

// pages remembers when listed pages changed and were fetched.
type pages struct {
	of     map[uint64]page // by a hash of the location
	skip   uint64          // a page with one of these bits in its hash is not followed
	delays [engines][]time.Duration
}

func newPages() pages { return pages{of: map[uint64]page{}} }

// fetch notes that an engine fetched a page.
func (p *pages) fetch(e Engine, hash uint64, at second) {
	if hash&p.skip != 0 {
		return
	}
	one := p.of[hash]
	if one.changed != 0 && at.sub(one.changed) >= -early && one.changed.sub(one.fetched[e]) > early {
		p.delayed(e, at.sub(one.changed))
	}
	one.fetched[e] = max(one.fetched[e], at)
	p.put(hash, one)
}

// change notes that a page was listed or changed. The same change may be noted again. A
// later fetch that is known already counts as the first fetch after it.
func (p *pages) change(hash uint64, at second) {
	one := p.of[hash]
	if hash&p.skip != 0 || at <= one.changed {
		return
	}
	one.changed = at
	for e, fetched := range one.fetched {
		if fetched != 0 && fetched.sub(at) >= -early {
			p.delayed(Engine(e), fetched.sub(at))
		}
	}
	p.put(hash, one)
}

func (p *pages) delayed(e Engine, d time.Duration) {
	p.delays[e] = append(p.delays[e], max(0, d))
	if n := len(p.delays[e]); n > maxDelays {
		p.delays[e] = slices.Delete(p.delays[e], 0, n-maxDelays)
	}
}

// put stores what is known of a page, and halves the sample if it is too large.
func (p *pages) put(hash uint64, one page) {
	p.of[hash] = one
	for len(p.of) > maxPages {
		p.skip = p.skip<<1 | 1
		maps.DeleteFunc(p.of, func(hash uint64, _ page) bool { return hash&p.skip != 0 })
	}
}

// fetchedSince counts, by engine, the pages that it fetched since a time and that are still
// listed. On a large site this is an estimate.
func (p *pages) fetchedSince(since second, listed func(hash uint64) bool) (n [engines]int) {
	for hash, one := range p.of {
		if one.fetched == [engines]second{} || !listed(hash) {
			continue
		}
		for e, at := range one.fetched {
			if at != 0 && at >= since {
				n[e] += int(p.skip + 1)
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
