package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/servemap/servemap/store"
)

// The codes of PostgreSQL that say what to do.
const (
	undefinedTable       = "42P01"
	undefinedSchema      = "3F000"
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

// within runs f with a context that ends when a call must, and makes its error
// the store's.
func (s *Store) within(ctx context.Context, f func(context.Context) error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := s.prepare(limited)
	if err == nil {
		err = f(limited)
	}
	switch {
	case err == nil || errors.Is(err, errRefused):
		s.note("", nil)
		return nil
	case ctx.Err() != nil:
		return ended(ctx)
	case err.Error() == sayClosed:
		return fmt.Errorf("sqlstore: %w", store.ErrClosed)
	case errors.Is(err, errLater):
		err = fmt.Errorf("sqlstore: %w", err)
		s.note("later", err)
		return err
	case limited.Err() != nil:
		err = fmt.Errorf("no answer from the database within %v", s.timeout)
		s.note("timeout", err)
	default:
		s.note(kindOf(err), err)
	}
	return fmt.Errorf("sqlstore: %w: %w", store.ErrUnavailable, err)
}

// kindOf returns what sort of trouble err is: the database's own code, or that
// it is gone, for which there are many words while it stops and starts.
func kindOf(err error) string {
	state := stateOf(err)
	if state == "" || strings.HasPrefix(state, connectionException) || strings.HasPrefix(state, operatorIntervention) {
		return "gone"
	}
	return state
}

// note logs a trouble, or its end, if it is of another kind than the one last
// noted.
func (s *Store) note(kind string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind == s.noted {
		return
	}
	s.noted = kind
	table := strings.ReplaceAll(s.sql.name.quoted(""), `"`, "")
	switch {
	case err == nil:
		s.log.Info("sqlstore: works again", "table", table)
	case errors.Is(err, errLater):
		s.log.Error("sqlstore: cannot be used by this version", "table", table, "cause", err)
	default:
		s.log.Warn("sqlstore: cannot be used at the moment, will try again", "table", table, "cause", err)
	}
}

// ended is the error of a call whose context was done before it was.
func ended(ctx context.Context) error {
	return fmt.Errorf("sqlstore: %w", ctx.Err())
}
