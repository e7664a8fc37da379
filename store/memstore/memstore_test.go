package memstore

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/storetest"
)

// Each byte puts a run of keys into a table and into a map, or removes it, or sorts them.
func TestTableIsAMapInOrder(t *testing.T) {
	for _, ops := range [][]byte{
		{0, 1, 2, 3, 4, 5, 6, 7},
		{0x00, 0x10, 0x40, 0x20, 0x30, 0x88, 0x98, 0xa8, 0x40, 0xb8, 0x01},
		{0x30, 0x20, 0x10, 0x00, 0x40, 0xb0, 0xa0, 0x90, 0x40, 0x31},
	} {
		var tab table
		want := map[string]string{}
		for i, op := range ops {
			if op&0x40 != 0 {
				tab.sort()
			}
			for j := range 20 {
				key := fmt.Sprintf("%02d%03d", op&0x3f, (j*7)%20)
				if op&0x80 != 0 {
					tab.put(key, nil)
					delete(want, key)
				} else {
					tab.put(key, fmt.Append(nil, i))
					want[key] = fmt.Sprint(i)
				}
			}
		}
		for _, from := range []string{"", "0", "00005", "10", "1", "zz"} {
			keys := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(key string) bool { return key < from })
			var got []string
			tab.ascend(from, func(key string, value []byte) bool {
				got = append(got, key)
				if string(value) != want[key] {
					t.Errorf("ascend shows %q=%q, want %q", key, value, want[key])
				}
				return true
			})
			if !slices.Equal(got, keys) {
				t.Errorf("ascend from %q shows %d keys, or other ones, want %d", from, len(got), len(keys))
			}
		}
		if most := 2*len(want) + 1; len(tab.keys) > most {
			t.Errorf("the table remembers %d keys of %d", len(tab.keys), len(want))
		}
	}
}

func TestStoreKeepsTheRules(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return new(Store) })
}
