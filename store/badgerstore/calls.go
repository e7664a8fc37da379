package badgerstore

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"github.com/servemap/servemap/store"
)

// View implements [store.Store]. It calls fn after it has read the records, so that a slow fn
// delays nobody.
func (s *Store) View(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	db, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	values, err := db.read(keys)
	db.calls.Done()
	if err != nil {
		return s.fail(db, err)
	}
	return fn(values)
}

// Update implements [store.Store]. It calls fn once, and writes only the values that changed.
func (s *Store) Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	s.writer.Lock()
	defer s.writer.Unlock()
	db, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	old, err := db.read(keys)
	db.calls.Done()
	if err != nil {
		return s.fail(db, err)
	}
	values := make([][]byte, len(old))
	for i, value := range old {
		values[i] = slices.Clone(value)
	}
	if err := fn(values); err != nil {
		return err
	}
	if err := store.CheckValues(keys, values); err != nil {
		return err
	}
	changes := diff(keys, old, values)
	if len(changes) == 0 {
		return nil
	}
	if err = db.gate.check(spareFiles); err != nil {
		err = unavailable(err)
	}
	s.logChange(err)
	if err != nil {
		return err
	}
	err = s.fail(db, db.commit(changes))
	s.commits.Add(1)
	return err
}

// Sync implements [store.Store]. Calls that wait for another one's sync share the next one, since many
// sites that close at once each want one.
func (s *Store) Sync(ctx context.Context) error {
	wanted := s.commits.Load()
	s.writer.Lock()
	defer s.writer.Unlock()
	db, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	db.calls.Done()
	if err := db.gate.check(0); err != nil {
		return unavailable(err)
	}
	if wanted > 0 && s.synced >= wanted {
		return nil
	}
	now := s.commits.Load()
	if err := s.fail(db, db.sync()); err != nil {
		return err
	}
	s.synced = now
	return nil
}

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := store.CheckScan(prefix, after); err != nil {
			yield(store.Record{}, err)
			return
		}
		after, more := after, true // each loop over the sequence begins anew
		for most := firstRecords; more; most = min(4*most, scanRecords) {
			db, err := s.acquire(ctx)
			var records []store.Record
			if err == nil {
				records, more, err = db.next(prefix, after, most)
				db.calls.Done()
				err = s.fail(db, err)
			}
			if err != nil {
				yield(store.Record{}, err)
				return
			}
			for _, record := range records {
				if ctx.Err() != nil {
					yield(store.Record{}, contextError(ctx))
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

// A change is a key with its new value; a nil value deletes the key.
type change struct {
	key   string
	value []byte
}

// diff returns what changed, in order. The values are copies, since Badger keeps them beyond the
// call.
func diff(keys []string, old, values [][]byte) []change {
	var changes []change
	for i, value := range values {
		if (value == nil) != (old[i] == nil) || !bytes.Equal(value, old[i]) {
			changes = append(changes, change{keys[i], slices.Clone(value)})
		}
	}
	return changes
}
