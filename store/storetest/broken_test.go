package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"

	"github.com/servemap/servemap/store"
)

// A broken store is a sound one with one fault.
type broken struct {
	name   string // what it does
	breaks string // the rule that it breaks
	make   func(sound store.Store) store.Store
}

var brokenStores = []broken{
	{"shows absent as empty", "AbsentIsNil", onRead(func(v []byte) []byte { return append([]byte{}, v...) })},
	{"stores absent as empty", "AbsentIsNil", onWrite(func(v []byte) []byte { return append([]byte{}, v...) })},
	{"shows empty as absent", "EmptyIsAValue", onRead(func(v []byte) []byte { return append([]byte(nil), v...) })},
	{"stores empty as absent", "EmptyIsAValue", onWrite(func(v []byte) []byte { return append([]byte(nil), v...) })},
	{"drops deletes", "NilDeletes", dropsDeletes},
	{"cuts values at NUL", "BytesComeBack", onWrite(cutAtNUL)},
	{"repairs UTF-8", "BytesComeBack", onWrite(repairUTF8)},
	{"folds case", "KeysAreBytes", foldsCase},
	{"takes _ and % in a prefix for patterns", "KeysAreBytes", likePrefix},
	{"gives values in the order of sorted keys", "ValuesInKeyOrder", sortsKeys},
	{"refuses no keys", "NoKeys", refusesNoKeys},
	{"cuts long values", "FullSize", onWrite(func(v []byte) []byte { return v[:min(len(v), store.MaxValue-1)] })},
	{"forgets the last of many keys", "ManyKeys", forgetsLast},
	{"stores in spite of an error", "FailureStoresNothing", storesInSpite},
	{"stores what it gave before an error", "FailureStoresNothing", oneByOne},
	{"replaces fn's error", "ErrorComesBack", replacesErrors},
	{"wraps fn's error", "ErrorComesBack", wrapsErrors},
	{"misses a change in place", "ChangedInPlaceCounts", missesChangesInPlace},
	{"deletes what is unchanged", "UnchangedStays", deletesUnchanged},
	{"remembers what it read", "OthersSeeWhatWasWritten", staleReads},
	{"runs fn on what it left", "NoUpdateIsLost", runsTwiceOnOne},
	{"keeps slices", "SlicesAreNotKept", keepsSlices},
	{"shares slices", "SlicesAreNotShared", sharesSlices},
	{"gives values room to grow into each other", "SlicesAreNotShared", oneArena},
	{"swallows panics", "FnPanicLeavesTheStoreUsable", swallowsPanics},
	{"stores what fn left when it panicked", "FnPanicLeavesTheStoreUsable", storesOnPanic},
	{"cannot sync", "SyncAfterUpdate", func(st store.Store) store.Store { return cannotSync{st} }},
	{"loses updates", "NoUpdateIsLost", getThenPut},
	{"updates on snapshots", "UpdatesAreSerial", snapshots},
	{"views key by key", "NothingIsLostOnTheMove", keyByKey},
	{"scans in reading order", "ScanIsInByteOrder", readingOrder},
	{"leaks the next prefix", "ScanKeepsToItsBounds", leaksPrefix},
	{"resumes with the key it stopped at", "ScanKeepsToItsBounds", afterInclusive},
	{"forgets where to resume", "ScanKeepsToItsBounds", forgetsAfter},
	{"ends scans after 1,000 records", "ScanIsComplete", cutsScans},
	{"says that nothing is an error", "ScanKeepsToItsBounds", nothingIsAnError},
	{"scans on when told to stop", "ScanStopsAndRunsAgain", scansOn},
	{"scans once", "ScanStopsAndRunsAgain", scansOnce},
	{"pages by offset", "ScanBesideUpdates", pagesByOffset},
	{"accepts bad keys", "BadCallsAreRefused", accepts(badKeys)},
	{"calls fn before it looks at the keys", "BadCallsAreRefused", looksLate},
	{"accepts bad scans", "BadCallsAreRefused", acceptsBadScans},
	{"accepts big updates", "BadCallsAreRefused", accepts(func(keys []string) bool { return !badKeys(keys) })},
	{"shows keys in errors", "BadCallsAreRefused", showsKeys},
	{"ignores the context", "DoneContextIsRefused", ignoresContext},
	{"ignores the context of a scan", "DoneContextEndsScan", ignoresContext},
	{"ends a scan in silence when its context is done", "DoneContextEndsScan", endsScansInSilence},
}

