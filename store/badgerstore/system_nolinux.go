//go:build !linux

package badgerstore

// descriptorsLeft does not know on other systems.
func descriptorsLeft() (left, limit int, ok bool) { return 0, 0, false }
