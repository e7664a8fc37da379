package storetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/servemap/servemap/store"
)

// brokenStores has a store for each rule: a sound one with the one fault that breaks the rule.
var brokenStores = map[string]struct {
	does string // what the store does
	make func(sound store.Store) store.Store
}{
	"AbsentIsNil":   {"shows absent as empty", onRead(func(v []byte) []byte { return append([]byte{}, v...) })},
	"EmptyIsAValue": {"stores empty as absent", onWrite(func(v []byte) []byte { return append([]byte(nil), v...) })},
	"NilDeletes": {"drops deletes", func(st store.Store) store.Store {
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
	}},
	"BytesComeBack": {"cuts values at NUL", onWrite(cutAtNUL)},
	"KeysAreBytes": {"folds case", func(st store.Store) store.Store {
		return rekeyed(st, func(keys []string) []string {
			lower := make([]string, len(keys))
			for i, key := range keys {
				lower[i] = strings.ToLower(key)
			}
			return lower
		})
	}},
	"ValuesInKeyOrder": {"gives values in the order of sorted keys", func(st store.Store) store.Store {
		return rekeyed(st, func(keys []string) []string { return slices.Sorted(slices.Values(keys)) })
	}},
	"NoKeys": {"refuses no keys", func(st store.Store) store.Store {
		return faulty{Store: st, view: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
			if len(keys) == 0 {
				return store.ErrInvalid
			}
			return st.View(ctx, keys, fn)
		}}
	}},
	"FullSize": {"cuts long values", onWrite(func(v []byte) []byte { return v[:min(len(v), store.MaxValue-1)] })},
	"ManyKeys": {"forgets the last of many keys", func(st store.Store) store.Store {
		return faulty{Store: st, update: around(st.Update, nop, func(_ []string, values [][]byte) {
			if len(values) == store.MaxKeys {
				values[len(values)-1] = nil
			}
		})}
	}},
	"FailureStoresNothing": {"stores in spite of an error", func(st store.Store) store.Store {
		return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) (err error) {
			wrote := st.Update(ctx, keys, func(values [][]byte) error {
				err = fn(values)
				return nil
			})
			return errors.Join(err, wrote)
		}}
	}},
	"ErrorComesBack": {"wraps fn's error", func(st store.Store) store.Store {
		return faulty{Store: st, view: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
			if err := st.View(ctx, keys, fn); err != nil {
				return fmt.Errorf("view: %w", err)
			}
			return nil
		}}
	}},
	"ChangedInPlaceCounts": {"misses a change in place", func(st store.Store) store.Store {
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
	}},
	"UnchangedStays": {"deletes what is unchanged", func(st store.Store) store.Store {
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
	}},
	// keepsSlices shows the slices that fn left, whatever has become of them.
	"SlicesAreNotKept": {"keeps slices", func(st store.Store) store.Store {
		kept := map[string][]byte{}
		show := func(keys []string, values [][]byte) {
			for i, key := range keys {
				if value, ok := kept[key]; ok {
					values[i] = clone(value)
				}
			}
		}
		return faulty{Store: st, view: around(st.View, show, nop), update: around(st.Update, nop,
			func(keys []string, values [][]byte) {
				for i, key := range keys {
					kept[key] = values[i]
				}
			})}
	}},
	"SlicesAreNotShared": {"gives values room to grow into each other", func(st store.Store) store.Store {
		return faulty{Store: st, view: around(st.View, func(_ []string, values [][]byte) {
			arena := append(bytes.Join(values, nil), make([]byte, 100)...)
			for i, value := range values {
				values[i], arena = arena[:len(value)], arena[len(value):]
			}
		}, nop)}
	}},
	"FnPanicLeavesTheStoreUsable": {"swallows panics", func(st store.Store) store.Store {
		return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
			defer func() { _ = recover() }()
			return st.Update(ctx, keys, fn)
		}}
	}},
	"SyncAfterUpdate":  {"cannot sync", func(st store.Store) store.Store { return cannotSync{st} }},
	"NoUpdateIsLost":   {"reads and writes in two steps", getThenPut},
	"UpdatesAreSerial": {"reads and writes in two steps", getThenPut},
	"OthersSeeWhatWasWritten": {"remembers what it viewed", func(st store.Store) store.Store {
		var known sync.Map
		return faulty{Store: st, view: around(st.View, func(keys []string, values [][]byte) {
			for i, key := range keys {
				value, _ := known.LoadOrStore(key, clone(values[i]))
				values[i] = clone(value.([]byte))
			}
		}, nop)}
	}},
	"NothingIsLostOnTheMove": {"views key by key", func(st store.Store) store.Store {
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
	}},
	"ScanIsInByteOrder": {"scans in reading order", func(st store.Store) store.Store {
		return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
			all, _ := collect(ctx, st, prefix, after)
			slices.SortStableFunc(all, func(a, b store.Record) int {
				return cmp.Compare(strings.ToLower(a.Key), strings.ToLower(b.Key))
			})
			for _, r := range all {
				if !yield(r, nil) {
					return
				}
			}
		})
	}},
	"ScanKeepsToItsBounds": {"forgets where to resume", func(st store.Store) store.Store {
		return faulty{Store: st, scan: func(ctx context.Context, prefix, _ string) seq {
			return st.Scan(ctx, prefix, "")
		}}
	}},
	"ScanIsComplete": {"ends scans after 1,000 records", func(st store.Store) store.Store {
		return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
			n := 0
			for r, err := range st.Scan(ctx, prefix, after) {
				if n++; n > 1000 || !yield(r, err) {
					return
				}
			}
		})
	}},
	"ScanStopsAndRunsAgain": {"scans once", func(st store.Store) store.Store {
		return faulty{Store: st, scan: func(ctx context.Context, prefix, after string) seq {
			return func(yield func(store.Record, error) bool) {
				for r, err := range st.Scan(ctx, prefix, after) {
					after = r.Key
					if !yield(r, err) {
						return
					}
				}
			}
		}}
	}},
	// pagesByOffset reads 100 records at a time and counts from the beginning.
	"ScanBesideUpdates": {"pages by offset", func(st store.Store) store.Store {
		return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
			for offset, more := 0, true; more; offset += 100 {
				all, _ := collect(ctx, st, prefix, after)
				more = len(all) > offset+100
				for _, r := range all[min(offset, len(all)):min(offset+100, len(all))] {
					if !yield(r, nil) {
						return
					}
				}
			}
		})
	}},
	"BadCallsAreRefused": {"shows keys in errors", func(st store.Store) store.Store {
		return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
			if err := st.Update(ctx, keys, fn); err != nil {
				return fmt.Errorf("updating %q: %w", keys, err)
			}
			return nil
		}}
	}},
	"DoneContextIsRefused": {"ignores the context", func(st store.Store) store.Store {
		ignore := func(do call) call {
			return func(_ context.Context, keys []string, fn func([][]byte) error) error {
				return do(context.Background(), keys, fn)
			}
		}
		return faulty{Store: st, view: ignore(st.View), update: ignore(st.Update),
			scan: func(_ context.Context, prefix, after string) seq {
				return st.Scan(context.Background(), prefix, after)
			}}
	}},
	"DoneContextEndsWait": {"waits at a mutex", func(st store.Store) store.Store {
		var writer sync.Mutex
		return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
			writer.Lock()
			defer writer.Unlock()
			return st.Update(ctx, keys, fn)
		}}
	}},
	"DoneContextEndsScan": {"ends a scan in silence when its context is done", func(st store.Store) store.Store {
		return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
			for r, err := range st.Scan(ctx, prefix, after) {
				if err != nil || !yield(r, err) {
					return
				}
			}
		})
	}},
}

