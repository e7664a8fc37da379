package badgerstore

import (
	"fmt"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/servemap/servemap/store"
)

// TestLogsHaveTheirSpace sees that the log that is written to has its disk
// space, at first and after the log was changed.
func TestLogsHaveTheirSpace(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	wal := current(s).wal
	value := string(make([]byte, store.MaxValue))
	for round := range 2 {
		first := wal.next
		name := filepath.Join(wal.dir, fmt.Sprintf("%05d%s", first-1, walSuffix))
		var st unix.Stat_t
		if err := unix.Stat(name, &st); err != nil {
			t.Fatal(err)
		}
		if got := st.Blocks * 512; got < walSpace {
			t.Errorf("log %d has %d bytes of disk space, want %d", round, got, walSpace)
		}
		if got := newPreallocator(wal.dir).next; got != first-1 {
			t.Errorf("the newest log is %d, want %d", got, first-1)
		}
		for i := 0; wal.next == first; i++ {
			if i > 2*memTableSize/len(value) {
				t.Fatalf("after %d writes no new log was seen", i)
			}
			mustPut(t, s, fmt.Sprintf("%d/%d", round, i), value)
		}
	}
}

// TestNoSpaceForTheLog has a log that was given none of its space.
func TestNoSpaceForTheLog(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	mustPut(t, s, "k", "1")
	wal := current(s).wal
	folder := wal.dir
	wal.next--
	wal.err, wal.dir = unix.ENOSPC, t.TempDir()
	if err := wal.check(); err != nil {
		t.Errorf("when there is no log to give space to: %v", err)
	}
	wal.err, wal.dir = unix.ENOSPC, folder
	mustPut(t, s, "k", "2") // there is space by now
	if wal.err != nil || newPreallocator(folder).next != wal.next-1 {
		t.Errorf("the log has still no space: %v", wal.err)
	}
}
