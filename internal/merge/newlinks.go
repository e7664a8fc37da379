package merge

import (
	"encoding/binary"
	"slices"

	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
)

// Novelty says whether what is new among the links of a page is new on the site.
type Novelty uint8

// The novelties.
const (
	NoNews    Novelty = iota // it may have been there before
	maybeNews                // it is, if what is held turns out to be a change
	sureNews
)

// novelty compares what was known of a page before the look with what is known after. A
// page that had not been read may have had its links before.
func (k *Look) novelty(after *Page) Novelty {
	switch {
	case !k.Before.read:
		return NoNews
	case after.dates.Changes() > k.Before.dates.Changes() && after.dates.LastChange() == k.Moment().Second():
		return sureNews
	case after.mark.Holds(k.At.Unix()):
		return maybeNews
	}
	return NoNews
}

// newLinks are links of a page to locations that nobody knew. They were first seen at a
// look which may have been the first to show a change, and at each look since.
type newLinks []newLink

type newLink struct {
	since moment.Time // the look, to the second
	to    uint64      // the ID of the location
}

// newLinksKept bounds the new links of one page.
const newLinksKept = 8

func (list newLinks) encode() (b []byte) {
	for _, n := range list {
		b = binary.AppendVarint(b, n.since.Seconds())
		b = binary.BigEndian.AppendUint64(b, n.to)
	}
	return b
}

func decodeNewLinks(b []byte) (list newLinks) {
	for len(b) > 0 && len(list) < newLinksKept {
		since, n := binary.Varint(b)
		if n <= 0 || len(b) < n+8 {
			return nil
		}
		list = append(list, newLink{moment.Seconds(record.Seconds(since)), binary.BigEndian.Uint64(b[n:])})
		b = b[n+8:]
	}
	return list
}

// await notes that a page, by what may be a change, leads to locations that nobody knew.
func (m *Batch) await(k *Look, unheard []string) {
	from, known := m.Load(k.Location)
	if !known {
		return
	}
	for _, location := range unheard[:min(len(unheard), max(0, newLinksKept-len(from.newLinks)))] {
		from.newLinks = append(from.newLinks, newLink{k.Moment().Second(), m.site.ID(location)})
	}
	m.Save(from)
}

// announcement is a location that turns out to be that of a new page, to which no look
// before the one at since saw a link.
type announcement struct {
	location string
	since    moment.Time
}

// keepLinks drops the new links that the look does not show, and notes those that
// announced new pages, as the change turns out to be one.
func (m *Batch) keepLinks(k *Look, s *Page, c comparison) {
	if _, variety := s.dates.Held(); len(s.newLinks) == 0 || k.VarietyKey != variety {
		return
	}
	shown := make(map[uint64]string, len(k.Links))
	for _, ln := range k.Links {
		if ln.Main {
			shown[m.site.ID(ln.Location)] = ln.Location
		}
	}
	s.newLinks = slices.DeleteFunc(s.newLinks, func(n newLink) bool {
		location, there := shown[n.to]
		if is := c.outcome == mark.Changed && c.since == n.since; there && is {
			s.loaded.announced = append(s.loaded.announced, announcement{location, n.since})
			return true
		}
		return !there
	})
}

// announce notes that the locations which a page announced are those of new pages.
func (m *Batch) announce(k *Look, s *Page) {
	for _, a := range s.loaded.announced {
		if to, known := m.Load(a.location); known && to.becomesNew(a.since, k.Moment().Second()) {
			m.Save(to)
		}
	}
	s.loaded.announced = nil
}

// becomesNew notes at a look that the location is that of a new page, to which the first
// link was seen at since, and reports whether that is news.
func (s *Page) becomesNew(since, at moment.Time) bool {
	if s.firstSeen == 0 {
		s.dates.Announce()
		return true
	}
	return s.dates.AnnouncedLate(s.firstSeen, since, at)
}
