package page

import (
	"strings"
	"time"
)

// maxDate is the length of the longest text that is tried as a date.
const maxDate = 64

// isoLayouts are the forms of ISO 8601 that pages use. Fractions of a second
// are accepted by [time.Parse] after any seconds.
var isoLayouts = [...]string{
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04Z0700",
	"2006-01-02T15:04",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05 Z0700",
	"2006-01-02 15:04:05 MST",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04",
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

// parseDate reads a date in a form of ISO 8601, RFC 822 or RFC 850. Without a
// zone, or with a zone whose name RFC 822 does not know, it is taken as UTC.
func parseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if len(s) < len("2006-01-02") || len(s) > maxDate {
		return time.Time{}, false
	}
	if s[0] >= '0' && s[0] <= '9' && s[4] == '-' {
		return parseAny(s, isoLayouts[:])
	}
	if i := strings.IndexAny(s, ", "); i >= 0 && (s[0] < '0' || s[0] > '9') {
		s = strings.TrimLeft(s[i:], ", ")
	}
	return parseAny(s, mailLayouts[:])
}

func parseAny(s string, layouts []string) (time.Time, bool) {
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return inNamedZone(t).UTC(), true
		}
	}
	return time.Time{}, false
}

// inNamedZone moves t to the offset of its zone. [time.Parse] knows only the
// names of the local zone and gives others the offset zero.
func inNamedZone(t time.Time) time.Time {
	name, offset := t.Zone()
	if offset != 0 {
		return t
	}
	hours, ok := zoneHours(name)
	if !ok {
		return t
	}
	return t.Add(-time.Duration(hours) * time.Hour)
}

// zoneHours returns the offset of a zone named in RFC 822, section 5.1.
func zoneHours(name string) (hours int, ok bool) {
	switch name {
	case "EDT":
		return -4, true
	case "EST", "CDT":
		return -5, true
	case "CST", "MDT":
		return -6, true
	case "MST", "PDT":
		return -7, true
	case "PST":
		return -8, true
	}
	return 0, false
}

// Date reads a date that a page gives, in a form of ISO 8601, RFC 822 or RFC 850;
// without a zone it is taken as UTC. It returns the zero Time for anything else,
// and for a date before the web, which is the zero value of some program.
func Date(s string) time.Time {
	t, ok := parseDate(s)
	if !ok || t.Year() < 1990 {
		return time.Time{}
	}
	return t
}
