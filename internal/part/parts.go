package part

import (
	"context"
	"slices"

	"github.com/servemap/servemap/store"
)

// ReadParts returns the records of all parts, by their numbers. A part beyond
// those that are known by then may be missing, one that nobody filled is there
// with nothing in it.
//
// The parts are asked for one by one, up to the last: a scan that ends early
// must not make a sitemap smaller. It only finds those that a damaged head would
// hide.
func ReadParts(ctx context.Context, st store.Store, k Keys) (map[int]Part, error) {
	last := 1
	err := st.View(ctx, []string{k.head()}, func(values [][]byte) error {
		last = readHead(values[0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	for r, err := range st.Scan(ctx, k.parts(), "") {
		if err != nil {
			return nil, err
		}
		if n, ok := k.partOf(r.Key); ok {
			last = max(last, n)
		}
	}
	parts := make(map[int]Part, last)
	numbers := make([]int, last)
	for i := range numbers {
		numbers[i] = i + 1
	}
	for chunk := range slices.Chunk(numbers, store.MaxKeys) {
		err := viewNumbers(ctx, st, chunk, k.part, func(n int, value []byte) { parts[n] = readPart(value) })
		if err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// viewNumbers reads the record that key names for each number.
func viewNumbers(ctx context.Context, st store.Store, numbers []int, key func(int) string, fn func(n int, value []byte)) error {
	keys := make([]string, len(numbers))
	for i, n := range numbers {
		keys[i] = key(n)
	}
	return st.View(ctx, keys, func(values [][]byte) error {
		for i, n := range numbers {
			fn(n, values[i])
		}
		return nil
	})
}
