package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/servemap/servemap/store"
)

type seq = iter.Seq2[store.Record, error]

// onScan replaces Scan by a function that also gets its yield.
func onScan(st store.Store, scan func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool)) store.Store {
	return faulty{Store: st, scan: func(ctx context.Context, prefix, after string) seq {
		return func(yield func(store.Record, error) bool) { scan(ctx, prefix, after, yield) }
	}}
}

// filtered scans everything and yields what keep accepts.
func filtered(st store.Store, keep func(prefix, after, key string) bool) func(context.Context, string, string) seq {
	return func(ctx context.Context, prefix, after string) seq {
		return func(yield func(store.Record, error) bool) {
			for r, err := range st.Scan(ctx, "", "") {
				if err == nil && !keep(prefix, after, r.Key) {
					continue
				}
				if !yield(r, err) {
					return
				}
			}
		}
	}
}

func leaksPrefix(st store.Store) store.Store {
	return faulty{Store: st, scan: filtered(st, func(prefix, after, key string) bool {
		return key >= prefix && key > after && (prefix == "" || key[0] <= prefix[0])
	})}
}

func afterInclusive(st store.Store) store.Store {
	return faulty{Store: st, scan: filtered(st, func(prefix, after, key string) bool {
		return strings.HasPrefix(key, prefix) && key >= after
	})}
}

func forgetsAfter(st store.Store) store.Store {
	return faulty{Store: st, scan: func(ctx context.Context, prefix, _ string) seq {
		return st.Scan(ctx, prefix, "")
	}}
}

func readingOrder(st store.Store) store.Store {
	return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
		var all []store.Record
		for r, err := range st.Scan(ctx, prefix, after) {
			if err != nil {
				yield(r, err)
				return
			}
			all = append(all, store.Record{Key: r.Key, Value: clone(r.Value)})
		}
		slices.SortStableFunc(all, func(a, b store.Record) int {
			return cmp.Compare(strings.ToLower(a.Key), strings.ToLower(b.Key))
		})
		for _, r := range all {
			if !yield(r, nil) {
				return
			}
		}
	})
}

func cutsScans(st store.Store) store.Store {
	return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
		n := 0
		for r, err := range st.Scan(ctx, prefix, after) {
			if n++; n > 1000 || !yield(r, err) {
				return
			}
		}
	})
}

func nothingIsAnError(st store.Store) store.Store {
	return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
		empty := true
		for r, err := range st.Scan(ctx, prefix, after) {
			empty = false
			if !yield(r, err) {
				return
			}
		}
		if empty {
			yield(store.Record{}, errors.New("no rows"))
		}
	})
}

func scansOn(st store.Store) store.Store {
	return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
		for r, err := range st.Scan(ctx, prefix, after) {
			yield(r, err)
		}
	})
}

func scansOnce(st store.Store) store.Store {
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
}

// pagesByOffset reads 100 records at a time and counts from the beginning.
func pagesByOffset(st store.Store) store.Store {
	return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
		for offset := 0; ; offset += 100 {
			var page []store.Record
			n := 0
			for r, err := range st.Scan(ctx, prefix, after) {
				if err != nil {
					yield(r, err)
					return
				}
				if n++; n > offset {
					page = append(page, store.Record{Key: r.Key, Value: clone(r.Value)})
				}
				if len(page) == 100 {
					break
				}
			}
			for _, r := range page {
				if !yield(r, nil) {
					return
				}
			}
			if len(page) < 100 {
				return
			}
		}
	})
}

func endsScansInSilence(st store.Store) store.Store {
	return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
		for r, err := range st.Scan(ctx, prefix, after) {
			if err != nil || !yield(r, err) {
				return
			}
		}
	})
}

func ignoresContext(st store.Store) store.Store {
	ignore := func(do call) call {
		return func(_ context.Context, keys []string, fn func([][]byte) error) error {
			return do(context.Background(), keys, fn)
		}
	}
	return faulty{Store: st, view: ignore(st.View), update: ignore(st.Update),
		scan: func(_ context.Context, prefix, after string) seq {
			return st.Scan(context.Background(), prefix, after)
		}}
}

// accepts makes calls with such keys succeed that should be refused.
func accepts(such func(keys []string) bool) func(store.Store) store.Store {
	return func(st store.Store) store.Store {
		accept := func(do call) call {
			return func(ctx context.Context, keys []string, fn func([][]byte) error) error {
				if err := do(ctx, keys, fn); !errors.Is(err, store.ErrInvalid) || !such(keys) {
					return err
				}
				return nil
			}
		}
		return faulty{Store: st, view: accept(st.View), update: accept(st.Update)}
	}
}

func acceptsBadScans(st store.Store) store.Store {
	return onScan(st, func(ctx context.Context, prefix, after string, yield func(store.Record, error) bool) {
		for r, err := range st.Scan(ctx, prefix, after) {
			if errors.Is(err, store.ErrInvalid) || !yield(r, err) {
				return
			}
		}
	})
}

func looksLate(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		if err := fn(make([][]byte, len(keys))); err != nil {
			return err
		}
		return st.Update(ctx, keys, fn)
	}}
}

func showsKeys(st store.Store) store.Store {
	return faulty{Store: st, update: func(ctx context.Context, keys []string, fn func([][]byte) error) error {
		if err := st.Update(ctx, keys, fn); err != nil {
			return fmt.Errorf("updating %q: %w", keys, err)
		}
		return nil
	}}
}
