package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/internal/call"
)

// update is one call of Update.
type update struct {
	*Store
	keys  []string
	index map[string]int
	fn    func([][]byte) error

	old   [][]byte // the values when fn was last called
	wrote bool     // whether the changes are committed
}

// A refusal is an error of fn, or of the values that fn left. It does not unwrap to that error, which could be taken
// for an answer of the database.
type refusal struct{ err error }

func (r *refusal) Error() string { return "refused" }

var errUnsteady = errors.New("another program writes to the table without the lock that writers take; stop that program")

func (u *update) run(ctx context.Context) (err error) {
	if u.old, err = u.read(ctx, u.keys, u.index); err != nil {
		return err
	}
	changes, err := u.changes()
	if err != nil || len(changes) == 0 {
		return err
	}
	return u.transact(ctx, func(tx *sql.Tx) error { return u.write(ctx, tx, changes) })
}

func (u *update) changes() ([]store.Record, error) {
	changes, err := call.Changes(u.keys, u.old, u.fn)
	if err != nil {
		return nil, &refusal{err}
	}
	return changes, nil
}

// write commits the changes if all values are still the same. Otherwise it calls fn again with the
// current values, which stay the same while it has the lock.
func (u *update) write(ctx context.Context, tx *sql.Tx, changes []store.Record) error {
	for range 2 {
		put, values, deleted := []string{}, [][]byte{}, []string{}
		for _, c := range changes {
			if c.Value == nil {
				deleted = append(deleted, c.Key)
			} else {
				put, values = append(put, c.Key), append(values, c.Value)
			}
		}
		rows, err := tx.QueryContext(ctx, u.sql.write, describe, u.keys, u.old, put, values, deleted)
		if err != nil {
			return err
		}
		stale, err := fill(u.old, rows, u.index)
		if err != nil {
			return err
		}
		if stale == 0 {
			err := tx.Commit()
			u.wrote = err == nil
			return err
		}
		if changes, err = u.changes(); err != nil || len(changes) == 0 {
			return err
		}
	}
	return errUnsteady
}

// inSession runs f with a session of the database. It closes a session that proves read-only
// instead of putting it back. Such a session may stay read-only as long as it lives, while a new
// one reaches the server that now takes writes.
func (s *Store) inSession(ctx context.Context, f func(*sql.Conn) error) error {
	session, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	err = f(session)
	if stateOf(err) == readOnlyTransaction {
		_ = session.Raw(func(any) error { return driver.ErrBadConn }) // this closes it
	}
	return err
}

// transact runs f in a transaction that has the writers' lock. f must commit it.
func (s *Store) transact(ctx context.Context, f func(*sql.Tx) error) error {
	return s.inSession(ctx, func(session *sql.Conn) error {
		tx, err := session.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted})
		if err != nil {
			return err
		}
		defer func() { _ = tx.Rollback() }() // after Commit it does nothing, and f may panic
		var version int
		err = tx.QueryRowContext(ctx, s.sql.lock, describe, s.limit()).Scan(&version)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return errNoFormat
		case err == nil:
			err = s.sql.checkFormat(version)
		}
		if err != nil {
			return err
		}
		return f(tx)
	})
}

// indexOf returns the index of each key in keys.
func indexOf(keys []string) map[string]int {
	index := make(map[string]int, len(keys))
	for i, key := range keys {
		index[key] = i
	}
	return index
}

// read returns the values of the keys in their order, nil for absent ones.
func (s *Store) read(ctx context.Context, keys []string, index map[string]int) ([][]byte, error) {
	rows, err := s.db.QueryContext(ctx, s.sql.view, describe, keys)
	if err != nil {
		return nil, err
	}
	values := make([][]byte, len(keys))
	_, err = fill(values, rows, index)
	return values, err
}

// fill puts the values in rows at the indexes of their keys, and returns how many there are. It
// closes rows.
func fill(values [][]byte, rows *sql.Rows, index map[string]int) (n int, err error) {
	defer rows.Close()
	var key sql.RawBytes
	for ; rows.Next(); n++ {
		var value []byte
		if err := rows.Scan(&key, &value); err != nil {
			return n, err
		}
		i, ok := index[string(key)]
		if !ok {
			return n, errors.New("the database answered with a key that was not asked for")
		}
		values[i] = slices.Clip(value)
	}
	return n, rows.Err()
}
