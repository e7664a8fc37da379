package pagerecord

import (
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/record"
)

// ConfirmAfter is how long a suspect page has to show that it is there.
const ConfirmAfter = time.Minute

// SeveralNetworks stands in Doubt.MissingNet for more than one network.
const SeveralNetworks = 1 << 17

// HasMinute reports whether a doubt may be confirmed once its minute is over. Other
// doubts wait until the page is seen or refused again.
func (d *Doubt) HasMinute() bool {
	return Variable(d.MissingWhy) || d.MissingWhy == admit.NotFound || d.MissingNet == SeveralNetworks
}

// Minute returns the record of a doubt that has its minute.
func (d *Doubt) Minute() []byte { return record.Write((&Doubt{Missing: d.Missing}).fields, "") }

// ReadMinute returns since when a listed page may be gone, by the record that says so.
func ReadMinute(b []byte) moment.Time {
	var d Doubt
	_, _ = record.Read(b, record.Into(d.fields)) // of a damaged one nothing is known
	return d.Missing
}

// Variable reports whether what forbids a listing may be true for one client and not
// for the next, such as a canonical that the site makes of a header.
func Variable(why admit.Reason) bool {
	switch why {
	case admit.CanonicalElsewhere, admit.CanonicalConflict, admit.QueryNotCanonical, admit.HeadNotSeen, admit.Encoding:
		return true
	}
	return false
}
