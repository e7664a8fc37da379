package ledger

import (
	"slices"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/sitewide"
)

// contentsKept is how many contents are remembered, one location each.
const contentsKept = 1 << 13

const (
	// crowdNeeded is how many locations showing one content are a crowd: then even
	// one that enough networks found does not stay. The others must have been shown
	// to as many networks, as one client can ask for any number of locations.
	crowdNeeded = 5
	// sharersNeeded is how many networks must have got the content elsewhere before
	// networks alone list no further location that shows it.
	sharersNeeded = 2
)

// contents remembers which locations showed a content lately, so that a content
// that many show is known before any of them has evidence. It belongs to one
// goroutine. The zero value is empty.
type contents struct{ slots [contentsKept]shown }

// shown is one content with networks that got it.
type shown struct {
	content  uint64
	networks [crowdNeeded]shownTo
}

// shownTo is a network with locations, as hashes, at which it got the content. Two
// are enough to know of each location that the network got it elsewhere too.
type shownTo struct {
	network uint32 // see look.Look.Net
	at      [2]uint32
}

// alias32 shortens a hash of a location. It is never 0.
func alias32(location uint64) uint32 { return uint32(location>>32) | 1 }

// slot returns the slot of a content. One that has none takes the place of one of
// two others: of the one that fewer locations show, so that what many show is not
// forgotten for what one does.
func (c *contents) slot(content uint64) *shown {
	i := content % contentsKept
	one, other := &c.slots[i], &c.slots[i^1]
	if one.content == content {
		return one
	}
	_, most := one.elsewhere(0)
	if _, n := other.elsewhere(0); other.content == content || n < most {
		return other
	}
	return one
}

// elsewhere returns how many networks got the content lately at other locations
// than that, and at how many such.
func (c *contents) elsewhere(content, location uint64) (networks, locations int) {
	slot := c.slot(content)
	if content == 0 || slot.content != content {
		return 0, 0
	}
	return slot.elsewhere(alias32(location))
}

func (s *shown) elsewhere(own uint32) (networks, locations int) {
	var kept [2 * crowdNeeded]uint32 // so that nothing is allocated
	others := kept[:0]
	for i := range s.networks {
		there := false
		for _, at := range s.networks[i].at {
			if at == 0 || at == own {
				continue
			}
			if there = true; !slices.Contains(others, at) {
				others = append(others, at)
			}
		}
		if there {
			networks++
		}
	}
	return networks, len(others)
}

// shows notes that a network got the content at a location. Where there is no room
// for the network, it takes the place of one whose location more have got.
func (c *contents) shows(content, location uint64, network uint32) {
	if content == 0 {
		return
	}
	slot, at := c.slot(content), alias32(location)
	if slot.content != content {
		*slot = shown{content: content}
	}
	times := func(at uint32) (n int) {
		for i := range slot.networks {
			if slices.Contains(slot.networks[i].at[:], at) {
				n++
			}
		}
		return n
	}
	most, least := -1, times(at)+1
	for i := range slot.networks {
		n := &slot.networks[i]
		switch {
		case n.at[0] == 0:
			*n = shownTo{network, [2]uint32{at}}
			return
		case n.network == network:
			if n.at[0] != at && n.at[1] == 0 {
				n.at[1] = at
			}
			return
		}
		if many := times(n.at[0]); n.at[1] == 0 && many > least {
			most, least = i, many
		}
	}
	if most >= 0 {
		slot.networks[most] = shownTo{network, [2]uint32{at}}
	}
}

// compare finds out who else shows the content of a look, and has it count in turn.
// What is shown where the page forbids its listing, or with a query, which changes
// nothing, counts against no other page.
func (l *Ledger) compare(k *merge.Look, showing uint64, content admit.Reason) {
	id := l.site.ID(k.Location)
	networks, locations := l.contents.elsewhere(showing, id)
	k.Shared = networks >= sharersNeeded
	k.Crowd = networks >= crowdNeeded-1 && locations >= crowdNeeded-1
	if sitewide.OwnPage(k.Location) && content == admit.None {
		l.contents.shows(showing, id, k.Net)
	}
}
