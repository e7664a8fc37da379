package ledger

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/record"
	"github.com/servemap/servemap/internal/robots"
	"github.com/servemap/servemap/internal/tap"
	"github.com/servemap/servemap/internal/txn"
)

// robotsPiece is how many bytes of a robots.txt one record holds, robotsPieces
// how many records the longest has.
const (
	robotsPiece  = 60 << 10
	robotsPieces = 10
)

// obeyed is what the site's robots.txt says. One that differs from the last
// holds when a visitor from another network gets the same, a minute later or
// more, or anybody does a day later: an answer that only one visitor got must
// not list what the site disallows, nor take out what it allows. Until then what
// either of them disallows is not listed anew.
type obeyed struct {
	known     bool // one was seen, or that there is none
	now, next *robots.Rules
	since     time.Time // when next was seen first, zero if there is none
	by        uint32    // who saw it then, as look.net has it

	unread [2 * robotsPieces]record.Unread // of the pieces
}

// saw returns what holds after a look at seen, by a client of a network as
// look.net has it.
func (o obeyed) saw(seen *robots.Rules, at time.Time, network uint32) obeyed {
	after := o
	after.known, after.next, after.since, after.by = true, nil, time.Time{}, 0
	switch text := seen.Text(); {
	case !o.known:
		after.now = seen
	case bytes.Equal(text, o.now.Text()):
	case o.since.IsZero() || !bytes.Equal(text, o.next.Text()) || at.Before(o.since):
		after.next, after.since, after.by = seen, at, network
	case o.confirms(at, network):
		after.now = seen
	default:
		return o
	}
	return after
}

// confirms reports whether a look that shows next again is enough for it to hold.
func (o obeyed) confirms(at time.Time, network uint32) bool {
	after := at.Sub(o.since)
	return after >= anotherDay || after >= confirmAfter && network != 0 && o.by != 0 && network != o.by
}

// rulesAs reports whether the same rules hold.
func (o *obeyed) rulesAs(other *obeyed) bool { return bytes.Equal(o.now.Text(), other.now.Text()) }

// Allows reports whether the site's robots.txt lets crawlers have location. It
// may be called concurrently.
func (l *Ledger) Allows(location string) bool {
	o := l.robots.Load()
	return o == nil || o.now.Allows(location)
}

// allowsNew is Allows for a location that is not listed yet.
func (l *Ledger) allowsNew(location string) bool {
	o := l.robots.Load()
	return o == nil || o.now.Allows(location) && o.next.Allows(location)
}

// disallowed reports whether robots.txt keeps a page out.
func (l *Ledger) disallowed(location string, s *state) bool {
	return !l.Allows(location) || !s.public() && !l.allowsNew(location)
}

// openRobots reads what was stored of the robots.txt that the site served.
func (l *Ledger) openRobots(ctx context.Context) error {
	if l.cfg.Robots != nil {
		l.robots.Store(&obeyed{now: l.cfg.Robots})
		l.hintRobots()
		return nil
	}
	var o obeyed
	err := txn.View(ctx, l.cfg.Store, l.robotsKeys(), func(t *txn.Tx) { o = l.readRobots(t) })
	if err != nil {
		return err
	}
	l.robots.Store(&o)
	l.hintRobots()
	return nil
}

func (l *Ledger) readRobots(t *txn.Tx) (o obeyed) {
	var texts [2][]byte
	for i, key := range l.robotsKeys() {
		unread, _ := record.Read(t.Get(key), func(f record.Field) bool {
			switch f.Num {
			case 1:
				texts[i/robotsPieces] = append(texts[i/robotsPieces], f.Data...)
			case 2:
				o.since = time.UnixMilli(f.Millis())
			case 3:
				o.known = true
			case 4:
				o.by = uint32(f.Value)
			default:
				return false
			}
			return true
		})
		o.unread[i] = unread
	}
	o.now, o.next = robots.Parse(texts[0]), robots.Parse(texts[1])
	return o
}

// writeRobots stores o, in a record of its own for each piece.
func (l *Ledger) writeRobots(t *txn.Tx, o obeyed) {
	texts := [2][]byte{o.now.Text(), o.next.Text()}
	for i, key := range l.robotsKeys() {
		text := texts[i/robotsPieces]
		from := min(len(text), i%robotsPieces*robotsPiece)
		var e record.Encoder
		e.Bytes(1, text[from:min(len(text), from+robotsPiece)])
		if i == robotsPieces && !o.since.IsZero() {
			e.Int(2, o.since.UnixMilli())
			e.Uint(4, uint64(o.by))
		}
		e.Bool(3, i == 0 && o.known)
		e.Keep(o.unread[i])
		t.Put(key, e.SealAny())
	}
}

// robotsKeys returns the keys of what holds, and then those of what may be next.
func (l *Ledger) robotsKeys() []string {
	keys := make([]string, 2*robotsPieces)
	for i := range keys {
		keys[i] = l.keys.Robots(i)
	}
	return keys
}

// obey takes over a robots.txt that the site has served, and has everything
// that is stored judged by it.
func (l *Ledger) obey(ctx context.Context, s *Sighting) error {
	before := l.robots.Load()
	if l.cfg.Robots != nil || before == nil {
		return nil
	}
	seen, ok := parseRobots(s.Response)
	if !ok {
		return nil // nobody can read it; what held before does
	}
	network := l.networkOf(s)
	if before.saw(seen, s.At, network) == *before {
		return nil
	}
	var after obeyed
	err := txn.Update(ctx, l.cfg.Store, slices.Concat(l.robotsKeys(), l.ownBulletin()), func(t *txn.Tx) {
		stored := l.readRobots(t) // another process may have seen it as well
		if after = stored.saw(seen, s.At, network); after != stored {
			l.writeRobots(t, after)
			l.tell(t, s.At, nil, robotsTopic)
		}
	})
	if err != nil {
		l.opened = false // nobody knows what it holds
		return err
	}
	l.unsynced = true
	l.robots.Store(&after)
	l.hintRobots()
	if !after.rulesAs(before) {
		l.cfg.Files.ChangedAll()
		l.beginReview()
	}
	return nil
}

// parseRobots returns what a response says of robots, false if it cannot be
// read to its end. That there is no robots.txt disallows nothing.
func parseRobots(resp *tap.Response) (*robots.Rules, bool) {
	if resp.Status != http.StatusOK {
		return nil, true
	}
	body, cut, err := decode(resp.Header.ContentEncoding, resp.Body, tap.MaxText)
	if err != nil || cut && len(body) < tap.MaxText {
		return nil, false
	}
	return robots.Parse(body), true
}

// hintRobots says so if robots.txt keeps the site from being learned.
func (l *Ledger) hintRobots() {
	for _, entry := range l.cfg.Entries {
		if !l.Allows(entry) {
			l.cfg.Hints.Give(hint.Robots)
			return
		}
	}
}
