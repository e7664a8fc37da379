package badgerstore

import (
	"context"
	"errors"
	"fmt"
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

func TestRecordsSurviveClosing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	for i := range 5 {
		s := mustOpen(t, dir, nil)
		healthy(t, s)
		for j := range i {
			wantValue(t, s, fmt.Sprintf("k%d", j), fmt.Sprint(j))
		}
		mustPut(t, s, fmt.Sprintf("k%d", i), fmt.Sprint(i))
		mustClose(t, s)
	}
}

func TestFolderHeldByAnotherStore(t *testing.T) {
	dir := t.TempDir()
	first := mustOpen(t, dir, nil)
	mustPut(t, first, "k", "1")
	second, log := openLogged(t, dir)
	for name, err := range callErrors(second) {
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "another process holds the folder") {
			t.Errorf("%s while another store has the folder: %v", name, err)
		}
	}
	mustClose(t, first)
	log.wait("works again")
	wantValue(t, second, "k", "1")
	log.want(t, 1, "cannot be used")
}

// TestFolderHeldByBadger has somebody open Badger's folder without our lock.
func TestFolderHeldByBadger(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(guestOptions(filepath.Join(dir, badgerName), nil))
	if err != nil {
		t.Fatal(err)
	}
	s, log := openLogged(t, dir)
	if err := s.Health(); reasonOf(err) != locked {
		t.Errorf("Health: %v, want that the folder is in use", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	log.wait("works again")
	healthy(t, s)
}

func TestCallsAfterClose(t *testing.T) {
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
	for name, err := range callErrors(s) {
		if !errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s after Close: %v, want ErrClosed alone", name, err)
		}
	}
}

// TestCloseEndsGoroutines closes a store that works and one that waits.
func TestCloseEndsGoroutines(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, nil)
	waiting := mustOpen(t, dir, &Options{Logger: newLog().logger()})
	mustPut(t, s, "k", "1")
	if err := errors.Join(waiting.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	// A goroutine that has ended may still be seen for a moment.
	var stacks string
	for range 10_000 {
		buf := make([]byte, 1<<20)
		stacks = string(buf[:runtime.Stack(buf, true)])
		if !strings.Contains(stacks, "badgerstore.(*Store).run") {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("a closed store still has a goroutine:\n%s", stacks)
}

// TestCloseGivesUp holds a call open for longer than Close waits.
func TestCloseGivesUp(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	s.closeTimeout = time.Millisecond
	db, err := s.acquire()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err == nil {
		t.Error("Close says nothing of a call that is under way")
	}
	db.calls.Done()
	<-s.stopped
	mustClose(t, s)
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
	wantValue(t, s, "k", "")
	close(leave)
	wg.Wait()
	wantValue(t, s, "k", "slow")
}

// TestContextEndsCommit abandons a write that the disk does not answer.
func TestContextEndsCommit(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	ctx, cancel := context.WithCancel(context.Background())
	begun, answer := make(chan struct{}), make(chan struct{})
	w, err := s.beginWrite(ctx)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-begun
		cancel()
	}()
	err = w.do(ctx, func(*database) error {
		close(begun)
		<-answer
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an abandoned write: %v, want context.Canceled", err)
	}
	s.setWriteBegan(time.Now().Add(-time.Hour))
	if err := s.Health(); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "1h0m0s") {
		t.Errorf("Health during a write of an hour: %v", err)
	}
	close(answer)
	mustPut(t, s, "k", "next")
	healthy(t, s)
}
