package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
)

// CopyOptions adjusts [Copy]. The zero value of each field is the default.
type CopyOptions struct {
	// Prefix has only the records copied whose keys begin with it, and only
	// those looked at in dst. If empty, it is all.
	Prefix string

	// Resume has a dst taken that is not empty, as a copy that was broken off
	// left it. What is there already is compared and not written again.
	Resume bool
}

// Copy copies every record of src to dst, compares the two, and returns how
// many records there are. So a site that outgrows one store takes what it has
// learned to another. A nil opts means the defaults.
//
// Nothing may write to either store meanwhile: a dst that in the end is not the
// same as src is an error. A dst that is not empty is refused, see
// [CopyOptions.Resume]; one that holds another value for a key of src is always
// refused, and nothing in dst is ever overwritten or deleted. When Copy returns
// nil, the copy survives loss of power.
//
// After an error of a store, such as one that wraps [ErrUnavailable], Copy may
// be called again with Resume. No error shows a key.
func Copy(ctx context.Context, dst, src Store, opts *CopyOptions) (n int, err error) {
	if opts == nil {
		opts = &CopyOptions{}
	}
	if err := CheckScan(opts.Prefix, ""); err != nil {
		return 0, fmt.Errorf("copying: CopyOptions.Prefix: %w", err)
	}
	if !opts.Resume {
		if err := checkEmpty(ctx, dst, opts.Prefix); err != nil {
			return 0, err
		}
	}
	if err := copyAll(ctx, dst, src, opts.Prefix); err != nil {
		return 0, err
	}
	if err := dst.Sync(ctx); err != nil {
		return 0, fmt.Errorf("copying: %w", err)
	}
	return compare(ctx, dst, src, opts.Prefix)
}

var (
	errNotEmpty  = errors.New("copying: the target is not empty; CopyOptions.Resume continues a copy")
	errOther     = errors.New("copying: the target holds another value for a key of the source")
	errDifferent = errors.New("copying: source and target differ after the copy: something wrote to one of them, or the target holds more than the source")
)

func checkEmpty(ctx context.Context, dst Store, prefix string) error {
	for _, err := range dst.Scan(ctx, prefix, "") {
		if err != nil {
			return fmt.Errorf("copying: %w", err)
		}
		return errNotEmpty
	}
	return nil
}

// copyAll writes what dst does not have yet, in batches as big as a store takes.
func copyAll(ctx context.Context, dst, src Store, prefix string) error {
	b := batch{dst: dst}
	for r, err := range src.Scan(ctx, prefix, "") {
		if err == nil {
			err = b.add(ctx, r)
		}
		if err != nil {
			return copyError(err)
		}
	}
	return copyError(b.write(ctx))
}

func copyError(err error) error {
	if err == nil || err == errOther {
		return err
	}
	return fmt.Errorf("copying: %w", err)
}

// batch is what goes into one update.
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
		for i, value := range values {
			if value != nil && !bytes.Equal(value, b.values[i]) {
				return errOther
			}
			values[i] = bytes.Clone(b.values[i])
		}
		return nil
	})
	b.keys, b.values, b.bytes = b.keys[:0], b.values[:0], 0
	return err
}

// compare returns how many records both stores have, or errDifferent.
func compare(ctx context.Context, a, b Store, prefix string) (n int, err error) {
	next, stop := iter.Pull2(b.Scan(ctx, prefix, ""))
	defer stop()
	for x, err := range a.Scan(ctx, prefix, "") {
		y, other, more := next()
		if err = errors.Join(err, other); err != nil {
			return 0, fmt.Errorf("copying: %w", err)
		}
		if !more || x.Key != y.Key || !bytes.Equal(x.Value, y.Value) {
			return 0, errDifferent
		}
		n++
	}
	if _, err, more := next(); err != nil {
		return 0, fmt.Errorf("copying: %w", err)
	} else if more {
		return 0, errDifferent
	}
	return n, nil
}
