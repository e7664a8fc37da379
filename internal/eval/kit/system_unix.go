//go:build unix

package kit

import (
	"io/fs"
	"syscall"
	"time"
)

// allocated returns the bytes of a file's blocks.
func allocated(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * 512
	}
	return info.Size()
}

// CPUTime returns the CPU time of the process so far, 0 if the system does not report it as
// Unix does.
func CPUTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used) // it never fails for the own process
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
