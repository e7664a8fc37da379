package mark

import "slices"

// find marks the groups that are known (all of them if the text is one of the
// last) and gives each group its slot. A group at a place where the text moves
// is not to be taken for one that stays.
func (m *Mark) find(v *View, list []group, all bool) {
	var anchor uint16
	moving := m.movingSlots() > 0
	for i := range list {
		g := &list[i]
		var st state
		st, g.known = m.groups.get(g.print)
		g.known = g.known || all && g.place != dataPlace
		if !g.known {
			g.slot = m.slot(v, g, anchor)
			continue
		}
		g.back, g.flaps, g.stays = st == groupAbsent, g.known && st == groupFlaps, st == groupStays
		if moving && !g.stays {
			g.slot = m.slot(v, g, anchor)
		}
		g.moving = st == groupPlain && g.kind == prose && m.moves(g.slot) >= movingSlot
		if st <= groupStays && !g.moving {
			anchor = g.print
		}
	}
}

// weigh says what the unknown groups add up to.
func (m *Mark) weigh(v *View, list []group) Outcome {
	size, moving := 0, 0
	sure, any := false, false
	for i := range list {
		g := &list[i]
		if g.known {
			continue
		}
		if g.furniture {
			g.moving = g.counts // another number next time
			continue
		}
		if m.moves(g.slot) >= movingSlot {
			m.moved(g.slot)
			g.moving = true
			moving += int(g.size)
			continue
		}
		any = true
		size += int(g.size)
		if g.kind != link && !g.doubtful && !(g.edge && m.inserted(list)) {
			sure = true
		}
	}
	switch {
	case 2*moving > v.size:
		return Moving
	case !any, m.rewrapped(v, size) && (!sure || !m.replaces(list)):
		return Variant
	case sure && !m.rewrapped(v, size):
		return Changed
	}
	return Held
}

// suspect unmarks what is new at a moving place, if there is more of its kind
// than moves there by itself, and reports whether there is any. A page that
// mostly moves has no news of this sort.
func (m *Mark) suspect(v *View, list []group, more [link]bool) (any bool) {
	total, largest := 0, 0
	for i := range list {
		if g := &list[i]; !g.known && !g.furniture && g.moving {
			total, largest = total+int(g.size), max(largest, int(g.size))
		}
	}
	if 2*(total-largest) > v.size {
		return false
	}
	for i := range list {
		if g := &list[i]; g.kind < link && more[g.kind] && !g.known && !g.furniture && g.moving {
			g.moving, g.beside = false, true
			any = true
		}
	}
	return any
}

// rewrapped reports whether the text has moved to another place in the page, so
// that what is new may belong to the template.
func (m *Mark) rewrapped(v *View, size int) bool {
	return !v.has(m.home) && size*templateShare < v.size
}

// templateShare: if the text has moved to another place in the page, its
// template has changed. Then less than this part of the text may be news.
const templateShare = 8

// inserted reports whether what is new replaced nothing.
func (m *Mark) inserted(list []group) bool { return len(m.goneOf(list)) == 0 }

// replaces reports whether as much prose is missing as is new.
func (m *Mark) replaces(list []group) bool {
	fresh := 0
	for i := range list {
		if g := &list[i]; g.kind == prose && !g.known && !g.furniture && !g.moving {
			fresh++
		}
	}
	return fresh > 0 && fresh == len(m.goneOf(list))
}

// missed reports whether prose is missing, and less has come in its place.
func (m *Mark) missed(v *View, list []group) bool {
	fresh := max(0, comeAndGo(list)-int(m.flaps))
	for i := range list {
		if g := &list[i]; g.kind == prose && (g.back || !g.known && !g.moving && !g.furniture) {
			fresh++
		}
	}
	return v.has(m.home) && len(m.goneHere(v, list)) > fresh
}

// comeAndGo counts the prose that comes and goes and is there now.
func comeAndGo(list []group) (n int) {
	for i := range list {
		if g := &list[i]; g.kind == prose && g.flaps {
			n++
		}
	}
	return n
}

// goneOf returns the prose that stays and is not in the list.
func (m *Mark) goneOf(list []group) (gone []uint16) {
	for i := range m.groups.n {
		e := m.groups.list[i]
		if e.state() == groupStays && !slices.ContainsFunc(list, func(g group) bool { return g.print == e.print() }) {
			gone = append(gone, e.print())
		}
	}
	return gone
}

// goneHere is goneOf without prose that other pages miss too.
func (m *Mark) goneHere(v *View, list []group) []uint16 {
	return slices.DeleteFunc(m.goneOf(list), func(p uint16) bool { return slices.Contains(v.gone, p) })
}

// missing is goneOf for consulting the site.
func (m *Mark) missing(v *View) []uint16 {
	if !m.learned || m.odd(v) {
		return nil
	}
	return m.goneOf(v.groups(m.levels))
}

// freshen marks the blocks that are new on the page, and notes whether the
// structured data are new.
func (m *Mark) freshen(v *View) (data bool) {
	if !m.learned || m.odd(v) {
		return false
	}
	list := v.groups(m.levels)
	all := slices.Contains(m.texts[:m.n], textOf(v.hash))
	for i := range v.blocks {
		if b := &v.blocks[i]; b.kind < kinds {
			b.fresh = !all && !m.groups.has(list[b.group].print)
		}
	}
	return v.data != 0 && !m.groups.has(printOf(v.data))
}
