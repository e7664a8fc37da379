package merge

import (
	"time"

	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/priority"
	"github.com/servemap/servemap/internal/record"
)

// ranking says how important the page is among the others. Links to it change it, and
// the review.
type ranking struct {
	inbound  priority.Inbound // the pages that lead to it, as far as they are counted
	priority uint8            // inferred, in tenths, 0 for none
}

func (r *ranking) encode(e *record.Encoder) {
	e.Uint(fieldsRanking, uint64(r.inbound))
	e.Uint(fieldsRanking+1, uint64(r.priority))
}

func (r *ranking) decode(f record.Field) bool {
	switch f.Num {
	case fieldsRanking:
		r.inbound = priority.Inbound(f.Value)
	case fieldsRanking + 1:
		r.priority = uint8(min(f.Value, priority.Most))
	default:
		return false
	}
	return true
}

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

// listing says where the page is in the sitemap, and in the journal. Only
// [Batch.Settle] and [Batch.move] change it.
type listing struct {
	part   int         // that lists it, or did; 0 if it was never listed
	logged moment.Time // its last event, see journal.Journal.Note
}

func (l *listing) encode(e *record.Encoder) {
	e.Uint(fieldsListing, uint64(l.part))
	e.Time(fieldsListing+1, l.logged)
}

func (l *listing) decode(f record.Field) bool {
	switch f.Num {
	case fieldsListing:
		l.part = f.Count()
	case fieldsListing + 1:
		l.logged = f.Time()
	default:
		return false
	}
	return true
}
