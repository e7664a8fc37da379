package store

import (
	"bytes"
	"cmp"
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
	if err = copyAll(ctx, dst, src); err == nil {
		n, err = compare(ctx, dst, src)
	}
	if err != nil {
		return 0, fmt.Errorf("copying: %w", err)
	}
	return n, nil
}

var (
	errNotEmpty  = errors.New("the target is not empty; empty it, or name another folder or table")
	errDifferent = errors.New("source and target differ after the copy, since something wrote to one of them; stop that, and copy again")
)

// copyAll writes updates as large as a store takes.
func copyAll(ctx context.Context, dst, src Store) error {
	for _, err := range dst.Scan(ctx, "", "") {
		return cmp.Or(err, errNotEmpty)
	}
	var keys []string
	var values [][]byte
	size := 0
	write := func() error {
		err := dst.Update(ctx, keys, func(v [][]byte) error { copy(v, values); return nil })
		keys, values, size = keys[:0], values[:0], 0
		return err
	}
	for r, err := range src.Scan(ctx, "", "") {
		if err != nil {
			return err
		}
		more := len(r.Key) + len(r.Value)
		if len(keys) == MaxKeys || size+more > MaxUpdate {
			if err := write(); err != nil {
				return err
			}
		}
		keys, values, size = append(keys, strings.Clone(r.Key)), append(values, append([]byte{}, r.Value...)), size+more
	}
	if err := write(); err != nil {
		return err
	}
	return dst.Sync(ctx)
}

// compare returns how many records both stores have, or errDifferent.
func compare(ctx context.Context, a, b Store) (n int, err error) {
	nextA, stopA := iter.Pull2(a.Scan(ctx, "", ""))
	defer stopA()
	nextB, stopB := iter.Pull2(b.Scan(ctx, "", ""))
	defer stopB()
	for ; ; n++ {
		x, errA, inA := nextA()
		y, errB, inB := nextB()
		switch {
		case errA != nil || errB != nil:
			return 0, errors.Join(errA, errB)
		case inA != inB || x.Key != y.Key || !bytes.Equal(x.Value, y.Value):
			return 0, errDifferent
		case !inA:
			return n, nil
		}
	}
}
