//go:build linux || darwin || freebsd

package main

import (
	"io/fs"
	"syscall"
)

// allocated returns the bytes of a file's blocks.
func allocated(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * 512
	}
	return info.Size()
}
