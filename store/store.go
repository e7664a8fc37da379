// Package store says what servemap asks of the place where it keeps what it
// has learned, and how much it may ask. Stores live in folders of their own
// beside this one; [github.com/servemap/servemap/store/storetest] tries them.
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// The limits of a call. Every store takes calls up to them, and refuses calls
// beyond them with an error that wraps [ErrInvalid].
const (
	MaxKey    = 1200     // bytes of a key
	MaxValue  = 64 << 10 // bytes of a value
	MaxKeys   = 1000     // keys of one View or Update
	MaxUpdate = 1 << 20  // bytes of all keys and values of one Update, as fn left them
)

var (
	// ErrUnavailable is wrapped by the error of a store that cannot be used at
	// the moment and is trying by itself to become usable again. The text of
	// the error says why. The caller need only try again later.
	ErrUnavailable = errors.New("store is unavailable")

	// ErrClosed is wrapped by the error of a store that has been closed.
	ErrClosed = errors.New("store is closed")

	// ErrInvalid is wrapped by the error of a call that no store takes: a key
	// outside the alphabet, one key twice, a limit passed. Trying again is
	// useless.
	ErrInvalid = errors.New("invalid store call")
)

// A Store is a map from keys to values, ordered by the bytes of the keys.
//
// What callers promise: a key is 1 to [MaxKey] bytes of printable ASCII
// without space ('!' to '~'); the keys of one call are distinct. The slices
// handed to fn are fn's to read and to change until it returns, and nobody's
// afterwards. fn does not call the store. Errors may be logged, so fn returns
// none that tell a secret.
//
// What stores promise: every method may be called concurrently. A bad call is
// refused before anything happens. Bytes come back as they went in, whatever
// they are. A store keeps no slice that it was given and shows no key and no
// value in an error. A ctx that is already done makes any call fail with an
// error that wraps ctx.Err(). A store owns no clock: nothing in it expires.
//
// Nil stands for an absent value; an empty slice that is not nil is a value.
type Store interface {
	// View calls fn with the values of the keys, in the order of the keys, as
	// they were together at one moment. It calls fn once, or not at all if it
	// fails; an error from fn is returned as it is.
	View(ctx context.Context, keys []string, fn func(values [][]byte) error) error

	// Update calls fn with the values of the keys, in the order of the keys,
	// and then stores what fn left in values: a slice replaced or changed in
	// place is written, nil deletes. All keys are written or none, and as if
	// no other Update ran at the same time, in any process that shares the
	// store.
	//
	// An error from fn stores nothing and is returned as it is. fn must be a
	// pure function of values, since it may run again, with fresh values, when
	// another writer got there first.
	//
	// When Update returns nil, the write survives the death of the process; see
	// Sync for loss of power. When it returns an error that is neither from fn
	// nor wraps [ErrInvalid], the write has usually not happened but may have:
	// the answer can be lost after the deed. So an update must be one that can
	// be tried again.
	Update(ctx context.Context, keys []string, fn func(values [][]byte) error) error

	// Scan yields the records whose keys begin with prefix and are greater
	// than after, in increasing byte order of the keys. An empty prefix is all
	// records, an empty after is the beginning, so the key of the last record
	// seen resumes a scan that stopped.
	//
	// A scan is no snapshot: of what is written while it runs it may show any
	// part, but it shows each key at most once, and every key that was there
	// all the time. The loop's body may call the store, and may take as long as
	// it likes. A Record's Value is valid until the next iteration. An error
	// comes with a zero Record as the last pair.
	Scan(ctx context.Context, prefix, after string) iter.Seq2[Record, error]

	// Sync returns when everything that was written before the call survives
	// loss of power.
	Sync(ctx context.Context) error
}

// A Sharer is a [Store] that says whether several processes may use its records at
// the same time. One that is no Sharer is taken for a store of one process.
type Sharer interface {
	// Shared reports whether other processes may change the records. It always
	// returns the same, and may be called concurrently.
	Shared() bool
}

// A Noter is a [Store] that tells its owner what befell its records, such as damage,
// and what was done about it.
type Noter interface {
	// Notes returns a sentence for each event since the store was opened, the
	// oldest first. It may be called concurrently.
	Notes() []string
}

// A Record is a key and its value, which is never nil.
type Record struct {
	Key   string
	Value []byte
}

// CheckKeys returns an error that wraps [ErrInvalid] unless keys may be the
// keys of a View or an Update. Stores call it first thing. It may be called
// concurrently.
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
	return checkDistinct(keys)
}

// CheckValues returns an error that wraps [ErrInvalid] unless values may be
// written to keys in one Update. Stores call it with what fn left, before they
// write. It may be called concurrently.
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

// CheckScan returns an error that wraps [ErrInvalid] unless prefix and after
// may be those of a Scan: empty, or what a key may be. Stores call it first
// thing. It may be called concurrently.
func CheckScan(prefix, after string) error {
	if err := checkBytes(prefix); err != nil {
		return fmt.Errorf("%w: prefix %w", ErrInvalid, err)
	}
	if err := checkBytes(after); err != nil {
		return fmt.Errorf("%w: after %w", ErrInvalid, err)
	}
	return nil
}

// checkBytes leaves the offending text out of its errors, as a key may tell
// of a page that is not public.
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

func checkDistinct(keys []string) error {
	if ascending(keys) {
		return nil
	}
	seen := make(map[string]int, len(keys))
	for i, key := range keys {
		if first, ok := seen[key]; ok {
			return fmt.Errorf("%w: keys %d and %d are the same", ErrInvalid, first, i)
		}
		seen[key] = i
	}
	return nil
}

// ascending spares the usual call, whose keys are sorted or one, the map.
func ascending(keys []string) bool {
	for i := 1; i < len(keys); i++ {
		if keys[i-1] >= keys[i] {
			return false
		}
	}
	return true
}
