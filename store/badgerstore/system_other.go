//go:build !(linux || darwin || freebsd)

package badgerstore

import "os"

// lockFile leaves locking to Badger, whose own lock works on these systems.
func lockFile(*os.File) (bool, error) { return true, nil }

// spaceAt does not know, so the gate does not look at space.
func spaceAt(string) (space, bool) { return space{}, false }

// needDescriptors allows all, since these systems have no small limit of open files.
func needDescriptors(int) error { return nil }
