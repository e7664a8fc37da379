// Package look lets the site look at its own pages, where one visitor's word would decide: what takes a listed page
// away, what dates it anew, a link that nobody else has shown yet, what robots.txt says. A look is one GET with
// nothing of a visitor. It takes locations and has them asked for. It never asks for one twice a minute, nor more
// often than its budget allows, and no request waits for it.
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
	// server adds to each request, or it may answer too slowly. Then visitors decide, and a look tries again later.
	restAtOdd = 10 * time.Minute
	slow      = 5 * time.Second // that a look takes
	slowMost  = 3               // such looks in a row that got no answer
	failsFor  = 24 * time.Hour
	patience  = 2 * time.Second // for the first answer
)

// Looker looks at the pages of one site. It is safe for concurrent use.
type Looker struct {
	ask      func(ctx context.Context, location string) (works, answered bool)
	observed func() uint64 // how many observations there were so far

	works atomic.Bool   // the site answers itself
	known chan struct{} // closed once that is known
	first sync.Once     // waits for that
	wake  chan struct{}
	idle  chan struct{} // Run takes from it while it sleeps, and only then
	ended chan struct{} // closed once Run has returned

	mu    sync.Mutex
	queue queue
	fails map[string]time.Time // when a look at it got no answer, for a day
	made  uint64               // looks
}

// queue are the locations to look at, each once a minute.
type queue struct {
	due   []string        // in their order
	rests []rest          // that were looked at within a minute, in their order
	pages map[string]bool // all of these, and whether a look at them is wanted
}

// rest is the time after a look in which there is no other one at the same location.
type rest struct {
	location string
	until    time.Time
}

// New returns a Looker. ask makes one request, has its answer learned, and reports whether the site answers itself at
// all, and whether it answered this request. For the location "" it only finds out the former. observed counts the
// observations of visits, by which the budget grows.
func New(ask func(ctx context.Context, location string) (works, answered bool), observed func() uint64) *Looker {
	return &Looker{
		ask: ask, observed: observed, known: make(chan struct{}), wake: make(chan struct{}, 1), idle: make(chan struct{}),
		ended: make(chan struct{}), queue: queue{pages: map[string]bool{}}, fails: map[string]time.Time{},
	}
}

// Works reports whether the site answers itself, as far as is known.
func (l *Looker) Works() bool { return l.works.Load() }

// FindOut is Works, and has that found out if it does not. The first time it waits for that a little, so that the
// first visitors do not decide what looks decide from then on.
func (l *Looker) FindOut() bool {
	if l.Works() {
		return true
	}
	l.FindOutLater()
	l.first.Do(func() {
		select {
		case <-l.known:
		case <-l.ended:
		case <-time.After(patience):
		}
	})
	return l.Works()
}

// FindOutLater has it found out whether the site answers itself, and does not wait for that.
func (l *Looker) FindOutLater() { l.Want(whether) }

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
	if !l.queue.add(location) {
		return
	}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// add adds a location, unless it is wanted already or too many are.
func (q *queue) add(location string) bool {
	wanted, rests := q.pages[location]
	if wanted || len(q.pages) >= kept && !rests {
		return false
	}
	if !rests {
		q.due = append(q.due, location)
	}
	q.pages[location] = true
	return true
}

// Due returns from when on a look at a location may be made that is wanted, the zero Time if none is.
func (l *Looker) Due(location string) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.queue.pages[location] {
		return time.Time{}
	}
	for _, r := range l.queue.rests {
		if r.location == location {
			return r.until
		}
	}
	return time.Now()
}

// Settled waits until the looks that may be made by now are made, or ctx ends. It returns how many were made so far.
func (l *Looker) Settled(ctx context.Context) (made uint64) {
	for range 2 { // the first time wakes Run, which then makes all looks that are due before it sleeps again
		select {
		case l.idle <- struct{}{}:
		case <-l.ended:
			return 0
		case <-ctx.Done():
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.made
}

// next returns how long to wait until a location may be due, negative for ever.
func (l *Looker) next(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.queue.wait(now)
}

// wait returns how long to wait until a location may be due, negative for ever.
func (q *queue) wait(now time.Time) time.Duration {
	for len(q.rests) > 0 && !now.Before(q.rests[0].until) {
		location := q.rests[0].location
		if q.rests = q.rests[1:]; q.pages[location] {
			q.due = append(q.due, location)
		} else {
			delete(q.pages, location)
		}
	}
	switch {
	case len(q.due) > 0:
		return 0
	case len(q.rests) > 0:
		return q.rests[0].until.Sub(now)
	}
	return -1
}

// take removes the first location that is due from the queue, and returns it.
func (l *Looker) take(now time.Time) (location string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := &l.queue
	location, q.due = q.due[0], q.due[1:]
	q.pages[location] = false
	q.rests = append(q.rests, rest{location, now.Add(perPage)})
	return location
}

// Run looks until ctx ends. It is called once.
func (l *Looker) Run(ctx context.Context) {
	defer close(l.ended)
	budget := budget{left: most, at: time.Now(), observed: l.observed()}
	var rests time.Time // when it may look again
	known, slowly := sync.OnceFunc(func() { close(l.known) }), 0
	for ctx.Err() == nil {
		now := time.Now()
		wait := l.next(now)
		if wait >= 0 {
			wait = max(wait, rests.Sub(now), budget.wait(now, l.observed()))
		}
		if wait != 0 {
			l.sleeps(ctx, wait)
			continue
		}
		location := l.take(now)
		budget.left--
		works, answered := l.ask(ctx, location)
		l.note(location, !answered && works && ctx.Err() == nil)
		if slowly++; answered || time.Since(now) < slow {
			slowly = 0
		}
		if slowly >= slowMost {
			works, slowly = false, 0
		}
		if l.works.Store(works); !works {
			rests = time.Now().Add(restAtOdd)
		}
		known()
	}
}

// sleeps sleeps until a location is wanted that was not, Settled asks, ctx ends or, if wait is not negative, for that
// time.
func (l *Looker) sleeps(ctx context.Context, wait time.Duration) {
	var after <-chan time.Time
	if wait >= 0 {
		after = time.After(wait)
	}
	select {
	case <-ctx.Done():
	case <-l.wake:
	case <-l.idle:
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
