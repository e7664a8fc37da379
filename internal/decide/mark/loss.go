package mark

// loss is a text that a page seems to have lost for good.
type loss struct {
	Since        uint32 // the observation that first missed it
	Observations uint8  // that missed it, 0 for no loss
	Tired        uint8  // for so many more observations no missing text counts
}

// A lost text is a change once more than lossObservations missed it, for long enough, and the
// page is known well. A shorter text may be a message. If a text comes back, texts come and go
// on this page, so for some observations no missing text counts.
const (
	leastLoss         = 60 // bytes
	lossObservations  = 2
	lossTime          = day
	tiredObservations = 32
)

// lose follows the missing text. If the loss has become a change, lose returns when it was
// first seen, else 0.
func (c *comparison) lose() (since int64) {
	l := &c.Loss
	l.Tired -= min(l.Tired, 1)
	if c.strange != usual {
		return 0
	}
	news, returned := c.sinceLast()
	switch {
	case returned:
		*l = loss{Tired: tiredObservations}
	case l.Observations > 0:
		l.Observations = min(l.Observations, 254) + 1
		if c.Doubt == 0 && l.Observations > lossObservations && c.at-int64(l.Since) > lossTime {
			since = int64(l.Since)
			*l = loss{}
		}
	case c.misses() && !news:
		*l = loss{Since: uint32(c.at), Observations: 1}
	}
	return since
}

// sinceLast reports whether the observation shows texts of the page that the observation before did not
// show, and whether the page had shown some of them earlier.
func (c *comparison) sinceLast() (news, returned bool) {
	last := setOf(c.Mark.known[:2*c.Mark.Shown])
	for i := range c.blocks {
		if b := &c.blocks[i]; !last.has(b.key) && !b.link && c.isOwn(b) {
			news = true
			returned = returned || c.known.has(b.key)
		}
	}
	return news, returned
}

// misses reports whether a text of the page is gone.
func (c *comparison) misses() bool {
	if c.List || c.Loss.Tired > 0 || c.View.size+leastLoss > c.Mark.Size || c.View.links < int(c.Mark.Links) {
		return false
	}
	return c.shown.count(c.Mark.known[:2*c.Own]) < int(c.Own)
}
