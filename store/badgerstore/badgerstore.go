// Package badgerstore keeps servemap's records in a folder, in an embedded
// Badger database. It is the store for a site that is served by one process.
//
// Badger is made for servers of its own. Here it is a guest in somebody else's
// web server. So it gets little memory, and the package checks its files, the
// free space and the free file descriptors before Badger meets anything that
// would end the process. Whatever keeps Badger from working is tried again in
// the background until the [Store] is closed; meanwhile calls fail with
// [store.ErrUnavailable].
//
// One gap remains. Badger writes through memory maps. If another program takes
// the last free space in the milliseconds between that check and the write, the
// process dies of SIGBUS; if the process runs out of file descriptors then, a
// table may be lost. Only a file system or a quota of its own for the folder
// excludes the first.
package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/store"
)

const (
	// openTimeout is how long Open waits for the folder to be opened.
	openTimeout = 5 * time.Second

	// closeTimeout is how long Close waits for the folder to be closed.
	closeTimeout = 10 * time.Second

	// slowWrite is how long a write may take before Health tells of it. At ten
	// million records, stalls of five seconds are ordinary.
	slowWrite = 15 * time.Second
)

// Options adjusts a [Store]. The zero value of each field is the default.
type Options struct {
	// Reserve is how many bytes of the file system must be free for anything
	// to be written; below it the store serves reads only. It must not be
	// negative. If zero, it is 512 MiB, or 10 % of a file system smaller than
	// 5 GiB. It has no effect except on Linux, macOS and FreeBSD.
	Reserve int64

	// Logger receives what goes wrong and what was done about it, once per
	// cause. If nil, slog.Default() is used.
	Logger *slog.Logger
}

// A Store is a [store.Store] in a folder. It may be used concurrently. Only one
// Store, in one process, has a folder open at a time; the others wait for it.
type Store struct {
	dir     string
	reserve int64 // as in Options
	log     *slog.Logger

	closeTimeout time.Duration

	closing  context.Context // done when Close is called
	cancel   context.CancelFunc
	stopped  chan struct{} // closed when run has ended
	closeErr error         // result of Close; read it after stopped is closed

	// writer is held by who writes. Two writes must never be in flight, since
	// after one that failed the next would end the process.
	writer sync.Mutex

	writeBegan atomic.Int64 // when the write in flight began, in Unix nanoseconds; 0 if there is none

	mu     sync.Mutex
	state  state
	logged reason // what was last logged; working at first
	notes  []string
}

var (
	_ store.Store = (*Store)(nil)
	_ store.Noter = (*Store)(nil)
)

// Open returns a Store that keeps its records below dir, which it creates if
// need be. A nil opts means the defaults. It fails only for a bad argument: an
// empty dir, a dir that can never be a folder with files in it, such as one below
// a file or in /proc, an option out of range.
//
// Whatever else keeps the folder from being opened, such as another process
// that has it open, a full or read-only disk, missing rights or damaged files,
// is not an error of Open: the Store tries again in the background, logs the
// cause, and shows it in [Store.Health]. Ordinarily the folder is open when Open
// returns; it does not wait for it longer than 5 seconds. When the folder was
// empty, the log says so: an owner who did not expect that has lost the volume.
//
// A folder that is removed, renamed or replaced while it is open is given up at
// the next write. Some seconds later the Store opens what is then in its place,
// or makes a new folder there.
//
// The caller closes the Store.
func Open(dir string, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	if dir == "" {
		return nil, errors.New("badgerstore: no folder given; name one that is kept, such as sitemap-data")
	}
	if opts.Reserve < 0 {
		return nil, fmt.Errorf("badgerstore: Options.Reserve is %d; it must be 0 for the default, or a number of bytes", opts.Reserve)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("badgerstore: folder %s: %w", dir, err)
	}
	if err := checkFolder(abs); err != nil {
		return nil, fmt.Errorf("badgerstore: %s cannot be a folder with files in it: %w", abs, err)
	}
	s := &Store{
		dir:          abs,
		reserve:      opts.Reserve,
		log:          opts.Logger,
		closeTimeout: closeTimeout,
		stopped:      make(chan struct{}),
		state:        state{err: &problem{otherFailure, errors.New("the folder is being opened")}},
	}
	s.closing, s.cancel = context.WithCancel(context.Background())
	if s.log == nil {
		s.log = slog.Default()
	}
	tried := make(chan struct{})
	go s.run(tried)
	select {
	case <-tried:
	case <-time.After(openTimeout):
	}
	return s, nil
}

// Close ends the Store and what it does in the background. It waits for calls
// that are under way and for Badger, but at most 10 seconds, after which it
// fails and leaves the rest to be done when it can be. Later calls fail with
// [store.ErrClosed]; Close may be called again, and concurrently.
//
// When less than the reserve is free, Close leaves Badger's files as they are,
// since to close them is to write. Nothing is lost: the next opening finishes
// the work. But the folder stays locked until the process ends.
func (s *Store) Close() error {
	s.setState(state{err: errClosed})
	s.cancel()
	timeout := time.NewTimer(s.closeTimeout)
	defer timeout.Stop()
	select {
	case <-s.stopped:
		return s.closeErr
	case <-timeout.C:
		return fmt.Errorf("badgerstore: still closing after %v; the folder stays locked until that is done", s.closeTimeout)
	}
}

// Health returns nil if the store works, and else why it does not: an error
// that wraps [store.ErrUnavailable], or [store.ErrClosed]. It may be called
// concurrently, and does not wait for calls that are under way.
func (s *Store) Health() error {
	db, err := s.acquire()
	if err != nil {
		return err
	}
	defer db.calls.Done()
	if began := s.writeBegan.Load(); began != 0 {
		if waited := time.Since(time.Unix(0, began)); waited > slowWrite {
			return &problem{otherFailure, fmt.Errorf("a write has been waiting for the disk for %v", waited.Round(time.Second))}
		}
	}
	return db.gate.check()
}

// Notes returns what befell the records since Open, one sentence each: damage
// that was found, and what was done about it, and whether the folder looks as if
// it were temporary. Each was logged as well. They name no key, and are kept
// until the Store is gone. It may be called concurrently.
func (s *Store) Notes() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}

const (
	noteAside     = "The records were damaged and were moved aside; the site is being learned anew, and pages barred by Forget need Never rules."
	noteLost      = "The last records that had been stored are missing; pages that Forget barred at last need to be barred again."
	noteDamaged   = "Some records are damaged, count as absent and are learned anew."
	noteMoved     = "The folder was removed, renamed or replaced while it was open; what is in its place now is used, and pages that Forget barred may need to be barred again."
	noteTemporary = "The folder is in memory or in the layer of a container, and what is learned is lost with it; give it a volume."
)

// addNote reports whether the note is new.
func (s *Store) addNote(note string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.notes, note) {
		return false
	}
	s.notes = append(s.notes, note)
	return true
}

// report adds a note, and logs it if it is new.
func (s *Store) report(level slog.Level, note string) {
	if s.addNote(note) {
		s.log.Log(context.Background(), level, "badgerstore: "+note, "dir", s.dir)
	}
}
