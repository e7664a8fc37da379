package book

import (
	"context"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store"
)

// ReadParts returns the records of all parts, by their numbers. It reads them by their
// keys, up to the part being filled or the last one that a scan finds. A scan that ends
// early must not make the sitemap smaller.
func ReadParts(ctx context.Context, st store.Store, k keys.Keys) (map[int]Part, error) {
	head, err := txn.ReadAll(ctx, st, k.Head())
	if err != nil {
		return nil, err
	}
	last := readHead(head[0])
	for r, err := range st.Scan(ctx, k.Parts(), "") {
		if err != nil {
			return nil, err
		}
		if n, ok := k.PartOf(r.Key); ok {
			last = max(last, n)
		}
	}
	names := make([]string, last)
	for i := range names {
		names[i] = k.Part(i + 1)
	}
	records, err := txn.ReadAll(ctx, st, names...)
	parts := map[int]Part{}
	for i, b := range records {
		if b != nil {
			parts[i+1] = DecodePart(b)
		}
	}
	return parts, err
}

// ReadPart returns the record of part n.
func ReadPart(ctx context.Context, st store.Store, k keys.Keys, n int) (Part, error) {
	records, err := txn.ReadAll(ctx, st, k.Part(n))
	if err != nil {
		return Part{}, err
	}
	return DecodePart(records[0]), nil
}
