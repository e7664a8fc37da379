package txn

import (
	"bytes"
	"context"
	"slices"

	"github.com/servemap/servemap/store"
)

// ReadAll returns the records of keys, nil for absent ones. If there are more keys than one
// transaction takes, the records may be of different moments.
func ReadAll(ctx context.Context, st store.Store, keys ...string) (records [][]byte, err error) {
	for chunk := range slices.Chunk(keys, store.MaxKeys) {
		before := len(records)
		err := st.View(ctx, chunk, func(values [][]byte) error {
			records = records[:before]
			for _, v := range values {
				records = append(records, bytes.Clone(v))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return records, nil
}
