package lastmod

import (
	"cmp"
	"maps"
	"slices"

	"github.com/servemap/servemap/internal/decide/moment"
)

// A Build is the hour in which most dates of a source lie, so that they come from a build or
// a deployment. The zero Build is none. Hours are counted from the Unix epoch. A build that
// begins in one hour and ends in the next has two.
type Build struct{ First, Last int64 }

func (b Build) holds(date moment.Time) bool {
	h := hourOf(date)
	return b != Build{} && b.First <= h && h <= b.Last
}

func hourOf(t moment.Time) int64 { return t.Seconds() / 3600 }

const (
	leastBuilt = 3  // pages; fewer may well have been written in one hour
	hoursKept  = 32 // of one file, those with the most pages
)

// A Summary sums up the given dates of one file, so that a site's can be judged.
type Summary Given[Hours]

// Hours says how many dates of one source lie in which hours.
type Hours struct {
	Dated int // pages with a date
	Top   []Hour
}

// An Hour has the pages whose dates lie in it.
type Hour struct {
	At    int64
	Pages int
}

// A Gatherer collects the given dates of the pages of one file. The zero value is empty.
type Gatherer Given[map[int64]int]

// Add adds the date of one page, if it is a given one.
func (g *Gatherer) Add(d Date) {
	if d.Seen || !d.By.Gives() {
		return
	}
	if g[d.By] == nil {
		g[d.By] = map[int64]int{}
	}
	g[d.By][hourOf(d.At)]++
}

// Summarise returns the hours with the most dates.
func (g *Gatherer) Summarise() (sum Summary) {
	for _, s := range givers {
		for at, pages := range g[s] {
			sum[s].Dated += pages
			sum[s].Top = append(sum[s].Top, Hour{at, pages})
		}
		slices.SortFunc(sum[s].Top, func(a, b Hour) int { return cmp.Or(b.Pages-a.Pages, cmp.Compare(a.At, b.At)) })
		sum[s].Top = slices.Clone(sum[s].Top[:min(len(sum[s].Top), hoursKept)])
	}
	return sum
}

// Judge returns known with the builds that the dates of all files show: an hour, or two
// hours side by side, with more than half of all dates of a source.
func Judge(files []Summary, known Trust) Trust {
	for _, s := range givers {
		dated, pages := 0, map[int64]int{}
		for _, f := range files {
			dated += f[s].Dated
			for _, h := range f[s].Top {
				pages[h.At] += h.Pages
			}
		}
		var build Build
		most := max(dated/2, leastBuilt-1)
		for _, at := range slices.Sorted(maps.Keys(pages)) {
			for last, n := at, 0; last <= at+1; last++ {
				if n += pages[last]; n > most {
					most, build = n, Build{at, last}
				}
			}
		}
		known[s].Build = build
	}
	return known
}
