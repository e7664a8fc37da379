package explore

import (
	"net/http"
	"strconv"
	"time"
)

// pace says how fast to send requests. It runs one more at once for each round of answers that take no longer for it,
// and half as many when they do. It stops for a while when the site refuses one page after the other, or says that it
// is asked too often. It has no clock.
type pace struct {
	usual   time.Duration // duration of an answer, as a moving mean
	alone   time.Duration // that of the first answers
	more    int           // how many run at once beyond one
	round   int           // answers since that changed
	answers int
	refused int           // refusals in a row
	least   time.Duration // between two requests
	until   time.Time     // no request before this time
}

const (
	firstAnswers = 20                     // which run alone, and over how many usual is a mean
	slowAnswer   = 500 * time.Millisecond // the mean from which on a site is slow
	easily       = 20 * time.Millisecond  // beyond twice the first answers, so much longer is no sign of load
	firstPause   = time.Second            // after a refusal, doubled each time
	longestPause = time.Minute
	mostRefused  = 8 // in a row, then the site is left alone for a while, and after as many again for good
)

// Repeats reports whether a request with an answer of that status, 0 for none, is repeated later.
func Repeats(status int) bool {
	switch status {
	case 0, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Asks reports whether an answer asks for patience, and not only fails.
func Asks(status int, header http.Header) bool {
	return status == http.StatusTooManyRequests || Repeats(status) && header.Get("Retry-After") != ""
}

// Patience says how long to wait after the n-th refusal in a row: as long as it asks for, at least.
func Patience(now time.Time, n int, refusal http.Header) time.Duration {
	asks := refusal.Get("Retry-After")
	pause := firstPause << min(n-1, 10)
	if seconds, err := strconv.Atoi(asks); err == nil {
		pause = max(pause, time.Duration(min(seconds, 1<<20))*time.Second)
	} else if at, err := http.ParseTime(asks); err == nil {
		pause = max(pause, at.Sub(now))
	}
	return pause
}

// saw notes an answer.
func (p *pace) saw(now time.Time, a answer) {
	if Repeats(a.status) { // the site refused the request because of its load, or is not there
		if p.pauses(now) { // it was sent before
			return
		}
		if p.refused++; a.status == http.StatusTooManyRequests { // it is about who asks, and never about one page
			p.refused = max(p.refused, mostRefused)
		}
		if n := p.refused - mostRefused + 1; n > 0 {
			p.more /= 2
			p.until = now.Add(min(longestPause, Patience(now, n, a.header)))
		}
		return
	}
	p.refused = 0
	p.answers++
	p.usual += (min(a.elapsed, p.long()) - p.usual) / time.Duration(min(p.answers, firstAnswers))
	if p.answers == firstAnswers {
		p.alone, p.more = p.usual, 1
	}
	if p.round++; p.round > p.more && p.answers > firstAnswers {
		if p.round = 0; p.usual < 2*p.alone+easily {
			p.more++
		} else {
			p.more = max(1, p.more/2)
		}
	}
	if p.usual > slowAnswer {
		p.until = now.Add(p.usual) // rest as long as it worked
	}
}

// pauses reports whether the site is left alone.
func (p *pace) pauses(now time.Time) bool { return p.refused >= mostRefused && now.Before(p.until) }

// long returns how long an answer must take to be an exception, which does not count as the site's usual time.
func (p *pace) long() time.Duration { return max(time.Second, 10*p.usual) }

// allowed returns how many requests may run at once: at most most.
func (p *pace) allowed(most int) int {
	if p.usual > slowAnswer || p.refused > 0 || p.answers < firstAnswers {
		return 1
	}
	p.more = min(p.more, max(1, most-1))
	return min(most, 1+p.more)
}

// pause returns how long to wait before the next request.
func (p *pace) pause(now time.Time) time.Duration { return max(p.least, p.until.Sub(now)) }
