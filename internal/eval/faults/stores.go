package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
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
	store.Store
	mood    atomic.Int32
	mu      sync.Mutex
	release chan struct{} // closed when it no longer hangs
}

func (m *moody) become(to mood) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.release != nil {
		close(m.release)
		m.release = nil
	}
	if to == hanging {
		m.release = make(chan struct{})
	}
	m.mood.Store(int32(to))
}

// suffer does, before each call, what the mood requires.
func (m *moody) suffer() error {
	switch mood(m.mood.Load()) {
	case slow:
		time.Sleep(200 * time.Millisecond)
	case hanging:
		m.mu.Lock()
		release := m.release
		m.mu.Unlock()
		if release != nil {
			<-release
		}
	case failing:
		return errors.New("the store fails")
	case panicking:
		panic("the store panics")
	}
	return nil
}

func (m *moody) View(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if err := m.suffer(); err != nil {
		return err
	}
	return m.Store.View(ctx, keys, fn)
}

func (m *moody) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if err := m.suffer(); err != nil {
		return err
	}
	return m.Store.Update(ctx, keys, fn)
}

func (m *moody) Sync(ctx context.Context) error {
	if err := m.suffer(); err != nil {
		return err
	}
	return m.Store.Sync(ctx)
}

func (m *moody) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := m.suffer(); err != nil {
			yield(store.Record{}, err)
			return
		}
		m.Store.Scan(ctx, prefix, after)(yield)
	}
}

// mostHeap is the most that a site may use while its store misbehaves: the queue and the bodies in it are bounded, and
// garbage of a working server comes on top.
const mostHeap = 96 << 20

// requestsEach is about how many requests there are in each mood.
const requestsEach = 25_000

// siege is a site whose store misbehaves.
type siege struct {
	store    *moody
	site     *servemap.Site
	server   *kit.Server
	log      kit.Log
	visitors *visitors
	sections int    // new sections that are visited in each mood
	heap     uint64 // the most above the heap at the start
	slowest  time.Duration
	told     []string
}

func badStores(ctx context.Context, _ *config) (line string, err error) {
	s := &siege{store: &moody{Store: new(memstore.Store)}, visitors: newVisitors()}
	s.sections = requestsEach/(sectionPages+3)/20 + 1 // each of them is visited twenty times
	if s.site, err = kit.NewSite(s.store, kit.Setup{RenderEvery: 200 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(&s.log, nil))}); err != nil {
		return "", err
	}
	if s.server, err = kit.Listen(s.site.Wrap(newFates(s.sections * int(moods)))); err != nil {
		return "", err
	}
	s.visitors.walk(s.server.URL, 0, 1)
	if err := s.site.Flush(ctx); err != nil {
		return "", err
	}
	s.visitors.client.CloseIdleConnections()
	start, routines := heap(), runtime.NumGoroutine()
	for m := slow; m < moods && err == nil; m++ {
		if err = s.endure(ctx, m, start); err != nil {
			err = fmt.Errorf("a store that is %v: %w\n%s", m, err, &s.log)
		}
	}
	err = errors.Join(err, s.visitors.firstFailure(), s.site.Close(ctx))
	s.visitors.client.CloseIdleConnections() // the goroutines of these take a moment to end
	_, left := kit.Until(recoveryLimit, fmt.Sprintf("the %d goroutines of the start", routines), func() bool { return runtime.NumGoroutine() <= routines })
	return fmt.Sprintf("%s; slowest recovery %.1f s; at most %d MB of heap more; told: %s",
		s.visitors.counts(), s.slowest.Seconds(), s.heap>>20, strings.Join(s.told, "; ")), errors.Join(err, left, s.server.Close())
}

// endure has old and new pages visited while the store has a mood. It checks that Stats reports the trouble, and that
// the trouble passes.
func (s *siege) endure(ctx context.Context, m mood, start uint64) error {
	s.store.become(m)
	first, last := int(m-1)*s.sections, int(m)*s.sections
	var walking sync.WaitGroup
	for range 4 {
		walking.Go(func() {
			for range 5 {
				s.visitors.walk(s.server.URL, first, last)
			}
		})
	}
	walking.Wait()
	grown := max(heap(), start) - start
	s.heap = max(s.heap, grown)
	if grown > mostHeap {
		return fmt.Errorf("the heap grew by %d MB", grown>>20)
	}
	if m != slow {
		if _, err := kit.Until(30*time.Second, "Stats tells", func() bool { return s.site.Stats().Store != "" }); err != nil {
			return err
		}
		s.told = append(s.told, fmt.Sprintf("%v %q", m, s.site.Stats().Store))
	}
	if n := strings.Count(s.log.String(), "level=WARN"); n > int(m) {
		return fmt.Errorf("%d warnings by now, want one of each mood at most", n)
	}
	return s.recover(ctx, last)
}

// recover makes the store behave again. What was dropped is seen at the next visit.
func (s *siege) recover(ctx context.Context, sections int) error {
	s.store.become(well)
	took, err := kit.Until(recoveryLimit, "the store is used again", func() bool { return s.site.Flush(ctx) == nil && s.site.Stats().Store == "" })
	s.slowest = max(s.slowest, took)
	if err != nil {
		return err
	}
	want := sections * (sectionPages + 1)
	if _, err = kit.Until(recoveryLimit, "all that was visited is listed", func() bool {
		s.visitors.walk(s.server.URL, 0, sections)
		return s.site.Flush(ctx) == nil && s.site.Stats().Listed >= want
	}); err != nil {
		return fmt.Errorf("%w: %d pages should be listed: %+v", err, want, s.site.Stats())
	}
	return nil
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
