package badgerstore

import (
	"errors"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// descriptorsLeft returns how many more files this process can open, and how many
// in all; ok is false if the system does not tell.
func descriptorsLeft() (left, most int, ok bool) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return 0, 0, false
	}
	most = int(limit.Cur)
	used, ok := descriptorsUsed("/proc/self/fd")
	return max(0, most-used), most, ok
}

// descriptorsUsed counts the entries of dir. Since Linux 6.2 its size is their
// number, which needs no descriptor to find out.
func descriptorsUsed(dir string) (used int, ok bool) {
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
