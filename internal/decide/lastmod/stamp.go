package lastmod

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

// A Stamp is the stretch of time in which a build wrote most of a source's dates.
// The zero Stamp is none.
type Stamp struct{ From, To moment.Time }

func (st Stamp) holds(date moment.Time) bool {
	return st != Stamp{} && st.From <= date && date <= st.To
}

// Stamps are the stamps that were found, the latest first; the rest are zero.
type Stamps [stampsKept]Stamp

// stampsKept bounds the stamps. If there are more, the two earliest become one that
// includes all dates between them. A site with so many builds has no old dates worth
// believing.
const stampsKept = 8

func (ss *Stamps) hold(date moment.Time) bool {
	for _, st := range ss {
		if st == (Stamp{}) {
			return false
		}
		if st.holds(date) {
			return true
		}
	}
	return false
}

// With returns the stamps with one more. Stamps that touch it are joined to it.
func (ss Stamps) With(st Stamp) Stamps {
	if st == (Stamp{}) {
		return ss
	}
	all := make([]Stamp, 0, stampsKept+1)
	for _, old := range ss {
		switch {
		case old == Stamp{}:
		case old.From <= st.To.Add(stampSpan) && st.From <= old.To.Add(stampSpan):
			st = Stamp{min(st.From, old.From), max(st.To, old.To)}
		default:
			all = append(all, old)
		}
	}
	all = append(all, st)
	slices.SortFunc(all, func(a, b Stamp) int { return cmp.Compare(b.From, a.From) })
	if n := len(all); n > stampsKept {
		all[n-2].From = all[n-1].From
		all = all[:n-1]
	}
	var next Stamps
	copy(next[:], all)
	return next
}

func (ss Stamps) withAll(more Stamps) Stamps {
	for _, st := range more {
		ss = ss.With(st)
	}
	return ss
}

// A build writes most files of a site in one go, one right after the other. The time it
// takes grows with their number. Dates that people make are spread: they seldom save three
// pages within seconds.
const (
	burstGap   = 10 * time.Second // between two files of a build, at most
	burstPages = 3                // so many pages that come so close are a burst
	burstsKept = 64
	perPage    = 5 * time.Second // a build that takes longer per page looks like people's work
	stampSpan  = 10 * time.Minute
	longest    = 6 * time.Hour // no build takes longer
	surePages  = 100           // so many dated pages are enough to know the site
)

// A Summary sums up the given dates of one file. So the dates of a whole site can be judged
// without keeping them all. For each source it holds the bursts with the most pages.
type Summary Given[bursts]

type bursts struct {
	dated int // pages with a date
	top   []burst
}

// burst is some pages whose dates follow each other closely.
type burst struct {
	Stamp
	pages int
}

// A Gatherer collects the given dates of the pages of one file. The zero value is
// empty.
type Gatherer Given[[]moment.Time]

// Reset empties the gatherer, and keeps its memory.
func (g *Gatherer) Reset() {
	for s := range g {
		g[s] = g[s][:0]
	}
}

// Add adds the given dates of one page.
func (g *Gatherer) Add(c *Candidates) {
	for s := Server; s < sources; s++ {
		if c.Given[s] != 0 {
			g[s] = append(g[s], c.Given[s])
		}
	}
}

// Summarise sorts the dates and finds the bursts among them.
func (g *Gatherer) Summarise() (sum Summary) {
	for s := Server; s < sources; s++ {
		slices.Sort(g[s])
		all := bursts{dated: len(g[s])}
		for rest := g[s]; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n] <= rest[n-1].Add(burstGap) {
				n++
			}
			if n >= burstPages {
				all.top = append(all.top, burst{Stamp{rest[0], rest[n-1]}, n})
			}
			rest = rest[n:]
		}
		slices.SortStableFunc(all.top, func(a, b burst) int { return cmp.Compare(b.pages, a.pages) })
		if len(all.top) > burstsKept {
			all.top = slices.Clone(all.top[:burstsKept])
		}
		sum[s] = all
	}
	return sum
}

// Judge returns known plus the stamps that the files' dates show. A stamp exists if the
// bursts within one stretch of time have most of the pages that the source dates. The
// stretch may be as long as a build of so many pages takes. If there are enough pages, the
// stamp stays, whatever pages come later.
func Judge(files []Summary, known Trust) Trust {
	for s := Server; s < sources; s++ {
		var all bursts
		for _, f := range files {
			all.dated += f[s].dated
			all.top = append(all.top, f[s].top...)
		}
		known[s].Likely = all.stamp()
		if all.dated >= surePages {
			known[s].Stamps, known[s].Likely = known[s].Stamps.With(known[s].Likely), Stamp{}
		}
	}
	return known
}

// stamp returns the stretch that holds the most pages, if they are most of all pages.
func (all bursts) stamp() (best Stamp) {
	span := max(stampSpan, min(perPage*time.Duration(all.dated), longest))
	begins := slices.DeleteFunc(all.top, func(b burst) bool { return b.To > b.From.Add(span) })
	ends := slices.Clone(begins)
	slices.SortFunc(begins, func(a, b burst) int { return cmp.Compare(a.From, b.From) })
	slices.SortFunc(ends, func(a, b burst) int { return cmp.Compare(a.To, b.To) })
	pages, most, first := 0, all.dated/2, 0
	for _, last := range ends {
		for pages += last.pages; begins[first].From < last.To.Add(-span); first++ {
			pages -= begins[first].pages
		}
		if pages > most {
			most, best = pages, Stamp{begins[first].From, last.To}
		}
	}
	return best
}

// Fields lists the summary in a record, with two field numbers for each source from num on.
func (sum *Summary) Fields(f *codec.Fields, num int) {
	for s := Server; s < sources; s++ {
		sum[s].fields(f, num+2*int(s-Server))
	}
}

func (all *bursts) fields(f *codec.Fields, num int) {
	f.Count(num, &all.dated)
	f.Data(num+1, len(all.top), func(i int) []byte {
		b := all.top[i]
		return append(binary.AppendUvarint(nil, uint64(b.pages)), encodeTimes(0, []moment.Time{b.From, b.To})...)
	}, func(b []byte) {
		pages, n := binary.Uvarint(b)
		if t := decodeTimes(0, b[max(0, n):]); n > 0 && len(t) == 2 && t[1] != 0 && t[0] <= t[1] && len(all.top) < burstsKept {
			all.top = append(all.top, burst{Stamp{t[0], t[1]}, codec.Count(pages)})
		}
	})
}
