package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/servemap/servemap/store"
)

// The codes of PostgreSQL that say what to do.
const (
	undefinedTable       = "42P01"
	undefinedSchema      = "3F000"
	readOnlyTransaction  = "25006"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"

	// These are classes, with which codes begin.
	connectionException  = "08"
	operatorIntervention = "57P"
)

// stateOf returns the code of an error that the database answered with, "" if
// it is none.
func stateOf(err error) string {
	if e, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return e.SQLState()
	}
	return ""
}

// rivalry reports whether the database ended a transaction for the sake of
// another one, so that to do it again helps.
func rivalry(err error) bool {
	state := stateOf(err)
	return state == serializationFailure || state == deadlockDetected
}

// sayClosed is the error of database/sql when a program has closed it, which
// has no value to compare with; a test holds it to the version in use.
const sayClosed = "sql: database is closed"

// limit is the timeout as PostgreSQL reads it.
func (s *Store) limit() string { return strconv.FormatInt(s.timeout.Milliseconds(), 10) + "ms" }

// A deed is what a call did to the database, or could not do. A later one shows
// more of what works: a database that reads need not write, and one whose disk is
// full still locks a row.
type deed int

const (
	reading deed = iota
	syncing
	writing
)

// within runs f, which returns its deed, with a context that ends when a call
// must, and makes its error the store's.
func (s *Store) within(ctx context.Context, f func(context.Context) (deed, error)) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	var did deed
	err := s.prepare(limited)
	if err == nil {
		did, err = f(limited)
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		s.logSuccess(reading)
		return r.err
	}
	if stateOf(err) == undefinedTable || errors.Is(err, errNoFormat) {
		s.ready.Store(false) // the next call makes what is missing
	}
	switch {
	case err == nil:
		s.logSuccess(did)
		return nil
	case ctx.Err() != nil:
		return ended(ctx)
	case err.Error() == sayClosed:
		return fmt.Errorf("sqlstore: %w", store.ErrClosed)
	case errors.Is(err, errLater):
		err = fmt.Errorf("sqlstore: %w", err)
		s.logProblem("later", did, err)
		return err
	case limited.Err() != nil:
		err = fmt.Errorf("no answer from the database within %v", s.timeout)
		s.logProblem("timeout", did, err)
	default:
		s.logProblem(kindOf(err), did, err)
	}
	return fmt.Errorf("sqlstore: %w: %w", store.ErrUnavailable, err)
}

// kindOf returns what sort of problem err is: the database's own code, or that
// it is gone, for which there are many words while it stops and starts.
func kindOf(err error) string {
	if errors.Is(err, errNoFormat) {
		return undefinedTable
	}
	state := stateOf(err)
	if state == "" || strings.HasPrefix(state, connectionException) || strings.HasPrefix(state, operatorIntervention) {
		return "gone"
	}
	return state
}

// logProblem logs a problem, each kind once until it is over.
func (s *Store) logProblem(kind string, failed deed, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = max(s.failed, failed)
	if slices.Contains(s.logged, kind) {
		return
	}
	s.logged = append(s.logged, kind)
	if errors.Is(err, errLater) {
		s.log.Error("sqlstore: cannot be used by this version", "table", s.sql.name.String(), "cause", err)
	} else {
		s.log.Warn("sqlstore: cannot be used at the moment, will try again", "table", s.sql.name.String(), "cause", err)
	}
}

// logSuccess logs the end of all problems, unless more failed than what was done
// now.
func (s *Store) logSuccess(did deed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.logged) == 0 || did < s.failed {
		return
	}
	s.logged, s.failed = nil, reading
	s.log.Info("sqlstore: works again", "table", s.sql.name.String())
}

// ended is the error of a call whose context was done before it was.
func ended(ctx context.Context) error {
	return fmt.Errorf("sqlstore: %w", ctx.Err())
}
