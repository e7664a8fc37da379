package faults

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

// A mood is how a store misbehaves.
type mood int32

const (
	well mood = iota
	slow
	hanging
	failing
	panicking
	moods
)

func (m mood) String() string {
	return [...]string{"well", "slow", "hanging", "failing", "panicking"}[m]
}

// moody is a store that misbehaves on demand. While it hangs, it ignores its context.
type moody struct {
	base.Store
	mood atomic.Int32
	hang sync.RWMutex // locked while it hangs
}

func newMoody(st store.Store) *moody {
	m := &moody{Store: base.Store{Store: st}}
	m.Before(func(context.Context) error { return m.suffer() })
	return m
}

func (m *moody) become(to mood) {
	if mood(m.mood.Swap(int32(to))) == hanging {
		m.hang.Unlock()
	}
	if to == hanging {
		m.hang.Lock()
	}
}

// suffer acts out the mood before each call.
func (m *moody) suffer() error {
	switch mood(m.mood.Load()) {
	case slow:
		time.Sleep(200 * time.Millisecond)
	case hanging:
		m.hang.RLock()
		defer m.hang.RUnlock()
	case failing:
		return errors.New("the store fails")
	case panicking:
		panic("the store panics")
	}
	return nil
}

// mostHeap is how much a site may use while its store misbehaves: the queue and its bodies
// are bounded, and the garbage of a working server comes on top.
const mostHeap = 96 << 20

// requestsEach is about how many requests there are in each mood.
const requestsEach = 25_000

// siege is a site whose store misbehaves.
type siege struct {
	*testing.T
	site     *child
	visitors *visitors
	sections int           // new sections that are visited in each mood
	grown    int64         // the most heap above that at the start
	slowest  time.Duration // recovery
	told     []string
}

func badStores(t *testing.T) {
	s := &siege{T: t, visitors: newVisitors()}
	s.sections = requestsEach/(sectionPages+3)/20 + 1 // each section is visited twenty times
	s.site = launch{dir: t.TempDir(), pages: newFates(s.sections * int(moods)), moods: true}.start(t)
	s.visitors.walk(s.site.public, 0, 1)
	s.site.awaitFlush() // the folder may still be opened
	start := s.site.rest(s.visitors)
	for m := slow; m < moods; m++ {
		s.endure(m, start.Usage.Heap)
	}
	if end := s.site.rest(s.visitors); end.Goroutines > start.Goroutines {
		t.Errorf("%d goroutines at the start, %d in the end", start.Goroutines, end.Goroutines)
	}
	base.Check(t, s.visitors.firstFailure())
	base.Check(t, s.site.Stop())
	fmt.Printf("stores: %s; slowest recovery %.1f s; at most %d MB of heap more; told: %s\n", s.visitors.counts(),
		s.slowest.Seconds(), s.grown>>20, strings.Join(s.told, "; "))
}

// endure visits old and new pages while the store has a mood. It checks that Stats reports
// the trouble, and that the trouble passes.
func (s *siege) endure(m mood, start int64) {
	s.site.order("mood", "be", strconv.Itoa(int(m)))
	first, last := int(m-1)*s.sections, int(m)*s.sections
	var walking sync.WaitGroup
	for range 4 {
		walking.Go(func() {
			for range 5 {
				s.visitors.walk(s.site.public, first, last)
			}
		})
	}
	walking.Wait()
	s.site.order("collect")
	st, err := s.site.status()
	base.Check(s, err)
	if s.grown = max(s.grown, st.Usage.Heap-start); s.grown > mostHeap {
		s.Fatalf("with a store that is %v the heap grew by %d MB", m, s.grown>>20)
	}
	if m != slow {
		st = s.site.await(30*time.Second, "Stats tells", func(now status) bool { return now.Stats.Store != "" })
		s.told = append(s.told, fmt.Sprintf("%v %q", m, st.Stats.Store))
	}
	if n := s.site.log.Count(`level=WARN msg="servemap:`); n > int(m) {
		s.Fatalf("with a store that is %v %d warnings by now, want one of each mood at most", m, n)
	}
	s.recover(last)
}

// recover makes the store behave again. Dropped pages are seen at their next visit.
func (s *siege) recover(sections int) {
	s.site.order("mood", "be", strconv.Itoa(int(well)))
	s.slowest = max(s.slowest, s.site.awaitFlush())
	s.site.await(recoveryLimit, "all that was visited is listed", func(now status) bool {
		s.visitors.walk(s.site.public, 0, sections)
		_, err := s.site.tell("flush")
		return err == nil && now.Stats.Store == "" && now.Stats.Listed >= sections*(sectionPages+1)
	})
}
