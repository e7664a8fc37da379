package sitewide

import (
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

const (
	// refusedFor is how long a refusal counts.
	refusedFor = 24 * time.Hour
	// missingAlone is how many pages one network alone can remove in a day. On a large site, it is one
	// page in missingShare.
	missingAlone = 10
	missingShare = 100
	// refusalsKept bounds how many networks are remembered.
	refusalsKept = 64
)

// Refusal is what is known of one network whose word took out listed pages.
type Refusal struct {
	Network uint32      `cbor:"1,keyasint,omitzero"` // see observation.Net
	Since   moment.Time `cbor:"2,keyasint,omitzero"` // when it removed the first of the missing pages
	Missing int         `cbor:"3,keyasint,omitzero"` // pages that it alone removed in the day after that
}

// Suffices reports whether the word of this network is enough for another page. listed is how many pages
// the site lists.
func (r Refusal) Suffices(listed int) bool {
	return r.Missing < max(missingAlone, (listed+r.Missing)/missingShare)
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
			if now < r.Since || now.Sub(r.Since) >= refusedFor {
				r.Since, r.Missing = now, 0
			}
			return r
		}
	}
	return Refusal{Network: network, Since: now}
}

// Removed notes that the word of a network alone removed a page.
func (all *Refusals) Removed(network uint32, now moment.Time) {
	r := all.Of(network, now)
	r.Missing++
	all.put(r)
}

// put stores what is known of a network. If there is no room, it replaces the oldest.
func (all *Refusals) put(r Refusal) {
	oldest := 0
	for i, o := range all.Networks {
		if o.Network == r.Network {
			all.Networks[i] = r
			return
		}
		if o.Since < all.Networks[oldest].Since {
			oldest = i
		}
	}
	if len(all.Networks) < refusalsKept {
		all.Networks = append(all.Networks, r)
		return
	}
	all.Networks[oldest] = r
}
