// Package moment has the type of every stored time. It converts from and to the times of the
// standard library. All stored times have one unit, and the type keeps them apart from plain
// numbers.
package moment

import (
	"math"
	"time"
)

// Time is a time in Unix milliseconds. Zero means none.
type Time int64

// Of returns t as a Time, rounded down to the millisecond. The zero time.Time becomes zero.
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

// Second returns the time rounded down to the second, which is the precision of dates in headers
// and sitemaps.
func (t Time) Second() Time { return Seconds(t.Seconds()) }

// Day returns the number of the UTC day since the Unix epoch.
func (t Time) Day() int64 { return int64(t) / (24 * 60 * 60 * 1000) }

// Time returns t as a time.Time. Zero becomes the zero time.Time.
func (t Time) Time() time.Time {
	if t == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(t))
}

// Sub returns how long t is after u. Beyond 292 years it returns the longest or shortest duration.
func (t Time) Sub(u Time) time.Duration {
	const longest = math.MaxInt64 / int64(time.Millisecond)
	return time.Duration(max(-longest, min(int64(t-u), longest))) * time.Millisecond
}

// Add returns the time that is d later.
func (t Time) Add(d time.Duration) Time { return t + Time(d.Milliseconds()) }
