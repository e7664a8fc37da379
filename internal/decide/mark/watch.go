package mark

import "slices"

// watchKept is how many blocks a mark follows at a time.
const watchKept = 6

// watched is a block that was news lately. The mark follows it to see whether it stays. A held block that stays is a
// change. If the block goes, its place moves by itself.
type watched struct {
	Key, Form  uint16
	Prev, Next uint16 // names of its place, by the known blocks around it
	Since      uint32 // the observation that first showed it
	Seen       uint8  // observations that showed it, at most 15, 0 for none
	Patience   uint8  // it is held until more observations than these showed it; 0 if it is not held
	Wait       uint16 // it is held for so long, in units of stayUnit

	Hash        uint32 // the lower half of the hash of its text
	Place, Wave uint16 // as those of the block
	Most        uint8  // on so many pages it may stand and still be the page's own
}

// A block that so many observations have shown, for so long, has come to stay.
const (
	settledObservations = 8
	settledTime         = 3 * day
)

// patientObservations is how many observations a block waits if much speaks against it.
const patientObservations = 3

// A text is held in units of stayUnit, and what may be of the day for lastingTime of them.
const (
	day         = 86400 // in seconds
	stayUnit    = 60
	lastingTime = day / stayUnit
)

// gone reports whether it is a lost text: Since and Seen are about the observations without it.
func (w *watched) gone() bool { return w.Prev == lostText && w.Next == ^uint16(lostText) }

// settle looks for the watched blocks. If some turn out to be a change, it returns the latest observation that first
// showed one, else 0.
func (c *comparison) settle() (since int64) {
	surprised := false
	for i := range c.watch {
		w := &c.watch[i]
		if w.Seen == 0 {
			continue
		}
		b := c.find(w.Key)
		if (b == nil) != w.gone() { // the block is gone, or the lost text is back
			if w.Seen <= patientObservations || c.at-int64(w.Since) <= settledTime {
				c.left = append(c.left, w.Key)
			}
			surprised = c.moved(w) || surprised
			*w = watched{}
			continue
		}
		w.again(c.at)
		switch {
		case w.Patience > 0 && !w.gone() && (b.swept || b.on > w.Most):
			*w = watched{}
		case w.Patience > 0 && w.Seen > w.Patience && c.at-int64(w.Since) > w.wait() && !(w.gone() && c.doubt > 0):
			since = max(since, int64(w.Since))
			c.believe(w.Since)
		}
	}
	c.closeGaps()
	if surprised {
		c.doubt = min(c.doubt+1, firstDoubt)
	} else {
		c.doubt -= min(c.doubt, 1)
	}
	return since
}

// again notes that one more observation showed a block. The watch ends if it has come to stay.
func (w *watched) again(at int64) {
	w.Seen = min(w.Seen, 14) + 1
	if w.Patience == 0 && w.Seen > settledObservations && at-int64(w.Since) > settledTime {
		*w = watched{}
	}
}

// closeGaps moves the watched blocks to the front.
func (m *Mark) closeGaps() {
	_ = slices.DeleteFunc(m.watch[:], func(w watched) bool { return w.Seen == 0 })
}

// watched returns the watched block with a key, or nil.
func (m *Mark) watched(key uint16) *watched {
	return first(m.watch[:], func(w *watched) bool { return w.Seen > 0 && w.Key == key })
}

// find returns the block with a key, or nil.
func (v *View) find(key uint16) *block {
	for _, b := range v.blocks {
		if b.key == key {
			return b
		}
	}
	return nil
}

