package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, t.TempDir(), nil) })
}

func BenchmarkStore(b *testing.B) {
	storetest.Bench(b, func(b *testing.B) store.Store { return open(b, b.TempDir(), nil) })
}

// open opens a store that is closed when the test ends.
func open(t testing.TB, dir string, opts *Options) *Store {
	t.Helper()
	s, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// healthy fails the test unless s works.
func healthy(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Health(); err != nil {
		t.Fatalf("Health: %v", err)
	}
}

func put(s store.Store, key, value string) error {
	return s.Update(context.Background(), []string{key}, func(values [][]byte) error {
		values[0] = []byte(value)
		return nil
	})
}

func mustPut(t testing.TB, s store.Store, key, value string) {
	t.Helper()
	if err := put(s, key, value); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// get returns the value at key, "" if there is none.
func get(t testing.TB, s store.Store, key string) (got string) {
	t.Helper()
	err := s.View(context.Background(), []string{key}, func(values [][]byte) error {
		got = string(values[0])
		return nil
	})
	if err != nil {
		t.Fatalf("View: %v", err)
	}
	return got
}

// scan returns the number of records and the error that a scan ends with.
func scan(s store.Store) (n int, last error) {
	for _, err := range s.Scan(context.Background(), "", "") {
		if last = err; err == nil {
			n++
		}
	}
	return n, last
}

func TestOpenRefusesBadArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		dir  string
		opts *Options
	}{
		{"no folder", "", nil},
		{"a file", file, nil},
		{"a negative reserve", t.TempDir(), &Options{Reserve: -1}},
	} {
		if s, err := Open(c.dir, c.opts); err == nil {
			t.Errorf("Open takes %s", c.name)
			s.Close()
		}
	}
}

func TestRecordsSurviveClosing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	for i := range 5 {
		s, err := Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		healthy(t, s)
		for j := range i {
			if got, want := get(t, s, fmt.Sprintf("k%d", j)), fmt.Sprint(j); got != want {
				t.Errorf("opening %d: k%d is %q, want %q", i, j, got, want)
			}
		}
		mustPut(t, s, fmt.Sprintf("k%d", i), fmt.Sprint(i))
		if err := s.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
}

func TestFolderInUse(t *testing.T) {
	dir := t.TempDir()
	first, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, first, "k", "1")
	log := newLog()
	second := open(t, dir, &Options{Logger: log.logger()})
	for name, err := range map[string]error{
		"Health": second.Health(),
		"Update": put(second, "k", "2"),
		"View":   second.View(context.Background(), []string{"k"}, func([][]byte) error { return nil }),
		"Sync":   second.Sync(context.Background()),
		"Scan":   scanError(second),
	} {
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "another process holds the folder") {
			t.Errorf("%s while another store has the folder: %v", name, err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	log.wait("works again")
	if got := get(t, second, "k"); got != "1" {
		t.Errorf("the second store reads %q, want 1", got)
	}
	if n := log.count("cannot be used"); n != 1 {
		t.Errorf("the cause was logged %d times, want once", n)
	}
}

func scanError(s store.Store) error { _, err := scan(s); return err }

// TestFolderInUseByBadger has somebody open Badger's folder without the guard.
func TestFolderInUseByBadger(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(guestOptions(filepath.Join(dir, badgerName), nil))
	if err != nil {
		t.Fatal(err)
	}
	log := newLog()
	s := open(t, dir, &Options{Logger: log.logger()})
	if err := s.Health(); kindOf(err) != busy {
		t.Errorf("Health: %v, want that the folder is in use", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	log.wait("works again")
	healthy(t, s)
}

func TestClose(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	mustPut(t, s, "k", "1")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if err := s.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
	wg.Wait()
	for name, err := range map[string]error{
		"Health": s.Health(),
		"Update": put(s, "k", "2"),
		"View":   s.View(context.Background(), []string{"k"}, func([][]byte) error { return nil }),
		"Sync":   s.Sync(context.Background()),
		"Scan":   scanError(s),
	} {
		if !errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s after Close: %v, want ErrClosed alone", name, err)
		}
	}
}

// TestCloseEndsGoroutines closes stores that work and one that waits.
func TestCloseEndsGoroutines(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	waiting, err := Open(dir, &Options{Logger: newLog().logger()})
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "k", "1")
	if err := errors.Join(waiting.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	// A goroutine that has said its last may still be seen for a moment.
	var stacks string
	for range 10_000 {
		buf := make([]byte, 1<<20)
		stacks = string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(stacks, "badgerstore.(*Store).keep") {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("a closed store still has a goroutine:\n%s", stacks)
}

// TestCloseGivesUp holds a call open for longer than Close waits.
func TestCloseGivesUp(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	s.patience = time.Millisecond
	db, err := s.acquire()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err == nil {
		t.Error("Close says nothing of a call that is under way")
	}
	s.release(db)
	<-s.stopped
	if err := s.Close(); err != nil {
		t.Errorf("Close after the call ended: %v", err)
	}
}

func TestContextEndsWaiting(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	inside, leave := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := s.Update(context.Background(), []string{"k"}, func(values [][]byte) error {
			close(inside)
			<-leave
			values[0] = []byte("slow")
			return nil
		})
		if err != nil {
			t.Errorf("the slow update: %v", err)
		}
	})
	<-inside
	ctx, cancel := context.WithCancel(context.Background())
	wg.Go(func() {
		err := s.Update(ctx, []string{"k"}, func([][]byte) error {
			t.Error("fn runs beside another")
			return nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("an update that waited: %v, want context.Canceled", err)
		}
	})
	cancel()
	if got := get(t, s, "k"); got != "" {
		t.Errorf("beside a slow update View reads %q", got)
	}
	close(leave)
	wg.Wait()
	if got := get(t, s, "k"); got != "slow" {
		t.Errorf("after the slow update View reads %q", got)
	}
}

// TestContextEndsCommit abandons a write that the disk does not answer.
func TestContextEndsCommit(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	ctx, cancel := context.WithCancel(context.Background())
	begun, answer := make(chan struct{}), make(chan struct{})
	turn, err := s.begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-begun
		cancel()
	}()
	err = turn.write(ctx, func(*handle) error {
		close(begun)
		<-answer
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an abandoned write: %v, want context.Canceled", err)
	}
	s.mark(time.Now().Add(-time.Hour))
	if err := s.Health(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "1h0m0s") {
		t.Errorf("Health during a write of an hour: %v", err)
	}
	close(answer)
	mustPut(t, s, "k", "next")
	healthy(t, s)
}
