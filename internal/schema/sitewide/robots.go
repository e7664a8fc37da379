package sitewide

import (
	"github.com/klauspost/compress/s2"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
)

// What robots.txt says is stored compressed, in at most robotsPieces records of robotsPiece bytes.
// One that does not compress at all fits too.
const (
	robotsPiece  = 65_000
	robotsPieces = 8
)

// storedRobots is what is stored of robots.txt, before it is compressed.
type storedRobots struct {
	Now   []byte      `cbor:"1,keyasint,omitzero"` // the text that holds
	Next  []byte      `cbor:"2,keyasint,omitzero"` // one that may come to hold
	Since moment.Time `cbor:"3,keyasint,omitzero"`
	By    uint32      `cbor:"4,keyasint,omitzero"`
	Known bool        `cbor:"5,keyasint,omitzero"`
	Sum   robots.Sum  `cbor:"6,keyasint,omitzero"` // of Next, which is left out if there is no room
}

// RobotsKeys returns the keys of what robots.txt says.
func RobotsKeys(k keys.Keys) []string {
	all := make([]string, robotsPieces)
	for i := range all {
		all[i] = k.Robots(i)
	}
	return all
}

// ReadRobots returns what is stored of robots.txt. If any of it is damaged, all of it is lost.
func ReadRobots(t txn.Records, k keys.Keys) robots.Obeyed {
	var packed []byte
	for _, key := range RobotsKeys(k) {
		var piece []byte
		if b := t.Get(key); b != nil && codec.Unmarshal(b, &piece) != nil {
			return robots.Obeyed{Lost: true}
		}
		packed = append(packed, piece...)
	}
	if packed == nil {
		return robots.Obeyed{} // nobody saw one yet
	}
	var all storedRobots
	text, err := s2.Decode(nil, packed)
	if err != nil || codec.Unmarshal(text, &all) != nil {
		return robots.Obeyed{Lost: true}
	}
	next := robots.Parse(all.Next)
	if next.Sum() != all.Sum {
		next = robots.Unread(all.Sum)
	}
	return robots.Obeyed{Now: robots.Parse(all.Now), Next: next, Since: all.Since.Time(), By: all.By, Known: all.Known}
}

// WriteRobots stores o. Two files that hardly compress may not fit. Then the sum alone tells the one
// that may come to hold.
func WriteRobots(t txn.Records, k keys.Keys, o robots.Obeyed) {
	all := storedRobots{
		Now: o.Now.Text(), Next: o.Next.Text(), Since: moment.Of(o.Since), By: o.By, Known: o.Known, Sum: o.Next.Sum(),
	}
	packed := s2.Encode(nil, codec.Marshal(all))
	if len(packed) > robotsPieces*robotsPiece {
		all.Next = nil
		packed = s2.Encode(nil, codec.Marshal(all))
	}
	for _, key := range RobotsKeys(k) {
		n := min(len(packed), robotsPiece)
		t.Put(key, nil)
		if n > 0 {
			t.Put(key, codec.Marshal(packed[:n]))
		}
		packed = packed[n:]
	}
}
