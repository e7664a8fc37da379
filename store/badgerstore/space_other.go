//go:build !(linux || darwin || freebsd)

package badgerstore

// spaceAt knows nothing here, so that the gate is always open.
func spaceAt(string) (space, bool) { return space{}, false }
