package book

import (
	"context"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/store"
)

// ReadParts returns the records of all parts, by their numbers. Those up to the part
// that is being filled are asked for one by one where a scan does not show them: one
// that ends early must not make a sitemap smaller.
func ReadParts(ctx context.Context, st store.Store, k keys.Keys) (map[int]Part, error) {
	parts := map[int]Part{}
	for r, err := range st.Scan(ctx, k.Parts(), "") {
		if err != nil {
			return nil, err
		}
		if n, ok := k.PartOf(r.Key); ok {
			parts[n] = readPart(r.Value)
		}
	}
	filling := 0
	err := st.View(ctx, []string{k.Head()}, func(values [][]byte) error {
		filling = readHead(values[0])
		return nil
	})
	for n := 1; n <= filling && err == nil; n++ {
		if _, seen := parts[n]; !seen {
			parts[n], err = ReadPart(ctx, st, k, n)
		}
	}
	return parts, err
}

// DecodePart reads the record of a part.
func DecodePart(b []byte) Part { return readPart(b) }

// ReadPart returns the record of part n.
func ReadPart(ctx context.Context, st store.Store, k keys.Keys, n int) (p Part, err error) {
	err = st.View(ctx, []string{k.Part(n)}, func(values [][]byte) error {
		p = readPart(values[0])
		return nil
	})
	return p, err
}