func badKeys(keys []string) bool { return store.CheckKeys(keys) != nil }

type call func(ctx context.Context, keys []string, fn func([][]byte) error) error

// faulty replaces some methods of a store.
type faulty struct {
	store.Store
	view   call
	update call
	scan   func(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error]
}

func (f faulty) View(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if f.view == nil {
		return f.Store.View(ctx, keys, fn)
	}
	return f.view(ctx, keys, fn)
}

func (f faulty) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if f.update == nil {
		return f.Store.Update(ctx, keys, fn)
	}
	return f.update(ctx, keys, fn)
}

func (f faulty) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	if f.scan == nil {
		return f.Store.Scan(ctx, prefix, after)
	}
	return f.scan(ctx, prefix, after)
}

type cannotSync struct{ store.Store }

func (cannotSync) Sync(context.Context) error { return errors.ErrUnsupported }

// around calls before and after with the values, before and after fn.
func around(do call, before, after func(keys []string, values [][]byte)) call {
	return func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		return do(ctx, keys, func(values [][]byte) error {
			before(keys, values)
			err := fn(values)
			if err == nil {
				after(keys, values)
			}
			return err
		})
	}
}

func nop([]string, [][]byte) {}

func each(change func([]byte) []byte) func([]string, [][]byte) {
	return func(_ []string, values [][]byte) {
		for i, value := range values {
			values[i] = change(value)
		}
	}
}

func onRead(change func([]byte) []byte) func(store.Store) store.Store {
	return func(st store.Store) store.Store {
		return faulty{Store: st, view: around(st.View, each(change), nop)}
	}
}

func onWrite(change func([]byte) []byte) func(store.Store) store.Store {
	return func(st store.Store) store.Store {
		return faulty{Store: st, update: around(st.Update, nop, each(change))}
	}
}

func cutAtNUL(v []byte) []byte {
	if i := bytes.IndexByte(v, 0); i >= 0 {
		return v[:i]
	}
	return v
}

func repairUTF8(v []byte) []byte {
	if v == nil {
		return nil
	}
	return bytes.ToValidUTF8(v, []byte("?"))
}

func dropsDeletes(st store.Store) store.Store {
	var old [][]byte
	return faulty{Store: st, update: around(st.Update,
		func(_ []string, values [][]byte) { old = cloneAll(values) },
		func(_ []string, values [][]byte) {
			for i := range values {
				if values[i] == nil {
					values[i] = old[i]
				}
			}
		})}
}

// rekeyed makes every View and Update use other keys.
func rekeyed(st store.Store, change func(keys []string) []string) store.Store {
	with := func(do call) call {
		return func(ctx context.Context, keys []string, fn func([][]byte) error) error {
			return do(ctx, change(keys), fn)
		}
	}
	return faulty{Store: st, view: with(st.View), update: with(st.Update)}
}

func foldsCase(st store.Store) store.Store {
	return rekeyed(st, func(keys []string) []string {
		lower := make([]string, len(keys))
		for i, key := range keys {
			lower[i] = strings.ToLower(key)
		}
		return lower
	})
}

func likePrefix(st store.Store) store.Store {
	return faulty{Store: st, scan: filtered(st, func(prefix, _, key string) bool {
		for i := range len(prefix) {
			if prefix[i] == '%' {
				return true
			}
			if i >= len(key) || prefix[i] != '_' && prefix[i] != key[i] {
				return false
			}
		}
		return true
	})}
}

func sortsKeys(st store.Store) store.Store {
	return rekeyed(st, func(keys []string) []string { return slices.Sorted(slices.Values(keys)) })
}

func refusesNoKeys(st store.Store) store.Store {
	return faulty{Store: st, view: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		if len(keys) == 0 {
			return store.ErrInvalid
		}
		return st.View(ctx, keys, fn)
	}}
}

