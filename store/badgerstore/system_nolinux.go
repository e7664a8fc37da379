//go:build !linux

package badgerstore

// On other systems nothing is known of these.

func isTemporary(string) bool                     { return false }
func descriptorsLeft() (left, limit int, ok bool) { return 0, 0, false }
