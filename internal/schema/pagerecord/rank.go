package pagerecord

import (
	"github.com/servemap/servemap/internal/decide/eligibility"
)

// worthForever is the worth of a record that is never dropped.
const worthForever = 4

// worth ranks a waiting location by what would be lost with its record.
func (p *Page) worth() uint8 {
	switch {
	case p.Barred:
		return worthForever
	case p.Link && p.Witnessed:
		return 3
	case p.Link:
		return 2
	case p.Witnessed && p.Content == eligibility.None && len(p.Networks) > 1:
		return 1
	}
	return 0
}

// rankShift is the position of the worth in a rank. Below it is the time of the last look, or link,
// in milliseconds.
const rankShift = 56

// Rank returns the rank of a waiting record: if there are too many, the lowest goes first. An
// unreadable record goes before all others. keep says that the record never goes.
func Rank(value []byte) (rank uint64, keep bool) {
	p, err := Decode(value)
	if err != nil {
		return 0, false
	}
	return uint64(p.worth())<<rankShift | uint64(max(0, p.LastSeen, p.LinkAt)), p.worth() == worthForever
}
