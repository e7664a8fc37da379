package ledger

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/record"
)

// bulletin is the record in which one process tells the others, which share its
// store, what it has changed. It is written in the transaction that makes the
// change, and by its own process alone, so that nobody waits for it. Changes are
// counted; of each part, and of each topic, it tells the number of the last one.
type bulletin struct {
	seq    uint64
	at     int64  // of the last change, in Unix milliseconds
	lost   uint64 // parts up to this change may have been left out
	parts  []toldPart
	topics [topics]uint64 // 0 for none
	more   uint64         // the last change of a topic that only a later version knows
	unread record.Unread
}

// toldPart says that the listing of a part changed.
type toldPart struct {
	part int
	seq  uint64
}

// topic is what there is to tell of beside the parts. The numbers are stored.
type topic int

const (
	trustTopic  topic = iota // the sources of dates
	robotsTopic              // the robots.txt
	doubtTopic               // a listed page may be gone
	erasedTopic              // states of locations were erased, and what links had said of them
	topics
)

// partsTold bounds the parts of one record: it is written with most changes.
const partsTold = 96

// The fields of the record. Topics have theirs from bulletinTopics on.
const (
	bulletinSeq    = 1
	bulletinAt     = 2
	bulletinLost   = 3
	bulletinParts  = 4
	bulletinTopics = 10
)

func (n bulletin) encode() []byte {
	var e record.Encoder
	e.Uint(bulletinSeq, n.seq)
	e.Int(bulletinAt, n.at)
	e.Uint(bulletinLost, n.lost)
	var b []byte
	for _, p := range n.parts {
		b = binary.AppendUvarint(b, uint64(p.part))
		b = binary.AppendUvarint(b, p.seq)
	}
	e.Bytes(bulletinParts, b)
	for t, seq := range n.topics {
		e.Uint(bulletinTopics+t, seq)
	}
	e.Keep(n.unread)
	return e.Seal()
}

// readBulletin reads what encode wrote. Of a record that it cannot read it says that
// all may have changed, each time that it is another one.
func readBulletin(b []byte) (n bulletin) {
	if b == nil {
		return bulletin{}
	}
	unread, err := record.Read(b, func(f record.Field) bool {
		switch t := f.Num - bulletinTopics; {
		case f.Num == bulletinSeq:
			n.seq = f.Value
		case f.Num == bulletinAt:
			n.at = f.Millis()
		case f.Num == bulletinLost:
			n.lost = f.Value
		case f.Num == bulletinParts:
			n.parts = readTold(f.Data)
		case t >= int(topics):
			n.more = max(n.more, f.Value)
			return false
		case t >= 0:
			n.topics[t] = f.Value
		default:
			return false
		}
		return true
	})
	if err != nil {
		return bulletin{seq: xxh3.Hash(b), lost: unreadable}
	}
	n.unread = unread
	return n
}

// unreadable is what is lost of a record that cannot be read.
const unreadable = math.MaxUint64

// readTold reads the parts of a record. Numbers that no part has are left out.
func readTold(b []byte) (parts []toldPart) {
	for len(b) > 0 {
		number, n := binary.Uvarint(b)
		if n <= 0 {
			break
		}
		seq, m := binary.Uvarint(b[n:])
		if m <= 0 {
			break
		}
		if b = b[n+m:]; number > 0 && number <= keys.MaxPart {
			parts = append(parts, toldPart{int(number), seq})
		}
	}
	return parts
}

// with returns the bulletin with one more change, of parts and topics, made now.
func (n bulletin) with(parts map[int]bool, about []topic, now time.Time) bulletin {
	if n.lost == unreadable {
		n = bulletin{}
	}
	if n.seq == 0 {
		n.seq = uint64(max(0, now.UnixMilli())) // after all that an earlier record told, which was erased
	}
	n.seq++
	n.at = now.UnixMilli()
	n.parts = slices.DeleteFunc(slices.Clone(n.parts), func(p toldPart) bool { return parts[p.part] })
	for _, part := range slices.Sorted(maps.Keys(parts)) { // what runs again writes the same
		n.parts = append(n.parts, toldPart{part, n.seq})
	}
	if over := len(n.parts) - partsTold; over > 0 {
		n.lost = n.parts[over-1].seq
		n.parts = n.parts[over:]
	}
	for _, t := range about {
		n.topics[t] = n.seq
	}
	return n
}

// changes are what others have changed since they were last asked.
type changes struct {
	all    bool // not only the parts and topics that follow
	parts  map[int]bool
	topics [topics]bool
}

// since adds to c what has changed after the change with the number seen.
func (c *changes) since(n bulletin, seen uint64) {
	if n.seq == seen {
		return
	}
	if n.seq < seen || n.lost > seen || n.more > seen { // the first: the record was lost
		c.all = true
		return
	}
	for _, p := range n.parts {
		if p.seq > seen {
			c.parts[p.part] = true
		}
	}
	for t, seq := range n.topics {
		c.topics[t] = c.topics[t] || seq > seen
	}
}
