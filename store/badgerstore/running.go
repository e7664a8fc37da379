package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/servemap/servemap/internal/page/words"
)

// set changes what the store can do for its callers, unless it is closed.
func (s *Store) set(db *database, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != errClosed {
		s.db, s.err = db, err
	}
}

// acquire returns the open database, which stays open until the caller calls its calls.Done. The first call logs
// whether the folder had records. So a program that ends earlier, because its options are wrong, logs only that.
func (s *Store) acquire(ctx context.Context) (*database, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	db, err := s.db, s.err
	if err == nil {
		db.calls.Add(1)
	}
	s.mu.Unlock()
	if err == nil {
		db.used.Do(func() {
			if s.log.Info(db.begins + s.name + "."); db.beside != "" {
				s.log.Warn("The folder of the store holds files of something else. Is it the one that you mean? Better give it a "+
					"folder of its own.", "folder", s.name, "such as", db.beside)
			}
		})
	}
	return db, err
}

// fail takes db out of use if err is not nil, and returns the error of the call.
func (s *Store) fail(db *database, err error) error {
	if err == nil {
		return nil
	}
	err = unavailable(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == db && s.err == nil {
		s.db, s.err = nil, err
		db.failed <- err
		s.logChange(err)
	}
	return err
}

// logChange logs the first reason why the store cannot be used and, if err is nil, that it works
// now.
func (s *Store) logChange(err error) {
	switch {
	case s.troubled.Swap(err != nil) == (err != nil):
	case err == nil:
		s.log.Info("badgerstore: works now", "dir", s.dir)
	case errors.Is(err, ErrLocked):
		s.log.Warn("badgerstore: Another process has the folder. This one serves the pages, but no sitemap, and takes over "+
			words.Say("when that one ends. For both at once, give each a folder of its own, or use {Shared}."), "dir", s.dir)
	default:
		s.log.Warn("badgerstore: cannot be used now, trying again", "dir", s.dir, "cause", err)
	}
}

// The pauses between two attempts to open the folder. Each is twice as long as the one before. A
// locked folder is tried often, so that a successor takes over at once. When Badger fails to open, it
// never frees its memory, so then the pause grows up to an hour.
const (
	firstPause  = 250 * time.Millisecond
	longPause   = time.Second
	badgerPause = time.Hour
)

// run opens the folder, opens it again after a failure, and closes it in the end. No other
// goroutine does that. After its first attempt it closes tried. If wait is false and the folder cannot be made, or the
// user of the process has no right to it, it sends the error to tried, and ends.
func (s *Store) run(tried chan<- error, wait bool) {
	defer close(s.stopped)
	pause := firstPause
	for attempts := 0; ; attempts++ {
		db, err := s.open()
		s.set(db, err)
		if attempts == 0 && !wait && (errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist)) {
			if cause, is := errors.AsType[*fs.PathError](err); is {
				err = cause // "unavailable" would say that waiting helps
			}
			tried <- err
			return
		}
		trouble := err
		if err == nil && db.full != nil {
			trouble = unavailable(db.full) // it can only be read
		}
		if !errors.Is(err, ErrLocked) || attempts > 1 { // a process that ends lets go within a moment
			s.logChange(trouble)
		}
		if attempts == 0 {
			close(tried)
		}
		if err == nil {
			began := time.Now()
			if err = s.serve(db); err == nil {
				return
			}
			if err == errRoom {
				continue
			}
			if time.Since(began) > time.Minute {
				pause = firstPause
			}
		}
		if !s.sleep(pause) {
			return
		}
		most := longPause
		if _, ok := errors.AsType[*badgerError](err); ok {
			most = badgerPause
		}
		pause = min(2*pause, most)
	}
}

// errRoom says why a database that was opened for reading is taken out of use.
var errRoom = errors.New("there is room again, and the folder is being opened for writing")

// serve waits until db fails or the store is closed, or until a database that was opened for reading can be opened for
// writing. Then it closes db. It returns why db is out of use, or nil if the store is closed.
func (s *Store) serve(db *database) error {
	var ticks <-chan time.Time
	if db.full != nil {
		ticker := time.NewTicker(longPause)
		defer ticker.Stop()
		ticks = ticker.C
	}
	for {
		select {
		case <-ticks:
			if db.gate.check(spareFiles) != nil {
				continue
			}
			s.set(nil, unavailable(errRoom))
			_ = s.shut(db)
			return errRoom
		case err := <-db.failed:
			_ = s.shut(db) // err was logged already
			return err
		case <-s.closing.Done():
			s.closeErr = s.shut(db)
			return nil
		}
	}
}

// shut closes a database that is out of use. While nothing may be written, it waits, since closing
// writes, unless the database was opened for reading. If the store is closed meanwhile, it leaves the files
// open and locked, because Badger works on them until the process ends.
func (s *Store) shut(db *database) error {
	for err := db.gate.check(spareFiles); err != nil && db.full == nil; err = db.gate.check(spareFiles) {
		if !s.sleep(4 * time.Second) {
			return fmt.Errorf("%w; the folder stays locked until the process ends", unavailable(err))
		}
	}
	db.calls.Wait()
	_ = s.writer.Take(context.Background()) // once the last write has ended; no other can begin
	defer s.writer.Release()
	if err := db.close(); err != nil {
		return unavailable(err)
	}
	return nil
}

// sleep reports whether the store is still open after d.
func (s *Store) sleep(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-s.closing.Done():
		return false
	}
}
