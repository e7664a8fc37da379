package pagerecord

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/priority"
)

// worthForever is the worth of a record that is never dropped.
const worthForever = 4

// worth ranks a location that waits by what would be lost with its record.
func (p *Page) worth() uint8 {
	switch {
	case p.Barred:
		return worthForever
	case p.Link && p.Witnessed:
		return 3
	case p.Link:
		return 2
	case p.Witnessed && p.Content == admit.None && len(p.Networks) > 1:
		return 1
	}
	return 0
}

// rankShift is where the worth stands in a rank, above the time of the last look, or
// link, in milliseconds.
const rankShift = 56

// Rank returns where a record that waits stands in the order in which they go when there
// are too many. One that cannot be read goes first. keep says that it never goes.
func Rank(value []byte) (rank uint64, keep bool) {
	p, err := Decode(value)
	if err != nil {
		return 0, false
	}
	return uint64(p.worth())<<rankShift | uint64(max(0, p.LastSeen, p.LinkAt)), p.worth() == worthForever
}

// Weight returns what a listed page weighs among the others.
func (p *Page) Weight(now time.Time) priority.Weight {
	return priority.Weigh(p.Inbound, p.Looks, moment.Of(now).Sub(p.FirstSeen))
}
