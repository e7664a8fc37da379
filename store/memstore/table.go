package memstore

import (
	"cmp"
	"slices"
)

// leafSize is the most records in a leaf. A full leaf is split in two.
const leafSize = 512

type record struct {
	key   string
	value []byte
}

// table is an ordered map: a list of leaves, each a sorted list of records. No
// leaf is empty and every key of a leaf is less than every key of the next. A
// million records are some 3,000 leaves, so that inserting moves a few
// kilobytes at most. The zero value is empty.
type table struct {
	leaves [][]record
}

// get returns the value at key, or nil.
func (t *table) get(key string) []byte {
	if l := t.leaf(key); l < len(t.leaves) {
		if i, found := position(t.leaves[l], key); found {
			return t.leaves[l][i].value
		}
	}
	return nil
}

// put stores value at key.
func (t *table) put(key string, value []byte) {
	l := t.leaf(key)
	if l == len(t.leaves) {
		if l == 0 {
			t.leaves = append(t.leaves, nil)
		} else {
			l--
		}
	}
	i, found := position(t.leaves[l], key)
	if found {
		t.leaves[l][i].value = value
		return
	}
	t.leaves[l] = slices.Insert(t.leaves[l], i, record{key, value})
	if len(t.leaves[l]) > leafSize {
		t.split(l, i)
	}
}

// remove deletes key, if it is there.
func (t *table) remove(key string) {
	l := t.leaf(key)
	if l == len(t.leaves) {
		return
	}
	i, found := position(t.leaves[l], key)
	if !found {
		return
	}
	t.leaves[l] = slices.Delete(t.leaves[l], i, i+1)
	t.join(l)
}

// ascend calls fn with the records whose keys are at least from, in order,
// until it returns false.
func (t *table) ascend(from string, fn func(record) bool) {
	l := t.leaf(from)
	if l == len(t.leaves) {
		return
	}
	i, _ := position(t.leaves[l], from)
	for ; l < len(t.leaves); l, i = l+1, 0 {
		for _, r := range t.leaves[l][i:] {
			if !fn(r) {
				return
			}
		}
	}
}

// leaf returns the index of the first leaf that does not end before key.
func (t *table) leaf(key string) int {
	l, _ := slices.BinarySearchFunc(t.leaves, key, func(leaf []record, key string) int {
		return cmp.Compare(leaf[len(leaf)-1].key, key)
	})
	return l
}

// position returns where key is in leaf, or where it belongs.
func position(leaf []record, key string) (int, bool) {
	return slices.BinarySearchFunc(leaf, key, func(r record, key string) int {
		return cmp.Compare(r.key, key)
	})
}

// split cuts leaf l in two after a record was inserted at i. Keys that come in
// order leave full leaves behind, others half full ones.
func (t *table) split(l, i int) {
	leaf := t.leaves[l]
	cut := len(leaf) / 2
	if i == len(leaf)-1 {
		cut = i
	}
	rest := append(make([]record, 0, leafSize+1), leaf[cut:]...)
	clear(leaf[cut:])
	t.leaves[l] = leaf[:cut]
	t.leaves = slices.Insert(t.leaves, l+1, rest)
}

// join drops leaf l if it is empty, and joins it with the next if both are
// nearly so, so that deleting gives memory back.
func (t *table) join(l int) {
	if len(t.leaves[l]) == 0 {
		t.leaves = slices.Delete(t.leaves, l, l+1)
		return
	}
	if l+1 < len(t.leaves) && len(t.leaves[l])+len(t.leaves[l+1]) <= leafSize/4 {
		t.leaves[l] = append(t.leaves[l], t.leaves[l+1]...)
		t.leaves = slices.Delete(t.leaves, l+1, l+2)
	}
}
