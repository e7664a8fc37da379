package html

// frame is an open element.
type frame struct {
	place     uint64
	prev      int32 // the next lower frame with the same element, or -1
	prevScope int32 // the next lower frame that is a scope, or -1
	traits    trait // own and inherited
	el        element
}

// stack holds the open block-level elements. Each frame links to the next lower one of the same
// element, so an end tag needs no search. Every operation takes constant time, plus the time for
// the frames it removes.
type stack struct {
	frames   []frame
	last     [elements]int32 // the topmost frame of each element, or -1
	scope    int32           // the topmost frame that is a scope, or -1
	overflow int             // open elements that were too deep to keep
}

func (s *stack) reset() {
	s.frames = s.frames[:0]
	for i := range s.last {
		s.last[i] = -1
	}
	s.scope = -1
	s.overflow = 0
}

// top returns the place and the traits inside the innermost open element.
func (s *stack) top() (place uint64, t trait) {
	if len(s.frames) == 0 {
		return rootPlace, 0
	}
	f := &s.frames[len(s.frames)-1]
	return f.place, f.traits & inherited
}

// foreign reports whether an svg or math element is open. In those, a slash ends
// any element.
func (s *stack) foreign() bool { return s.last[elSVG] >= 0 || s.last[elMath] >= 0 }

// push opens an element with the traits t.
func (s *stack) push(el element, name []byte, t trait) {
	if len(s.frames) == maxDepth {
		s.overflow++
		return
	}
	place, above := s.top()
	t, above = within(el, t, above)
	i := int32(len(s.frames))
	s.frames = append(s.frames, frame{
		place:     placeIn(place, name),
		prev:      s.last[el],
		prevScope: s.scope,
		traits:    t | above,
		el:        el,
	})
	s.last[el] = i
	if t&scope != 0 {
		s.scope = i
	}
}

// within separates the traits of an element from those it inherits. The main text is not furniture,
// even in a form around the whole page. A header inside the main text is its heading, not
// furniture.
func within(el element, own, above trait) (trait, trait) {
	if own&inMain != 0 {
		above &^= furniture
	}
	if el == elHeader && above&(inMain|inArticle) != 0 {
		own &^= furniture
	}
	return own, above
}

// popTo closes the frames from i on.
func (s *stack) popTo(i int32) {
	for j := int32(len(s.frames)) - 1; j >= i; j-- {
		f := &s.frames[j]
		s.last[f.el] = f.prev
		s.scope = f.prevScope
	}
	s.frames = s.frames[:i]
}

// end closes the innermost el and everything open in it. It ignores an end tag whose element is not
// open in its scope.
func (s *stack) end(el element) {
	if s.overflow > 0 {
		s.overflow--
		return
	}
	if i := s.last[el]; i >= 0 && i >= s.scopeFor(el) {
		s.popTo(i)
	}
}

// scopeFor returns the lowest frame that an end tag of el can close. Only another table stops an
// end tag of a table's part.
func (s *stack) scopeFor(el element) int32 {
	switch el {
	case elTable, elCaption, elTHead, elTBody, elTFoot, elTR, elTD, elTH:
		return s.tableScope()
	case elTemplate, elNoscript:
		return -1
	}
	return s.scope
}

// imply closes the elements that end where el begins: a paragraph ends at a block, an item at the
// next item.
func (s *stack) imply(el element) {
	if traits[el]&endsP != 0 {
		if i := s.last[elP]; i > s.scope {
			s.popTo(i)
		}
	}
	switch el {
	case elLI:
		s.closeAny(max(s.scope, s.last[elUL], s.last[elOL], s.last[elMenu]), elLI, elLI)
	case elDD, elDT:
		s.closeAny(max(s.scope, s.last[elDL]), elDD, elDT)
	case elTD, elTH:
		s.closeAny(s.tableScope(), elTD, elTH)
	case elTR:
		s.closeAny(s.tableScope(), elTR, elCaption)
	case elTHead, elTBody, elTFoot:
		within := s.tableScope()
		s.closeAny(within, elCaption, elTHead)
		s.closeAny(within, elTBody, elTFoot)
	}
}

func (s *stack) tableScope() int32 { return max(s.last[elTable], s.last[elTemplate]) }

// closeAny takes the innermost a and the innermost b above the frame within. It closes the lower
// one, with everything open in it.
func (s *stack) closeAny(within int32, a, b element) {
	i, j := s.last[a], s.last[b]
	if i <= within || j > within && j < i {
		i = j
	}
	if i > within {
		s.popTo(i)
	}
}
