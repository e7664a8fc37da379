package sqlstore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/servemap/servemap/store"
)

// View implements [store.Store]. It runs one query, and calls fn after the answer, so that a slow
// fn delays nobody.
func (s *Store) View(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	var values [][]byte
	err := s.within(ctx, func(ctx context.Context) (err error) {
		values, err = s.read(ctx, s.db, keys)
		return err
	})
	if err != nil {
		return err
	}
	return fn(values)
}

// Update implements [store.Store]. It calls fn once, and writes only the values that changed.
func (s *Store) Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	var refused error // by fn, or because of what fn left
	err := s.within(ctx, func(ctx context.Context) error {
		tx, err := s.db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // after Commit it does nothing, and fn may panic
		limit := strconv.FormatInt(s.timeout.Milliseconds(), 10) + "ms"
		if _, err := tx.ExecContext(ctx, s.on(lockTable), describe, limit); err != nil {
			return err
		}
		old, err := s.read(ctx, tx, keys)
		if err != nil {
			return err
		}
		values := make([][]byte, len(old))
		for i, value := range old {
			values[i] = slices.Clone(value)
		}
		if refused = fn(values); refused == nil {
			refused = store.CheckValues(keys, values)
		}
		if refused != nil {
			return nil
		}
		return s.write(ctx, tx, keys, old, values)
	})
	if refused != nil {
		return refused
	}
	return err
}

// write commits what changed.
func (s *Store) write(ctx context.Context, tx *sql.Tx, keys []string, old, values [][]byte) error {
	put, content, deleted := []string{}, [][]byte{}, []string{}
	for i, value := range values {
		switch {
		case value == nil && old[i] != nil:
			deleted = append(deleted, keys[i])
		case value != nil && (old[i] == nil || !bytes.Equal(value, old[i])):
			put, content = append(put, keys[i]), append(content, value)
		}
	}
	if len(put)+len(deleted) == 0 {
		return nil
	}
	if _, err := tx.ExecContext(ctx, s.on(writeValues), describe, put, content, deleted); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	if s.failing.Swap(false) {
		s.log.Info("sqlstore: works again", "table", s.table)
	}
	return nil
}

// Sync implements [store.Store]. It has nothing to do: each Update has waited for the disk.
func (s *Store) Sync(ctx context.Context) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	return nil
}

// How much a Scan fetches at a time: so many records, or so many bytes.
const (
	pageRecords = 2000
	pageBytes   = 1 << 20
)

// Scan implements [store.Store]. It fetches a page of records at a time, each with its own query.
// So nothing stays open while the loop's body runs.
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := store.CheckScan(prefix, after); err != nil {
			yield(store.Record{}, err)
			return
		}
		after, more := after, true // each loop over the sequence begins anew
		for more {
			var page []store.Record
			err := s.within(ctx, func(ctx context.Context) (err error) {
				page, more, err = s.page(ctx, prefix, after)
				return err
			})
			if err != nil {
				yield(store.Record{}, err)
				return
			}
			for _, record := range page {
				if ctx.Err() != nil {
					yield(store.Record{}, ended(ctx))
					return
				}
				if !yield(record, nil) {
					return
				}
				after = record.Key
			}
		}
	}
}

// page returns the first records after the key after that begin with prefix, and whether there may
// be more.
func (s *Store) page(ctx context.Context, prefix, after string) (page []store.Record, more bool, err error) {
	// No key has a byte below '!' or above '~'.
	rows, err := s.db.QueryContext(ctx, s.on(scanPage), describe, max(prefix, after+"!"), prefix+"\x7f", pageRecords)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	for size := 0; rows.Next() && size < pageBytes; {
		var r store.Record
		if err := rows.Scan(&r.Key, &r.Value); err != nil {
			return nil, false, err
		}
		page = append(page, r)
		size += len(r.Key) + len(r.Value)
		more = size >= pageBytes || len(page) == pageRecords
	}
	return page, more, rows.Err()
}

// within runs f with a context that ends when the call must end, and turns its error into the
// store's. If there is no table, it makes one.
func (s *Store) within(ctx context.Context, f func(context.Context) error) error {
	if ctx.Err() != nil {
		return ended(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err := f(limited)
	if isNoTable(err) {
		if err = s.create(limited); err == nil {
			err = f(limited)
		}
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ended(ctx)
	case err.Error() == sayClosed:
		return fmt.Errorf("sqlstore: %w", store.ErrClosed)
	case limited.Err() != nil:
		err = fmt.Errorf("no answer from the database within Options.Timeout, which is %v", s.timeout)
	}
	if !s.failing.Swap(true) {
		s.log.Warn("sqlstore: cannot be used now, trying again", "table", s.table, "cause", err)
	}
	return fmt.Errorf("sqlstore: %w: %w", store.ErrUnavailable, err)
}

// isNoTable reports whether the database answers that the table is not there.
func isNoTable(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == "42P01" // undefined_table
}

// sayClosed is the text of the error that database/sql returns once a program has closed it. There
// is no error value to compare with. A test checks the text against the version in use.
const sayClosed = "sql: database is closed"

// ended is the error of a call whose context ended first.
func ended(ctx context.Context) error {
	return fmt.Errorf("sqlstore: %w", ctx.Err())
}
