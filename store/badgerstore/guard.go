package badgerstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// guardName is the file that is locked while a folder is open. It also counts
// the openings that have begun and not ended well, one byte each: a byte that
// is still there at the next opening tells of a process that died in Badger's
// Open, out of reach of any recover.
const guardName = "opening"

type guard struct {
	file     *os.File
	openings int
}

var errBusy = errors.New("another process holds the folder, or another store in this one; " +
	"wait for it to end, or share a store between processes")

// openGuard locks and reads the guard file of dir, without waiting.
func openGuard(dir string) (*guard, error) {
	f, err := os.OpenFile(filepath.Join(dir, guardName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, &trouble{files, err}
	}
	locked, err := lockFile(f)
	if err != nil || !locked {
		f.Close()
		if err != nil {
			return nil, &trouble{files, fmt.Errorf("locking %s: %w", f.Name(), err)}
		}
		return nil, &trouble{busy, errBusy}
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, &trouble{files, err}
	}
	return &guard{f, int(info.Size())}, nil
}

// set makes n the count of openings, and sees to it that a crash of the
// machine does not undo it.
func (g *guard) set(n int) error {
	err := g.file.Truncate(int64(n))
	if err == nil {
		err = g.file.Sync()
	}
	if err != nil {
		return &trouble{files, fmt.Errorf("counting openings: %w", err)}
	}
	g.openings = n
	return nil
}

// inPlace reports whether the file that is locked is still where it was.
func (g *guard) inPlace() bool {
	there, err := os.Stat(g.file.Name())
	if err != nil {
		return false
	}
	ours, err := g.file.Stat()
	return err == nil && os.SameFile(ours, there)
}

// close unlocks the folder.
func (g *guard) close() error { return g.file.Close() }
