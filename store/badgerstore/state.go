package badgerstore

import (
	"context"
	"fmt"
	"time"
)

// A state is what the store can do for its callers: either db is open, or calls fail with err.
// errClosed is final.
type state struct {
	db  *database
	err error
}

func (s *Store) setState(next state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.err != errClosed {
		s.state = next
	}
}

// acquire returns the open database. It stays open until the caller calls its calls.Done.
func (s *Store) acquire(ctx context.Context) (*database, error) {
	if ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.err != nil {
		return nil, s.state.err
	}
	s.state.db.calls.Add(1)
	return s.state.db, nil
}

// fail takes db out of use if err is not nil, and returns err.
func (s *Store) fail(db *database, err error) error {
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state.db == db {
		s.state = state{err: err}
		db.failed <- err
		s.logChange(err)
	}
	return err
}

// logChange logs why the store cannot be used or, if err is nil, that it works again. It logs
// nothing if the reason is the one it logged last.
func (s *Store) logChange(err error) {
	r := int32(reasonOf(err))
	switch {
	case s.logged.Swap(r) == r:
	case err == nil:
		s.log.Info("badgerstore: works again", "dir", s.dir)
	default:
		s.log.Warn("badgerstore: cannot be used now, trying again", "dir", s.dir, "cause", err)
	}
}

// run opens the folder, opens it again after a failure, and closes it in the end. No other
// goroutine does that. It closes tried after its first attempt.
func (s *Store) run(tried chan<- struct{}) {
	defer close(s.stopped)
	last, retries := working, 0
	for {
		db, err := s.open()
		s.setState(state{db, err})
		if reasonOf(err) != locked || retries > 1 { // a process that ends lets go within a moment
			s.logChange(err)
		}
		if tried != nil {
			close(tried)
			tried = nil
		}
		if err == nil {
			began := time.Now()
			if err = s.serve(db); err == nil {
				return
			}
			if time.Since(began) > time.Minute {
				last = working
			}
		}
		if r := reasonOf(err); r != last {
			last, retries = r, 0
		}
		if !s.sleep(retryDelay(last, retries)) {
			return
		}
		retries++
	}
}

// serve waits until db fails or the store is closed, and closes db. It returns
// why db failed, or nil if the store is closed.
func (s *Store) serve(db *database) error {
	select {
	case err := <-db.failed:
		_ = s.shut(db, countOpen) // err was logged already; the next opening reads all files
		return err
	case <-s.closing.Done():
		s.closeErr = s.shut(db, countClosed)
		return nil
	}
}

// shut closes a database that is out of use. While nothing may be written, it waits, since closing
// writes. If the store is closed meanwhile, it leaves the files open and locked, because Badger
// works on them until the process ends. count is what the lock file then says.
func (s *Store) shut(db *database, count int) error {
	for err := db.gate.check(); err != nil; err = db.gate.check() {
		if !s.sleep(4 * time.Second) {
			return fmt.Errorf("%w; the folder stays locked until the process ends", err)
		}
	}
	db.calls.Wait()
	s.writer.Lock() // until the last write has ended; no other can begin
	defer s.writer.Unlock()
	return db.close(count)
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
