package memstore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// check compares a table with the map that it should be equal to, and its
// leaves with what is said of them.
func check(t *testing.T, tab *table, want map[string]string) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(want))
	var got []string
	tab.ascend("", func(r record) bool {
		got = append(got, r.key)
		if string(r.value) != want[r.key] {
			t.Errorf("ascend shows %q=%q, want %q", r.key, r.value, want[r.key])
		}
		return true
	})
	if !slices.Equal(got, keys) {
		t.Fatalf("the table holds %d keys, or other ones, want %d", len(got), len(keys))
	}
	for i, leaf := range tab.leaves {
		if len(leaf) == 0 || len(leaf) > leafSize {
			t.Errorf("leaf %d of %d has %d records", i, len(tab.leaves), len(leaf))
		}
	}
}

// FuzzTable does to a table and to a map what the input says: each byte puts
// or removes a run of keys, so that leaves are split and joined.
func FuzzTable(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7})
	f.Add([]byte{0x00, 0x10, 0x20, 0x30, 0x88, 0x98, 0xa8, 0xb8, 0x01})
	f.Add([]byte{0x70, 0x60, 0x50, 0x40, 0xf0, 0xe0, 0xd0, 0x71})
	f.Fuzz(func(t *testing.T, ops []byte) {
		tab, want := new(table), map[string]string{}
		for i, op := range ops[:min(len(ops), 64)] {
			for j := range 150 {
				key := fmt.Sprintf("%02d%03d", op&0x1f, j)
				if op&0x20 != 0 {
					key = fmt.Sprintf("%03d%02d", 149-j, op&0x1f)
				}
				if op&0x80 != 0 {
					tab.remove(key)
					delete(want, key)
				} else {
					tab.put(key, fmt.Append(nil, i))
					want[key] = fmt.Sprint(i)
				}
			}
		}
		check(t, tab, want)
		for _, from := range []string{"", "0", "00500", "10", "1", "zz"} {
			var first string
			tab.ascend(from, func(r record) bool { first = r.key; return false })
			keys := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(key string) bool { return key < from })
			if len(keys) > 0 && first != keys[0] || len(keys) == 0 && first != "" {
				t.Errorf("ascend from %q begins at %q", from, first)
			}
		}
	})
}

func TestTableShrinks(t *testing.T) {
	const n = 50_000
	orders := map[string][]int{"in order": make([]int, n), "backwards": make([]int, n), "at random": rand.New(rand.NewPCG(1, 2)).Perm(n)}
	for i := range n {
		orders["in order"][i], orders["backwards"][i] = i, n-1-i
	}
	for name, order := range orders {
		t.Run(name, func(t *testing.T) {
			var tab table
			want := map[string]string{}
			for _, i := range order {
				key := fmt.Sprintf("k%06d", i)
				tab.put(key, []byte("v"))
				want[key] = "v"
			}
			check(t, &tab, want)
			if got, most := len(tab.leaves), 3*n/leafSize; got > most {
				t.Errorf("%d records take %d leaves, want at most %d", n, got, most)
			}
			for _, i := range order[:n-100] {
				key := fmt.Sprintf("k%06d", i)
				tab.remove(key)
				delete(want, key)
			}
			check(t, &tab, want)
			if got := len(tab.leaves); got > 20 {
				t.Errorf("100 records that are left take %d leaves", got)
			}
			for _, key := range slices.Collect(maps.Keys(want)) {
				tab.remove(key)
			}
			if len(tab.leaves) != 0 {
				t.Errorf("an empty table has %d leaves", len(tab.leaves))
			}
		})
	}
}
