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
	t, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer t.end()
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
	return t.write(ctx, func(db *handle) error {
		err := db.ready()
		s.note(err)
		if err != nil {
			return err
		}
		return s.retireOn(db, db.commit(changes))
	})
}

// Sync implements [store.Store].
func (s *Store) Sync(ctx context.Context) error {
	t, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer t.end()
	return t.write(ctx, func(db *handle) error {
		return s.retireOn(db, db.sync())
	})
}

// Limits of what a Scan reads at a time. Between two chunks no transaction is
// open: an open one would keep every file from being removed.
const (
	chunkRecords = 1000
	chunkBytes   = 1 << 20
)

// Scan implements [store.Store].
func (s *Store) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		fail := func(err error) { yield(store.Record{}, err) }
		if err := store.CheckScan(prefix, after); err != nil {
			fail(err)
			return
		}
		after := after // each loop over the sequence begins anew
		for c := (chunk{more: true}); c.more; {
			var err error
			c, err = s.next(ctx, c, prefix, after)
			if err != nil {
				fail(err)
				return
			}
			for _, record := range c.records {
				if ctx.Err() != nil {
					fail(ended(ctx))
					return
				}
				if !yield(record, nil) {
					return
				}
				after = record.Key
			}
		}
		if ctx.Err() != nil {
			fail(ended(ctx))
		}
	}
}

func (s *Store) read(ctx context.Context, keys []string) ([][]byte, error) {
	return with(ctx, s, func(db *handle) ([][]byte, error) { return db.read(keys) })
}

func (s *Store) next(ctx context.Context, c chunk, prefix, after string) (chunk, error) {
	return with(ctx, s, func(db *handle) (chunk, error) { return db.next(c, prefix, after) })
}

// with runs f with the open handle. If ctx ends before f does, f is left to
// end by itself.
func with[T any](ctx context.Context, s *Store, f func(*handle) (T, error)) (T, error) {
	if ctx.Err() != nil {
		return *new(T), ended(ctx)
	}
	db, err := s.acquire()
	if err != nil {
		return *new(T), err
	}
	return await(ctx, func() (T, error) {
		defer s.release(db)
		return f(db)
	})
}

// A turn is the writer's place, held, and the handle to write to.
type turn struct {
	s     *Store
	db    *handle
	given bool // to write, which ends the turn
}

// begin waits for the writer's place.
func (s *Store) begin(ctx context.Context) (*turn, error) {
	if ctx.Err() != nil {
		return nil, ended(ctx)
	}
	if err := s.lock(ctx); err != nil {
		return nil, err
	}
	db, err := s.acquire()
	if err != nil {
		s.unlock()
		return nil, err
	}
	return &turn{s: s, db: db}, nil
}

// end gives the writer's place back, unless write does.
func (t *turn) end() {
	if !t.given {
		t.s.release(t.db)
		t.s.unlock()
	}
}

// write runs f if the folder is in its place, and ends the turn when f ends, even
// if ctx ends before.
func (t *turn) write(ctx context.Context, f func(*handle) error) error {
	t.given = true
	t.s.mark(time.Now())
	_, err := await(ctx, func() (struct{}, error) {
		defer t.s.unlock()
		defer t.s.mark(time.Time{})
		t.s.release(t.db) // who closes it waits for the writer's place instead
		if err := t.db.inPlace(); err != nil {
			return struct{}{}, t.s.retireOn(t.db, err)
		}
		return struct{}{}, f(t.db)
	})
	return err
}

func (s *Store) mark(began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.committed = began
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
		return *new(T), fmt.Errorf("%w before the disk answered", ended(ctx))
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
