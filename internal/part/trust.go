package part

import (
	"cmp"
	"slices"
)

// Trust says which given dates can be believed. It is derived, each time the
// files are rendered, from what the whole site shows.
type Trust struct {
	distrusted Sources
	stamps     [sources]stamp
}

// stamp is the stretch of time in which a build wrote most of the site's dates.
// The zero stamp is none.
type stamp struct{ from, to int64 }

func (t Trust) believes(s Source, date int64) bool {
	if s >= sources || t.distrusted.Has(s) {
		return false
	}
	st := t.stamps[s]
	return st.to == 0 || date < st.from || date > st.to
}

// A build writes its files in a burst: many in each second, all within minutes.
// Dates that people made are spread; two pages saved in the same second are
// rare, and crowdedSecond of them are none of theirs.
const (
	crowdedSecond = 3
	stampSpan     = 10 * 60
	crowdsKept    = 64
)

// dates sums up the given dates of one part, so that the dates of a whole site
// can be judged without keeping them.
type dates struct{ by [sources]crowds }

// crowds are the seconds that crowdedSecond or more pages of a part share, the
// most crowded ones if there are many.
type crowds struct {
	dated int
	top   []crowd
}

type crowd struct {
	second int64
	pages  int
}

// summarise counts the entries' dates. It keeps the most crowded seconds only.
func summarise(entries []listed) dates {
	var d dates
	for s := Server; s < sources; s++ {
		count := map[int64]int{}
		for i := range entries {
			if g := entries[i].Given[s]; g != 0 {
				count[g]++
				d.by[s].dated++
			}
		}
		for second, n := range count {
			if n >= crowdedSecond {
				d.by[s].top = append(d.by[s].top, crowd{second, n})
			}
		}
		slices.SortFunc(d.by[s].top, func(a, b crowd) int {
			return cmp.Or(cmp.Compare(b.pages, a.pages), cmp.Compare(a.second, b.second))
		})
		if len(d.by[s].top) > crowdsKept {
			d.by[s].top = slices.Clone(d.by[s].top[:crowdsKept])
		}
	}
	return d
}

// judge returns the trust that the parts' dates and the sources that were
// caught earn: a source is believed but for the dates within a build's stamp,
// which is there when the crowded seconds of one short stretch hold most of
// the pages that the source dates.
func judge(parts []dates, distrusted Sources) Trust {
	t := Trust{distrusted: distrusted}
	for s := Server; s < sources; s++ {
		dated := 0
		bySecond := map[int64]int{}
		for _, p := range parts {
			dated += p.by[s].dated
			for _, c := range p.by[s].top {
				bySecond[c.second] += c.pages
			}
		}
		t.stamps[s] = findStamp(bySecond, dated)
	}
	return t
}

func findStamp(bySecond map[int64]int, dated int) stamp {
	seconds := make([]int64, 0, len(bySecond))
	for second := range bySecond {
		seconds = append(seconds, second)
	}
	slices.Sort(seconds)
	var best stamp
	pages, most, from := 0, 0, 0
	for to, second := range seconds {
		pages += bySecond[second]
		for seconds[from] < second-stampSpan {
			pages -= bySecond[seconds[from]]
			from++
		}
		if pages > most && 2*pages > dated {
			most, best = pages, stamp{seconds[from], seconds[to]}
		}
	}
	return best
}
