// Package badgerstore keeps servemap's records in a folder, in an embedded
// Badger database. It is the store for a site that is served by one process.
//
// Badger is a database for servers of its own. Here it is a guest in somebody
// else's web server, so it is given little memory, and it is kept from the
// situations in which it ends the process: a full disk and damaged files.
// Whatever keeps it from working is tried again in the background for as long
// as the [Store] is open; meanwhile calls fail with [store.ErrUnavailable].
//
// One gap remains. Badger writes through memory maps, so if another program
// takes all that is free within the milliseconds in which Badger makes a table,
// the process dies with SIGBUS; and if the process runs out of file descriptors
// in them, a table may be lost. Free space and descriptors are looked at before
// each write and before each table of a compaction. Only a file system or a quota
// of its own for the folder excludes the first.
package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/servemap/servemap/store"
)

const (
	// openPatience is how long Open waits for the folder to be opened, and
	// closePatience how long Close waits for it to be closed.
	openPatience  = 5 * time.Second
	closePatience = 10 * time.Second

	// leavePatience is how long it may take to close Badger when its folder is not
	// in its place.
	leavePatience = 2 * time.Second

	// stallPatience is how long a commit may take before Health tells of it.
	// At ten million records, stalls of five seconds are ordinary.
	stallPatience = 15 * time.Second
)

// Options adjusts a [Store]. The zero value of each field is the default.
type Options struct {
	// Reserve is how many bytes of the file system must be free for anything
	// to be written; below it the store serves reads only. It must not be
	// negative. If zero, it is 512 MiB or 5 % of the records' files, whichever
	// is more, but at most 10 % of the file system. It has no effect except on
	// Linux, macOS and FreeBSD.
	Reserve int64

	// Logger receives what goes wrong and what was done about it, once per
	// cause. If nil, slog.Default() is used.
	Logger *slog.Logger
}

// A Store is a [store.Store] in a folder. It may be used concurrently. Only one
// Store, in one process, has a folder open at a time; the others wait for it.
type Store struct {
	dir     string
	reserve int64
	log     *slog.Logger

	patience time.Duration // closePatience, except in tests

	stop    chan struct{} // closed by Close
	stopped chan struct{} // closed by keep when it has ended

	// writer is a lock that can be waited for with a context. Who holds it
	// commits, so that one commit at most is in flight: after one that failed,
	// the next would end the process.
	writer chan struct{}

	mu        sync.Mutex
	db        *handle   // nil unless open
	cause     error     // why db is nil; nil while nothing went wrong yet
	noted     kind      // of the trouble last logged, unless it is over
	committed time.Time // when the commit in flight began; zero if there is none
	notes     []string
	closed    bool
	closeErr  error
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
		return nil, errors.New("badgerstore: no folder given")
	}
	if opts.Reserve < 0 {
		return nil, fmt.Errorf("badgerstore: Options.Reserve is %d, less than 0", opts.Reserve)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("badgerstore: folder %s: %w", dir, err)
	}
	if err := checkFolder(abs); err != nil {
		return nil, fmt.Errorf("badgerstore: %s cannot be a folder with files in it: %w", abs, err)
	}
	s := &Store{
		dir:      abs,
		reserve:  opts.Reserve,
		log:      opts.Logger,
		patience: closePatience,
		stop:     make(chan struct{}),
		stopped:  make(chan struct{}),
		writer:   make(chan struct{}, 1),
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	tried := make(chan struct{})
	go s.keep(tried)
	select {
	case <-tried:
	case <-time.After(openPatience):
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
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.stop)
	}
	s.mu.Unlock()
	patience := time.NewTimer(s.patience)
	defer patience.Stop()
	select {
	case <-s.stopped:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.closeErr
	case <-patience.C:
		return fmt.Errorf("badgerstore: still closing after %v; the folder stays locked until that is done", s.patience)
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
	defer s.release(db)
	s.mu.Lock()
	committed := s.committed
	s.mu.Unlock()
	if waited := time.Since(committed); !committed.IsZero() && waited > stallPatience {
		return unavailable(fmt.Errorf("a write has been waiting for the disk for %v", waited.Round(time.Second)))
	}
	return db.gate.check()
}

// MovedAside returns the folders of records that were moved aside because
// they were damaged, this time or earlier, oldest first. What had been learned
// until then is in them and can no longer be used. They stay until somebody
// removes them. It may be called concurrently.
func (s *Store) MovedAside() []string { return movedAside(s.dir) }

// acquire returns the open handle, which is not closed before it is released.
func (s *Store) acquire() (*handle, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, fmt.Errorf("badgerstore: %w", store.ErrClosed)
	case s.db != nil:
		s.db.users++
		return s.db, nil
	case s.cause != nil:
		return nil, s.cause
	}
	return nil, unavailable(errors.New("the folder is being opened"))
}

func (s *Store) release(db *handle) {
	s.mu.Lock()
	defer s.mu.Unlock()
	db.users--
	if db.retired && db.users == 0 {
		close(db.idle)
	}
}

// lock takes the writer's place, or fails when ctx is done.
func (s *Store) lock(ctx context.Context) error {
	select {
	case s.writer <- struct{}{}:
		return nil
	default:
	}
	select {
	case s.writer <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ended(ctx)
	case <-s.stop:
		return fmt.Errorf("badgerstore: %w", store.ErrClosed)
	}
}

func (s *Store) unlock() { <-s.writer }

// ended is the error of a call whose context was done before it was.
func ended(ctx context.Context) error {
	return fmt.Errorf("badgerstore: %w", ctx.Err())
}

// unavailable makes cause an error of a store that is trying to work again.
func unavailable(cause error) error {
	return fmt.Errorf("badgerstore: %w: %w", store.ErrUnavailable, cause)
}
