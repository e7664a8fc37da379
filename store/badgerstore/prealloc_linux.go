package badgerstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// allocate reserves disk space for the first size bytes of f, without changing
// its length. It returns an error if there is too little space.
func allocate(f *os.File, size int64) error {
	err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return err
	}
	return nil
}
