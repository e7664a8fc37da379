package memstore

import (
	"maps"
	"slices"
)

// table is an ordered map. New keys stay unsorted until somebody needs the order. The zero value is
// empty.
type table struct {
	values map[string][]byte
	keys   []string // of values, and some that were removed
	sorted bool     // whether keys are in order
}

// put stores value at key; nil removes it.
func (t *table) put(key string, value []byte) {
	if value == nil {
		delete(t.values, key)
		return
	}
	if t.values == nil {
		t.values = map[string][]byte{}
	}
	if _, there := t.values[key]; !there {
		t.keys, t.sorted = append(t.keys, key), false
		if len(t.keys) > 2*len(t.values)+1000 {
			t.sort() // which drops those that were removed
		}
	}
	t.values[key] = value
}

// ascend calls fn in order with the keys, starting at from, and their values, until fn returns
// false. It sorts new keys first.
func (t *table) ascend(from string, fn func(key string, value []byte) bool) {
	if !t.sorted || len(t.keys) > 2*len(t.values) {
		t.sort()
	}
	first, _ := slices.BinarySearch(t.keys, from)
	for _, key := range t.keys[first:] {
		if value, there := t.values[key]; there && !fn(key, value) {
			return
		}
	}
}

func (t *table) sort() { t.keys, t.sorted = slices.Sorted(maps.Keys(t.values)), true }
