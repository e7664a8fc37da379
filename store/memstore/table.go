package memstore

import (
	"maps"
	"slices"
)

// table is an ordered map. It is sorted when somebody needs the order. The zero value is empty.
type table struct {
	values map[string][]byte
	keys   []string // of values, in order, and some that were removed
	grown  bool     // values has keys that are not in keys
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
		t.grown = true
	}
	t.values[key] = value
}

// ascend calls fn in order with the keys, starting at from, and their values, until fn returns
// false. It sorts new keys first.
func (t *table) ascend(from string, fn func(key string, value []byte) bool) {
	if t.grown || len(t.keys) > 2*len(t.values) {
		t.sort()
	}
	first, _ := slices.BinarySearch(t.keys, from)
	for _, key := range t.keys[first:] {
		if value, there := t.values[key]; there && !fn(key, value) {
			return
		}
	}
}

func (t *table) sort() { t.keys, t.grown = slices.Sorted(maps.Keys(t.values)), false }
