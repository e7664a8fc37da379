package storetest

import (
	"bytes"
	"sync"

	"github.com/servemap/servemap/store"
)

// kept is what a broken store keeps besides a sound one, and shows instead.
type kept struct {
	mu     sync.Mutex
	values map[string][]byte
}

func newKept() *kept { return &kept{values: map[string][]byte{}} }

// show replaces the sound store's values by the kept ones, as out changes them.
func (k *kept) show(out func([]byte) []byte) func([]string, [][]byte) {
	return func(keys []string, values [][]byte) {
		k.mu.Lock()
		defer k.mu.Unlock()
		for i, key := range keys {
			if value, ok := k.values[key]; ok {
				values[i] = out(value)
			}
		}
	}
}

// keep keeps the values, as in changes them.
func (k *kept) keep(in func([]byte) []byte) func([]string, [][]byte) {
	return func(keys []string, values [][]byte) {
		k.mu.Lock()
		defer k.mu.Unlock()
		for i, key := range keys {
			k.values[key] = in(values[i])
		}
	}
}

func (k *kept) forget(keys []string, _ [][]byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range keys {
		delete(k.values, key)
	}
}

// both calls one after the other.
func both(first, second func([]string, [][]byte)) func([]string, [][]byte) {
	return func(keys []string, values [][]byte) {
		first(keys, values)
		second(keys, values)
	}
}

func same(b []byte) []byte { return b }

func keepsSlices(st store.Store) store.Store {
	k := newKept()
	return faulty{Store: st, view: around(st.View, k.show(clone), nop), update: around(st.Update, k.show(clone), k.keep(same))}
}

func sharesSlices(st store.Store) store.Store {
	k := newKept()
	return faulty{Store: st, view: around(st.View, k.show(same), nop), update: around(st.Update, k.show(same), k.keep(clone))}
}

func oneArena(st store.Store) store.Store {
	return faulty{Store: st, view: around(st.View, func(_ []string, values [][]byte) {
		arena := append(bytes.Join(values, nil), make([]byte, 100)...)
		for i, value := range values {
			values[i], arena = arena[:len(value)], arena[len(value):]
		}
	}, nop)}
}

func staleReads(st store.Store) store.Store {
	k := newKept()
	return faulty{Store: st, update: around(st.Update, both(k.show(clone), k.keep(clone)), nop)}
}

func remembersViews(st store.Store) store.Store {
	k := newKept()
	return faulty{Store: st,
		update: around(st.Update, nop, k.forget),
		view:   around(st.View, both(k.show(clone), k.keep(clone)), nop),
	}
}
