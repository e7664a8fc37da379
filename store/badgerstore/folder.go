package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// The store's folder holds Badger's own folder, the lock file, and the folders that were moved aside.
// Badger's folder is one level below, so that it can be moved aside even if the store's folder is a
// file system of its own.
const (
	badgerName = "badger"
	asideName  = "badger.damaged" // followed by "-1" and so on
	lockName   = "opening"

	// maxAside is how many folders may stand aside. Then the store waits for its owner.
	maxAside = 4
)

// checkFolder makes the folder dir, and the lock file in it. It returns an error only if that can
// never work. Anything that may pass shows again when the folder is opened.
func checkFolder(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var f *os.File
		if f, err = openFile(filepath.Join(dir, lockName)); err == nil {
			f.Close()
		}
	}
	// EPERM means that a file system takes no new folders, and /proc returns ENOENT. A lack of
	// rights is EACCES, and may pass.
	for _, never := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.EPERM, syscall.EINVAL, syscall.ENAMETOOLONG} {
		if errors.Is(err, never) {
			return err
		}
	}
	return nil
}

// openFile opens a file for reading and writing, and creates it if needed.
func openFile(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
}

// A folderLock is the file that is locked while a folder is open. Its size says how the last
// process left the folder: closed, or open, or how many processes in a row died while they opened
// it. So a process that died inside Badger is noticed by the next one.
type folderLock struct {
	file  *os.File
	count int
}

const (
	countClosed = 0
	countOpen   = 1 // each death while opening adds 1

	// maxDeaths is how many processes in a row may die while they open Badger's folder before it is
	// moved aside.
	maxDeaths = 2
)

func (l *folderLock) deaths() int { return max(0, l.count-countOpen) }

// ErrLocked is wrapped by the errors of calls, and of [Store.Health], while another process has the
// folder open.
var ErrLocked = errors.New("the folder is open in another process, or in another store of this one; " +
	"end that one, or use a store that processes can share (store/sqlstore; the command has -database)")

// lockFolder locks dir, without waiting, and reads its count.
func lockFolder(dir string) (*folderLock, error) {
	f, err := openFile(filepath.Join(dir, lockName))
	if err != nil {
		return nil, &problem{inaccessible, err}
	}
	mine, err := lockFile(f)
	if err == nil && !mine {
		f.Close()
		return nil, &problem{locked, ErrLocked}
	}
	var info fs.FileInfo
	if err == nil {
		info, err = f.Stat()
	}
	if err != nil {
		f.Close()
		return nil, &problem{inaccessible, fmt.Errorf("locking %s: %w", f.Name(), err)}
	}
	return &folderLock{f, int(info.Size())}, nil
}

// set stores the count so that it survives a loss of power.
func (l *folderLock) set(count int) error {
	if err := errors.Join(l.file.Truncate(int64(count)), l.file.Sync()); err != nil {
		return &problem{inaccessible, fmt.Errorf("noting in %s how the folder is left: %w", l.file.Name(), err)}
	}
	l.count = count
	return nil
}

// inPlace returns a problem if the folder is not where it was opened. Badger does not notice that. It
// goes on writing to the files that it has open, and makes new ones in whatever is at the folder's
// path: in somebody else's folder it would delete files with the names of its own.
func (g gate) inPlace() error {
	if g.folder == nil || !replaced(g.folder) {
		return nil
	}
	return &problem{folderMoved, fmt.Errorf("the folder %s was removed, renamed or replaced while it was open; put it back, or restart the process", g.dir)}
}

// replaced reports whether nothing is at the path of an open file or folder, or something else.
func replaced(f *os.File) bool {
	there, err := os.Stat(f.Name())
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	ours, err := f.Stat()
	return err == nil && !os.SameFile(ours, there)
}
