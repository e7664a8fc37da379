package shards

import (
	"context"

	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/store"
)

// ReadAll returns the records of all shards, by their numbers.
func ReadAll(ctx context.Context, st store.Store, k keys.Keys) (map[int]Shard, error) {
	shards := map[int]Shard{}
	for r, err := range st.Scan(ctx, k.Shards(), "") {
		if err != nil {
			return nil, err
		}
		if n, ok := keys.NumberOf(r.Key, k.Shards()); ok && n <= keys.MaxShard {
			shards[n] = Decode(r.Value)
		}
	}
	return shards, nil
}
