//go:build !linux

package control

import "net"

// peerOf knows no users on this system. The owner of the folder is checked all the same.
func peerOf(*net.UnixConn) (uid int, ok bool) { return 0, false }
