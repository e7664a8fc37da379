package marks

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/servemap/servemap/internal/eval/kit"
)

// crawl describes a crawler that has a page since its first observation, and fetches it again by
// some rule.
type crawl struct {
	rule          string
	visits        int // all fetches, judged or not
	fetches       int // judged fetches
	changes, seen int
	span          int64 // from the first observation of each page to the last, in seconds
}

func (c *crawl) add(d crawl) {
	c.rule = d.rule
	c.visits, c.fetches = c.visits+d.visits, c.fetches+d.fetches
	c.changes, c.seen = c.changes+d.changes, c.seen+d.seen
	c.span += d.span
}

// crawled judges fetches at some times, in order. The first fetch after a change sees it,
// unless another change came in between. A fetch without a change to see is not judged if the truth of
// an observation since the fetch before is unknown, even if the page was visited again before the fetch.
func (p *judged) crawled(rule string, at []int64) crawl {
	c := crawl{rule: rule, visits: len(at), changes: len(p.changes), span: p.fetches[len(p.fetches)-1] - p.fetches[0]}
	had, change, unclear, visit := p.fetches[0], int64(0), int64(0), 0
	for _, t := range at {
		for ; visit < len(p.fetches) && p.fetches[visit] <= t; visit++ {
			switch n := p.fetches[visit]; {
			case p.changes[n]:
				change = n
			case p.unclear[n]:
				unclear = n
			}
		}
		if change > had {
			c.seen++
		}
		c.fetches += kit.One(change > had || unclear <= had)
		had = t
	}
	return c
}

// every returns the times of a crawler that fetches a page again and again after an
// interval in seconds. The number of the page spreads the first fetches of pages evenly
// over the interval.
func (p *judged) every(interval int64, number int) (at []int64) {
	_, phase := math.Modf(float64(number+1) * math.Phi)
	for t := p.fetches[0] + 1 + int64(phase*float64(interval)); t <= p.fetches[len(p.fetches)-1]; t += interval {
		at = append(at, t)
	}
	return at
}

// visit makes the crawler of a detector read the sitemap right after the last observation. It
// fetches the page if its date is newer than the last fetch.
func (d *dates) visit(date, visit, first int64) {
	had := first
	if n := len(d.visits); n > 0 {
		had = d.visits[n-1]
	}
	if date > had {
		d.visits = append(d.visits, visit)
	}
}

// crawls replays the crawlers over the pages of a site: one without a sitemap, which
// fetches as often as ours, and one with the dates of each detector.
func crawls(pages []*judged) []crawl {
	list := make([]crawl, len(baselines)+1)
	for _, p := range pages {
		for i, b := range baselines {
			list[i].add(p.crawled("lastmod by "+b.name, p.dated[i].visits))
		}
		list[len(list)-1].add(p.crawled("lastmod by ours", p.dated[len(baselines)].visits))
	}
	ours := list[len(list)-1]
	evenly := crawl{}
	for n, p := range pages {
		var at []int64
		if ours.visits > 0 {
			at = p.every(max(1, ours.span/int64(ours.visits)), n)
		}
		evenly.add(p.crawled("no sitemap, as often as by ours", at))
	}
	return slices.Insert(list, 0, evenly)
}

// printCrawls writes what the crawlers fetched and saw.
func printCrawls(w io.Writer, list []crawl) {
	fmt.Fprintf(w, "  %-36s %18s %8s\n", "a crawler that fetches by", "fetches per change", "seen")
	for _, c := range list {
		if c.changes > 0 {
			fmt.Fprintf(w, "  %-36s %18.2f %6.1f %%\n", c.rule, float64(c.fetches)/float64(c.changes), 100*kit.Share(c.seen, c.changes))
		}
	}
}
