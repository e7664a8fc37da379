package indexer

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/klauspost/compress/s2"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/txn"
)

// What robots.txt says is stored compressed, in at most robotsPieces records of robotsPiece bytes.
// One that does not compress at all fits too.
const (
	robotsPiece  = 65_000
	robotsPieces = 8
)

// robotsTxt keeps what the site's robots.txt says.
type robotsTxt struct{ *Indexer }

// open reads the stored robots.txt, unless the owner has given one.
func (r *robotsTxt) open(ctx context.Context) error {
	if r.cfg.Robots != nil {
		r.set(&robots.Obeyed{Now: r.cfg.Robots})
		return nil
	}
	var o robots.Obeyed
	err := txn.View(ctx, r.cfg.Store, r.keys(), func(t *txn.Tx) { o = r.read(t) })
	if err != nil {
		return err
	}
	if before := r.site.Robots; o.Lost && (before == nil || !before.Lost) {
		r.health.damaged.Add(1)
		r.cfg.Logger.Warn("servemap: what is stored of robots.txt is damaged; pages that it disallowed stay out until somebody asks for robots.txt")
	}
	r.set(&o)
	return nil
}

// read returns what is stored. If any of it is damaged, all of it is lost.
func (r *robotsTxt) read(t *txn.Tx) robots.Obeyed {
	var packed []byte
	for _, key := range r.keys() {
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

// storedRobots is what is stored of robots.txt, before it is compressed.
type storedRobots struct {
	Now   []byte      `cbor:"1,keyasint,omitzero"` // the text that holds
	Next  []byte      `cbor:"2,keyasint,omitzero"` // one that may come to hold
	Since moment.Time `cbor:"3,keyasint,omitzero"`
	By    uint32      `cbor:"4,keyasint,omitzero"`
	Known bool        `cbor:"5,keyasint,omitzero"`
	Sum   robots.Sum  `cbor:"6,keyasint,omitzero"` // of Next, which is left out if there is no room
}

// write stores o. Two files that hardly compress may not fit. Then the sum alone tells the one that
// may come to hold.
func (r *robotsTxt) write(t *txn.Tx, o robots.Obeyed) {
	all := storedRobots{
		Now: o.Now.Text(), Next: o.Next.Text(), Since: moment.Of(o.Since), By: o.By, Known: o.Known, Sum: o.Next.Sum(),
	}
	packed := s2.Encode(nil, codec.Marshal(all))
	if len(packed) > robotsPieces*robotsPiece {
		all.Next = nil
		packed = s2.Encode(nil, codec.Marshal(all))
	}
	for _, key := range r.keys() {
		n := min(len(packed), robotsPiece)
		t.Put(key, nil)
		if n > 0 {
			t.Put(key, codec.Marshal(packed[:n]))
		}
		packed = packed[n:]
	}
}

// keys returns the keys of what robots.txt says.
func (r *robotsTxt) keys() []string {
	keys := make([]string, robotsPieces)
	for i := range keys {
		keys[i] = r.site.Keys.Robots(i)
	}
	return keys
}

// obey merges a robots.txt that the site has served.
func (r *robotsTxt) obey(ctx context.Context, s *observation.Exchange) error {
	before := r.site.Robots
	if r.cfg.Robots != nil || before == nil {
		return nil
	}
	text, ok := robotsText(s.Response)
	if !ok {
		return nil // it cannot be read; the one before still holds
	}
	named := slices.AppendSeq([]string{}, robots.Sitemaps(text))
	r.sitemaps.Store(&named)
	seen := robots.Parse(text)
	network := observation.Net(r.site.Names.Key(), s.Network)
	if before.Saw(seen, s.At, network) == *before {
		return nil
	}
	var after robots.Obeyed
	err := txn.Update(ctx, r.cfg.Store, r.keys(), func(t *txn.Tx) {
		stored := r.read(t) // another process may have seen it as well
		if stored.Lost {
			stored = *before
		}
		if after = stored.Saw(seen, s.At, network); after != stored {
			r.write(t, after)
		}
	})
	if err != nil {
		r.records.opened = false // the store may or may not hold it
		return err
	}
	r.syncing.unsynced = true
	r.set(&after)
	r.trust.tellFiles()
	return nil
}

// robotsText returns what a response to /robots.txt says, and false if that cannot be read
// to the end. If there is no robots.txt, it says nothing.
func robotsText(resp *response.Response) ([]byte, bool) {
	if resp.Status != http.StatusOK {
		return nil, true
	}
	body, cut, err := observation.Decode(resp.Header.ContentEncoding, resp.Body, robots.Enough)
	if err != nil && strings.HasPrefix(http.DetectContentType(resp.Body), "text/") {
		return resp.Body, true // a middleware around the site will compress it, and has set the header already
	}
	if err != nil || cut && len(body) < robots.Enough {
		return nil, false
	}
	return body, true
}

// set makes o the robots.txt that holds, and begins a review of all pages if its
// rules have changed.
func (r *robotsTxt) set(o *robots.Obeyed) {
	if before := r.site.Robots; before != nil && (before.Lost || !before.Now.Equal(o.Now)) {
		r.review.begin()
	}
	r.site.Robots = o
	r.robots.Store(o)
	r.counts.Robots()
}
