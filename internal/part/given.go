package part

import (
	"cmp"
	"slices"
)

// given gathers the dates that the entries of one part were given, by source. The
// zero value is empty.
type given [sources][]int64

func (g *given) reset() {
	for s := range g {
		g[s] = g[s][:0]
	}
}

func (g *given) add(e *Entry) {
	for s := Server; s < sources; s++ {
		if e.Given[s] != 0 {
			g[s] = append(g[s], e.Given[s])
		}
	}
}

// summarise counts the dates, which it sorts. It keeps the most crowded seconds
// only.
func (g *given) summarise() dates {
	var d dates
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
		d.by[s] = c
	}
	return d
}
