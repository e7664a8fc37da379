package keys

import (
	"fmt"
	"strconv"
	"strings"
)

// Times in keys are hexadecimal with a fixed number of digits. So keys sort by time.
const (
	logDigits = 11 // of Unix milliseconds, until the year 2527
)

// Log is the key of a page's event at a time in Unix milliseconds.
func (k Keys) Log(at int64, location string) string {
	return fmt.Sprintf("%s%0*x|%s", k.Logs(), logDigits, LogTime(at), location)
}

// LogTime returns the time nearest to millis, in Unix milliseconds, that fits into the key of an
// event.
func LogTime(millis int64) int64 { return max(0, min(millis, 1<<(4*logDigits)-1)) }

// Logged reads the time and the location from a key that [Keys.Log] made.
func (k Keys) Logged(key string) (at int64, location string, ok bool) {
	return timed(strings.TrimPrefix(key, k.Logs()), logDigits)
}

// timed reads a time of exactly n digits and the location after it. A time with another number of
// digits would be out of order.
func timed(rest string, n int) (at int64, location string, ok bool) {
	digits, location, ok := strings.Cut(rest, "|")
	if !ok || len(digits) != n {
		return 0, "", false
	}
	t, err := strconv.ParseUint(digits, 16, 63)
	return int64(t), location, err == nil
}
