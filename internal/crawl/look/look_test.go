package look

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

// asker answers looks, and notes which locations were asked for.
type asker struct {
	mu       sync.Mutex
	asked    []string
	at       []time.Duration // since the start
	start    time.Time
	answers  bool
	observed uint64
}

func (a *asker) ask(_ context.Context, location string) (works, answered bool) {
	a.mu.Lock()
	a.asked, a.at = append(a.asked, location), append(a.at, time.Since(a.start))
	answers := a.answers
	a.mu.Unlock()
	if strings.HasPrefix(location, "/slow") {
		time.Sleep(10 * time.Second)
		return true, false
	}
	return answers, answers && location != "/fails"
}

// set changes what it does.
func (a *asker) set(change func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	change()
}

// looks returns how many looks it made.
func (a *asker) looks() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.asked)
}

// looking runs fn beside a Looker in virtual time.
func looking(t *testing.T, fn func(l *Looker, a *asker)) {
	synctest.Test(t, func(t *testing.T) {
		a := &asker{start: time.Now(), answers: true}
		l := New(a.ask, func() uint64 { a.mu.Lock(); defer a.mu.Unlock(); return a.observed })
		ctx, end := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { l.Run(ctx); close(done) }()
		synctest.Wait()
		l.works.Store(true)
		fn(l, a)
		end()
		<-done
	})
}

func TestPageIsLookedAtOnceAMinute(t *testing.T) {
	looking(t, func(l *Looker, a *asker) {
		for range 100 {
			l.Want("/a")
			time.Sleep(time.Second)
		}
		if !slices.Equal(a.at, []time.Duration{0, time.Minute}) {
			t.Errorf("it was looked at after %v, want at once and after a minute", a.at)
		}
	})
}

func TestLookIsDueOnceItIsWantedAndItsMinuteIsOver(t *testing.T) {
	looking(t, func(l *Looker, a *asker) {
		want := func(when string, after time.Duration) {
			t.Helper()
			if due := l.Due("/a"); due.IsZero() != (after < 0) || !due.IsZero() && due.Sub(a.start) != after {
				t.Errorf("%s: due at %v, want %v after the start", when, due, after)
			}
		}
		want("before", -1)
		l.Want("/a")
		synctest.Wait()
		want("while it rests", -1)
		time.Sleep(20 * time.Second)
		l.Want("/a")
		want("wanted again", time.Minute)
		time.Sleep(time.Minute)
		synctest.Wait()
		want("afterwards", -1)
	})
}

func TestLooksKeepTheirBudget(t *testing.T) {
	looking(t, func(l *Looker, a *asker) {
		pages := 0
		want := func(n int) {
			for range n {
				l.Want(fmt.Sprintf("/%d", pages))
				pages++
			}
			synctest.Wait()
		}
		want(most + 50)
		base.Equal(t, a.looks(), most, "looks at once")
		time.Sleep(20 * time.Second)
		synctest.Wait()
		base.Equal(t, a.looks()-most, 20, "looks in 20 seconds")
		a.set(func() { a.observed += 1000 })
		time.Sleep(time.Second)
		synctest.Wait()
		base.Equal(t, a.looks()-most, 31, "looks after 1,000 observations and another second")
		want(2 * kept)
		if n := len(l.queue.pages); n > kept {
			t.Errorf("%d locations are kept, want at most %d", n, kept)
		}
	})
}

func TestProgramThatAnswersNoLookIsLeftAlone(t *testing.T) {
	looking(t, func(l *Looker, a *asker) {
		a.set(func() { a.answers = false })
		for i := range 10 {
			l.Want(fmt.Sprintf("/%d", i))
		}
		synctest.Wait()
		if l.FindOut() || a.looks() != 1 {
			t.Errorf("it works: %t, after %d looks", l.Works(), a.looks())
		}
		time.Sleep(restAtOdd - time.Second)
		base.Equal(t, a.looks(), 1, "looks within ten minutes")
		a.set(func() { a.answers = true })
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !l.Works() || a.looks() != 11 { // one more found out that it does
			t.Errorf("it works: %t, after %d looks", l.Works(), a.looks())
		}
	})
}

func TestPageThatAnswersNoLookIsKnownForADay(t *testing.T) {
	looking(t, func(l *Looker, a *asker) {
		l.Want("/fails")
		l.Want("/a")
		synctest.Wait()
		if !l.Fails("/fails") || l.Fails("/a") || !l.Works() {
			t.Errorf("fails: %t and %t, works: %t", l.Fails("/fails"), l.Fails("/a"), l.Works())
		}
		time.Sleep(failsFor)
		if l.Fails("/fails") {
			t.Error("it still fails after a day")
		}
	})
}

func TestNothingIsLookedAtOnceTheSiteEnds(t *testing.T) {
	a := &asker{start: time.Now()}
	l := New(a.ask, func() uint64 { return 0 })
	ctx, end := context.WithCancel(t.Context())
	end()
	l.Want("/a")
	if l.Run(ctx); a.looks() > 0 {
		t.Errorf("it asked for %q", a.asked)
	}
}

func TestSlowSiteIsLeftAlone(t *testing.T) {
	looking(t, func(l *Looker, a *asker) {
		for i := range 10 {
			l.Want(fmt.Sprintf("/slow/%d", i))
		}
		time.Sleep(restAtOdd)
		if l.Works() || a.looks() != slowMost {
			t.Errorf("it works: %t, after %d looks, want %d", l.Works(), a.looks(), slowMost)
		}
		l.Want("/a")
		time.Sleep(2 * time.Minute)
		if l.Works() || a.looks() != 2*slowMost {
			t.Errorf("it works: %t, after %d looks, want %d", l.Works(), a.looks(), 2*slowMost)
		}
	})
}

// So the first visitors do not decide what looks decide from then on.
func TestFirstAnswerIsWaitedForALittle(t *testing.T) {
	for _, tt := range []struct {
		takes time.Duration
		works bool
	}{{time.Second, true}, {time.Minute, false}} {
		synctest.Test(t, func(t *testing.T) {
			l := New(func(context.Context, string) (works, answered bool) { time.Sleep(tt.takes); return true, true },
				func() uint64 { return 0 })
			ctx, end := context.WithCancel(t.Context())
			go l.Run(ctx)
			begun := time.Now()
			if works := l.FindOut(); works != tt.works || time.Since(begun) != min(tt.takes, patience) {
				t.Errorf("it works: %t, after %v", works, time.Since(begun))
			}
			begun = time.Now()
			if l.FindOut(); time.Since(begun) != 0 {
				t.Errorf("it waited again, for %v", time.Since(begun))
			}
			end()
			<-l.ended
		})
	}
}
