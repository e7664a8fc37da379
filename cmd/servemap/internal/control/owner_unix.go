//go:build unix

package control

import (
	"os"
	"syscall"
)

// ownerOf returns the user that a file belongs to.
func ownerOf(info os.FileInfo) (uid int, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(st.Uid), true
}
