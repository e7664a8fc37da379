package badgerstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/storetest"
)

func TestStoreKeepsTheRules(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, t.TempDir(), nil) })
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

func TestFolderHeldByAnotherStoreIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	first := mustOpen(t, dir, nil)
	mustPut(t, first, "k", "1")
	second, log := openLogged(t, dir)
	for name, err := range callErrors(second) {
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "the folder is open in another process") {
			t.Errorf("%s while another store has the folder: %v", name, err)
		}
	}
	mustClose(t, first)
	log.Await("works again")
	wantValue(t, second, "k", "1")
	log.Want(t, 1, "cannot be used")
}

// TestFolderHeldByBadgerIsNotOpened opens Badger's folder without our lock.
func TestFolderHeldByBadgerIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	db, err := badger.Open(guestOptions(filepath.Join(dir, badgerName), nil))
	base.Check(t, err)
	s, log := openLogged(t, dir)
	if err := s.Health(); reasonOf(err) != locked {
		t.Errorf("Health: %v, want that the folder is in use", err)
	}
	base.Check(t, db.Close())
	log.Await("works again")
	healthy(t, s)
}

func TestCallsAfterCloseFail(t *testing.T) {
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

// TestCloseEndsGoroutines closes a store that works, and one that waits for the folder.
func TestCloseEndsGoroutines(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, nil)
	waiting := mustOpen(t, dir, &Options{Logger: new(base.Log).Logger()})
	mustPut(t, s, "k", "1")
	base.Check(t, errors.Join(waiting.Close(), s.Close()))
	// A goroutine that has ended may still show for a moment.
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
	db, err := s.acquire(t.Context())
	base.Check(t, err)
	if err := s.Close(); err == nil {
		t.Error("Close says nothing of a call that is under way")
	}
	db.calls.Done()
	<-s.stopped
	mustClose(t, s)
}
