package sqlstore

import (
	"context"
	"database/sql"
	"iter"

	"github.com/servemap/servemap/store"
)

// View implements [store.Store]. It runs one query, and calls fn after the answer, so that a slow
// fn delays nobody.
func (s *Store) View(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	var values [][]byte
	err := s.within(ctx, func(ctx context.Context) (_ bool, err error) {
		values, err = s.read(ctx, keys, indexOf(keys))
		return false, err
	})
	if err != nil {
		return err
	}
	return fn(values)
}

// Update implements [store.Store]. It writes only the values that changed. If none changed, or fn
// fails, it opens no transaction.
//
// It calls fn again if another writer changed one of the values meanwhile.
func (s *Store) Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	u := &update{Store: s, keys: keys, index: indexOf(keys), fn: fn}
	return s.within(ctx, func(ctx context.Context) (bool, error) {
		err := u.run(ctx)
		return u.wrote || err != nil, err
	})
}

// Sync implements [store.Store]. It commits a transaction that waits for the disk. Then all earlier
// ones are on the disk too.
func (s *Store) Sync(ctx context.Context) error {
	return s.within(ctx, func(ctx context.Context) (bool, error) {
		err := s.transact(ctx, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, s.sql.flush, describe); err != nil {
				return err
			}
			return tx.Commit()
		})
		return err != nil, err // a server with a full disk still syncs
	})
}

// Scan implements [store.Store]. It fetches a page of records at a time, each with its own query.
// So nothing stays open while the loop's body runs.
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := store.CheckScan(prefix, after); err != nil {
			yield(store.Record{}, err)
			return
		}
		p := firstPage(prefix, after)
		for more := true; more; more = p.next() {
			err := s.within(ctx, func(ctx context.Context) (bool, error) {
				return false, p.fetch(ctx, s.db, s.sql.scan)
			})
			if err != nil {
				yield(store.Record{}, err)
				return
			}
			for _, record := range p.records {
				if ctx.Err() != nil {
					yield(store.Record{}, ended(ctx))
					return
				}
				if !yield(record, nil) {
					return
				}
			}
		}
	}
}
