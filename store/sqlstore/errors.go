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
	undefinedTable      = "42P01"
	undefinedSchema     = "3F000"
	readOnlyTransaction = "25006"

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

// sayClosed is the error of database/sql when a program has closed it, which
// has no value to compare with; a test holds it to the version in use.
const sayClosed = "sql: database is closed"

// limit is the timeout as PostgreSQL reads it.
func (s *Store) limit() string { return strconv.FormatInt(s.timeout.Milliseconds(), 10) + "ms" }

// within runs f with a context that ends when a call must, and makes its error the
// store's. f reports whether it wrote, or could not.
func (s *Store) within(ctx context.Context, f func(context.Context) (writes bool, err error)) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	writes := false
	err := s.prepare(limited)
	if err == nil {
		writes, err = f(limited)
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		s.logSuccess(false)
		return r.err
	}
	if stateOf(err) == undefinedTable || errors.Is(err, errNoFormat) {
		s.ready.Store(false) // the next call makes what is missing
	}
	switch {
	case err == nil:
		s.logSuccess(writes)
		return nil
	case ctx.Err() != nil:
		return ended(ctx)
	case err.Error() == sayClosed:
		return fmt.Errorf("sqlstore: %w", store.ErrClosed)
	case errors.Is(err, errLater):
		err = fmt.Errorf("sqlstore: %w", err)
		s.logProblem("later", writes, err)
		return err
	case limited.Err() != nil:
		err = fmt.Errorf("no answer from the database within Options.Timeout, which is %v", s.timeout)
		s.logProblem("timeout", writes, err)
	default:
		s.logProblem(kindOf(err), writes, err)
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
func (s *Store) logProblem(kind string, writes bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writesFail = s.writesFail || writes
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

// logSuccess logs the end of all problems. A database that reads need not write, so a
// write that failed is over only with one that succeeds.
func (s *Store) logSuccess(wrote bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.logged) == 0 || s.writesFail && !wrote {
		return
	}
	s.logged, s.writesFail = nil, false
	s.log.Info("sqlstore: works again", "table", s.sql.name.String())
}

// ended is the error of a call whose context was done before it was.
func ended(ctx context.Context) error {
	return fmt.Errorf("sqlstore: %w", ctx.Err())
}
