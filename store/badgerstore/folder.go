package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The store's folder holds Badger's own folder, the lock file, and folders that were moved aside.
// Badger's folder is one level below, so that it can be moved aside even if the store's folder is a
// file system of its own.
const (
	badgerName  = "badger"
	asidePrefix = badgerName + ".corrupt-"
	lockName    = "opening"

	// maxAside is how many folders may be moved aside. So a loop of crashes does not fill the disk.
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

// A folderLock is the file that is locked while a folder is open. Its size counts how many openings
// in a row found damage or never ended. So a process that died inside Badger is noticed by the next
// one.
type folderLock struct {
	file     *os.File
	failures int
}

// ErrLocked is wrapped by the errors of calls, and of [Store.Health], while another process has the
// folder open.
var ErrLocked = errors.New("the folder is open in another process, or in another store of this one; " +
	"wait until that ends, or use a store that processes can share")

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

// setFailures stores the count so that it survives a loss of power.
func (l *folderLock) setFailures(n int) error {
	if err := errors.Join(l.file.Truncate(int64(n)), l.file.Sync()); err != nil {
		return &problem{inaccessible, fmt.Errorf("counting openings: %w", err)}
	}
	l.failures = n
	return nil
}

func (l *folderLock) close() { l.file.Close() }

// moveAside renames Badger's folder, which could not be opened, to make room for a new one.
func (s *Store) moveAside(path string) error {
	if aside := movedAside(s.dir); len(aside) >= maxAside {
		return &problem{corrupt, fmt.Errorf("the files are damaged, and %d folders were moved aside already; remove %s*",
			len(aside), filepath.Join(s.dir, asidePrefix))}
	}
	to := filepath.Join(s.dir, asidePrefix+time.Now().UTC().Format("20060102T150405.000000000"))
	err := os.Rename(path, to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &problem{inaccessible, fmt.Errorf("moving damaged files aside: %w", err)}
	}
	s.report(slog.LevelError, noteAside, "aside", to)
	return nil
}

func movedAside(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var aside []string
	for _, entry := range entries {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), asidePrefix) {
			aside = append(aside, filepath.Join(dir, entry.Name()))
		}
	}
	slices.Sort(aside)
	return aside
}

// inPlace returns a problem if the folder is not where it was opened. Badger does not notice that. It
// goes on writing to the files that it has open, and makes new ones in whatever is at the folder's
// path: in somebody else's folder it would delete files with the names of its own.
func (g gate) inPlace() error {
	if g.file == nil || !replaced(g.file) {
		return nil
	}
	return &problem{folderMoved, fmt.Errorf("the folder %s was removed, renamed or replaced while it was open; put it back, or restart the process", g.dir)}
}

// replaced reports whether the path of an open file is free, or another file's.
func replaced(f *os.File) bool {
	there, err := os.Stat(f.Name())
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	ours, err := f.Stat()
	return err == nil && !os.SameFile(ours, there)
}
