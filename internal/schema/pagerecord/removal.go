package pagerecord

import (
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
)

// ConfirmAfter is how long a page has to prove that it is there.
const ConfirmAfter = time.Minute

// SeveralNetworks in PendingRemoval.MissingNet stands for more than one network.
const SeveralNetworks = 1 << 17

// Told returns the removal after an answer that contradicts the listing, and whether that confirms it: an
// answer of the same weight came before, and nobody got the page for as long as the removal takes. An answer
// of more weight begins anew, one of less changes nothing.
func (d PendingRemoval) Told(why eligibility.Reason, network uint32, at moment.Time) (after PendingRemoval, confirmed bool) {
	switch was, is := weightOf(d.MissingWhy), weightOf(why); {
	case d.Missing == 0 || is > was:
		return PendingRemoval{Missing: at, MissingWhy: why, MissingNet: network}, false
	case is < was:
		return d, false
	case network != 0 && d.MissingNet != 0 && network != d.MissingNet:
		d.MissingNet = SeveralNetworks
	}
	return d, at.Sub(d.Missing) >= d.takes()
}

// takes returns how long the removal takes. A day is for what may be of the moment, or for one client.
func (d *PendingRemoval) takes() time.Duration {
	if weightOf(d.MissingWhy) >= missing {
		return ConfirmAfter
	}
	return day
}

// HasMinute reports whether a minute confirms the removal, without another answer.
func (d *PendingRemoval) HasMinute() bool { return d.Missing != 0 && d.takes() == ConfirmAfter }

// Sure reports whether the removal rests on the word of several networks, and has been pending for a day.
// Then it does not matter how many pages leave with it.
func (d *PendingRemoval) Sure(at moment.Time) bool {
	return d.MissingNet == SeveralNetworks && d.IsOld(at)
}

// IsOld reports whether the removal has been pending for a day.
func (d *PendingRemoval) IsOld(at moment.Time) bool { return at.Sub(d.Missing) >= day }

// weight says how much an answer proves that contradicts a listed page.
type weight uint8

const (
	none     weight = iota
	borrowed        // the page shows what others show
	refused         // a 401, a log-in and the like
	missing         // a 404
	stated          // the page itself says so, perhaps to one client alone
)

func weightOf(why eligibility.Reason) weight {
	switch {
	case why == eligibility.None:
		return none
	case why == eligibility.Duplicate:
		return borrowed
	case why == eligibility.NotFound:
		return missing
	case Variable(why):
		return stated
	}
	return refused
}

// Unsure reports whether one answer with this reason takes no listed page out, although the page itself
// gives it. A field for a password is like a redirect to a log-in: this client may have to log in.
func Unsure(why eligibility.Reason) bool { return Variable(why) || why == eligibility.PasswordField }

// Variable reports whether a reason against a listing may hold for one client and not for the next,
// such as a canonical that the site derives from a header.
func Variable(why eligibility.Reason) bool {
	switch why {
	case eligibility.CanonicalElsewhere, eligibility.CanonicalConflict, eligibility.QueryNotCanonical, eligibility.HeadNotSeen, eligibility.Encoding:
		return true
	}
	return false
}
