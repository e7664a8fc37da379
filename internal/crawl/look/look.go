// Package look lets the site look at its own pages, where one visitor's word would decide: what takes a listed page
// away, what dates it anew, a link that nobody else has shown yet, what robots.txt says. A look is one GET with
// nothing of a visitor. It takes locations and has them asked for. It never asks for one twice a minute, nor more
// often than its budget allows, and nobody waits for it.
package look

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	perPage   = time.Minute // between two looks at one page
	perSecond = 1           // that the budget always earns
	share     = 100         // observations that earn one more
	most      = 2000        // that the budget holds: each page of a new site is looked at once
	kept      = 4096        // locations that wait, or were looked at within a minute

	// The site may not answer itself as it answers visitors, as where it needs something that another part of the
	// server adds to each request. Then visitors decide, and a look tries again later.
	restAtOdd = 10 * time.Minute
	failsFor  = 24 * time.Hour
)

// Looker looks at the pages of one site. It is safe for concurrent use.
type Looker struct {
	ask      func(ctx context.Context, location string) (works, answered bool)
	observed func() uint64 // how many observations there were so far

	works atomic.Bool // the site answers itself
	wake  chan struct{}
	ended chan struct{} // closed once Run has returned

	mu    sync.Mutex
	due   map[string]time.Time // when to look at a location next
	asked map[string]time.Time // when it was looked at last, for a minute
	fails map[string]time.Time // when a look at it got no answer, for a day
	made  uint64               // looks
	wants uint64               // how often something was wanted
	slept uint64               // what wants was when Run went to sleep, which it still does
	sleep chan struct{}        // closed when Run goes to sleep, nil while nobody waits for that
}

// New returns a Looker. ask makes one request, has its answer learned, and reports whether the site answers itself at
// all, and whether it answered this request. For the location "" it only finds out the former. observed counts the observations of visits, by which the budget grows.
func New(ask func(ctx context.Context, location string) (works, answered bool), observed func() uint64) *Looker {
	return &Looker{ask: ask, observed: observed, wake: make(chan struct{}, 1), ended: make(chan struct{}), due: map[string]time.Time{}, asked: map[string]time.Time{}, fails: map[string]time.Time{}, wants: 1}
}

// Works reports whether the site answers itself, as far as is known. It has that found out.
func (l *Looker) Works() bool {
	works := l.works.Load()
	if !works {
		l.Want(whether)
	}
	return works
}

// whether stands for no location, but for the question whether the site answers itself.
const whether = ""

// Fails reports whether a look at a location got no answer lately, as where its page needs what another part of the
// server adds to a request. Then visitors decide there.
func (l *Looker) Fails(location string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Since(l.fails[location]) < failsFor
}

// note notes that a look at a location was made, and whether it failed.
func (l *Looker) note(location string, failed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made++
	if delete(l.fails, location); failed {
		if len(l.fails) >= kept {
			clear(l.fails)
		}
		l.fails[location] = time.Now()
	}
}

// Want asks for a look at a location, as soon as may be. If too many wait, it is dropped: the next visitor's word
// asks again.
func (l *Looker) Want(location string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, waits := l.due[location]; waits {
		return
	}
	now := time.Now()
	if len(l.due)+len(l.asked) >= kept {
		for old, at := range l.asked {
			if now.Sub(at) >= perPage {
				delete(l.asked, old)
			}
		}
	}
	if len(l.due)+len(l.asked) >= kept {
		return
	}
	l.due[location] = now
	if at, asked := l.asked[location]; asked && now.Sub(at) < perPage {
		l.due[location] = at.Add(perPage)
	}
	l.wants++
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Settled waits until the looks that may be made by now are made, or ctx ends. It returns how many were made so far.
func (l *Looker) Settled(ctx context.Context) (made uint64) {
	for {
		l.mu.Lock()
		if l.slept == l.wants || ctx.Err() != nil {
			defer l.mu.Unlock()
			return l.made
		}
		if l.sleep == nil {
			l.sleep = make(chan struct{})
		}
		sleep := l.sleep
		l.mu.Unlock()
		select {
		case <-sleep:
		case <-l.ended:
			return 0
		case <-ctx.Done():
		}
	}
}

// next returns the location that is due first, and when. ok is false if none waits. From then on Run is awake.
func (l *Looker) next() (location string, at time.Time, ok bool, wants uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.slept = 0
	for loc, due := range l.due {
		if !ok || due.Before(at) || due.Equal(at) && loc < location {
			location, at, ok = loc, due, true
		}
	}
	return location, at, ok, l.wants
}

// take notes that a location is looked at now.
func (l *Looker) take(location string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.due, location)
	l.asked[location] = time.Now()
}

// Run looks until ctx ends. It is called once.
func (l *Looker) Run(ctx context.Context) {
	defer close(l.ended)
	budget := budget{left: most, at: time.Now(), observed: l.observed()}
	var rests time.Time
	for ctx.Err() == nil {
		location, at, some, wants := l.next()
		wait := max(time.Until(at), time.Until(rests), budget.wait(time.Now(), l.observed()))
		if !some || wait > 0 {
			l.rest(ctx, wait, some, wants)
			continue
		}
		l.take(location)
		budget.left--
		works, answered := l.ask(ctx, location)
		l.note(location, !answered && works && ctx.Err() == nil)
		if l.works.Store(works); !works {
			rests = time.Now().Add(restAtOdd)
		}
	}
}

// rest sleeps until a location is wanted that was not, until ctx ends or, if some location waits already, for a time.
func (l *Looker) rest(ctx context.Context, wait time.Duration, some bool, wants uint64) {
	l.mu.Lock()
	if l.slept = wants; l.sleep != nil {
		close(l.sleep)
		l.sleep = nil
	}
	l.mu.Unlock()
	var after <-chan time.Time
	if some {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		after = timer.C
	}
	select {
	case <-ctx.Done():
	case <-l.wake:
	case <-after:
	}
}

// budget says how many looks the site may make: some each second, and one in a hundred of its visits.
type budget struct {
	left     float64
	at       time.Time
	observed uint64
}

// wait returns how long to wait for the next look.
func (b *budget) wait(now time.Time, observed uint64) time.Duration {
	earned := now.Sub(b.at).Seconds()*perSecond + float64(observed-b.observed)/share
	b.left, b.at, b.observed = min(most, b.left+max(0, earned)), now, observed
	if b.left >= 1 {
		return 0
	}
	return time.Duration((1 - b.left) / perSecond * float64(time.Second))
}
