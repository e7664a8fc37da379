//go:build unix && !aix && !solaris

package badgerstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks f for this process until f is closed, without waiting. It
// reports false if somebody else has it locked.
func lockFile(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
