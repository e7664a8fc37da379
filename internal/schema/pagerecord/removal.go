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

// HasMinute reports whether the removal may be confirmed after a minute. Others wait until the
// page is seen or refused again.
func (d *PendingRemoval) HasMinute() bool {
	if d.Missing == 0 || d.MissingWhy == eligibility.Duplicate {
		return false
	}
	return Variable(d.MissingWhy) || d.MissingWhy == eligibility.NotFound || d.MissingNet == SeveralNetworks
}

// ConfirmedBy reports whether an answer is the refusal of a second network, or of the same one a day
// later. An answer of another kind confirms nothing.
func (d *PendingRemoval) ConfirmedBy(why eligibility.Reason, network uint32, at moment.Time) bool {
	if Variable(why) || Variable(d.MissingWhy) || d.MissingWhy == eligibility.Duplicate {
		return false
	}
	return d.IsOld(at) || d.MissingNet != SeveralNetworks && d.ByAnother(network)
}

// IsOld reports whether the removal has been pending for a day.
func (d *PendingRemoval) IsOld(at moment.Time) bool { return at.Sub(d.Missing) >= day }

// ByAnother reports whether a network is certainly another one than that of the first answer.
func (d *PendingRemoval) ByAnother(network uint32) bool {
	return network != 0 && d.MissingNet != 0 && network != d.MissingNet
}

// OutweighedBy reports whether a new reason for a removal replaces the present one, since only the new
// one is confirmed after a minute.
func (d *PendingRemoval) OutweighedBy(why eligibility.Reason) bool {
	switch {
	case Variable(d.MissingWhy):
		return false
	case Variable(why), d.MissingWhy == eligibility.Duplicate:
		return true
	}
	return why == eligibility.NotFound && !d.HasMinute()
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
