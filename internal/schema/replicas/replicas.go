// Package replicas notices what other processes change in a store that they share with this one. Each
// change of a shard raises a number in the shard's record. A few records say what is known of the
// whole site. The package compares these records with their state at its last poll. It never writes
// to the store.
package replicas

import (
	"context"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// Watch is one process's view of records that others may change. It belongs to one goroutine.
type Watch struct {
	keys  keys.Keys
	every time.Duration
	site  []string          // keys of the records of the whole site
	seen  map[string]uint64 // hashes of records by key, nil before the first poll
	asked time.Time         // when the last poll was
}

// New returns a watch over the records of shards and the records with the keys in site. every is the
// time between two polls; 0 means that there are no other processes.
func New(k keys.Keys, every time.Duration, site []string) *Watch {
	return &Watch{keys: k, every: every, site: site}
}

// Alone reports whether there are no other processes.
func (w *Watch) Alone() bool { return w.every == 0 }

// Due returns when the next poll is due, or the zero time for never.
func (w *Watch) Due() time.Time {
	if w.Alone() {
		return time.Time{}
	}
	return w.asked.Add(w.every)
}

// Changes are what others changed since the last poll.
type Changes struct {
	Shards []int           // shards whose listing changed
	Site   map[string]bool // changed records of the site, by key

	records map[string]uint64
}

// Poll returns what others have changed. Once the caller has read the changes, it calls
// [Watch.Took]. Otherwise the next poll returns them again. The first poll returns no changes, so
// the caller must read everything else after it.
func (w *Watch) Poll(ctx context.Context, st store.Store) (c Changes, err error) {
	c = Changes{Site: map[string]bool{}, records: map[string]uint64{}}
	for r, err := range st.Scan(ctx, w.keys.Shards(), "") {
		if err != nil {
			return Changes{}, err
		}
		c.records[r.Key] = xxh3.Hash(r.Value)
		if n, ok := keys.NumberOf(r.Key, w.keys.Shards()); ok && n <= keys.MaxShard && w.changed(r.Key, c.records[r.Key]) {
			c.Shards = append(c.Shards, n)
		}
	}
	records, err := txn.ReadAll(ctx, st, w.site...)
	for i, b := range records {
		key := w.site[i]
		c.records[key] = xxh3.Hash(b)
		c.Site[key] = w.changed(key, c.records[key])
	}
	return c, err
}

func (w *Watch) changed(key string, hash uint64) bool {
	before, known := w.seen[key]
	return w.seen != nil && (!known || before != hash)
}

// Took notes that this process has taken in the changes of the last poll.
func (w *Watch) Took(c Changes) { w.seen, w.asked = c.records, time.Now() }

// Wrote notes records that this process has written, so that it does not take its own changes for
// others'.
func (w *Watch) Wrote(records map[string][]byte) {
	if w.seen == nil {
		return
	}
	for key, value := range records {
		if _, watched := w.seen[key]; watched || strings.HasPrefix(key, w.keys.Shards()) {
			w.seen[key] = xxh3.Hash(value)
		}
	}
}
