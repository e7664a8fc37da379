package html

import (
	"net/http"
	"net/mail"
	"strings"
	"time"
)

// maxDate is the length of the longest text that may be a date, in bytes.
const maxDate = 64

// dateLayouts are the forms of ISO 8601 that pages use, and a day as mails write it. [time.Parse] accepts a
// fraction after any seconds.
var dateLayouts = [...]string{
	time.RFC3339, "2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05Z07",
	"2006-01-02T15:04", "2006-01-02T15:04Z07:00", "2 Jan 2006",
}

// parseDate reads a date in a form of ISO 8601, RFC 822 or RFC 850, and returns the zero Time for
// anything else. A date without a zone is in UTC, and so is one with a named zone.
func parseDate(s string) time.Time {
	const day = len("2006-01-02")
	s = strings.TrimSpace(s)
	if len(s) > maxDate {
		return time.Time{}
	}
	if t, err := mail.ParseDate(s); err == nil {
		return t
	}
	if t, err := http.ParseTime(s); err == nil {
		return t
	}
	if len(s) > day && s[day] == ' ' && s[4] == '-' {
		s = s[:day] + "T" + strings.ReplaceAll(s[day:], " ", "")
	}
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Date reads a date that a page gives, in a form of ISO 8601, RFC 822 or RFC 850. Without a zone it
// is in UTC. Date returns the zero Time for anything else: for a zone with a name, such as PST, and for dates
// before 1990, which are some program's zero value.
func Date(s string) time.Time {
	t := parseDate(s)
	zone, offset := t.Zone()
	// +00:00 has that offset too, and so has WET
	named := offset == 0 && zone != "UTC" && zone != "GMT" && zone != "" && t.Location() != time.Local
	if named || t.Year() < 1990 {
		return time.Time{}
	}
	return t.UTC()
}
