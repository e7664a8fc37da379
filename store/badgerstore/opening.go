package badgerstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dgraph-io/badger/v4"
)

// The folder of a store holds Badger's own folder, the guard file, and what was
// moved aside. Badger's folder is one below so that it can be moved aside even
// when the store's is a file system of its own.
const (
	badgerName = "badger"
	asidePart  = badgerName + ".corrupt-"

	// fatalOpenings is how many openings running may die, or find damage,
	// before Badger's folder is moved aside; maxAside is how many such folders
	// there may be, so that a loop of crashes does not fill the disk.
	fatalOpenings = 2
	maxAside      = 4
)

// open opens the folder, once.
func (s *Store) open() (*handle, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, unavailable(&trouble{files, err})
	}
	if passes(s.dir) && s.tell(notePasses) {
		s.log.Warn("badgerstore: the folder is in memory or in the layer of a container, and what is learned is lost with it; give it a volume", "dir", s.dir)
	}
	g, err := openGuard(s.dir)
	if err != nil {
		return nil, unavailable(err)
	}
	db, err := s.openGuarded(g)
	if err != nil {
		g.close()
		return nil, unavailable(err)
	}
	return db, nil
}

func (s *Store) openGuarded(g *guard) (*handle, error) {
	path := filepath.Join(s.dir, badgerName)
	_, err := os.Stat(filepath.Join(path, manifestName))
	empty := errors.Is(err, fs.ErrNotExist)
	if g.openings >= fatalOpenings {
		if err := s.moveAside(path); err != nil {
			return nil, err
		}
		if err := g.set(0); err != nil {
			return nil, err
		}
	}
	found, _ := os.ReadDir(path)
	gate := gate{dir: s.dir, reserve: s.reserve, ledger: tablesSize(found), descriptors: len(found)}
	if err := gate.check(); err != nil {
		return nil, err
	}
	gate.descriptors = 0 // they are open then
	before := g.openings
	if err := g.set(before + 1); err != nil {
		return nil, err
	}
	h, err := s.openInspected(path, gate, before > 0)
	if kindOf(err) != damaged {
		if err := g.set(0); err != nil && h != nil {
			s.log.Warn("badgerstore: cannot note that the folder was opened", "dir", s.dir, "cause", err)
		}
	}
	if err != nil {
		return nil, err
	}
	h.guard = g
	if empty {
		s.log.Info("badgerstore: the folder is empty; nothing that was learned before is here, and the site is learned anew", "dir", s.dir)
	}
	return h, nil
}

// quickTables is how many bytes of tables are read to their ends at each opening,
// which takes a quarter of a second; more are when something is amiss.
const quickTables = 256 << 20

// openInspected opens Badger if its files are fit for it.
func (s *Store) openInspected(path string, gate gate, amiss bool) (*handle, error) {
	mark := readMark(path)
	spoilt, err := inspect(path, mark, amiss || !mark.clean || gate.ledger <= quickTables)
	if err != nil {
		return nil, err
	}
	if spoilt > 0 && s.tell(noteSpoilt) {
		s.log.Error("badgerstore: tables are damaged; records that fail their checksum count as absent", "dir", s.dir, "tables", spoilt)
	}
	syncs, err := openSyncs(path)
	if err != nil {
		return nil, err
	}
	h := &handle{
		path:   path,
		gate:   gate,
		syncs:  syncs,
		failed: make(chan struct{}),
		idle:   make(chan struct{}),
	}
	h.giveUp = func(cause error) { _ = s.retireOn(h, cause) }
	logger := &badgerLog{log: s.log, dir: s.dir, beforeTable: h.awaitTable, unflushed: h.endFlushing}
	h.spoilt = func() {
		s.tell(noteSpoilt)
		logger.spoilt()
	}
	if h.db, err = openBadger(guestOptions(path, logger)); err != nil {
		syncs.file.Close()
		return nil, err
	}
	if err := s.compareSyncs(h, mark); err != nil {
		_ = h.db.Close()
		syncs.file.Close()
		return nil, err
	}
	h.wal = newPreallocator(path)
	h.wal.extend()
	return h, nil
}

// compareSyncs compares how often Badger was synced with what was noted of it.
func (s *Store) compareSyncs(h *handle, noted mark) error {
	stored, err := storedSyncs(h.db)
	if err != nil {
		return err
	}
	if stored < noted.syncs && s.tell(noteLost) {
		s.log.Error("badgerstore: the last records that had been stored are missing; pages that Forget barred at last need to be barred again", "dir", s.dir)
	}
	return h.syncs.begin(max(stored, noted.syncs))
}

// openBadger calls badger.Open, a second time where that heals.
func openBadger(o badger.Options) (*badger.DB, error) {
	db, err := tryBadger(o)
	if err != nil && halfMade(err) {
		db, err = tryBadger(o)
	}
	if err == nil {
		return db, nil
	}
	if t, ok := errors.AsType[*trouble](err); ok {
		return nil, t
	}
	return nil, &trouble{classify(err), fmt.Errorf("opening: %s", innermost(err.Error()))}
}

// tryBadger takes a panic in badger.Open for damage. A panic in one of
// Badger's own goroutines ends the process; the guard file remembers it.
func tryBadger(o badger.Options) (db *badger.DB, err error) {
	defer func() {
		if p := recover(); p != nil {
			db, err = nil, &trouble{damaged, fmt.Errorf("opening: %s", panicText(p))}
		}
	}()
	return badger.Open(o)
}

// moveAside renames Badger's folder, which could not be opened, so that a new
// one can be begun.
func (s *Store) moveAside(path string) error {
	if aside := movedAside(s.dir); len(aside) >= maxAside {
		return &trouble{damaged, fmt.Errorf("the files are damaged, and %d folders were moved aside already; remove %s*",
			len(aside), filepath.Join(s.dir, asidePart))}
	}
	to := filepath.Join(s.dir, asidePart+time.Now().UTC().Format("20060102T150405.000000000"))
	err := os.Rename(path, to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return &trouble{files, fmt.Errorf("moving damaged files aside: %w", err)}
	}
	s.tell(noteAside)
	s.log.Error("badgerstore: the files are damaged and were moved aside; what was learned is lost and is being learned again, "+
		"and pages barred by Forget need never rules", "dir", s.dir, "aside", to)
	return nil
}

func movedAside(dir string) []string {
	entries, _ := os.ReadDir(dir)
	var aside []string
	for _, entry := range entries {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), asidePart) {
			aside = append(aside, filepath.Join(dir, entry.Name()))
		}
	}
	slices.Sort(aside)
	return aside
}