func forgetsLast(st store.Store) store.Store {
	return faulty{Store: st, update: around(st.Update, nop, func(_ []string, values [][]byte) {
		if len(values) == store.MaxKeys {
			values[len(values)-1] = nil
		}
	})}
}

func storesInSpite(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) (err error) {
		wrote := st.Update(ctx, keys, func(values [][]byte) error {
			err = fn(values)
			return nil
		})
		return errors.Join(err, wrote)
	}}
}

func oneByOne(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		values, err := readAll(ctx, st, keys)
		if err == nil {
			err = fn(values)
		}
		for i := range keys {
			if err == nil {
				err = st.Update(ctx, keys[i:i+1], func(v [][]byte) error { v[0] = values[i]; return nil })
			}
		}
		return err
	}}
}

func replacesErrors(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		if err := st.Update(ctx, keys, fn); err != nil {
			return errors.New("update failed")
		}
		return nil
	}}
}

func wrapsErrors(st store.Store) store.Store {
	return faulty{Store: st, view: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		if err := st.View(ctx, keys, fn); err != nil {
			return fmt.Errorf("view: %w", err)
		}
		return nil
	}}
}

// onFn replaces what an Update does with fn.
func onFn(st store.Store, run func(values [][]byte, fn func([][]byte) error) error) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		return st.Update(ctx, keys, func(values [][]byte) error { return run(values, fn) })
	}}
}

func missesChangesInPlace(st store.Store) store.Store {
	return onFn(st, func(values [][]byte, fn func([][]byte) error) error {
		old := cloneAll(values)
		handed := append([][]byte(nil), values...)
		err := fn(values)
		for i := range values {
			if len(values[i]) > 0 && len(handed[i]) > 0 && &values[i][0] == &handed[i][0] {
				values[i] = old[i]
			}
		}
		return err
	})
}

func deletesUnchanged(st store.Store) store.Store {
	return onFn(st, func(values [][]byte, fn func([][]byte) error) error {
		old := cloneAll(values)
		err := fn(values)
		for i := range values {
			if bytes.Equal(values[i], old[i]) {
				values[i] = nil
			}
		}
		return err
	})
}

func runsTwiceOnOne(st store.Store) store.Store {
	return onFn(st, func(values [][]byte, fn func([][]byte) error) error {
		return errors.Join(fn(values), fn(values))
	})
}

func swallowsPanics(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		defer func() { _ = recover() }()
		return st.Update(ctx, keys, fn)
	}}
}

func storesOnPanic(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		var panicked any
		err := st.Update(ctx, keys, func(values [][]byte) error {
			defer func() { panicked = recover() }()
			return fn(values)
		})
		if panicked != nil {
			panic(panicked)
		}
		return err
	}}
}

func getThenPut(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		values, err := readAll(ctx, st, keys)
		if err == nil {
			err = fn(values)
		}
		if err != nil {
			return err
		}
		return st.Update(ctx, keys, func(v [][]byte) error { copy(v, values); return nil })
	}}
}

// snapshots runs fn on a snapshot, and writes if the keys to change are still the same. That is
// snapshot isolation, with its write skew.
func snapshots(st store.Store) store.Store {
	errAgain := errors.New("again")
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		for {
			old, err := readAll(ctx, st, keys)
			values := cloneAll(old)
			if err == nil {
				err = fn(values)
			}
			if err != nil {
				return err
			}
			err = st.Update(ctx, keys, func(now [][]byte) error {
				for i := range now {
					if bytes.Equal(values[i], old[i]) {
						continue
					}
					if !bytes.Equal(now[i], old[i]) {
						return errAgain
					}
					now[i] = values[i]
				}
				return nil
			})
			if err != errAgain {
				return err
			}
		}
	}}
}

func keyByKey(st store.Store) store.Store {
	return faulty{Store: st, view: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		values := make([][]byte, len(keys))
		for i := range keys {
			runtime.Gosched()
			one, err := readAll(ctx, st, keys[i:i+1])
			if err != nil {
				return err
			}
			values[i] = one[0]
		}
		return fn(values)
	}}
}

func readAll(ctx context.Context, st store.Store, keys []string) (got [][]byte, err error) {
	err = st.View(ctx, keys, func(values [][]byte) error { got = cloneAll(values); return nil })
	return got, err
}
