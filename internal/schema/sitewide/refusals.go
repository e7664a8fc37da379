package sitewide

import (
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

const (
	// refusedFor is how long a refusal counts.
	refusedFor = 24 * time.Hour
	// few is how many pages may leave in a day by answers that may be temporary. On a large site, it is
	// one page in fewShare.
	few      = 10
	fewShare = 100
)

// Refusals counts the pages that left by answers that may be temporary, or for one client alone.
type Refusals struct {
	Since moment.Time `cbor:"1,keyasint,omitzero"` // when the first of them left
	Pages int         `cbor:"2,keyasint,omitzero"` // how many left in the day after that
}

// Encode returns nil if there is nothing to remember.
func (r *Refusals) Encode() []byte { return codec.MarshalOrNil(r) }

// At returns what still counts at now.
func (r Refusals) At(now moment.Time) Refusals {
	if now < r.Since || now.Sub(r.Since) >= refusedFor {
		return Refusals{Since: now}
	}
	return r
}

// Few reports whether one more page may leave. listed is how many pages the site lists.
func (r Refusals) Few(listed int) bool {
	return r.Pages < max(few, (listed+r.Pages)/fewShare)
}
