package badgerstore

import (
	"fmt"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLogsHaveTheirSpace sees that the log that is written to has its disk
// space, at first and after the log was changed.
func TestLogsHaveTheirSpace(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	value := string(make([]byte, 60<<10))
	for round := range 2 {
		first := s.db.wal.next
		name := filepath.Join(dir, badgerName, fmt.Sprintf("%05d%s", first-1, walSuffix))
		var st unix.Stat_t
		if err := unix.Stat(name, &st); err != nil {
			t.Fatal(err)
		}
		if got := st.Blocks * 512; got < walSpace {
			t.Errorf("log %d has %d bytes of disk space, want %d", round, got, walSpace)
		}
		if got := s.db.newestLog(); got != first-1 {
			t.Errorf("the newest log is %d, want %d", got, first-1)
		}
		for i := 0; s.db.wal.next == first; i++ {
			if i > 2*memTableSize/len(value) {
				t.Fatalf("after %d writes no new log was seen", i)
			}
			mustPut(t, s, fmt.Sprintf("%d/%d", round, i), value)
		}
	}
}

func (h *handle) newestLog() int { return newPreallocator(h.wal.dir).next }

// TestNoSpaceForTheLog has a log that was given none of its space.
func TestNoSpaceForTheLog(t *testing.T) {
	log := newLog()
	s := open(t, t.TempDir(), &Options{Logger: log.logger()})
	mustPut(t, s, "k", "1")
	wal := s.db.wal
	wal.next--
	wal.err, wal.dir = unix.ENOSPC, t.TempDir()
	if err := wal.check(); err != nil {
		t.Errorf("when there is no log to give space to: %v", err)
	}
	wal.err, wal.dir = unix.ENOSPC, filepath.Join(s.dir, badgerName)
	mustPut(t, s, "k", "2") // there is space by now
	if wal.err != nil || s.db.newestLog() != wal.next-1 {
		t.Errorf("the log has still no space: %v", wal.err)
	}
}
