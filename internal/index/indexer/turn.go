package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/index/tally"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/txn"
)

// turn is the record by which processes that share a store review one after the other. The one that
// reviews changes it all the time. So no clocks are compared.
type turn struct {
	At        int64         `cbor:"1,keyasint,omitzero"` // when a process last said that it reviews, in Unix nanoseconds; 0 between passes
	Passes    uint64        `cbor:"2,keyasint,omitzero"` // that have ended
	Counted   tally.Counted `cbor:"3,keyasint,omitzero"` // in the last one
	Changelog int64         `cbor:"4,keyasint,omitzero"` // its bytes then
}

// turns are what a process knows of the turns.
type turns struct {
	turn  turn
	own   bool      // this process reviews
	since time.Time // when turn.At changed, by this process's clock
}

const (
	// turnFor is how long a process that does not say that it goes on keeps the others waiting.
	turnFor = time.Minute
	// sayEvery is how often it says so.
	sayEvery = turnFor / 4
)

// mayStep reports whether this process may do the next step of a pass.
func (r *review) mayStep(ctx context.Context) (bool, error) {
	now := time.Now()
	if r.replicas.Alone() || r.own && now.Sub(r.since) < sayEvery {
		return true, nil
	}
	err := r.share(ctx, func(t *turn) bool {
		free := t.At == 0 || t.At == r.turn.At && (r.own || now.Sub(r.since) >= turnFor)
		if free = free && (r.running || r.wanted || t.Passes == r.turn.Passes); free {
			t.At = now.UnixNano()
		}
		return free
	})
	return r.own && err == nil, err
}

// share changes the record of the turns, or leaves it if change returns false, and takes in what it is then.
func (r *review) share(ctx context.Context, change func(*turn) bool) error {
	if r.replicas.Alone() {
		return nil
	}
	var is turn
	var own bool
	key := r.site.Keys.Review()
	err := txn.Update(ctx, r.cfg.Store, []string{key}, func(t *txn.Tx) {
		is = turn{} // which a damaged record is
		_ = codec.Unmarshal(t.Get(key), &is)
		if own = change(&is); own {
			t.Put(key, codec.Marshal(is))
		}
	})
	if err == nil {
		r.take(is, own)
	}
	return err
}

// look takes in the turns of other processes.
func (r *review) look(ctx context.Context) error {
	record, err := txn.Read(ctx, r.cfg.Store, r.site.Keys.Review())
	var is turn
	if !r.replicas.Alone() && codec.Unmarshal(record, &is) == nil {
		r.take(is, false)
	}
	return err
}

// take takes in the record of the turns. If a pass has ended, this process need not make one, unless
// it was begun here.
func (r *review) take(is turn, own bool) {
	if is.Passes != r.turn.Passes {
		r.done = time.Now()
		r.counts.Take(is.Counted)
		r.journal.Store(is.Changelog)
		r.site.Followed.Forget()
	}
	if is.At != r.turn.At {
		r.since, r.own = time.Now(), own && is.At != 0
	}
	r.turn = is
}