// first returns the first entry of a list that is meant, or nil.
func first[T any](list []T, means func(*T) bool) *T {
	for i := range list {
		if means(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// wait returns for how many seconds a block is held.
func (w *watched) wait() int64 { return stayUnit * int64(w.Wait) }

// believe ends the doubts about all that came with an observation.
func (m *Mark) believe(since uint32) {
	for i := range m.watch {
		if w := &m.watch[i]; w.Since == since {
			w.Patience = 0
		}
	}
}

// follow watches a block. If there is no room, it replaces the oldest block.
func (m *Mark) follow(w watched) {
	copy(m.watch[1:], m.watch[:])
	m.watch[0] = w
}

// moversKept is how many movers are remembered.
const moversKept = 16

// mover is a name of a place that moves by itself: what came there did not stay.
type mover struct {
	Name uint16
	N    uint8  // how often, at most 7, 0 for an empty entry
	Stay uint16 // how long one stayed there at most, in units of stayUnit
}

// moves reports whether the place of a new block moves. It must have moved several times if items of a list come and
// go there, or if the block is long: more likely it is new.
func (c *comparison) moves(n newsItem) bool {
	least := uint8(1)
	if c.list || n.block.size > smallNews {
		least = 3
	}
	return c.movesOf(&n.watched) >= least
}

// movesOf returns how often the place of a block has moved. Both of its names must agree, since a change may have
// touched one of the blocks around it.
func (m *Mark) movesOf(w *watched) uint8 { return min(m.mover(w.Prev).N, m.mover(w.Next).N) }

func (m *Mark) mover(name uint16) mover {
	if o := first(m.movers[:], func(o *mover) bool { return o.Name == name }); o != nil {
		return *o
	}
	return mover{Name: name}
}

// moved notes that a block did not stay, and reports whether its place was not known to move. The block's form
// becomes known: another text of that form differs only in its numbers.
func (c *comparison) moved(w *watched) (surprise bool) {
	surprise = c.movesOf(w) == 0
	stay := uint16(min((c.at-int64(w.Since))/stayUnit, 1<<16-1))
	c.note(w.Prev, stay)
	c.note(w.Next, stay)
	if w.Form != 0 {
		c.known.add(w.Form)
	}
	return surprise
}

// note counts a move, and puts its mover in front.
func (m *Mark) note(name uint16, stay uint16) {
	o := m.mover(name)
	o.N, o.Stay = min(o.N, 6)+1, max(o.Stay, stay)
	at := slices.IndexFunc(m.movers[:], func(o mover) bool { return o.Name == name || o.N == 0 })
	if at < 0 {
		at = moversKept - 1
	}
	copy(m.movers[1:at+1], m.movers[:at])
	m.movers[0] = o
}

// A lost text is a change once more than lossObservations missed it, for longer than a day, and the page has
// proved quiet.
const lossObservations = 2

// lose watches for a lost text to come back. If one did before, texts come and go on this page.
func (c *comparison) lose() {
	w := watched{Key: c.lost(), Prev: lostText, Next: ^uint16(lostText), Since: uint32(c.at), Seen: 1,
		Patience: lossObservations, Wait: lastingTime}
	if w.Key != 0 && c.movesOf(&w) == 0 {
		c.follow(w)
	}
}

// lost returns the key of a text that is gone since the last observation, if nothing came, else 0. What comes tells
// by itself whether it is a change. It notes that texts come and go if nothing is gone, and one came again. A fact or a
// price may have stood there all the time, beside another text.
func (c *comparison) lost() uint16 {
	gone, _ := c.missing(c.View)
	last, least := c.own.set(), uint32(leastBlock)
	for _, b := range c.blocks {
		switch {
		case last.has(b.key):
		case b.link, b.beside: // it may be shorter than what it replaces
			least = longestLine
		case !c.isOwn(b):
		default:
			if len(gone) == 0 && c.known.has(b.key) && !b.fact && (b.back || !b.price) {
				c.note(lostText, 0)
				c.note(^uint16(lostText), 0)
			}
			return 0
		}
	}
	if c.View.prices != 0 && c.View.prices != c.Mark.prices { // one of its prices is gone
		least = 1
	}
	if c.list || c.emptied || c.View.size+least > c.Mark.size || c.View.links < int(c.Mark.links) ||
		len(c.left) == watchKept { // these were some of more texts, as of a maintenance, which had not come to stay either
		return 0
	}
	for _, key := range gone {
		if !slices.Contains(c.left, key) { // a notice that goes again had not come to stay
			return key
		}
	}
	return 0
}
