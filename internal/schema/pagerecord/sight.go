package pagerecord

import (
	"bytes"

	"github.com/servemap/servemap/internal/decide/moment"
)

// Sight is what changes in a page's record when an observation finds the page unchanged. A crash may lose it: then the
// page was last seen a little earlier, and less is known of how rarely it changes.
type Sight struct {
	lastSeen     moment.Time
	status       int
	observations uint64
	bodyHash     uint64
	readAt       moment.Time
	foreign      moment.Time
	lastVisit    uint32
	quiet        uint16
}

func (p *Page) sight() Sight {
	now := p.Rate.Now
	return Sight{p.LastSeen, p.Status, p.Observations, p.BodyHash, p.ReadAt, p.Foreign, now.LastVisit, now.Quiet}
}

// Sighted returns the record of a page after a sight.
func Sighted(record []byte, s Sight) []byte {
	p, err := Decode(record)
	if err != nil {
		return record
	}
	now := &p.Rate.Now
	p.LastSeen, p.Status, p.Observations = s.lastSeen, s.status, s.observations
	p.BodyHash, p.ReadAt, p.Foreign = s.bodyHash, s.readAt, s.foreign
	now.LastVisit, now.Quiet = s.lastVisit, s.quiet
	return p.Encode()
}

// SightBetween returns the sight that makes one record of a page the next. ok is false if anything else changed.
func SightBetween(before, after []byte) (s Sight, ok bool) {
	p, err := Decode(after)
	if err != nil {
		return s, false
	}
	s = p.sight()
	return s, bytes.Equal(Sighted(before, s), after)
}
