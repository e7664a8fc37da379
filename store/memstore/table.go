package memstore

import "slices"

// table is an ordered map. New keys stay unsorted until somebody needs the order. The zero value is
// empty.
type table struct {
	values map[string][]byte
	sorted []string // keys; some may have been removed
	added  []string // keys that are not in sorted, or were removed since
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
		if t.added = append(t.added, key); len(t.added) > len(t.values)+1000 {
			t.sort() // nobody has needed the order for long
		}
	}
	t.values[key] = value
}

// ascend calls fn in order with the keys, starting at from, and their values, until fn returns
// false. It sorts new keys first.
func (t *table) ascend(from string, fn func(key string, value []byte) bool) {
	t.sort()
	first, _ := slices.BinarySearch(t.sorted, from)
	for _, key := range t.sorted[first:] {
		if value, there := t.values[key]; there && !fn(key, value) {
			return
		}
	}
}

// sort merges the added keys into the sorted ones. It drops removed keys once they are the
// majority.
func (t *table) sort() {
	if len(t.sorted) > 2*len(t.values) {
		t.sorted = slices.DeleteFunc(t.sorted, func(key string) bool { return t.values[key] == nil })
	}
	if len(t.added) == 0 {
		return
	}
	slices.Sort(t.added)
	merged := make([]string, 0, len(t.sorted)+len(t.added))
	old := t.sorted
	for _, key := range t.added {
		n, _ := slices.BinarySearch(old, key)
		merged, old = append(append(merged, old[:n]...), key), old[n:]
	}
	t.sorted, t.added = slices.Compact(append(merged, old...)), nil
}
