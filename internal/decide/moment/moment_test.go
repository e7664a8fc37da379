package moment

import (
	"testing"
	"time"
)

// TestSubIsBoundedForFarTimes has pages that expire in the year 9999, by which some sites mean never.
func TestSubIsBoundedForFarTimes(t *testing.T) {
	now := Of(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	never := Of(time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC))
	for name, c := range map[string]struct {
		t, u     Time
		from, to time.Duration
	}{
		"a second":            {now + 1000, now, time.Second, time.Second},
		"a second ago":        {now, now + 1000, -time.Second, -time.Second},
		"more than 292 years": {never, now, 292 * 365 * 24 * time.Hour, 1<<63 - 1},
		"as many years ago":   {now, never, -1 << 63, -292 * 365 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			if d := c.t.Sub(c.u); d < c.from || d > c.to {
				t.Errorf("%v, want %v to %v", d, c.from, c.to)
			}
		})
	}
}
