package lastmod

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
)

// A Stamp is the stretch of time in which a build wrote most of a source's dates.
// The zero Stamp is none.
type Stamp struct{ From, To moment.Time }

func (st Stamp) holds(date moment.Time) bool {
	return st != Stamp{} && st.From <= date && date <= st.To
}

// Stamps are the stamps that were found, the latest first; the rest are zero.
type Stamps [stampsKept]Stamp

// stampsKept bounds the stamps. If there are more, the two earliest are joined,
// with all between them: a site with so many builds has no old dates worth
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

// A build writes its files in a burst: many in each second, all within minutes.
// Dates that people made are spread: two pages are seldom saved in the same
// second.
const (
	crowdedSecond = 3 // people do not save so many pages in one second
	stampSpan     = 10 * time.Minute
	crowdsKept    = 64
	surePages     = 100 // so many dated pages are enough to know the site
)

// A Summary sums up the given dates of one file, so that the dates of a whole
// site can be judged without keeping them. For each source it holds the seconds
// that crowdedSecond or more pages share, the most crowded first.
type Summary Given[crowds]

type crowds struct {
	dated int // pages with a date
	top   []crowd
}

type crowd struct {
	second moment.Time
	pages  int
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

// Summarise counts the dates, and sorts them.
func (g *Gatherer) Summarise() (sum Summary) {
	for s := Server; s < sources; s++ {
		slices.Sort(g[s])
		c := crowds{dated: len(g[s])}
		for rest := g[s]; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n] == rest[0] {
				n++
			}
			if n >= crowdedSecond {
				c.top = append(c.top, crowd{rest[0], n})
			}
			rest = rest[n:]
		}
		slices.SortStableFunc(c.top, func(a, b crowd) int { return cmp.Compare(b.pages, a.pages) })
		if len(c.top) > crowdsKept {
			c.top = slices.Clone(c.top[:crowdsKept])
		}
		sum[s] = c
	}
	return sum
}

// Judge returns known with the stamps added that the files' dates show. A stamp
// exists if the crowded seconds of one short stretch have most of the pages that
// the source dates. If there are enough of them, it stays, whatever pages come
// later.
func Judge(files []Summary, known Trust) Trust {
	for s := Server; s < sources; s++ {
		dated := 0
		bySecond := map[moment.Time]int{}
		for _, f := range files {
			dated += f[s].dated
			for _, c := range f[s].top {
				bySecond[c.second] += c.pages
			}
		}
		known[s].Likely = findStamp(bySecond, dated)
		if dated >= surePages {
			known[s].Stamps, known[s].Likely = known[s].Stamps.With(known[s].Likely), Stamp{}
		}
	}
	return known
}

func findStamp(bySecond map[moment.Time]int, dated int) Stamp {
	seconds := make([]moment.Time, 0, len(bySecond))
	for second := range bySecond {
		seconds = append(seconds, second)
	}
	slices.Sort(seconds)
	var best Stamp
	pages, most, from := 0, 0, 0
	for to, second := range seconds {
		pages += bySecond[second]
		for seconds[from].Add(stampSpan) < second {
			pages -= bySecond[seconds[from]]
			from++
		}
		if pages > most && 2*pages > dated {
			most, best = pages, Stamp{seconds[from], seconds[to]}
		}
	}
	return best
}

// Encode adds the summary to a record, as a field for each source from num on.
func (sum *Summary) Encode(e *record.Encoder, num int) {
	for s := Server; s < sources; s++ {
		e.Bytes(num+int(s), sum[s].encode())
	}
}

// Decode takes a field that Encode wrote, and reports whether it is one.
func (sum *Summary) Decode(f record.Field, num int) bool {
	if s := f.Num - num; s >= int(Server) && s < int(sources) {
		sum[s] = readCrowds(f.Data)
		return true
	}
	return false
}

// encode returns nil for no dates.
func (c crowds) encode() []byte {
	if c.dated == 0 {
		return nil
	}
	b := binary.AppendUvarint(nil, uint64(c.dated))
	for _, t := range c.top {
		b = binary.AppendVarint(b, t.second.Seconds())
		b = binary.AppendUvarint(b, uint64(t.pages))
	}
	return b
}

func readCrowds(b []byte) (c crowds) {
	dated, n := binary.Uvarint(b)
	for b = b[max(0, n):]; n > 0 && len(b) > 0; {
		second, n := binary.Varint(b)
		if n <= 0 {
			break
		}
		pages, m := binary.Uvarint(b[n:])
		if m <= 0 {
			break
		}
		c.top, b = append(c.top, crowd{moment.Seconds(record.Seconds(second)), record.Count(pages)}), b[n+m:]
	}
	c.dated = record.Count(dated)
	return c
}
