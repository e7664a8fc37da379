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

// The PostgreSQL codes that need their own reaction.
const (
	undefinedTable      = "42P01"
	undefinedSchema     = "3F000"
	readOnlyTransaction = "25006"

	// These are classes: codes begin with them.
	connectionException  = "08"
	operatorIntervention = "57P"
)

// stateOf returns the code of the database's answer in err, or "".
func stateOf(err error) string {
	if e, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return e.SQLState()
	}
	return ""
}

// sayClosed is the text of the error that database/sql returns once a program has closed it. There
// is no error value to compare with. A test checks the text against the version in use.
const sayClosed = "sql: database is closed"

// limit is the timeout as PostgreSQL reads it.
func (s *Store) limit() string { return strconv.FormatInt(s.timeout.Milliseconds(), 10) + "ms" }

// within runs f with a context that ends when the call must end, and turns its error into the
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

// kindOf returns the kind of problem: the database's code, or "gone". While a database stops and
// starts, it says that in many ways.
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

// logProblem logs a problem, each kind once until all problems are over.
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
		s.log.Warn("sqlstore: cannot be used now, trying again", "table", s.sql.name.String(), "cause", err)
	}
}

// logSuccess logs the end of all problems. A database that reads may still not write. So a failed
// write is over only after a successful one.
func (s *Store) logSuccess(wrote bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.logged) == 0 || s.writesFail && !wrote {
		return
	}
	s.logged, s.writesFail = nil, false
	s.log.Info("sqlstore: works again", "table", s.sql.name.String())
}

// ended is the error of a call whose context ended first.
func ended(ctx context.Context) error {
	return fmt.Errorf("sqlstore: %w", ctx.Err())
}
