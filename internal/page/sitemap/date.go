package sitemap

import "time"

// maxTime is the last second of the year 9999, the last that four digits can name.
const maxTime = 253_402_300_799

// hasTime reports whether a file can name a time in seconds since the Unix epoch.
func hasTime(unix int64) bool { return unix > 0 && unix <= maxTime }

// appendTime appends an element of a time in seconds since the Unix epoch, or nothing if a
// file cannot name it. It writes the complete form of W3C Datetime in UTC, since the schema
// requires the seconds.
func appendTime(dst []byte, open string, unix int64, end string) []byte {
	if !hasTime(unix) {
		return dst
	}
	dst = append(dst, open...)
	dst = time.Unix(unix, 0).UTC().AppendFormat(dst, time.RFC3339)
	return append(dst, end...)
}
