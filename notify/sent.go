package notify

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// sent is what was sent lately, by hash of the URL. It is stored in shards, since a value
// has a size limit.
type sent map[hash]sending

type hash [8]byte

// sending says which change of a page was sent, and when.
type sending struct{ change, at time.Time }

func hashOf(url string) hash {
	sum := sha256.Sum256([]byte(url))
	return hash(sum[:8])
}

const (
	shards     = 16
	entrySize  = 20 // the hash, the time of the change in milliseconds, the time of the sending in seconds
	shardBytes = 3000 * entrySize
)

func (r *records) shardKeys() []string {
	names := make([]string, shards)
	for i := range names {
		names[i] = r.keys.Notify(fmt.Sprintf("sent|%02d", i))
	}
	return names
}

func (r *records) readSent(ctx context.Context) (s sent, err error) {
	err = r.store.View(ctx, r.shardKeys(), func(values [][]byte) error {
		s = sent{}
		for _, v := range values {
			s.read(v, r.now())
		}
		return nil
	})
	return s, err
}

// read adds a stored shard. It leaves out what only a wrong clock can have written: it would hold back
// what changes until then.
func (s sent) read(shard []byte, now time.Time) {
	for e := range slices.Chunk(shard, entrySize) {
		if len(e) < entrySize {
			break
		}
		one := sending{
			time.UnixMilli(int64(binary.BigEndian.Uint64(e[8:]))),
			time.Unix(int64(binary.BigEndian.Uint32(e[16:])), 0),
		}
		if !latest(one.change, one.at).After(now.Add(skew)) {
			s[hash(e)] = one
		}
	}
}

// write returns a shard with what was sent since a time, and what was sent of changes not
// before the cursor. If that is too much, it leaves out the oldest.
func (s sent) write(since, cursor time.Time) []byte {
	kept := make([]hash, 0, len(s))
	for h, e := range s {
		if e.at.After(since) || !e.change.Before(cursor) {
			kept = append(kept, h)
		}
	}
	slices.SortFunc(kept, func(a, b hash) int { return s[b].at.Compare(s[a].at) })
	shard := make([]byte, 0, len(kept)*entrySize)
	for _, h := range kept[:min(len(kept), shardBytes/entrySize)] {
		shard = append(shard, h[:]...)
		shard = binary.BigEndian.AppendUint64(shard, uint64(s[h].change.UnixMilli()))
		shard = binary.BigEndian.AppendUint32(shard, uint32(max(0, s[h].at.Unix())))
	}
	return shard
}

// add adds those of the changes that belong to a shard, as sent at a time, and returns how
// many were not there before. If the time is zero, their pages keep the one when they were
// last sent.
func (s sent) add(changes []change, shard int, at time.Time) (added int) {
	for _, c := range changes {
		if int(c.hash[0])%shards != shard || !s[c.hash].change.Before(c.at) {
			continue
		}
		s[c.hash] = sending{c.at, latest(c.told, at)}
		added++
	}
	return added
}
