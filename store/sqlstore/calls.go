package sqlstore

import (
	"context"
	"database/sql"
	"iter"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/internal/call"
)

// View implements [store.Store]. It runs one query, and calls fn after the answer, so that a slow
// fn delays nobody.
func (s *Store) View(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	var values [][]byte
	err := s.within(ctx, func(ctx context.Context) (err error) {
		values, err = s.read(ctx, keys, indexOf(keys))
		return err
	})
	if err != nil {
		return err
	}
	return fn(values)
}

// Update implements [store.Store]. It writes only the values that changed. If none changed, or fn
// fails, it opens no transaction. It calls fn again if another writer changed one of the values meanwhile.
func (s *Store) Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	u := &update{Store: s, keys: keys, index: indexOf(keys), fn: fn}
	err := s.within(ctx, u.run)
	if u.wrote {
		s.note(nil) // only after a write: a database that refuses writes may still read and sync
	}
	return err
}

// Sync implements [store.Store]. It commits a transaction that waits for the disk. Then all earlier
// ones are on the disk too.
func (s *Store) Sync(ctx context.Context) error {
	return s.within(ctx, func(ctx context.Context) error {
		return s.transact(ctx, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, s.sql.flush, describe); err != nil {
				return err
			}
			return tx.Commit()
		})
	})
}

// Scan implements [store.Store]. It fetches a page of records at a time, each with its own query.
// So nothing stays open while the loop's body runs.
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return call.Scan(ctx, prefix, after, func(first string, most int) (page []store.Record, more bool, err error) {
		err = s.within(ctx, func(ctx context.Context) error {
			page, more, err = s.page(ctx, first, prefix+"\x7f", most) // no key has a byte above '~'
			return err
		})
		return page, more, err
	})
}

// page returns the records from one key to before another, and whether there may be more.
func (s *Store) page(ctx context.Context, first, end string, most int) (page []store.Record, more bool, err error) {
	rows, err := s.db.QueryContext(ctx, s.sql.scan, describe, first, end, most)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	for size := 0; !more && rows.Next(); {
		var r store.Record
		if err := rows.Scan(&r.Key, &r.Value); err != nil {
			return nil, false, err
		}
		page = append(page, r)
		size += len(r.Value)
		more = size >= call.MostBytes || len(page) == most
	}
	return page, more, rows.Err()
}
