package badgerstore

import (
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/storetest"
)

func TestStoreKeepsTheRules(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.Store { return open(t, t.TempDir(), nil) })
}

func TestFolderHeldByAnotherStoreIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	first := mustOpen(t, dir, nil)
	mustPut(t, first, "k", "1")
	second, log := openLogged(t, dir)
	for name, err := range callErrors(second) {
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(),
			"the folder "+dir+": another process has it open") ||
			!strings.Contains(err.Error(), "or use a store that processes can share, such as sqlstore") {
			t.Errorf("%s while another store has the folder: %v", name, err)
		}
	}
	log.Await(t, "takes over when that one ends. For both at once, give each a folder of its own, or "+
		"use a store that processes can share, such as sqlstore.")
	mustClose(t, first)
	log.Await(t, "works now")
	wantValue(t, second, "k", "1")
	log.Want(t, 1, "takes over")
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

// TestFailedWriteReopens closes Badger without the store's knowledge, so that the next commit
// fails.
func TestFailedWriteReopens(t *testing.T) {
	s, log := openLogged(t, t.TempDir())
	mustPut(t, s, "secret-key", "1")
	broken := current(s)
	base.Check(t, broken.badger.Close())
	err := put(s, "secret-key", "2")
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a failed update: %v, want ErrUnavailable", err)
	}
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a failed update shows the key: %v", err)
	}
	if err := broken.commit([]store.Record{{Key: "k"}}); err == nil {
		t.Error("a commit to a closed database fails without an error")
	}
	_ = s.fail(broken, errors.New("a write failed"))
	log.Await(t, "works now")
	wantValue(t, s, "secret-key", "1")
	mustPut(t, s, "secret-key", "3")
	healthy(t, s)
}

// TestPanicInAReadReopens makes Badger panic: its iterators do so on a database that was closed
// without the store's knowledge.
func TestPanicInAReadReopens(t *testing.T) {
	s, log := openLogged(t, t.TempDir())
	mustPut(t, s, "k", "1")
	base.Check(t, current(s).badger.Close())
	if _, err := scan(s); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("Scan of a closed database: %v, want that it panicked", err)
	}
	log.Await(t, "works now")
	wantValue(t, s, "k", "1")
}

// TestSyncIsShared closes Badger without the store's knowledge, so that a call fails if it reaches it.
func TestSyncIsShared(t *testing.T) {
	s, log := openLogged(t, t.TempDir())
	if s.synced {
		t.Error("what a process that was killed has written counts as synced")
	}
	base.Check(t, s.Sync(t.Context()))
	if mustPut(t, s, "k", "1"); s.synced {
		t.Error("a write counts as synced")
	}
	base.Check(t, s.Sync(t.Context()))
	base.Check(t, current(s).badger.Close())
	if err := s.Sync(t.Context()); err != nil {
		t.Errorf("Sync of what another call synced: %v", err)
	}
	s.synced = false // as after a write
	if err := s.Sync(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Sync of what nobody synced: %v, want ErrUnavailable", err)
	}
	log.Await(t, "works now")
}
