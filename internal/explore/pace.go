package explore

import (
	"net/http"
	"strconv"
	"time"
)

// pace is how fast to ask. It slows down when the site does, and stops for a while when
// the site says that it is overloaded. It has no clock.
type pace struct {
	usual   time.Duration // of an answer: the mean of the first ones
	recent  time.Duration // a moving mean
	answers int
	refused int       // in a row
	until   time.Time // nothing is asked before
}

const (
	firstAnswers = 20
	slowAnswer   = 20 * time.Millisecond // shorter means are no sign of load
	slowFactor   = 2                     // times the usual mean: the site has slowed down
	firstPause   = time.Second           // after an answer that says so, doubled each time
	longestPause = time.Minute
	mostRefused  = 8
)

// saw notes an answer. It reports whether the site refused it because of its load, or is
// not there behind its proxy, so that it has to be asked again.
func (p *pace) saw(now time.Time, elapsed time.Duration, status int, retryAfter string) (refused bool) {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		p.refused++
		pause := min(longestPause, firstPause<<min(p.refused-1, 10))
		if seconds, err := strconv.Atoi(retryAfter); err == nil && seconds > 0 {
			pause = min(longestPause, max(pause, time.Duration(seconds)*time.Second))
		}
		p.until = now.Add(pause)
		return true
	}
	p.refused = 0
	p.answers++
	if p.answers <= firstAnswers {
		p.usual += (elapsed - p.usual) / time.Duration(p.answers)
		p.recent = p.usual
		return false
	}
	p.recent += (elapsed - p.recent) / firstAnswers
	if p.slow() {
		p.until = now.Add(p.recent) // as much rest as work
	}
	return false
}

// slow reports whether the site answers more slowly than at first.
func (p *pace) slow() bool { return p.recent > slowAnswer && p.recent > slowFactor*p.usual }

// allowed returns how many requests may run at once, of at most most.
func (p *pace) allowed(most int) int {
	if p.slow() || p.refused > 0 {
		return 1
	}
	return most
}

// pause returns how long to wait before the next request.
func (p *pace) pause(now time.Time) time.Duration { return max(0, p.until.Sub(now)) }
