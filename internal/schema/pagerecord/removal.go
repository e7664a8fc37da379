package pagerecord

import (
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/moment"
)

// ConfirmAfter is how long a page has to prove that it is there.
const ConfirmAfter = time.Minute

// Told returns the removal after another answer that contradicts the listing, and whether the removal has lasted for as
// long as it takes. If the new reason takes less time than the old one, as a 404 does, the removal begins anew.
func (d PendingRemoval) Told(why eligibility.Reason, at moment.Time) (after PendingRemoval, lasted bool) {
	switch was, is := takes(d.MissingWhy), takes(why); {
	case d.Missing == 0 || is < was:
		return PendingRemoval{Missing: at, MissingWhy: why}, false
	case is > was:
		return d, false
	}
	d.MissingWhy = why
	return d, at.Sub(d.Missing) >= takes(why)
}

// takes returns how long a removal takes: a minute for a 404, and a day for any other answer, which may be temporary.
func takes(why eligibility.Reason) time.Duration {
	if why == eligibility.NotFound {
		return ConfirmAfter
	}
	return day
}

// HasMinute reports whether a minute confirms the removal, without another answer.
func (d *PendingRemoval) HasMinute() bool {
	return d.Missing != 0 && takes(d.MissingWhy) == ConfirmAfter
}

// IsOld reports whether the removal has been pending for a day.
func (d *PendingRemoval) IsOld(at moment.Time) bool { return at.Sub(d.Missing) >= day }

// Overdue reports whether the removal has been pending for a day longer than it takes. If nobody got the page in all
// that time, it leaves even if many pages do.
func (d *PendingRemoval) Overdue(at moment.Time) bool {
	return at.Sub(d.Missing) >= takes(d.MissingWhy)+day
}

// Stated reports whether the reason is the page's own final word, and not a passing accident.
func Stated(why eligibility.Reason) bool {
	switch why {
	case eligibility.StatusGone, eligibility.NoIndex, eligibility.Private, eligibility.NoStore:
		return true
	}
	return false
}

// Refuses reports whether a reason may mean that the site refuses this client, as where it blocks its own machine.
func Refuses(why eligibility.Reason) bool {
	return why == eligibility.NotFound || why == eligibility.Denied || why == eligibility.LoginRedirect
}

// Unsure reports whether one answer with this reason takes no listed page out, although the page itself
// gives it. A field for a password is like a redirect to a log-in: this client may have to log in.
func Unsure(why eligibility.Reason) bool { return Variable(why) || why == eligibility.PasswordField }

// Variable reports whether a reason against a listing may hold for one client and not for the next,
// such as a canonical that the site derives from a header.
func Variable(why eligibility.Reason) bool {
	switch why {
	case eligibility.CanonicalElsewhere, eligibility.CanonicalConflict, eligibility.QueryNotCanonical,
		eligibility.HeadNotSeen, eligibility.Empty, eligibility.Encoding:
		return true
	}
	return false
}
