package ledger

import (
	"encoding/binary"
	"slices"

	"github.com/servemap/servemap/internal/mark"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
)

// novelty says whether what is new among the links of a page is new on the site.
type novelty uint8

const (
	noNews    novelty = iota // it may have been there before
	maybeNews                // it is, if what is held turns out to be a change
	sureNews
)

// novelty compares what was known of a page before the look with what is known
// after. A page that had not been read may have had its links before.
func (k *look) novelty(after *state) novelty {
	switch {
	case !k.before.read:
		return noNews
	case after.dates.Changes() > k.before.dates.Changes() && after.dates.LastChange() == moment.Of(k.At).Second():
		return sureNews
	case after.mark.Holds(k.At.Unix()):
		return maybeNews
	}
	return noNews
}

// newLink is a link to a location that nobody knew. It was first seen at a look
// which may have been the first to show a change, and at each look since.
type newLink struct {
	since int64  // the look, in Unix seconds
	to    uint64 // see secret.id
}

// newLinksKept bounds the new links of one page.
const newLinksKept = 8

// await notes that a page, by what may be a change, leads to locations that nobody
// knew.
func (m *merge) await(k *look, unheard []string) {
	from, known := m.load(k.Location)
	if !known {
		return
	}
	for _, location := range unheard[:min(len(unheard), max(0, newLinksKept-len(from.newLinks)))] {
		from.newLinks = append(from.newLinks, newLink{k.At.Unix(), m.l.id(location)})
	}
	m.save(k.Location, from)
}

// announcement is a location that turns out to be that of a new page, to which no
// look before the one at since, in Unix seconds, saw a link.
type announcement struct {
	location string
	since    int64
}

// keepLinks drops the new links that the look does not show, and notes those that
// announced new pages, as the change turns out to be one.
func (m *merge) keepLinks(k *look, s *state, f sighted) {
	if _, variety := s.dates.Held(); len(s.newLinks) == 0 || k.variety != variety {
		return
	}
	shown := make(map[uint64]string, len(k.links))
	for _, ln := range k.links {
		if ln.main {
			shown[m.l.id(ln.location)] = ln.location
		}
	}
	s.newLinks = slices.DeleteFunc(s.newLinks, func(n newLink) bool {
		location, there := shown[n.to]
		if is := f.outcome == mark.Changed && f.since == n.since; there && is {
			s.announced = append(s.announced, announcement{location, n.since})
			return true
		}
		return !there
	})
}

// announce notes that the locations which a page announced are those of new pages.
func (m *merge) announce(k *look, all []announcement) {
	for _, a := range all {
		if to, known := m.load(a.location); known && to.becomesNew(a.since, k.At.Unix()) {
			m.save(a.location, to)
		}
	}
}

// becomesNew notes at a look that the location is that of a new page, to which the
// first link was seen at since, and reports whether that is news.
func (s *state) becomesNew(since, at int64) bool {
	if s.firstSeen == 0 {
		s.dates.Announce()
		return true
	}
	return s.dates.AnnouncedLate(moment.Seconds(s.firstSeen), moment.Seconds(since), moment.Seconds(at))
}

func encodeNewLinks(list []newLink) (b []byte) {
	for _, n := range list {
		b = binary.AppendVarint(b, n.since)
		b = binary.BigEndian.AppendUint64(b, n.to)
	}
	return b
}

func decodeNewLinks(b []byte) (list []newLink) {
	for len(b) > 0 && len(list) < newLinksKept {
		since, n := binary.Varint(b)
		if n <= 0 || len(b) < n+8 {
			return nil
		}
		list = append(list, newLink{record.Seconds(since), binary.BigEndian.Uint64(b[n:])})
		b = b[n+8:]
	}
	return list
}
