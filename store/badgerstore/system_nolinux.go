//go:build !linux

package badgerstore

// Other systems do not tell.

func isTemporary(string) bool                     { return false }
func descriptorsLeft() (left, limit int, ok bool) { return 0, 0, false }
