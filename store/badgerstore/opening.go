package badgerstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"
	"github.com/dgraph-io/badger/v4/table"
)

// The store's folder holds Badger's own folder, the lock file, and the folders that were moved aside.
// Badger's folder is one level below, so that it can be moved aside even if the store's folder is a
// file system of its own.
const (
	badgerName = "badger"
	asideName  = "badger.damaged" // followed by "-1" and so on
	lockName   = "lock"

	// maxAside is how many folders may stand aside. Then the store waits for its owner.
	maxAside = 4

	// mostFresh is how many tables a folder may have that were never merged. Each process leaves one if it ends before
	// Badger merges, which is a second after its start. Each table costs a file descriptor.
	mostFresh     = 8
	mergePatience = 10 * time.Second
)

// open makes one attempt to open the folder, which it creates if needed, and locks. If Badger's folder is
// damaged, it moves that aside and opens a new one.
func (s *Store) open() (*database, error) {
	path := filepath.Join(s.dir, badgerName)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, unavailable(err)
	}
	lock, err := lockFolder(filepath.Join(s.dir, lockName))
	if err != nil {
		return nil, unavailable(fmt.Errorf("the folder %s: %w", s.name, err))
	}
	db, err := s.openLocked(path, lock)
	if cause, ok := errors.AsType[*badgerError](err); ok && cause.damage {
		if err = s.moveAside(path, cause); err == nil {
			db, err = s.openLocked(path, lock)
		}
	}
	if err != nil {
		lock.Close()
		return nil, unavailable(err)
	}
	return db, nil
}

// lockFolder opens the lock file and locks it, without waiting.
func lockFolder(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	mine, err := lockFile(f)
	switch {
	case err != nil:
		err = fmt.Errorf("locking %s: %w", name, err)
	case !mine:
		err = ErrLocked
	default:
		return f, nil
	}
	f.Close()
	return nil, err
}

// openLocked checks that there is room and that the files are whole, and opens Badger. Without room, it opens Badger
// for reading. If that fails, it is not tried again: Badger would keep the memory of each attempt.
func (s *Store) openLocked(path string, lock *os.File) (*database, error) {
	files, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	db := &database{lock: lock, gate: gate{dir: s.dir, reserve: s.reserve}, failed: make(chan error, 1)}
	if err := mayOpen(spareFiles + len(files)); err != nil {
		return nil, err
	}
	db.full = db.gate.room()
	if db.full != nil && (s.unreadable || len(files) == 0) {
		return nil, db.full
	}
	if err = db.open(path, files); err != nil && db.full != nil {
		s.unreadable = true
		return nil, fmt.Errorf("%w; nor can it be read until then: %v", db.full, err) // what is damaged is moved aside then
	}
	s.unreadable = false
	if db.begins = "Going on with the records in "; len(files) == 0 {
		db.begins, db.beside = "Starting fresh in ", strangerIn(s.dir)
	}
	return db, err
}

// strangerIn returns the name of a file that is no store's, "" if there is none: a folder that holds others may be
// named by mistake. A file system of its own has lost+found, and the command keeps its own folder there.
func strangerIn(dir string) string {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		switch name := f.Name(); {
		case name == badgerName, name == lockName, strings.HasPrefix(name, asideName),
			name == "lost+found", name == "servemap":
		default:
			return name
		}
	}
	return ""
}

// open checks the files in the locked folder, and opens Badger on them.
func (db *database) open(path string, files []fs.DirEntry) (err error) {
	if err := checkFiles(path, files); err != nil {
		return err
	}
	if db.gate.folder, err = os.Open(path); err != nil {
		return err
	}
	o := guestOptions(path, badgerLog{db.awaitTable})
	if db.full == nil {
		db.badger, err = openBadger(o)
	} else {
		db.badger, err = openFull(o)
	}
	switch {
	case err != nil:
		db.gate.folder.Close()
	case db.full == nil:
		db.awaitMerging()
	}
	return err
}

// awaitMerging waits while too many tables were never merged. Badger begins to merge them within a second.
func (db *database) awaitMerging() {
	for begun := time.Now(); db.badger.Levels()[0].NumTables > mostFresh && time.Since(begun) < mergePatience; {
		time.Sleep(20 * time.Millisecond)
	}
}

// openBadger opens Badger, and treats a panic there as damage.
func openBadger(o badger.Options) (*badger.DB, error) {
	db, err := tryBadger(o)
	if err != nil {
		return nil, failedOpening(err)
	}
	return db, nil
}

func tryBadger(o badger.Options) (db *badger.DB, err error) {
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, fmt.Errorf("badger panicked with a value of type %T", p)
		}
	}()
	return badger.Open(o)
}

