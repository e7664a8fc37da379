package indexer

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/sitewide"
	"github.com/servemap/servemap/internal/schema/txn"
)

// replicated notices and reads what other processes change in the store that they share with this one. Each change of a
// shard raises a number in the shard's record. A few records say what is known of the whole site. These records are
// compared with what they were when they were last read.
type replicated struct {
	*Indexer
	seen  map[string]uint64 // hashes of the records by key, nil before they were read
	asked time.Time         // when they were last read
}

// alone reports whether there are no other processes.
func (f *replicated) alone() bool { return f.cfg.RefreshEvery == 0 }

func (f *replicated) due(time.Time) time.Time {
	if f.alone() {
		return time.Time{}
	}
	return f.asked.Add(f.cfg.RefreshEvery)
}

// keys are the keys of the site-wide records that other processes change. The site's
// own record is among them for the guard, which checks its version.
func (f *replicated) keys() []string {
	return append(sitewide.RobotsKeys(f.site.Keys), f.site.Keys.Site(), f.site.Keys.Trust(), f.site.Keys.Erased())
}

// poll returns the hashes of the records, and notes which shards there are.
func (f *replicated) poll(ctx context.Context) (map[string]uint64, error) {
	now, known := map[string]uint64{}, map[int]shards.Shard{}
	for r, err := range f.cfg.Store.Scan(ctx, f.site.Keys.Shards(), "") {
		if err != nil {
			return nil, err
		}
		now[r.Key] = xxh3.Hash(r.Value)
		if n, ok := f.site.Keys.ShardOf(r.Key); ok {
			known[n] = shards.Decode(r.Value)
		}
	}
	f.noteShards(known)
	watched := f.keys()
	records, err := txn.ReadAll(ctx, f.cfg.Store, watched...)
	for i, b := range records {
		now[watched[i]] = xxh3.Hash(b)
	}
	return now, err
}

// changed returns whether one of some records was changed since they were last read.
func (f *replicated) changed(now map[string]uint64, some ...string) bool {
	return slices.ContainsFunc(some, func(key string) bool {
		before, known := f.seen[key]
		return f.seen != nil && (!known || before != now[key])
	})
}

// shards returns the shards that were changed.
func (f *replicated) shards(now map[string]uint64) (changed []int) {
	for key := range now {
		if n, ok := f.site.Keys.ShardOf(key); ok && f.changed(now, key) {
			changed = append(changed, n)
		}
	}
	return changed
}

// took notes that this process has taken in what was changed.
func (f *replicated) took(now map[string]uint64) {
	f.cfg.Files.Changed(f.shards(now)...)
	f.seen, f.asked = now, time.Now()
}

// wrote notes records that this process has written, so that it does not take its own changes for those of others.
func (f *replicated) wrote(records map[string][]byte) {
	for key, value := range records {
		if _, watched := f.seen[key]; f.seen != nil && (watched || strings.HasPrefix(key, f.site.Keys.Shards())) {
			f.seen[key] = xxh3.Hash(value)
		}
	}
}

// open notes the state of the store. Everything else is read after it, so that no
// change of another process is missed.
func (f *replicated) open(ctx context.Context) error {
	if f.alone() {
		return nil
	}
	now, err := f.poll(ctx)
	if err == nil {
		f.took(now)
	}
	return err
}

// run reads again what other processes have changed.
func (f *replicated) run(ctx context.Context, _ bool) error {
	now, err := f.poll(ctx)
	if err != nil {
		return err
	}
	if f.changed(now, f.site.Keys.Erased()) {
		f.site.Followed.Forget()
	}
	if f.changed(now, f.site.Keys.Trust()) {
		if err := f.trust.open(ctx); err != nil {
			return err
		}
	}
	if f.changed(now, sitewide.RobotsKeys(f.site.Keys)...) {
		if err := f.robotsTxt.open(ctx); err != nil {
			return err
		}
	}
	f.trust.tellFiles()
	f.took(now)
	return nil
}
