//go:build !linux

package control

// aside knows no sockets without a folder on this system.
func aside(string) (name string, ok bool) { return "", false }