// openFull opens Badger for reading, on a disk without room. A process that was killed leaves logs that are longer
// than their content. Badger cuts them when it opens for writing. When it may only read, it fails, and says where the
// content of one log ends. openFull cuts that log, and tries again. To find the end, Badger reads a little beyond it
// through a memory map. If there is a hole in the file, that may take space and end the process. So openFull first
// cuts the holes off.
func openFull(o badger.Options) (*badger.DB, error) {
	o.ReadOnly = true
	logs, err := filepath.Glob(filepath.Join(o.Dir, "*.mem"))
	if err != nil {
		return nil, err
	}
	for _, name := range logs {
		if err := cutZeros(name); err != nil {
			return nil, err
		}
	}
	for range logs {
		db, err := tryBadger(o)
		if err == nil {
			return db, nil
		}
		number, size, needed := logEnd(err)
		if !needed {
			return nil, failedOpening(err)
		}
		if err := os.Truncate(filepath.Join(o.Dir, fmt.Sprintf("%05d.mem", number)), size); err != nil {
			return nil, err
		}
	}
	return openBadger(o)
}

// cutZeros cuts the zeros off the end of a log of Badger. It leaves as many as a checksum has bytes, since the last
// checksum may end in zeros itself.
func cutZeros(name string) error {
	const header, checksum = 20, 4
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if len(data) < header { // Badger would end the process
		return fmt.Errorf("the log %s has only %d bytes", name, len(data))
	}
	if size := max(header, len(bytes.TrimRight(data, "\x00"))+checksum); size < len(data) {
		return os.Truncate(name, int64(size))
	}
	return nil
}

// moveAside renames Badger's folder, to make room for a new one. Each folder gets a name of its own,
// and none is ever removed. So that the disk does not fill, it fails once maxAside folders stand
// aside.
func (s *Store) moveAside(path string, cause *badgerError) (err error) {
	for n := range maxAside {
		aside := filepath.Join(s.dir, fmt.Sprintf("%s-%d", asideName, n+1))
		if err = os.Rename(path, aside); err == nil {
			s.log.Error("badgerstore: the records did not open, and are kept aside; the site is learned anew; write Never "+
				"rules for pages that Forget took out",
				"dir", s.dir, "aside", aside, "cause", cause)
			return os.Mkdir(path, 0o700)
		}
	}
	return fmt.Errorf("%w; up to %d damaged folders are kept aside, and another could not be (%w): "+
		"remove or move away %s-1 and so on in %s, and restart the process", cause, maxAside, err, asideName, s.dir)
}

// checkFiles finds the damage that Badger dies of, or hides, before Badger meets it. It also
// removes empty logs, which a process leaves that dies while it makes one. Badger itself finds
// other damage when it opens. To Badger, a log ends at a damaged record, and a manifest that was cut
// between two entries is whole.
func checkFiles(path string, files []fs.DirEntry) error {
	tables := 0
	for _, file := range files {
		info, err := file.Info()
		if err != nil {
			return err
		}
		switch filepath.Ext(file.Name()) {
		case ".sst":
			tables++
		case ".mem", ".vlog":
			if info.Size() > 0 {
				continue
			}
			if err := os.Remove(filepath.Join(path, file.Name())); err != nil {
				return err
			}
		}
	}
	named, err := readManifest(path, tables)
	if err != nil {
		return err
	}
	for id := range named {
		if err := checkTable(table.NewFilename(id, path), id); err != nil {
			return err
		}
	}
	return nil
}

// readManifest returns the tables that the manifest names, or an error if the manifest is missing or cut
// short. Badger itself would make a new one or take the short one, and delete the tables that are not in it.
func readManifest(path string, tables int) (map[uint64]badger.TableManifest, error) {
	f, err := os.Open(filepath.Join(path, badger.ManifestFilename))
	if errors.Is(err, fs.ErrNotExist) && tables == 0 {
		return nil, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, corruption("there are tables without a manifest")
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	manifest, end, err := badger.ReplayManifestFile(f, format, guestOptions(path, nil))
	if err != nil {
		return nil, failedOpening(err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if end < info.Size() && tables > len(manifest.Tables) {
		return nil, corruption("the manifest was cut short, and there are tables that it does not name")
	}
	return manifest.Tables, nil
}

// checkTable compares a table with its checksums.
func checkTable(name string, id uint64) error {
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !tableWhole(data, id) {
		return corruption("table %d is missing, or fails its checksums", id)
	}
	return nil
}

// tableWhole reports whether the checksums of a table are right. Badger verifies them here, where its panics do no
// harm.
func tableWhole(data []byte, id uint64) (whole bool) {
	defer func() { whole = recover() == nil && whole }()
	if !lengthsFit(data) {
		return false
	}
	t, err := table.OpenInMemoryTable(data, id, &table.Options{Compression: options.None})
	return err == nil && t.VerifyChecksum() == nil
}

// lengthsFit reports whether the checksum at the end of a table, and the index before it, lie in
// the table. Each is followed by its length. Badger ends the process if they do not fit.
func lengthsFit(data []byte) bool {
	for range 2 {
		at := len(data) - 4
		if at < 0 {
			return false
		}
		n := int(binary.BigEndian.Uint32(data[at:]))
		if n > at {
			return false
		}
		data = data[:at-n]
	}
	return true
}
