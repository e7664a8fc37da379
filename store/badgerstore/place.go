package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// checkFolder makes the folder dir, and the guard file in it. It returns an error
// only if that can never work. What may pass is found again, and told of, when
// the folder is opened.
func checkFolder(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.OpenFile(filepath.Join(dir, guardName), os.O_CREATE|os.O_RDWR, 0o600); err == nil {
			f.Close()
		}
	}
	// EPERM is what the system says when a file system takes no new folders, and
	// ENOENT in /proc. A lack of rights is EACCES, and may pass.
	for _, never := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.EPERM, syscall.EINVAL, syscall.ENAMETOOLONG} {
		if errors.Is(err, never) {
			return err
		}
	}
	return nil
}

// inPlace returns a trouble if Badger's folder, or what is in it, is no longer
// where it was opened. Badger does not notice that: it writes on to the files that
// it has open, which nobody may ever find again, and makes new ones in whatever
// has the folder's name by then.
func (h *handle) inPlace() error {
	there, err := os.Stat(h.syncs.file.Name())
	switch {
	case missing(err):
	case err != nil:
		return nil // nobody knows
	default:
		if ours, err := h.syncs.file.Stat(); err != nil || os.SameFile(ours, there) {
			return nil
		}
	}
	return unavailable(&trouble{moved, fmt.Errorf("the folder %s was removed, renamed or replaced while it was open", filepath.Dir(h.path))})
}

// gone reports whether nothing is where Badger's folder was.
func (h *handle) gone() bool {
	_, err := os.Stat(h.path)
	return missing(err)
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// tablePause is the time between two looks at whether a table may be made.
const tablePause = 250 * time.Millisecond

// awaitTable returns when a compaction may make a table. It never may where
// another folder has taken the place of this one: Badger would put the table
// there, and delete files there that are called like its own. Where there is
// nothing instead, the compaction fails by itself.
func (h *handle) awaitTable() {
	for h.gate.check() != nil || h.inPlace() != nil && !h.gone() {
		time.Sleep(tablePause)
	}
}

// endFlushing ends the goroutine that could not write a memtable, if the reason
// is that the folder is not in its place: Badger would try again without end, and
// could not be closed. What is in the memtable is still in its log.
func (h *handle) endFlushing() {
	if err := h.inPlace(); err != nil {
		h.giveUp(err)
		runtime.Goexit()
	}
}
