package indexer

import (
	"context"

	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/schema/pagerecord"
	"github.com/servemap/servemap/internal/schema/txn"
)

// linksAtOnce is how many links one transaction merges. Each link may need the records of
// a page, its shard and its siblings.
const linksAtOnce = 100

// follow merges the links of a page that counts as evidence, and then notes that the page
// was read. In this order, a crash costs a second reading but no link.
func (x *merging) follow(ctx context.Context, k *merge.Visit, news merge.News) error {
	var open pagerecord.Openness
	own := x.site.RecordKeys(k.Location)
	err := inPieces(x.site.Fresh(k), linksAtOnce, func(links []observation.Link) (int, error) {
		keys, left := own, open
		for _, ln := range links {
			keys = append(keys, x.site.RecordKeys(ln.Location)...)
		}
		err := x.commit(ctx, keys, func(m *merge.Transaction) { left = m.Follow(k, links, news, open) })
		if err == nil {
			open = left
		}
		return len(links), err
	}, func(observation.Link) bool { x.Drop(); return false })
	if err != nil {
		return err
	}
	err = x.commit(ctx, own, func(m *merge.Transaction) { m.FollowedAll(k, open) })
	if txn.TooMuch(err) {
		x.Drop()
		return nil
	}
	return err
}
