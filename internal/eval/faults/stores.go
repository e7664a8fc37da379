package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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
	site     *child
	visitors *visitors
	sections int           // new sections that are visited in each mood
	grown    int64         // the most heap above that at the start
	slowest  time.Duration // recovery
	told     []string
}

func badStores(ctx context.Context, cfg *config) (line string, err error) {
	s := &siege{visitors: newVisitors()}
	s.sections = requestsEach/(sectionPages+3)/20 + 1 // each section is visited twenty times
	l := launch{dir: filepath.Join(cfg.work, "store"), pages: newFates(s.sections * int(moods)), moods: true}
	if s.site, err = l.start(ctx); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, s.site.Stop()) }()
	s.visitors.walk(s.site.public, 0, 1)
	if _, err := s.site.awaitFlush(); err != nil { // the folder may still be opened
		return "", err
	}
	start, err := s.site.rest(s.visitors)
	for m := slow; m < moods && err == nil; m++ {
		if err = s.endure(m, start.Usage.Heap); err != nil {
			err = s.site.explain(fmt.Errorf("a store that is %v: %w", m, err))
		}
	}
	end, restErr := s.site.rest(s.visitors)
	if end.Goroutines > start.Goroutines {
		restErr = fmt.Errorf("%d goroutines at the start, %d in the end", start.Goroutines, end.Goroutines)
	}
	return fmt.Sprintf("%s; slowest recovery %.1f s; at most %d MB of heap more; told: %s", s.visitors.counts(),
		s.slowest.Seconds(), s.grown>>20, strings.Join(s.told, "; ")), errors.Join(err, restErr, s.visitors.firstFailure())
}

// endure visits old and new pages while the store has a mood. It checks that Stats reports
// the trouble, and that the trouble passes.
func (s *siege) endure(m mood, start int64) error {
	if err := s.site.order("mood", "be", strconv.Itoa(int(m))); err != nil {
		return err
	}
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
	err := s.site.order("collect")
	st, statusErr := s.site.status()
	if err := errors.Join(err, statusErr); err != nil {
		return err
	}
	if s.grown = max(s.grown, st.Usage.Heap-start); s.grown > mostHeap {
		return fmt.Errorf("the heap grew by %d MB", s.grown>>20)
	}
	if m != slow {
		if err := s.site.await(30*time.Second, "Stats tells",
			func(now status) bool { st = now; return now.Stats.Store != "" }); err != nil {
			return err
		}
		s.told = append(s.told, fmt.Sprintf("%v %q", m, st.Stats.Store))
	}
	if n := strings.Count(s.site.log.String(), `level=WARN msg="servemap:`); n > int(m) {
		return fmt.Errorf("%d warnings by now, want one of each mood at most", n)
	}
	return s.recover(last)
}

// recover makes the store behave again. Dropped pages are seen at their next visit.
func (s *siege) recover(sections int) error {
	if err := s.site.order("mood", "be", strconv.Itoa(int(well))); err != nil {
		return err
	}
	took, err := s.site.awaitFlush()
	if s.slowest = max(s.slowest, took); err != nil {
		return err
	}
	return s.site.await(recoveryLimit, "all that was visited is listed", func(now status) bool {
		s.visitors.walk(s.site.public, 0, sections)
		return s.site.order("flush") == nil && now.Stats.Store == "" && now.Stats.Listed >= sections*(sectionPages+1)
	})
}
