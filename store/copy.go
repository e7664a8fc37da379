package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// Copy copies every record of src to dst, compares the two, and returns how many records there are.
// So a site that outgrows one store can move what it has learned to another.
//
// dst must be empty: use a new folder or table. Nothing may write to either store meanwhile. If the
// two differ in the end, Copy returns an error. After an error, dst holds a part of the copy; empty
// it before the next attempt. When Copy returns nil, the copy survives loss of power. No error
// shows a key.
func Copy(ctx context.Context, dst, src Store) (n int, err error) {
	for _, err := range dst.Scan(ctx, "", "") {
		if err == nil {
			err = errNotEmpty
		}
		return 0, fmt.Errorf("copying: %w", err)
	}
	if err := copyAll(ctx, dst, src); err != nil {
		return 0, fmt.Errorf("copying: %w", err)
	}
	if err := dst.Sync(ctx); err != nil {
		return 0, fmt.Errorf("copying: %w", err)
	}
	n, err = compare(ctx, dst, src)
	if err != nil {
		return 0, fmt.Errorf("copying: %w", err)
	}
	return n, nil
}

var (
	errNotEmpty  = errors.New("the target is not empty; empty it, or name another folder or table")
	errDifferent = errors.New("source and target differ after the copy, since something wrote to one of them; stop that, and copy again")
)

// copyAll writes batches as large as a store takes.
func copyAll(ctx context.Context, dst, src Store) error {
	b := batch{dst: dst}
	for r, err := range src.Scan(ctx, "", "") {
		if err == nil {
			err = b.add(ctx, r)
		}
		if err != nil {
			return err
		}
	}
	return b.write(ctx)
}

// batch is the content of one update.
type batch struct {
	dst    Store
	keys   []string
	values [][]byte
	bytes  int
}

func (b *batch) add(ctx context.Context, r Record) error {
	size := len(r.Key) + len(r.Value)
	if len(b.keys) == MaxKeys || b.bytes+size > MaxUpdate {
		if err := b.write(ctx); err != nil {
			return err
		}
	}
	b.keys = append(b.keys, strings.Clone(r.Key))
	b.values = append(b.values, append([]byte{}, r.Value...))
	b.bytes += size
	return nil
}

// write writes the batch, and leaves it empty.
func (b *batch) write(ctx context.Context) error {
	err := b.dst.Update(ctx, b.keys, func(values [][]byte) error {
		copy(values, b.values)
		return nil
	})
	b.keys, b.values, b.bytes = b.keys[:0], b.values[:0], 0
	return err
}

// compare returns how many records both stores have, or errDifferent.
func compare(ctx context.Context, a, b Store) (n int, err error) {
	next, stop := iter.Pull2(b.Scan(ctx, "", ""))
	defer stop()
	for x, err := range a.Scan(ctx, "", "") {
		y, other, more := next()
		if err = errors.Join(err, other); err != nil {
			return 0, err
		}
		if !more || x.Key != y.Key || !bytes.Equal(x.Value, y.Value) {
			return 0, errDifferent
		}
		n++
	}
	if _, err, more := next(); err != nil {
		return 0, err
	} else if more {
		return 0, errDifferent
	}
	return n, nil
}
