package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
)

// open makes one attempt to open the folder: it makes and locks it, and opens what is in it.
func (s *Store) open() (*database, error) {
	if err := os.MkdirAll(filepath.Join(s.dir, badgerName), 0o700); err != nil {
		return nil, &problem{inaccessible, err}
	}
	lock, err := lockFolder(s.dir)
	if err != nil {
		return nil, err
	}
	db, err := s.openOrRenew(lock)
	if err != nil {
		lock.file.Close()
		return nil, err
	}
	return db, nil
}

// openOrRenew opens Badger's folder. If that is damaged, or if processes died each time that they
// opened it, it moves the folder aside and opens a new one. What another version wrote is never
// taken for damage.
func (s *Store) openOrRenew(lock *folderLock) (*database, error) {
	if err := checkFormat(filepath.Join(s.dir, badgerName, badger.ManifestFilename)); err != nil {
		return nil, err
	}
	cause := corruption("%d processes died of it", lock.deaths())
	if lock.deaths() < maxDeaths {
		db, err := s.openLocked(lock)
		if reasonOf(err) != corrupt {
			return db, err
		}
		cause = err
	}
	if err := s.moveAside(lock, cause); err != nil {
		return nil, err
	}
	return s.openLocked(lock)
}

// openLocked checks that there is room and that the files are whole, and opens Badger. While Badger
// opens, the lock file counts one more death.
func (s *Store) openLocked(lock *folderLock) (*database, error) {
	path := filepath.Join(s.dir, badgerName)
	files, err := os.ReadDir(path)
	if err != nil {
		return nil, &problem{inaccessible, err}
	}
	gate := gate{dir: s.dir, reserve: s.reserve, descriptors: len(files)}
	if err := gate.check(); err != nil {
		return nil, err
	}
	before := lock.count
	if err := checkFiles(path, files, before != countClosed); err != nil {
		return nil, err
	}
	if err := lock.set(max(before, countOpen) + 1); err != nil {
		return nil, err
	}
	db, err := s.openDatabase(path, gate)
	if err != nil {
		_ = lock.set(before) // if this fails, a process counts as dead that is not
		return nil, err
	}
	_ = lock.set(countOpen) // the same
	db.lock = lock
	if len(files) == 0 {
		s.log.Info("badgerstore: the folder is empty, so the site is learned from the start", "dir", s.dir)
	}
	return db, nil
}

func (s *Store) openDatabase(path string, gate gate) (*database, error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, &problem{inaccessible, err}
	}
	gate.folder = folder
	gate.descriptors = 0 // Badger has the files open from now on
	db := &database{gate: gate, failed: make(chan error, 1)}
	if db.badger, err = openBadger(guestOptions(path, badgerLog{db.awaitTable})); err != nil {
		folder.Close()
		return nil, err
	}
	return db, nil
}

// openBadger treats a panic in badger.Open as damage. A panic in one of Badger's own goroutines
// ends the process, and the lock file counts it.
func openBadger(o badger.Options) (db *badger.DB, err error) {
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, corruption("%s", panicText(p))
		}
	}()
	if db, err = badger.Open(o); err != nil {
		return nil, openingProblem(err)
	}
	return db, nil
}

// moveAside renames Badger's folder, to make room for a new one. Each folder gets a name of its own,
// and none is ever removed: what looks damaged may be whole, as when processes were killed for
// another reason. So that the disk does not fill, it fails once maxAside folders stand aside.
func (s *Store) moveAside(lock *folderLock, cause error) error {
	aside, err := s.freeAside()
	if err != nil {
		return err
	}
	if p, ok := errors.AsType[*problem](cause); ok {
		cause = p.err
	}
	if aside == "" {
		return &problem{corrupt, fmt.Errorf("%w; %d folders were moved aside before, and are all kept: "+
			"remove or move away %s-1 and so on in %s, and restart the process", cause, maxAside, asideName, s.dir)}
	}
	path := filepath.Join(s.dir, badgerName)
	if err = lock.set(countOpen); err == nil { // the deaths were those of the folder that goes
		err = os.Rename(path, aside)
	}
	if err != nil {
		return &problem{inaccessible, fmt.Errorf("moving damaged files aside: %w", err)}
	}
	s.log.Error("badgerstore: the records did not open, and are kept aside; the site is learned anew; write Never rules for pages that Forget took out",
		"dir", s.dir, "aside", aside, "cause", cause)
	if err := os.Mkdir(path, 0o700); err != nil {
		return &problem{inaccessible, err}
	}
	return nil
}

// freeAside returns a path where nothing is yet, for a folder that is moved aside. It returns "" if
// there is none.
func (s *Store) freeAside() (string, error) {
	for n := range maxAside {
		path := filepath.Join(s.dir, fmt.Sprintf("%s-%d", asideName, n+1))
		_, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", &problem{inaccessible, err}
		}
	}
	return "", nil
}
