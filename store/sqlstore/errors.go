package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/servemap/servemap/store"
)

// The PostgreSQL codes that need their own reaction.
const (
	undefinedTable      = "42P01"
	undefinedSchema     = "3F000"
	readOnlyTransaction = "25006"
	missingRight        = "42501"
	serializationFailed = "40001" // CockroachDB and YugabyteDB ask for another try with it
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
// store's.
func (s *Store) within(ctx context.Context, f func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := s.prepare(limited)
	if err == nil {
		err = f(limited)
		for again := 0; again < 3 && stateOf(err) == serializationFailed; again++ {
			err = f(limited)
		}
	}
	if r, ok := errors.AsType[*refusal](err); ok {
		return r.err
	}
	if stateOf(err) == undefinedTable || errors.Is(err, errNoFormat) {
		s.ready.Store(false) // the next call makes what is missing
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err.Error() == sayClosed:
		return fmt.Errorf("sqlstore: %w", store.ErrClosed)
	case errors.Is(err, errLater):
		err = fmt.Errorf("sqlstore: %w", err)
		s.note(err)
		return err
	case stateOf(err) == missingRight:
		err = fmt.Errorf("%w; its owner gives the right with: %s", err, s.sql.grants(s.ready.Load()))
	case limited.Err() != nil:
		err = fmt.Errorf("no answer from the database within %v", s.timeout)
	}
	s.note(err)
	return fmt.Errorf("sqlstore: %w: %w", store.ErrUnavailable, err)
}

// note logs the first of several problems, and their end once something was written.
func (s *Store) note(err error) {
	switch {
	case s.troubled.Swap(err != nil) == (err != nil):
	case err == nil:
		s.log.Info("sqlstore: works again", "table", s.sql.name.String())
	case errors.Is(err, errLater):
		s.log.Error("sqlstore: cannot be used by this version", "table", s.sql.name.String(), "cause", err)
	default:
		s.log.Warn("sqlstore: cannot be used now, trying again", "table", s.sql.name.String(), "cause", err)
	}
}
