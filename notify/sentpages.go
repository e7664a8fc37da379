package notify

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/schema/codec"
)

// sentPages are the pages that were sent lately, or need not be sent. Each post has a record of its own,
// which is named after its time and holds the changes of its pages.
type sentPages map[hash]sending

// sending says which change of a page was sent, and when.
type sending struct{ change, at time.Time }

type hash uint64

func hashOf(url string) hash {
	sum := sha256.Sum256([]byte(url))
	return hash(binary.BigEndian.Uint64(sum[:]))
}

// done reports whether a page needs no post for its change of a time.
func (s sentPages) done(h hash, change time.Time) bool { return !s[h].change.Before(change) }

const (
	sentFolder = "sent|"
	sentKept   = 3500 // pages in a record
	sentPruned = 500  // records at once
)

func sentName(at time.Time) string {
	return fmt.Sprintf("%s%015d|%s", sentFolder, at.UnixMilli(), rand.Text())
}

func sentRecord(changes []change) []byte {
	pages := map[hash]int64{}
	for _, c := range changes[:min(len(changes), sentKept)] {
		pages[c.hash] = c.at.UnixMilli()
	}
	return codec.Marshal(pages)
}

// readSent reads what was sent since a time. It removes older records, damaged ones, and those that only a
// wrong clock can have written: they would hold back what changes until then.
func (r *records) readSent(ctx context.Context, since time.Time) (sentPages, error) {
	s, folder := sentPages{}, r.keys.Notify(sentFolder)
	var useless []string
	for record, err := range r.store.Scan(ctx, folder, "") {
		if err != nil {
			return nil, err
		}
		var ms int64
		var pages map[hash]int64
		_, err = fmt.Sscanf(strings.TrimPrefix(record.Key, folder), "%d|", &ms)
		at := time.UnixMilli(ms)
		if err != nil || at.Before(since) || at.After(r.now().Add(skew)) || codec.Unmarshal(record.Value, &pages) != nil {
			useless = append(useless, record.Key)
		}
		for page, change := range pages {
			s[page] = sending{time.UnixMilli(change), at}
		}
	}
	if len(useless) == 0 {
		return s, nil
	}
	return s, r.store.Update(ctx, useless[:min(len(useless), sentPruned)], func(values [][]byte) error {
		clear(values)
		return nil
	})
}
