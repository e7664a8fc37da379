package mark

// loss is a text that a page seems to have lost for good.
type loss struct {
	key   uint16 // of one of its blocks
	since uint32 // the look that first missed it
	looks uint8  // that missed it, 0 for no loss
	tired uint8  // for so many more looks no missing text counts
}

// A lost text is a change once more than lossLooks looks missed it, for long enough. A
// shorter text may be a message. If a text comes back, texts come and go on this page, so
// for some looks no missing text counts.
const (
	leastLoss  = 60 // bytes
	lossLooks  = 2
	lossTime   = day
	tiredLooks = 32
)

// lossesRead is how many texts of one look may count as lost.
const lossesRead = 16

// lost returns the keys of texts that the look before had and this one lacks. A text that
// is already missed goes first.
func (m *Mark) lost(v *View) (keys []uint16) {
	switch {
	case m.loss.looks > 0:
		return []uint16{m.loss.key}
	case m.list, m.loss.tired > 0, v.size+leastLoss > m.size, v.links < int(m.links):
		return nil
	}
	var shown keySet
	for i := range v.blocks {
		shown.add(v.blocks[i].key)
	}
	for i := 0; i < int(m.shown) && len(keys) < lossesRead; i++ {
		if key := keyAt(m.known, 2*i); !shown.has(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// lose follows the missing text. If the loss has become a change, lose returns when it was
// first seen, else 0. It runs before [comparison.settle], which forgets texts that are
// gone.
func (c *comparison) lose() (since int64) {
	l := &c.loss
	l.tired -= min(l.tired, 1)
	if c.strange != usual {
		return 0
	}
	news, returned := c.sinceLast()
	switch {
	case returned:
		*l = loss{tired: tiredLooks}
	case l.looks > 0 && c.goneOn > 1: // the site has lost it
		*l = loss{}
	case l.looks > 0:
		l.looks = min(l.looks, 254) + 1
		if l.looks > lossLooks && c.at-int64(l.since) > lossTime {
			since = int64(l.since)
			*l = loss{}
		}
	case c.gone != 0 && c.goneOn == 1 && c.doubt < firstDoubt && !news && !c.misses():
		*l = loss{key: c.gone, since: uint32(c.at), looks: 1}
	}
	return since
}

// sinceLast reports whether the look shows texts of the page that the look before did not
// show, and whether the page had shown some of them earlier.
func (c *comparison) sinceLast() (news, returned bool) {
	var last keySet
	for i := range int(c.Mark.shown) {
		last.add(keyAt(c.Mark.known, 2*i))
	}
	for i := range c.blocks {
		if b := &c.blocks[i]; !last.has(b.key) && c.counts(b) {
			news = true
			returned = returned || c.known.has(b.key)
		}
	}
	return news, returned
}

// misses reports whether something is gone that was news lately.
func (c *comparison) misses() bool {
	for i := range c.watch {
		if w := &c.watch[i]; w.seen > 0 && !c.shown.has(w.key) {
			return true
		}
	}
	return false
}
