package pagerecord

import (
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/codec"
)

// ConfirmAfter is how long a page has to prove that it is there.
const ConfirmAfter = time.Minute

// SeveralNetworks in PendingRemoval.MissingNet stands for more than one network.
const SeveralNetworks = 1 << 17

// HasMinute reports whether the removal may be confirmed after a minute. Others wait until the
// page is seen or refused again.
func (d *PendingRemoval) HasMinute() bool {
	return Variable(d.MissingWhy) || d.MissingWhy == eligibility.NotFound || d.MissingNet == SeveralNetworks
}

// Minute returns the record of a removal that has its minute.
func (d *PendingRemoval) Minute() []byte { return codec.Marshal(PendingRemoval{Missing: d.Missing}) }

// ReadMinute returns since when a listed page may be gone, according to its record.
func ReadMinute(b []byte) moment.Time {
	var d PendingRemoval
	_ = codec.Unmarshal(b, &d) // a damaged record says nothing
	return d.Missing
}

// Variable reports whether a reason against a listing may hold for one client and not for the next,
// such as a canonical that the site derives from a header.
func Variable(why eligibility.Reason) bool {
	switch why {
	case eligibility.CanonicalElsewhere, eligibility.CanonicalConflict, eligibility.QueryNotCanonical, eligibility.HeadNotSeen, eligibility.Encoding:
		return true
	}
	return false
}
