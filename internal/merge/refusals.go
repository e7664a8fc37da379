package merge

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
)

// A site may refuse one client what it shows to everybody else, and say so by a
// 401, 403 or 404, by a redirect to a log-in or to another host. So what one client
// is told takes no page out by itself:
//
//   - A refusal counts when a second network is refused too, or the same one a day
//     later, and nobody got the page in between. A 404 of a client of whom nothing
//     bad is known counts after a minute.
//   - A network that has taken out as many pages by 404s as a site loses in a day
//     has its further ones judged like the other refusals.
//   - What a network is told counts for nothing while it is refused pages that
//     others get.
//
// All clients whose network is not known are taken for one network.
const (
	// anotherDay is how much later the same network must be told the same again.
	anotherDay = 24 * time.Hour
	// refusedMany is how many pages that others get a network must be refused in a
	// day. A few may be due to a moment in which the site answered wrongly.
	refusedMany = 5
	// missingAlone is how many pages one network alone can take out in a day by
	// 404s, also on a small site; on a large one it is a hundredth of the pages.
	missingAlone = 10
	missingShare = 100
	// refusalsKept bounds the networks that are remembered.
	refusalsKept = 64
)

// severalNetworks stands in doubt.missingNet for more than one.
const severalNetworks = 1 << 17

// refusal is what is known of one network by the listed pages that it was refused.
type refusal struct {
	network uint32      // see look.Look.Net
	since   moment.Time // when it took out the first of the missing pages
	missing int         // pages that it alone took out by 404s in the day after that
	wrongAt moment.Time // when others last got a page that it was refused
	wrong   int         // how many those were, none of them more than a day apart
}

// age forgets what lies more than a day back.
func (r *refusal) age(now moment.Time) {
	over := func(since moment.Time) bool { return now < since || now.Sub(since) >= anotherDay }
	if over(r.since) {
		r.since, r.missing = now, 0
	}
	if over(r.wrongAt) {
		r.wrong = 0
	}
}

// refusals are those of the networks that were refused pages last.
type refusals struct {
	of     []refusal
	unread record.Unread
}

// readRefusals reads what encode wrote; of a damaged record nothing is known.
func readRefusals(b []byte) (all refusals) {
	if b == nil {
		return all
	}
	unread, err := record.Read(b, func(f record.Field) bool {
		if f.Num != 1 {
			return false
		}
		if r, ok := decodeRefusal(f.Data); ok && len(all.of) < refusalsKept {
			all.of = append(all.of, r)
		}
		return true
	})
	if err != nil {
		return refusals{}
	}
	all.unread = unread
	return all
}

func (all *refusals) encode() []byte {
	var e record.Encoder
	for _, r := range all.of {
		var one record.Encoder
		one.Uint(1, uint64(r.network))
		one.Date(2, r.since)
		one.Uint(3, uint64(r.missing))
		one.Date(4, r.wrongAt)
		one.Uint(5, uint64(r.wrong))
		e.Bytes(1, one.Seal())
	}
	e.Keep(all.unread)
	return e.SealAny()
}

func decodeRefusal(b []byte) (r refusal, ok bool) {
	err := record.Open(b, func(f record.Field) {
		switch f.Num {
		case 1:
			r.network = uint32(f.Value)
		case 2:
			r.since = f.Date()
		case 3:
			r.missing = f.Count()
		case 4:
			r.wrongAt = f.Date()
		case 5:
			r.wrong = f.Count()
		}
	})
	return r, err == nil
}

// find returns what is known of a network at now, and where it stands, -1 if
// nothing is.
func (all *refusals) find(network uint32, now moment.Time) (refusal, int) {
	for i, r := range all.of {
		if r.network == network {
			r.age(now)
			return r, i
		}
	}
	return refusal{network: network, since: now}, -1
}

// put sets what is known of a network, in place of the one that was refused
// nothing for the longest time if need be.
func (all *refusals) put(r refusal, at int) {
	if at >= 0 {
		all.of[at] = r
		return
	}
	if len(all.of) < refusalsKept {
		all.of = append(all.of, r)
		return
	}
	oldest := 0
	for i, o := range all.of {
		if last := all.of[oldest]; max(o.since, o.wrongAt) < max(last.since, last.wrongAt) {
			oldest = i
		}
	}
	all.of[oldest] = r
}

// refusal returns what is known of a network.
func (m *Batch) refusal(network uint32) refusal {
	all := readRefusals(m.Get(m.site.Keys.Refusals()))
	r, _ := all.find(network, m.moment().Second())
	return r
}

// changeRefusal changes what is known of a network.
func (m *Batch) changeRefusal(network uint32, change func(*refusal)) {
	all := readRefusals(m.Get(m.site.Keys.Refusals()))
	r, at := all.find(network, m.moment().Second())
	change(&r)
	all.put(r, at)
	m.Put(m.site.Keys.Refusals(), all.encode())
}

// ignores reports whether it counts for nothing that a network was refused a page,
// since it is refused others that everybody gets. That a page is missing may count
// a day later where no network is known, or no page would ever leave there while one
// of all clients is refused.
func (m *Batch) ignores(network uint32, why admit.Reason) bool {
	if network == 0 && why == admit.NotFound || network == severalNetworks {
		return false
	}
	return m.blocked(network)
}

// blocked reports whether a network is refused pages that others get.
func (m *Batch) blocked(network uint32) bool { return m.refusal(network).wrong >= refusedMany }

// suffices reports whether it is enough that this network found a page missing.
func (m *Batch) suffices(network uint32) bool {
	r := m.refusal(network)
	return r.wrong < refusedMany && r.missing < max(missingAlone, (m.site.Listed+r.missing)/missingShare)
}

// refuted notes that somebody got a page that another network was refused.
func (m *Batch) refuted(k *Look, s *Page) {
	net := s.missingNet
	if s.missing == 0 || variable(s.missingWhy) || net == severalNetworks || net != 0 && net == k.Net {
		return
	}
	m.changeRefusal(net, func(r *refusal) {
		r.wrong, r.wrongAt = r.wrong+1, m.moment().Second()
		m.Effects.Refused = m.Effects.Refused || r.wrong >= refusedMany
	})
}
