package sitewide

import (
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

const (
	// refusedFor is how long a refusal counts.
	refusedFor = 24 * time.Hour
	// refusedMany is how many pages that others get a network must be refused in a day. A few may
	// come from a moment in which the site answered wrongly.
	refusedMany = 5
	// missingAlone is how many pages one network alone can remove in a day by 404s. On a large
	// site, it is one page in missingShare.
	missingAlone = 10
	missingShare = 100
	// refusalsKept bounds how many networks are remembered.
	refusalsKept = 64
)

// Refusal is what is known of one network that was refused listed pages.
type Refusal struct {
	Network uint32      `cbor:"1,keyasint,omitzero"` // see observation.Net
	Since   moment.Time `cbor:"2,keyasint,omitzero"` // when it removed the first of the missing pages
	Missing int         `cbor:"3,keyasint,omitzero"` // pages that it alone removed by 404s in the day after that
	WrongAt moment.Time `cbor:"4,keyasint,omitzero"` // when others last got a page that it was refused
	Wrong   int         `cbor:"5,keyasint,omitzero"` // how many such pages, each at most a day after the one before
}

// Blocked reports whether the network is refused pages that others get.
func (r Refusal) Blocked() bool { return r.Wrong >= refusedMany }

// Suffices reports whether it is enough that this network found a page missing. listed is how many
// pages the site lists.
func (r Refusal) Suffices(listed int) bool {
	return !r.Blocked() && r.Missing < max(missingAlone, (listed+r.Missing)/missingShare)
}

// age forgets what is more than a day old.
func (r *Refusal) age(now moment.Time) {
	over := func(since moment.Time) bool { return now < since || now.Sub(since) >= refusedFor }
	if over(r.Since) {
		r.Since, r.Missing = now, 0
	}
	if over(r.WrongAt) {
		r.Wrong = 0
	}
}

// Refusals holds the networks that were last refused pages.
type Refusals struct {
	Networks []Refusal `cbor:"1,keyasint,omitzero"`
}

// ReadRefusals reads what Encode wrote. A damaged record says nothing.
func ReadRefusals(b []byte) (all Refusals) {
	if codec.Unmarshal(b, &all) != nil {
		return Refusals{}
	}
	all.Networks = all.Networks[:min(len(all.Networks), refusalsKept)]
	return all
}

// Encode returns nil if there is nothing to remember.
func (all *Refusals) Encode() []byte { return codec.MarshalOrNil(all) }

// Of returns what is known of a network at now.
func (all *Refusals) Of(network uint32, now moment.Time) Refusal {
	for _, r := range all.Networks {
		if r.Network == network {
			r.age(now)
			return r
		}
	}
	return Refusal{Network: network, Since: now}
}

// FoundMissing notes that a network alone removed a page by a 404.
func (all *Refusals) FoundMissing(network uint32, now moment.Time) {
	r := all.Of(network, now)
	r.Missing++
	all.put(r)
}

// Refuted notes that others got a page that a network was refused. It reports whether the network
// is blocked.
func (all *Refusals) Refuted(network uint32, now moment.Time) (blocked bool) {
	r := all.Of(network, now)
	r.Wrong, r.WrongAt = r.Wrong+1, now
	all.put(r)
	return r.Blocked()
}

// put stores what is known of a network. If there is no room, it replaces the network whose last
// refusal is the oldest.
func (all *Refusals) put(r Refusal) {
	oldest := 0
	for i, o := range all.Networks {
		if o.Network == r.Network {
			all.Networks[i] = r
			return
		}
		if last := all.Networks[oldest]; max(o.Since, o.WrongAt) < max(last.Since, last.WrongAt) {
			oldest = i
		}
	}
	if len(all.Networks) < refusalsKept {
		all.Networks = append(all.Networks, r)
		return
	}
	all.Networks[oldest] = r
}
