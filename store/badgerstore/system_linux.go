package badgerstore

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// descriptorsLeft returns how many more files this process can open, and its limit. ok is false if
// the system does not tell.
func descriptorsLeft() (left, limit int, ok bool) {
	var r unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &r); err != nil || r.Cur > math.MaxInt32 {
		return 0, 0, false
	}
	used, ok := countEntries("/proc/self/fd")
	return max(0, int(r.Cur)-used), int(r.Cur), ok
}

// countEntries counts the entries of dir. Since Linux 6.2, the size of /proc/self/fd is that
// number, and reading it needs no descriptor.
func countEntries(dir string) (n int, ok bool) {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return 0, false
	}
	if st.Size > 0 {
		return int(st.Size), true
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) {
		return math.MaxInt32, true
	}
	return len(entries), err == nil
}
