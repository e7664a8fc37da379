//go:build linux || darwin || freebsd

package badgerstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks f for this process until f is closed. It does not wait, and reports false if
// somebody else has locked it.
func lockFile(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// readOnlyFlag is ST_RDONLY on Linux and MNT_RDONLY elsewhere.
const readOnlyFlag = 1

// spaceAt asks the file system of dir what is free for users other than root.
func spaceAt(dir string) (space, bool) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return space{}, false
	}
	sp := space{
		total:    int64(st.Blocks) * int64(st.Bsize),
		free:     int64(st.Bavail) * int64(st.Bsize),
		inodes:   int64(st.Ffree),
		readOnly: st.Flags&readOnlyFlag != 0,
	}
	if st.Files == 0 {
		sp.inodes = -1
	}
	return sp, true
}

// needDescriptors returns an error if this process cannot open n more files. It runs before each write. Since Linux
// 6.2, the size of /proc/self/fd is the number of open files. Where the system does not tell, it opens that many.
func needDescriptors(n int) error {
	var limit unix.Rlimit
	var open unix.Stat_t
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil && unix.Stat("/proc/self/fd", &open) == nil &&
		open.Size > 0 && uint64(open.Size)+uint64(n) <= uint64(limit.Cur) {
		return nil
	}
	return tryDescriptors(n)
}

// tryDescriptors takes n file descriptors, and gives them back. It opens one file and copies its descriptor.
func tryDescriptors(n int) error {
	first, err := unix.Open(os.DevNull, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	for fd := first; err == nil; fd, err = unix.FcntlInt(uintptr(first), unix.F_DUPFD_CLOEXEC, 0) {
		defer unix.Close(fd)
		if n--; n <= 0 {
			return nil
		}
	}
	return err
}
