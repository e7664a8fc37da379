package notify

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"
)

// sentPages are the pages that were sent lately, or need not be sent, by hash of the URL. They are
// stored in shards, since a value has a size limit.
type sentPages map[hash]sending

type hash [8]byte

// sending says which change of a page was sent, and when. It is stored as it is.
type sending struct {
	Page       hash
	Change, At int64 // in Unix milliseconds
}

func hashOf(url string) hash {
	sum := sha256.Sum256([]byte(url))
	return hash(sum[:8])
}

const (
	shards      = 16
	sendingSize = 24
	shardPages  = 2700
)

func (r *records) shardKeys() []string {
	names := make([]string, shards, shards+1)
	for i := range names {
		names[i] = r.keys.Notify(fmt.Sprintf("sent|%02d", i))
	}
	return names
}

func (r *records) readSent(ctx context.Context) (s sentPages, err error) {
	err = r.store.View(ctx, r.shardKeys(), func(values [][]byte) error {
		s = sentPages{}
		for _, v := range values {
			maps.Copy(s, readShard(v, r.now()))
		}
		return nil
	})
	return s, err
}

// readShard leaves out what only a wrong clock can have written: it would hold back what changes
// until then.
func readShard(b []byte, now time.Time) sentPages {
	all, s := make([]sending, len(b)/sendingSize), sentPages{}
	_, _ = binary.Decode(b, binary.BigEndian, all) // there are enough bytes
	for _, one := range all {
		if max(one.Change, one.At) <= now.Add(skew).UnixMilli() {
			s[one.Page] = one
		}
	}
	return s
}

// write returns a shard with what was sent since a time, and what was sent of changes not before
// the cursor. If that is too much, it leaves out the oldest.
func (s sentPages) write(since, cursor time.Time) []byte {
	kept := slices.DeleteFunc(slices.Collect(maps.Values(s)), func(one sending) bool {
		return one.At <= since.UnixMilli() && one.Change < cursor.UnixMilli()
	})
	slices.SortFunc(kept, func(a, b sending) int { return int(b.At - a.At) })
	b, _ := binary.Append(nil, binary.BigEndian, kept[:min(len(kept), shardPages)]) // the size is fixed
	return b
}

// done reports whether a page needs no post for its change of a time.
func (s sentPages) done(h hash, change time.Time) bool { return s[h].Change >= change.UnixMilli() }

// add adds those of the changes that belong to a shard, as sent at a time, and returns how many
// were not there before.
func (s sentPages) add(changes []change, shard int, at time.Time) (added int) {
	for _, c := range changes {
		if int(c.hash[0])%shards == shard && !s.done(c.hash, c.at) {
			s[c.hash] = sending{c.hash, c.at.UnixMilli(), at.UnixMilli()}
			added++
		}
	}
	return added
}
