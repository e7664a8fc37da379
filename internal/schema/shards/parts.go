package shards

import (
	"context"

	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
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
			parts[n] = DecodePart(r.Value)
		}
	}
	return parts, nil
}

// ReadPart returns the record of part n.
func ReadPart(ctx context.Context, st store.Store, k keys.Keys, n int) (Part, error) {
	records, err := txn.ReadAll(ctx, st, k.Part(n))
	if err != nil {
		return Part{}, err
	}
	return DecodePart(records[0]), nil
}
