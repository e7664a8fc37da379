package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/dgraph-io/badger/v4"
)

const (
	// maxFailures is how many openings in a row may die or find damage before Badger's folder is
	// moved aside.
	maxFailures = 2

	// quickTables is how many bytes of tables are read to their ends at each opening, which takes a
	// quarter of a second. If there are more, they are read only after an opening or closing that
	// did not end well.
	quickTables = 256 << 20
)

// open makes one attempt to open the folder: it makes and locks it, and opens what is in it.
func (s *Store) open() (*database, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, &problem{inaccessible, err}
	}
	if isTemporary(s.dir) {
		s.report(slog.LevelWarn, noteTemporary)
	}
	lock, err := lockFolder(s.dir)
	if err != nil {
		return nil, err
	}
	db, err := s.openLocked(lock)
	if err != nil {
		lock.close()
		return nil, err
	}
	return db, nil
}

// openLocked moves a damaged folder aside, checks that there is room, and opens Badger. While it
// runs, the lock file counts one more failure.
func (s *Store) openLocked(lock *folderLock) (*database, error) {
	path := filepath.Join(s.dir, badgerName)
	_, err := os.Stat(filepath.Join(path, manifestName))
	empty := errors.Is(err, fs.ErrNotExist)

	if lock.failures >= maxFailures {
		if err := s.moveAside(path); err != nil {
			return nil, err
		}
		if err := lock.setFailures(0); err != nil {
			return nil, err
		}
	}
	files, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &problem{inaccessible, err}
	}
	gate := gate{dir: s.dir, reserve: s.reserve, descriptors: len(files)}
	if err := gate.check(); err != nil {
		return nil, err
	}

	failures := lock.failures
	if err := lock.setFailures(failures + 1); err != nil {
		return nil, err
	}
	db, err := s.openDatabase(path, files, gate, failures > 0)
	if reasonOf(err) != corrupt {
		_ = lock.setFailures(0) // if this fails, the next opening is more careful than it needs to be
	}
	if err != nil {
		return nil, err
	}
	db.lock = lock
	if empty {
		s.log.Info("badgerstore: the folder is empty, so the site is learned from the start", "dir", s.dir)
	}
	return db, nil
}

func tableBytes(files []fs.DirEntry) (size int64) {
	for _, file := range files {
		if info, err := file.Info(); err == nil && strings.HasSuffix(file.Name(), tableSuffix) {
			size += info.Size()
		}
	}
	return size
}

// openDatabase inspects Badger's files, and opens Badger if it can use them.
func (s *Store) openDatabase(path string, files []fs.DirEntry, gate gate, careful bool) (*database, error) {
	last := readSyncState(path)
	damaged, err := inspect(path, files, careful || !last.clean || tableBytes(files) <= quickTables)
	if err != nil {
		return nil, err
	}
	if damaged > 0 {
		s.report(slog.LevelError, noteDamaged)
	}
	syncs, err := openSyncs(path)
	if err != nil {
		return nil, err
	}
	gate.file = syncs.file
	gate.descriptors = 0 // Badger has the files open from now on
	db := &database{store: s, gate: gate, syncs: syncs, failed: make(chan error, 1)}
	logger := &badgerLog{log: s.log, dir: s.dir, beforeTable: db.awaitTable}
	if db.badger, err = openBadger(guestOptions(path, logger)); err == nil {
		if err = db.resumeSyncs(last); err != nil {
			_ = db.badger.Close()
		}
	}
	if err != nil {
		syncs.file.Close()
		return nil, err
	}
	return db, nil
}

// openBadger treats a panic in badger.Open as damage. A panic in one of Badger's own goroutines
// ends the process, and the lock file counts it.
func openBadger(o badger.Options) (db *badger.DB, err error) {
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, &problem{corrupt, fmt.Errorf("opening: %s", panicText(p))}
		}
	}()
	db, err = badger.Open(o)
	switch {
	case err == nil:
		return db, nil
	case strings.Contains(err.Error(), textLocked):
		return nil, badgerProblem(locked, "opening", err)
	}
	return nil, badgerProblem(otherFailure, "opening", err)
}

// resumeSyncs reports a loss if Badger's highest version is below the noted one.
func (db *database) resumeSyncs(last syncState) error {
	if db.badger.MaxVersion() < last.version {
		db.store.report(slog.LevelError, noteLost)
		last.version = 0
	}
	db.syncs.version = last.version
	return db.syncs.save(false)
}
