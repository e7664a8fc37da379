package book

import (
	"context"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/store"
)

// ReadParts returns the records of all parts, by their numbers.
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
	return parts, nil
}

// ReadPart returns the record of part n.
func ReadPart(ctx context.Context, st store.Store, k keys.Keys, n int) (p Part, err error) {
	err = st.View(ctx, []string{k.Part(n)}, func(values [][]byte) error {
		p = readPart(values[0])
		return nil
	})
	return p, err
}
