// Package moment has the type of every time that is stored. It converts to and from
// the standard library's times. All stored times have one unit, and a plain number
// must never be taken for one.
package moment

import (
	"math"
	"time"
)

// Time is a time in Unix milliseconds. Zero means none.
type Time int64

// Of returns t as a Time, rounded down to the millisecond; the zero time.Time
// becomes zero.
func Of(t time.Time) Time {
	if t.IsZero() {
		return 0
	}
	return Time(t.UnixMilli())
}

// Seconds returns the Time of a number of Unix seconds; zero for zero.
func Seconds(unix int64) Time { return Time(unix * 1000) }

// Seconds returns the time in Unix seconds, rounded down.
func (t Time) Seconds() int64 {
	s := int64(t) / 1000
	if int64(t)%1000 < 0 {
		s--
	}
	return s
}

// Second returns the time rounded down to the second, as precise as dates in headers
// and sitemaps.
func (t Time) Second() Time { return Seconds(t.Seconds()) }

// Day returns the number of the UTC day since the Unix epoch.
func (t Time) Day() int64 { return int64(t) / (24 * 60 * 60 * 1000) }

// Time returns t as a time.Time; zero becomes the zero time.Time.
func (t Time) Time() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(t))
}

// Sub returns how long after u the time t is, or the longest or shortest duration if
// that is more than 292 years.
func (t Time) Sub(u Time) time.Duration {
	const longest = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(max(-longest, min(int64(t-u), longest))) * time.Millisecond
}

// Add returns the time d later.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }
