// Package fleet notices what other processes have changed in a store that they share
// with this one. Each change of a part raises a number in the part's record, and what
// is known of the site as a whole stands in a few records. The package compares these
// records with what they were when it last looked. It never writes to the store.
package fleet

import (
	"context"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store"
)

// Watch is one process's view of the records that others may change. It belongs to one
// goroutine.
type Watch struct {
	keys  keys.Keys
	every time.Duration
	site  []string          // the keys of the records of the site as a whole
	seen  map[string]uint64 // hashes of records by their keys, nil before the first look
	asked time.Time         // the last look
}

// New returns a watch over the records of parts and over those with the keys in site.
// every is the time between two looks; 0 means that there are no other processes.
func New(k keys.Keys, every time.Duration, site []string) *Watch {
	return &Watch{keys: k, every: every, site: site}
}

// Alone reports whether there are no other processes.
func (w *Watch) Alone() bool { return w.every == 0 }

// Due returns when the next look is due, the zero time for never.
func (w *Watch) Due() time.Time {
	if w.Alone() {
		return time.Time{}
	}
	return w.asked.Add(w.every)
}

// Changes are what others have changed since the last look.
type Changes struct {
	Parts []int           // whose listing changed
	Site  map[string]bool // the records of the site that changed, by their keys

	records map[string]uint64
}

// Look returns what others have changed. Once the caller has read what changed, it calls
// [Watch.Took]; else the next look returns the same again. The first look returns no
// changes, so all else is to be read after it.
func (w *Watch) Look(ctx context.Context, st store.Store) (c Changes, err error) {
	c = Changes{Site: map[string]bool{}, records: map[string]uint64{}}
	for r, err := range st.Scan(ctx, w.keys.Parts(), "") {
		if err != nil {
			return Changes{}, err
		}
		key := strings.Clone(r.Key)
		c.records[key] = xxh3.Hash(r.Value)
		if n, ok := w.keys.PartOf(key); ok && w.changed(key, c.records[key]) {
			c.Parts = append(c.Parts, n)
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

// Took says that this process goes by the changes of the last look from now on.
func (w *Watch) Took(c Changes) { w.seen, w.asked = c.records, time.Now() }

// Wrote notes records that this process has written, so that it does not take its own
// changes for those of others.
func (w *Watch) Wrote(records map[string][]byte) {
	if w.seen == nil {
		return
	}
	for key, value := range records {
		if _, watched := w.seen[key]; watched || strings.HasPrefix(key, w.keys.Parts()) {
			w.seen[key] = xxh3.Hash(value)
		}
	}
}
