package ledger

import (
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/priority"
)

// weight returns what a listed page weighs among the others.
func (s *state) weight(now time.Time) priority.Weight {
	return priority.Weigh(s.inbound, s.looks, now.Sub(time.Unix(s.firstSeen, 0)))
}

// rank counts a listed page among those that are ranked.
func (l *Ledger) rank(s *state, now time.Time) {
	if l.cfg.InferPriority && s.listed() {
		l.review.ranks.Add(s.weight(now))
	}
}

// takeRanks keeps the ranks of a whole pass, and reports whether they are the
// first ones.
func (l *Ledger) takeRanks(ranks priority.Ranks) (first bool) {
	if !l.cfg.InferPriority || ranks == (priority.Ranks{}) {
		return false
	}
	first, l.ranks = l.ranks == nil, &ranks
	return first
}

// ranked returns the priority that the ranks of the last pass give a listed page.
// Without them it stays as it is.
func (l *Ledger) ranked(s *state, now time.Time) uint8 {
	if !l.cfg.InferPriority || l.ranks == nil || !s.listed() {
		return s.priority
	}
	return priority.Settle(s.priority, l.ranks.Of(s.weight(now)))
}

// countLink notes that k's page leads to the location, and reports whether that is
// news.
func (l *Ledger) countLink(k *look, to *state) bool {
	if !l.cfg.InferPriority {
		return false
	}
	before := to.inbound
	to.inbound = before.Add(xxh3.HashString(k.Location))
	return to.inbound != before
}

// linkKey returns under what a link that k follows is remembered: where links are
// counted, each is merged once from each of the pages that are told apart.
func (l *Ledger) linkKey(k *look, location string) uint64 {
	if !l.cfg.InferPriority {
		return xxh3.HashString(location)
	}
	return xxh3.HashStringSeed(location, uint64(priority.Inbound(0).Add(xxh3.HashString(k.Location))))
}
