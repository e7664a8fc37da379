// Package store defines what servemap needs from the place that keeps what it has learned, and the
// limits of a call. Stores are in folders below this one.
// [github.com/servemap/servemap/store/storetest] tests them.
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// The limits of a call. Every store takes calls within them, and refuses other calls with an error
// that wraps [ErrInvalid].
const (
	MaxKey    = 2400     // bytes of a key
	MaxValue  = 64 << 10 // bytes of a value
	MaxKeys   = 1000     // keys of one View or Update
	MaxUpdate = 1 << 20  // bytes of all keys and values of one Update, as fn leaves them
)

var (
	// ErrUnavailable is wrapped by the error of a store that cannot be used now, and that is trying
	// to become usable again. The text says why. The caller need only try again later.
	ErrUnavailable = errors.New("store is unavailable")

	// ErrClosed is wrapped by the error of a store that has been closed.
	ErrClosed = errors.New("store is closed")

	// ErrInvalid is wrapped by the error of a call that no store takes: a key outside the alphabet,
	// a repeated key, or an exceeded limit. Do not try again.
	ErrInvalid = errors.New("invalid store call")
)

// A Store is a map from keys to values, ordered by the bytes of the keys.
//
// Callers promise: a key is 1 to [MaxKey] bytes of printable ASCII without space ('!' to '~'). The
// keys of one call are distinct. fn may read and change the slices it gets until it returns; after
// that nobody uses them. fn does not call the store. Errors may be logged, so fn returns none that
// contain a secret.
//
// Stores promise: every method may be called concurrently. A bad call is refused before anything
// happens. Bytes come back as they were stored, whatever they are. A store keeps no slice that it
// was given, and shows no key or value in an error. If a ctx is already done, any call fails with
// an error that wraps ctx.Err(), and a call that waits for something ends soon after its ctx ends. A
// store has no clock: nothing in it expires.
//
// Nil stands for an absent value. An empty slice that is not nil is a value.
type Store interface {
	// View calls fn with the values of the keys, in the order of the keys, all as of one moment. It
	// calls fn once, or never if it fails. It returns an error of fn unchanged.
	View(ctx context.Context, keys []string, fn func(values [][]byte) error) error

	// Update calls fn with the values of the keys, in the order of the keys. Then it stores what fn
	// left in values: it writes a slice that was replaced or changed in place, and deletes a nil
	// one. It writes all keys or none, as if no other Update ran at the same time in any process
	// that shares the store.
	//
	// If fn returns an error, Update stores nothing and returns that error unchanged. fn must be a
	// pure function of values, since it may run again, with fresh values, if another writer was
	// faster.
	//
	// When Update returns nil, the write survives the death of the process; see Sync for loss of
	// power. If it returns an error that is not from fn and does not wrap [ErrInvalid], the write
	// usually did not happen, but it may have: the answer can be lost after the write. So it must
	// be safe to repeat an update.
	Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error

	// Scan yields the records whose keys begin with prefix and are greater than after, in
	// increasing byte order of the keys. An empty prefix means all records, and an empty after
	// means from the beginning. So the last key seen resumes a stopped scan.
	//
	// A scan is not a snapshot. It may show any part of what is written while it runs. But it shows
	// each key at most once, and every key that was there all the time. The loop's body may call
	// the store, and may take any time. A Record's Value is valid until the next iteration. An
	// error comes last, with a zero Record.
	Scan(ctx context.Context, prefix, after string) iter.Seq2[Record, error]

	// Sync returns when everything that was written before the call survives loss of power.
	Sync(ctx context.Context) error
}

// A Sharer is a [Store] that says whether several processes may use its records at the same time. A
// store that is no Sharer belongs to one process.
type Sharer interface {
	// Shared reports whether other processes may change the records. It always returns the same,
	// and may be called concurrently.
	Shared() bool
}

// A Record is a key and its value, which is never nil.
type Record struct {
	Key   string // 1 to MaxKey bytes
	Value []byte // 0 to MaxValue bytes
}

// CheckKeys returns an error that wraps [ErrInvalid] unless keys may be the keys of a View or an
// Update. Stores call it before anything else. It may be called concurrently.
func CheckKeys(keys []string) error {
	if len(keys) > MaxKeys {
		return fmt.Errorf("%w: %d keys, at most %d", ErrInvalid, len(keys), MaxKeys)
	}
	for i, key := range keys {
		if key == "" {
			return fmt.Errorf("%w: key %d is empty", ErrInvalid, i)
		}
		if err := checkBytes(key); err != nil {
			return fmt.Errorf("%w: key %d %w", ErrInvalid, i, err)
		}
	}
	sorted := slices.Sorted(slices.Values(keys))
	if len(slices.Compact(sorted)) < len(keys) {
		return fmt.Errorf("%w: two of the keys are the same", ErrInvalid)
	}
	return nil
}

// CheckValues returns an error that wraps [ErrInvalid] unless values may be written to keys in one
// Update. Stores call it with what fn left, before they write. It may be called concurrently.
func CheckValues(keys []string, values [][]byte) error {
	total := 0
	for i, value := range values {
		if len(value) > MaxValue {
			return fmt.Errorf("%w: value %d is %d bytes, at most %d", ErrInvalid, i, len(value), MaxValue)
		}
		total += len(keys[i]) + len(value)
	}
	if total > MaxUpdate {
		return fmt.Errorf("%w: update of %d bytes, at most %d", ErrInvalid, total, MaxUpdate)
	}
	return nil
}

// CheckScan returns an error that wraps [ErrInvalid] unless prefix and after may be those of a
// Scan: empty, or valid as a key. Stores call it before anything else. It may be called
// concurrently.
func CheckScan(prefix, after string) error {
	if err := checkBytes(prefix); err != nil {
		return fmt.Errorf("%w: prefix %w", ErrInvalid, err)
	}
	if err := checkBytes(after); err != nil {
		return fmt.Errorf("%w: after %w", ErrInvalid, err)
	}
	return nil
}

// checkBytes leaves the bad text out of its errors, since a key may name a page that is not public.
func checkBytes(s string) error {
	if len(s) > MaxKey {
		return fmt.Errorf("is %d bytes, at most %d", len(s), MaxKey)
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return fmt.Errorf("has byte 0x%02x at %d, outside '!' to '~'", s[i], i)
		}
	}
	return nil
}
