package page

import (
	"strings"
	"time"
)

// maxDate is the length of the longest text that is tried as a date.
const maxDate = 64

// isoLayouts are the forms of ISO 8601 that pages use, with a space for the T.
// Fractions of a second are accepted by [time.Parse] after any seconds.
var isoLayouts = [...]string{
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05Z0700",
	"2006-01-02 15:04:05Z07",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04Z07:00",
	"2006-01-02 15:04Z0700",
	"2006-01-02 15:04",
	"2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05 Z0700",
	"2006-01-02 15:04:05 MST",
	"2006-01-02",
}

// mailLayouts are the forms of RFC 822, RFC 1123 and RFC 850 without a day of
// the week, which says nothing new and is often wrong.
var mailLayouts = [...]string{
	"2 Jan 2006 15:04:05 MST",
	"2 Jan 2006 15:04:05 -0700",
	"2 Jan 06 15:04:05 MST",
	"2 Jan 06 15:04:05 -0700",
	"2 Jan 2006 15:04 MST",
	"2 Jan 2006 15:04 -0700",
	"2 Jan 06 15:04 MST",
	"2 Jan 06 15:04 -0700",
	"2-Jan-06 15:04:05 MST",
	"2-Jan-2006 15:04:05 MST",
	"2 Jan 2006 15:04:05",
	"2 Jan 2006",
}

// parseDate reads a date in a form of ISO 8601, RFC 822 or RFC 850, and returns
// the zero Time for anything else. Without a zone, or with a zone whose name RFC
// 822 does not know, it is taken as UTC.
func parseDate(s string) time.Time {
	const day = len("2006-01-02")
	s = strings.TrimSpace(s)
	if len(s) < day || len(s) > maxDate {
		return time.Time{}
	}
	layouts := mailLayouts[:]
	isDigit := s[0] >= '0' && s[0] <= '9'
	switch {
	case isDigit && s[4] == '-':
		layouts = isoLayouts[:]
		if len(s) > day && s[day] == 'T' {
			s = s[:day] + " " + s[day+1:]
		}
	case !isDigit:
		s = strings.TrimLeft(s[max(strings.IndexAny(s, ", "), 0):], ", ") // without the day of the week
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return inNamedZone(t).UTC()
		}
	}
	return time.Time{}
}

// inNamedZone moves t to the offset of its zone. [time.Parse] knows only the
// names of the local zone and gives others the offset zero.
func inNamedZone(t time.Time) time.Time {
	name, offset := t.Zone()
	if offset != 0 {
		return t
	}
	return t.Add(-zones[name] * time.Hour)
}

// zones are the offsets of the zones that RFC 822 names, section 5.1, in hours.
var zones = map[string]time.Duration{
	"EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8,
}

// Date reads a date that a page gives, in a form of ISO 8601, RFC 822 or RFC 850;
// without a zone it is taken as UTC. It returns the zero Time for anything else,
// and for dates before the web, which are some program's zero value.
func Date(s string) time.Time {
	if t := parseDate(s); t.Year() >= 1990 {
		return t
	}
	return time.Time{}
}
