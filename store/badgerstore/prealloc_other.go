//go:build !linux

package badgerstore

import "os"

// allocate does nothing where there is no fallocate.
func allocate(*os.File, int64) error { return nil }