type call func(ctx context.Context, keys []string, fn func([][]byte) error) error

// faulty replaces some methods of a store.
type faulty struct {
	store.Store
	view   call
	update call
	scan   func(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error]
}

type seq = iter.Seq2[store.Record, error]

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

// rekeyed makes every View and Update use other keys.
func rekeyed(st store.Store, change func(keys []string) []string) store.Store {
	with := func(do call) call {
		return func(ctx context.Context, keys []string, fn func([][]byte) error) error {
			return do(ctx, change(keys), fn)
		}
	}
	return faulty{Store: st, view: with(st.View), update: with(st.Update)}
}

// onFn replaces what an Update does with fn.
func onFn(st store.Store, run func(values [][]byte, fn func([][]byte) error) error) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		return st.Update(ctx, keys, func(values [][]byte) error { return run(values, fn) })
	}}
}

func getThenPut(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		old, err := readAll(ctx, st, keys)
		values := cloneAll(old)
		if err == nil {
			err = fn(values)
		}
		if err != nil {
			return err
		}
		return st.Update(ctx, keys, func(now [][]byte) error {
			for i := range now {
				if !bytes.Equal(values[i], old[i]) {
					now[i] = values[i]
				}
			}
			return nil
		})
	}}
}

func readAll(ctx context.Context, st store.Store, keys []string) (got [][]byte, err error) {
	err = st.View(ctx, keys, func(values [][]byte) error { got = cloneAll(values); return nil })
	return got, err
}

// onScan replaces Scan by a function that also gets its yield.
func onScan(st store.Store, scan func(ctx context.Context, prefix, after string,
	yield func(store.Record, error) bool)) store.Store {
	return faulty{Store: st, scan: func(ctx context.Context, prefix, after string) seq {
		return func(yield func(store.Record, error) bool) { scan(ctx, prefix, after, yield) }
	}}
}

// collect returns the records of a scan, and its error.
func collect(ctx context.Context, st store.Store, prefix, after string) (all []store.Record, err error) {
	for r, err := range st.Scan(ctx, prefix, after) {
		if err != nil {
			return all, err
		}
		all = append(all, store.Record{Key: r.Key, Value: clone(r.Value)})
	}
	return all, nil
}
