package badgerstore

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/servemap/servemap/store"
)

// View implements [store.Store]. It calls fn when the records have been read,
// so that fn holds nothing up.
func (s *Store) View(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	values, err := s.read(ctx, keys)
	if err != nil {
		return err
	}
	return fn(values)
}

// Update implements [store.Store]. It calls fn once, and writes only the
// values that differ from what they were.
func (s *Store) Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error {
	if err := store.CheckKeys(keys); err != nil {
		return err
	}
	w, err := s.beginWrite(ctx)
	if err != nil {
		return err
	}
	defer w.end()
	old, err := s.read(ctx, keys)
	if err != nil {
		return err
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
	return w.do(ctx, func(db *database) error {
		err := db.ready()
		s.logChange(err)
		if err != nil {
			return err
		}
		return s.fail(db, db.commit(changes))
	})
}

// Sync implements [store.Store].
func (s *Store) Sync(ctx context.Context) error {
	w, err := s.beginWrite(ctx)
	if err != nil {
		return err
	}
	return w.do(ctx, func(db *database) error { return s.fail(db, db.sync()) })
}

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := store.CheckScan(prefix, after); err != nil {
			yield(store.Record{}, err)
			return
		}
		after := after // each loop over the sequence begins anew
		for c := (chunk{more: true}); c.more; {
			var err error
			c, err = withDatabase(ctx, s, func(db *database) (chunk, error) { return db.next(c, prefix, after) })
			if err != nil {
				yield(store.Record{}, err)
				return
			}
			for _, record := range c.records {
				if ctx.Err() != nil {
					break
				}
				if !yield(record, nil) {
					return
				}
				after = record.Key
			}
		}
		if ctx.Err() != nil {
			yield(store.Record{}, contextError(ctx))
		}
	}
}

func (s *Store) read(ctx context.Context, keys []string) ([][]byte, error) {
	return withDatabase(ctx, s, func(db *database) ([][]byte, error) { return db.read(keys) })
}

// withDatabase runs f with the open database. If ctx ends before f does, f is
// left to end by itself.
func withDatabase[T any](ctx context.Context, s *Store, f func(*database) (T, error)) (T, error) {
	if ctx.Err() != nil {
		return *new(T), contextError(ctx)
	}
	db, err := s.acquire()
	if err != nil {
		return *new(T), err
	}
	return await(ctx, func() (T, error) {
		defer db.calls.Done()
		return f(db)
	})
}

// A write is the right to write, which only one call has at a time, and the
// database to write to.
type write struct {
	s    *Store
	db   *database
	done bool // do was called, which ends the write by itself
}

// beginWrite waits for the right to write.
func (s *Store) beginWrite(ctx context.Context) (*write, error) {
	if ctx.Err() != nil {
		return nil, contextError(ctx)
	}
	select {
	case s.writer <- struct{}{}:
	case <-ctx.Done():
		return nil, contextError(ctx)
	case <-s.closing.Done():
		return nil, errClosed
	}
	db, err := s.acquire()
	if err != nil {
		s.unlock()
		return nil, err
	}
	return &write{s: s, db: db}, nil
}

func (s *Store) unlock() { <-s.writer }

// end gives the right to write back if do was not called.
func (w *write) end() {
	if !w.done {
		w.db.calls.Done()
		w.s.unlock()
	}
}

// do runs f if the folder is in its place. It gives the right to write back when f
// ends, even if ctx ends before.
func (w *write) do(ctx context.Context, f func(*database) error) error {
	w.done = true
	w.s.setWriteBegan(time.Now())
	_, err := await(ctx, func() (struct{}, error) {
		defer w.s.unlock()
		defer w.s.setWriteBegan(time.Time{})
		w.db.calls.Done() // who closes the database waits for the right to write instead
		if err := w.db.inPlace(); err != nil {
			return struct{}{}, w.s.fail(w.db, err)
		}
		return struct{}{}, f(w.db)
	})
	return err
}

func (s *Store) setWriteBegan(t time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writeBegan = t
}

// await runs f to its end, or returns early when ctx is done: Badger's calls
// take no context, and can wait for a stalled disk without limit.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	if ctx.Done() == nil {
		return f()
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), fmt.Errorf("%w before the disk answered", contextError(ctx))
	}
}

// A change is a key with its new value; a nil value deletes the key.
type change struct {
	key   string
	value []byte
}

// diff returns what differs, in order. The values are copies, as the commit
// may outlast the call.
func diff(keys []string, old, values [][]byte) []change {
	var changes []change
	for i, value := range values {
		if (value == nil) != (old[i] == nil) || !bytes.Equal(value, old[i]) {
			changes = append(changes, change{keys[i], slices.Clone(value)})
		}
	}
	return changes
}
