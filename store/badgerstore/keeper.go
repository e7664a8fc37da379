package badgerstore

import (
	"errors"
	"time"
)

// keep opens the folder, opens it again after a failure, and closes it in the
// end. It is the only goroutine that does. It closes tried after its first
// attempt.
func (s *Store) keep(tried chan<- struct{}) {
	defer close(s.stopped)
	last, n := fine, 0
	for {
		db, err := s.open()
		if err == nil {
			s.publish(db)
		} else {
			s.fail(err)
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
				last = fine // it was well for long enough
			}
		}
		if k := kindOf(err); k != last {
			last, n = k, 0
		}
		if !s.sleep(delay(last, n)) {
			return
		}
		n++
	}
}

// serve waits until db failed or the store is closed, and closes db. It
// returns why db failed, or nil if the store is closed.
func (s *Store) serve(db *handle) error {
	stop := false
	select {
	case <-db.failed:
	case <-s.stop:
		stop = true
	}
	cause := s.retire(db)
	err := s.shut(db, stop)
	if stop {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.closeErr = err
		return nil
	}
	return cause
}

// shut closes a retired handle. When space is short it waits for space, since
// closing writes; if the store is to stop, it leaves the files open instead,
// and locked, because Badger goes on working on them until the process ends.
func (s *Store) shut(db *handle, stop bool) error {
	if err := db.inPlace(); err != nil {
		s.leave(db)
		return err
	}
	for db.gate.check() != nil {
		if stop || !s.sleep(delay(full, 4)) {
			return unavailable(errors.New("too little space is free to close the folder; it stays locked until the process ends"))
		}
	}
	<-db.idle
	s.writer <- struct{}{} // a write that was under way has ended, and none begins
	s.unlock()
	return db.close()
}

// leave closes a retired handle whose folder is not in its place, if it can be
// closed without writing to what is there instead. The records stay in the folder,
// wherever it is now.
func (s *Store) leave(db *handle) {
	s.tell(noteMoved)
	gone := db.gone()
	if gone && closeWithin(db, leavePatience) {
		return
	}
	if !gone && db.guard.inPlace() {
		_ = db.guard.close() // only Badger's folder was replaced, and what is in it now waits for the lock
	}
	s.log.Warn("badgerstore: the files of the folder that was removed, renamed or replaced stay open until the process ends", "dir", s.dir)
}

// closeWithin closes a retired handle, and reports whether that took no longer
// than d. It waits for reads, but not for a write: one that waits for room in
// Badger fails only when Badger is closed.
func closeWithin(db *handle, d time.Duration) bool {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		<-db.idle
		_ = db.close() // it fails, since files that Badger looks for by name are gone
	}()
	select {
	case <-closed:
		return true
	case <-time.After(d):
		return false
	}
}

// sleep reports whether the store is still open after d.
func (s *Store) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.stop:
		return false
	}
}

// publish makes db the handle that calls use.
func (s *Store) publish(db *handle) {
	s.mu.Lock()
	s.db, s.cause = db, nil
	s.mu.Unlock()
	s.note(nil)
}

// fail makes err the reason why there is no handle.
func (s *Store) fail(err error) {
	s.mu.Lock()
	s.cause = err
	s.mu.Unlock()
	s.note(err)
}

// retireOn gives db up if a write to it failed with err, and returns why it was
// given up, which may have been before.
func (s *Store) retireOn(db *handle, err error) error {
	if err == nil {
		return nil
	}
	s.mu.Lock()
	first := s.db == db
	if first {
		s.db, s.cause = nil, err
		close(db.failed)
	} else if s.cause != nil {
		err = s.cause
	}
	s.mu.Unlock()
	if first {
		s.note(err)
	}
	return err
}

// retire takes db out of use, makes its idle channel tell when the calls under
// way have ended, and returns why it failed, if it did.
func (s *Store) retire(db *handle) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.db == db {
		s.db = nil
	}
	db.retired = true
	if db.users == 0 {
		close(db.idle)
	}
	return s.cause
}

// note logs a trouble, or its end, if it is of another kind than the one last
// noted.
func (s *Store) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := kindOf(err)
	if k == s.noted {
		return
	}
	s.noted = k
	if err == nil {
		s.log.Info("badgerstore: works again", "dir", s.dir)
	} else {
		s.log.Warn("badgerstore: cannot be used at the moment, will try again", "dir", s.dir, "cause", err)
	}
}
