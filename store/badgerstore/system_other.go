//go:build !linux

package badgerstore

import "os"

// On other systems nothing is known of these.

func isTemporary(string) bool                     { return false }
func allocate(*os.File, int64) error              { return nil }
func descriptorsLeft() (left, limit int, ok bool) { return 0, 0, false }
