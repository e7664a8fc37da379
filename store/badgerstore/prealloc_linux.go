package badgerstore

import (
	"os"

	"golang.org/x/sys/unix"
)

// allocate reserves disk space for the first size bytes of f, without changing
// its length.
func allocate(f *os.File, size int64) {
	_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_KEEP_SIZE, 0, size)
}
