package book

import (
	"context"
	"slices"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/store"
)

// ReadParts returns the records of all parts, by their numbers. A part beyond
// those that are known by then may be missing, one that nobody filled is there
// with nothing in it.
//
// The parts are asked for one by one, up to the last: a scan that ends early
// must not make a sitemap smaller. It only finds those that a damaged head would
// hide.
func ReadParts(ctx context.Context, st store.Store, k keys.Keys) (map[int]Part, error) {
	last := 1
	err := st.View(ctx, []string{k.Head()}, func(values [][]byte) error {
		last = readHead(values[0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	for r, err := range st.Scan(ctx, k.Parts(), "") {
		if err != nil {
			return nil, err
		}
		if n, ok := k.PartOf(r.Key); ok {
			last = max(last, n)
		}
	}
	parts := make(map[int]Part, last)
	numbers := make([]int, last)
	for i := range numbers {
		numbers[i] = i + 1
	}
	for chunk := range slices.Chunk(numbers, store.MaxKeys) {
		if err := viewParts(ctx, st, k, chunk, parts); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// ReadPart returns the record of part n.
func ReadPart(ctx context.Context, st store.Store, k keys.Keys, n int) (Part, error) {
	parts := map[int]Part{}
	err := viewParts(ctx, st, k, []int{n}, parts)
	return parts[n], err
}

// viewParts reads the records of parts, and adds them to parts.
func viewParts(ctx context.Context, st store.Store, k keys.Keys, numbers []int, parts map[int]Part) error {
	names := make([]string, len(numbers))
	for i, n := range numbers {
		names[i] = k.Part(n)
	}
	return st.View(ctx, names, func(values [][]byte) error {
		for i, n := range numbers {
			parts[n] = readPart(values[i])
		}
		return nil
	})
}
