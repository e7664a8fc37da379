package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Copy copies every record of src to dst, and returns how many there are. So a site that outgrows one
// store can move what it has learned to another.
//
// dst must be empty: use a new folder or table. Nothing may write to either store meanwhile. After an
// error, dst holds a part of the copy; empty it before the next attempt. When Copy returns nil, the copy
// survives loss of power. No error shows a key.
func Copy(ctx context.Context, dst, src Store) (n int, err error) {
	defer func() {
		if err != nil {
			n, err = 0, fmt.Errorf("copying: %w", err)
		}
	}()
	for _, err := range dst.Scan(ctx, "", "") {
		if err == nil {
			err = errors.New("the target is not empty; empty it, or name another folder or table")
		}
		return 0, err
	}
	var keys []string // the keys of the next update, which is as large as a store takes
	var records [][]byte
	size := 0
	write := func() error {
		n += len(keys)
		err := dst.Update(ctx, keys, func(values [][]byte) error {
			copy(values, records)
			return nil
		})
		keys, records, size = nil, nil, 0
		return err
	}
	for r, err := range src.Scan(ctx, "", "") {
		if err == nil && (len(keys) == MaxKeys || size+len(r.Key)+len(r.Value) > MaxUpdate) {
			err = write()
		}
		if err != nil {
			return 0, err
		}
		keys, records = append(keys, strings.Clone(r.Key)), append(records, append([]byte{}, r.Value...))
		size += len(r.Key) + len(r.Value)
	}
	if err := write(); err != nil {
		return 0, err
	}
	return n, dst.Sync(ctx)
}
