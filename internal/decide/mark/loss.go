package mark

// A lost text is a change once more than lossObservations missed it, for longer than goneTime, and the page has
// proved quiet. A text of less than leastLoss letters may be a message.
const leastLoss, lossObservations = 60, 2

// lose watches for a lost text to come back. If one did before, texts come and go on this page.
func (c *comparison) lose() {
	w := watched{Key: c.lost(), Prev: lostText, Next: ^uint16(lostText), Since: uint32(c.at), Seen: 1, Patience: lossObservations, Gone: true}
	if w.Key != 0 && c.movesOf(&w) == 0 {
		c.follow(w)
	}
}

// lost returns the key of a text that is gone since the last observation, if nothing came, else 0. What comes tells
// by itself whether it is a change.
func (c *comparison) lost() uint16 {
	if c.List || c.emptied || c.View.size+leastLoss > c.Mark.Size || c.View.links < int(c.Mark.Links) {
		return 0
	}
	own := c.Mark.known[:2*c.Own]
	last, shown := setOf(own), new(keySet)
	for _, b := range c.blocks {
		if !last.has(b.key) && !b.link && c.isOwn(&b) {
			return 0
		}
		shown.add(b.key)
	}
	for i := 0; i < len(own); i += 2 {
		if key := keyAt(own, i); !shown.has(key) {
			return key
		}
	}
	return 0
}
