package html

import (
	"strings"
	"time"
)

// maxDate is the length of the longest text that may be a date, in bytes.
const maxDate = 64

// isoLayouts are the forms of ISO 8601 that pages use, with a space in place of the T. mailLayouts
// are those of RFC 822, RFC 1123 and RFC 850 without the day of the week, which adds nothing and is
// often wrong, and with spaces in place of dashes. [time.Parse] accepts a fraction after any seconds.
var (
	isoLayouts  = layouts([]string{"2006-01-02"}, []string{"", "Z07:00", "Z0700", "Z07", " Z07:00", " Z0700", " MST"})
	mailLayouts = layouts([]string{"2 Jan 2006", "2 Jan 06"}, []string{"", " MST", " -0700"})
)

// layouts returns the days with each time and zone, and alone.
func layouts(days, zones []string) (all []string) {
	for _, day := range days {
		all = append(all, day)
		for _, zone := range zones {
			all = append(all, day+" 15:04:05"+zone, day+" 15:04"+zone)
		}
	}
	return all
}

// parseDate reads a date in a form of ISO 8601, RFC 822 or RFC 850, and returns the zero Time for
// anything else. A date is in UTC if it has no zone, or one that RFC 822 does not name.
func parseDate(s string) time.Time {
	const day = len("2006-01-02")
	s = strings.TrimSpace(s)
	if len(s) < day || len(s) > maxDate {
		return time.Time{}
	}
	forms := isoLayouts
	if isDigit := s[0] >= '0' && s[0] <= '9'; isDigit && s[4] == '-' {
		if len(s) > day && s[day] == 'T' {
			s = s[:day] + " " + s[day+1:]
		}
	} else {
		forms = mailLayouts
		if !isDigit {
			s = strings.TrimLeft(s[max(strings.IndexAny(s, ", "), 0):], ", ") // without the day of the week
		}
		s = strings.Replace(s, "-", " ", strings.Count(s[:min(len(s), len("02-Jan-"))], "-"))
	}
	for _, layout := range forms {
		if t, err := time.Parse(layout, s); err == nil {
			return inNamedZone(t).UTC()
		}
	}
	return time.Time{}
}

// inNamedZone moves t to the offset of its zone. [time.Parse] knows the names of the local zone
// only, and gives all others the offset zero.
func inNamedZone(t time.Time) time.Time {
	name, offset := t.Zone()
	if offset != 0 {
		return t
	}
	return t.Add(-zones[name] * time.Hour)
}

// zones holds the offsets, in hours, of the zones that section 5.1 of RFC 822 names.
var zones = map[string]time.Duration{
	"EDT": -4, "EST": -5, "CDT": -5, "CST": -6, "MDT": -6, "MST": -7, "PDT": -7, "PST": -8,
}

// Date reads a date that a page gives, in a form of ISO 8601, RFC 822 or RFC 850. Without a zone it
// is in UTC. Date returns the zero Time for anything else, and for dates before 1990: some
// program's zero value.
func Date(s string) time.Time {
	if t := parseDate(s); t.Year() >= 1990 {
		return t
	}
	return time.Time{}
}
