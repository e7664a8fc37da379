package memory

import "slices"

// kept is how many contents are remembered.
const kept = 1 << 13

const (
	// needed is how many locations that show one content are a crowd. A location of a crowd leaves
	// again if only networks spoke for it. As many networks must have got the other locations,
	// since one client can ask for any number of them.
	needed = 5
	// sharers is how many networks must have got a content elsewhere, so that networks alone list
	// no further location that shows it.
	sharers = 2
)

// Contents remember which locations showed a content lately, and to which networks. So a content that
// many locations show is known before any of them has evidence. They take only hashes, and return how
// many other locations and networks had a content. Their size is fixed, and they must never hold a
// location in clear.
type Contents struct{ slots [kept]shown }

// shown is one content and networks that got it.
type shown struct {
	content  uint64
	networks [needed]shownTo
}

// shownTo is a network and the hashes of locations where it got the content. Two are enough: for
// any location, they tell whether the network got it elsewhere too.
type shownTo struct {
	network uint32 // 0 if unknown
	at      [2]uint32
}

// alias32 shortens the hash of a location. It is never 0.
func alias32(location uint64) uint32 { return uint32(location>>32) | 1 }

// slot returns the slot of a content. A new content replaces one of two others: the one that fewer
// locations show. So a content of many locations is not forgotten for a content of one.
func (c *Contents) slot(content uint64) *shown {
	i := content % kept
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

// Elsewhere reports where else the content was shown lately. shared says that networks alone shall
// list no further location that shows it, because several got it at other locations. many says that
// even a location that networks alone have listed shall leave: there is a crowd.
func (c *Contents) Elsewhere(content, location uint64) (shared, many bool) {
	networks, locations := c.elsewhere(content, location)
	return networks >= sharers, networks >= needed-1 && locations >= needed-1
}

// elsewhere returns how many networks got the content at other locations, and at how many
// locations.
func (c *Contents) elsewhere(content, location uint64) (networks, locations int) {
	slot := c.slot(content)
	if content == 0 || slot.content != content {
		return 0, 0
	}
	return slot.elsewhere(alias32(location))
}

func (s *shown) elsewhere(own uint32) (networks, locations int) {
	var room [2 * needed]uint32 // so that nothing is allocated
	others := room[:0]
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

// Shows notes that a network got the content at a location. If there is no room for the network, it
// replaces one whose location more networks have got.
func (c *Contents) Shows(content, location uint64, network uint32) {
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
