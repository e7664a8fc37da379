package merge

import (
	"time"

	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/priority"
)

// Weight returns what a listed page weighs among the others.
func (p *Page) Weight(now time.Time) priority.Weight {
	return priority.Weigh(p.inbound, p.looks, moment.Of(now).Sub(p.firstSeen))
}

// ranked returns the priority that the ranks of all pages give a listed page. Without
// them it stays as it is.
func (site *Site) ranked(p *Page, now time.Time) uint8 {
	if !site.InferPriority || site.Ranks == nil || !p.Listed() {
		return p.priority
	}
	return priority.Settle(p.priority, site.Ranks.Of(p.Weight(now)))
}
