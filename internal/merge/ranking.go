package merge

import (
	"time"

	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/priority"
)

// Weight returns what a listed page weighs among the others.
func (s *Page) Weight(now time.Time) priority.Weight {
	return priority.Weigh(s.inbound, s.looks, moment.Of(now).Sub(s.firstSeen))
}

// ranked returns the priority that the ranks of all pages give a listed page. Without
// them it stays as it is.
func (site *Site) ranked(s *Page, now time.Time) uint8 {
	if !site.InferPriority || site.Ranks == nil || !s.Listed() {
		return s.priority
	}
	return priority.Settle(s.priority, site.Ranks.Of(s.Weight(now)))
}
