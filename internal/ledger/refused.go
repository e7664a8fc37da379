package ledger

import (
	"encoding/binary"
	"time"

	"github.com/servemap/servemap/internal/admit"
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

// severalNetworks stands in state.missingNet for more than one.
const severalNetworks = 1 << 17

// refusal is what is known of one network by the listed pages that it was refused.
// Times are in Unix seconds.
type refusal struct {
	network uint32 // see look.net
	since   int64  // when it took out the first of the missing pages
	missing int    // pages that it alone took out by 404s in the day after that
	wrongAt int64  // when others last got a page that it was refused
	wrong   int    // how many those were, none of them more than a day apart
}

// age forgets what lies more than a day back.
func (r *refusal) age(now int64) {
	over := func(since int64) bool { return now-since < 0 || now-since >= int64(anotherDay/time.Second) }
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
		b := binary.AppendUvarint(nil, uint64(r.network))
		b = binary.AppendVarint(b, r.since)
		b = binary.AppendUvarint(b, uint64(r.missing))
		b = binary.AppendVarint(b, r.wrongAt)
		e.Bytes(1, binary.AppendUvarint(b, uint64(r.wrong)))
	}
	e.Keep(all.unread)
	return e.SealAny()
}

func decodeRefusal(b []byte) (r refusal, ok bool) {
	var n [5]int64
	for i := range n {
		var v int64
		var size int
		if i == 1 || i == 3 {
			v, size = binary.Varint(b)
			v = record.Seconds(v)
		} else {
			var u uint64
			u, size = binary.Uvarint(b)
			v = int64(record.Count(u))
		}
		if size <= 0 {
			return refusal{}, false
		}
		n[i], b = v, b[size:]
	}
	return refusal{uint32(n[0]), n[1], int(n[2]), n[3], int(n[4])}, true
}

// find returns what is known of a network at now, and where it stands, -1 if
// nothing is.
func (all *refusals) find(network uint32, now int64) (refusal, int) {
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
func (m *merge) refusal(network uint32) refusal {
	all := readRefusals(m.Get(m.l.keys.Refusals()))
	r, _ := all.find(network, m.now.Unix())
	return r
}

// changeRefusal changes what is known of a network.
func (m *merge) changeRefusal(network uint32, change func(*refusal)) {
	all := readRefusals(m.Get(m.l.keys.Refusals()))
	r, at := all.find(network, m.now.Unix())
	change(&r)
	all.put(r, at)
	m.Put(m.l.keys.Refusals(), all.encode())
}

// ignores reports whether it counts for nothing that a network was refused a page,
// since it is refused others that everybody gets. That a page is missing may count
// a day later where no network is known, or no page would ever leave there while one
// of all clients is refused.
func (m *merge) ignores(network uint32, why admit.Reason) bool {
	if network == 0 && why == admit.NotFound || network == severalNetworks {
		return false
	}
	return m.blocked(network)
}

// blocked reports whether a network is refused pages that others get.
func (m *merge) blocked(network uint32) bool { return m.refusal(network).wrong >= refusedMany }

// suffices reports whether it is enough that this network found a page missing.
func (m *merge) suffices(network uint32) bool {
	r := m.refusal(network)
	return r.wrong < refusedMany && r.missing < max(missingAlone, (m.l.tally.listed()+r.missing)/missingShare)
}

// refuted notes that somebody got a page that another network was refused.
func (m *merge) refuted(k *look, s *state) {
	net := s.missingNet
	if s.missing == 0 || variable(s.missingWhy) || net == severalNetworks || net != 0 && net == k.net() {
		return
	}
	m.changeRefusal(net, func(r *refusal) {
		r.wrong, r.wrongAt = r.wrong+1, m.now.Unix()
		m.effects.refused = m.effects.refused || r.wrong >= refusedMany
	})
}
