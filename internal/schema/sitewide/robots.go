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
	Next  robots.Sum  `cbor:"2,keyasint,omitzero"` // the sum of one that may replace it; who confirms that has its text
	Since moment.Time `cbor:"3,keyasint,omitzero"`
	Known bool        `cbor:"5,keyasint,omitzero"`
}

// RobotsKeys returns the keys under which robots.txt is stored.
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
	o := robots.Obeyed{Now: robots.Parse(all.Now), Since: all.Since.Time(), Known: all.Known}
	if all.Next != (robots.Sum{}) {
		o.Next = robots.Unread(all.Next)
	}
	return o
}

// WriteRobots stores o.
func WriteRobots(t txn.Records, k keys.Keys, o robots.Obeyed) {
	all := storedRobots{Now: o.Now.Text(), Next: o.Next.Sum(), Since: moment.Of(o.Since), Known: o.Known}
	packed := s2.Encode(nil, codec.Marshal(all))
	for _, key := range RobotsKeys(k) {
		n := min(len(packed), robotsPiece)
		t.Put(key, nil)
		if n > 0 {
			t.Put(key, codec.Marshal(packed[:n]))
		}
		packed = packed[n:]
	}
}
