package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/index/tally"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/txn"
)

// turn is the record by which the processes that share a store make one pass in a span, not one each. A process claims
// the next pass before it makes it. If it dies meanwhile, the next span has another pass, and so has its next start.
type turn struct {
	Passes    uint64        `cbor:"2,keyasint,omitzero"` // that were claimed
	Ended     uint64        `cbor:"5,keyasint,omitzero"` // that have ended
	Counted   tally.Counted `cbor:"3,keyasint,omitzero"` // in the last one
	Changelog int64         `cbor:"4,keyasint,omitzero"` // its bytes then
}

// share changes the record of the turns, unless change returns false, and then takes in the record.
func (r *review) share(ctx context.Context, change func(*turn) bool) error {
	if r.replicas.alone() {
		return nil
	}
	var is turn
	key := r.site.Keys.Review()
	err := txn.Update(ctx, r.cfg.Store, []string{key}, func(t *txn.Tx) {
		if is = codec.Read[turn](t.Get(key)); change(&is) {
			t.Put(key, codec.Marshal(is))
		}
	})
	if err == nil {
		r.take(is)
	}
	return err
}

// claim claims the next pass, or returns false if another process has claimed it.
func (r *review) claim(ctx context.Context) (claimed bool, err error) {
	known := r.turn.Passes
	err = r.share(ctx, func(t *turn) bool {
		if claimed = r.wanted || t.Passes == known; claimed {
			t.Passes++
		}
		return claimed
	})
	return claimed || r.replicas.alone(), err
}

// take takes in the record of the turns. If another process makes a pass, this process leaves that pass to it. If a
// pass has ended, its counts hold.
func (r *review) take(is turn) {
	if is.Passes != r.turn.Passes {
		r.done = time.Now()
	}
	if is.Ended != r.turn.Ended {
		r.counts.Take(is.Counted)
		r.journal.Store(is.Changelog)
		r.site.Followed.Forget()
	}
	r.turn = is
}
