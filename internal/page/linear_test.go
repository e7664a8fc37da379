package page

import (
	"math"
	"testing"
	"time"
)

// TestHostileTakesLinearTime reads each input at two sizes. Eight times the bytes take a linear
// reader eight times as long, and a quadratic one 64 times. Other programs slow the machine, so the
// test takes the shortest of many tries.
func TestHostileTakesLinearTime(t *testing.T) {
	const small, times, most, enough, patience = 1 << 15, 8, 32, 3, 60
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			few, more := []byte(h.make(small)), []byte(h.make(times*small))
			one, many := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for try := range patience {
				one, many = min(one, reading(few)), min(many, reading(more))
				if try >= enough && many <= most*max(one, 50*time.Microsecond) {
					return
				}
			}
			t.Errorf("%d bytes take %v, %d times as many %v", small, one, times, many)
		})
	}
}

func reading(body []byte) time.Duration {
	begun := time.Now()
	Read(body, Options{})
	return time.Since(begun)
}
