// Package badgerstore keeps servemap's records in a folder, in an embedded Badger database. It is
// the store for a site with one process.
//
// Badger is made for servers of its own. Here it is a guest in somebody else's web server. So it
// gets little memory. The package checks its files, the free space and the free file descriptors
// before Badger meets anything that would end the process. If Badger cannot work, the [Store] tries
// again in the background until it is closed. Meanwhile calls fail with [store.ErrUnavailable].
//
// One gap remains. Badger writes through memory maps. If another program takes the last free space
// in the milliseconds between that check and the write, the process dies of SIGBUS. If the process
// runs out of file descriptors then, a table may be lost. Only a file system or a quota of its own
// for the folder prevents the first.
package badgerstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/internal/call"
)

// openTimeout is how long Open waits for the folder to open.
const openTimeout = 5 * time.Second

// Options adjusts a [Store]. The zero value of each field is the default.
type Options struct {
	// Reserve is how many bytes of the file system must be free before the store writes. Below that, it serves reads
	// only, also after a restart. It must not be negative. Zero means a tenth of the file system, but at least 24 MiB
	// and at most 512 MiB. It has no effect except on Linux, macOS and FreeBSD.
	Reserve int64

	// Wait makes Open wait also for a folder that the user of this process may not use, rather than fail.
	Wait bool

	// Logger receives what goes wrong and what the store does about it, once per cause. Nil means
	// slog.Default().
	Logger *slog.Logger
}

// A Store is a [store.Store] in a folder. It is safe for concurrent use. Only one Store, in one
// process, has a folder open at a time; others wait for it.
type Store struct {
	dir     string
	name    string // of dir, as its owner gave it
	reserve int64  // as in Options
	log     *slog.Logger

	closing  context.Context // done when Close is called
	cancel   context.CancelFunc
	stopped  chan struct{} // closed when run has ended
	closeErr error         // result of Close; read it only after stopped is closed

	// writer is held during a write. Only one write may be in flight: after a failed write, the
	// next one would end the process.
	writer call.Lock
	synced bool // nothing was written since the last Sync; writer guards it

	unreadable bool // the folder could not be opened for reading on a full disk; run alone uses it

	written  atomic.Int64 // when something was last written, in Unix seconds
	troubled atomic.Bool  // a problem was logged, and is not over

	mu  sync.Mutex
	db  *database // open, or nil and err says why
	err error     // errClosed is final
}

var _ store.Store = (*Store)(nil)

// Open returns a Store that keeps its records below dir. It creates dir if needed. A nil opts means
// the defaults. It fails only where waiting does not help: if dir is empty, a file or below one, if it cannot be made
// there, as below /proc, if the user of the process may not use it, or if an option is out of range.
//
// Anything else that keeps the folder from opening is not an error of Open: another process that
// has it open, a full or read-only disk, the format of another version. The Store tries again in the background,
// logs the first cause, and reports the last one in [Store.Health].
// Usually the folder is open when Open returns, after at most 5 seconds. If the folder was empty, the
// log says so at the first call: an owner who did not expect that has lost the volume.
//
// Each opening reads all files. Damaged ones are moved aside, to badger.damaged-1 and so on in dir. The log says
// where, and the records are learned anew. The Store removes none of these folders: if there are four, it waits until
// its owner has removed one. Only what was stored last may be lost without a word, if the end of a log is damaged.
// Files that are damaged while they are open are found at the next opening.
//
// A folder on a disk without room is opened for reading. The Store opens it for writing once there is room.
//
// If an open folder is removed, renamed or replaced, the Store writes no more, and says so. Put back
// the folder that is to be used, and restart the process. If nothing else stood in its place
// meanwhile, the Store goes on without a restart.
//
// The caller must close the Store.
func Open(dir string, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	if dir == "" {
		return nil, errors.New("badgerstore: no folder given; name one that outlives the process, such as sitemap-data")
	}
	if opts.Reserve < 0 {
		return nil, fmt.Errorf("badgerstore: "+words.Say("{Reserve}")+
			" is %d; it must be 0 for the default, or a number of bytes", opts.Reserve)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("badgerstore: folder %s: %w", dir, err)
	}
	if err := os.MkdirAll(abs, 0o700); errors.Is(err, syscall.ENOTDIR) {
		return nil, fmt.Errorf("badgerstore: %s is a file, or below one; choose another folder: %w", abs, err)
	}
	s := &Store{
		dir:     abs,
		name:    dir,
		reserve: opts.Reserve,
		log:     cmp.Or(opts.Logger, slog.Default()),
		stopped: make(chan struct{}),
		err:     unavailable(errors.New("the folder is being opened")),
	}
	s.closing, s.cancel = context.WithCancel(context.Background())
	tried := make(chan error, 1)
	go s.run(tried, opts.Wait)
	select {
	case err = <-tried:
	case <-time.After(openTimeout):
	}
	if err != nil {
		return nil, fmt.Errorf("badgerstore: %s cannot be used by the user of this process, uid %d; let that user write there, or "+
			"choose another folder: %w", abs, os.Geteuid(), err)
	}
	return s, nil
}

// Close ends the Store and its background work. It waits for running calls and for Badger. Later
// calls fail with [store.ErrClosed]. Close may be called again, and concurrently.
//
// If less than the reserve is free, or the folder is not in its place, Close leaves Badger's files as
// they are, since closing them writes. Nothing is lost: the next opening finishes the work. But the
// folder stays locked until the process ends.
func (s *Store) Close() error {
	s.set(nil, errClosed)
	s.cancel()
	<-s.stopped
	return s.closeErr
}

// Health returns nil if the store works. Otherwise it returns why it does not: an error that wraps
// [store.ErrUnavailable], or [store.ErrClosed]. It may be called concurrently, and does not wait
// for running calls.
func (s *Store) Health() error {
	db, err := s.acquire(context.Background())
	if err != nil {
		return err
	}
	defer db.calls.Done()
	return db.mayWrite(spareFiles)
}

// Usage is what a [Store] takes and has.
type Usage struct {
	Bytes   int64     // in the files of the folder
	Free    int64     // bytes that are free in its file system, negative if that is not known
	Written time.Time // when something was last written since Open, the zero Time for never
}

// Usage says what the store takes, for monitoring. It looks at the folder's files at each call, and may be called
// concurrently.
func (s *Store) Usage() Usage {
	u := Usage{Free: -1}
	if at := s.written.Load(); at != 0 {
		u.Written = time.Unix(at, 0)
	}
	if sp, known := spaceAt(s.dir); known {
		u.Free = sp.free
	}
	_ = filepath.WalkDir(s.dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // Badger merged the file away meanwhile
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			u.Bytes += info.Size()
		}
		return nil
	})
	return u
}
