package html

// frame is an open element.
type frame struct {
	*element
	place  uint64
	inside trait // what elements inside inherit
}

// stack holds the open block-level elements.
type stack struct {
	frames   []frame
	overflow int // open elements that were too deep to keep
}

// top returns the place and the traits inside the innermost open element.
func (s *stack) top() (place uint64, t trait) {
	if len(s.frames) == 0 {
		return rootPlace, 0
	}
	f := &s.frames[len(s.frames)-1]
	return f.place, f.inside
}

// push opens an element, to which its attributes give more traits.
func (s *stack) push(el *element, given trait) {
	if len(s.frames) == maxDepth {
		s.overflow++
		return
	}
	place, above := s.top()
	own := (el.traits | given) & inherited
	if own&inMain != 0 {
		above &^= boilerplate // the main text is not boilerplate, even in a form around the whole page
	}
	if el.name == "header" && above&(inMain|inArticle) != 0 {
		own &^= boilerplate | beside // it is the heading of the main text
	}
	s.frames = append(s.frames, frame{el, placeIn(place, el.name), own | above})
}

// innermost returns the innermost open element with a trait of wanted, if no element within which
// the search ends is further in. Otherwise it returns -1.
func (s *stack) innermost(wanted, within trait) int {
	for i := len(s.frames) - 1; i >= 0; i-- {
		switch t := s.frames[i].traits; {
		case t&wanted != 0:
			return i
		case t&within != 0:
			return -1
		}
	}
	return -1
}

// end closes the innermost el and everything open in it. It ignores an end tag whose element is not
// open in its scope. Only another table stops an end tag of a table's part.
func (s *stack) end(el *element) {
	if s.overflow > 0 {
		s.overflow--
		return
	}
	within := scope
	switch {
	case el.name == "template" || el.name == "noscript":
		within = 0
	case el.traits&table != 0 || el.within == inTable:
		within = inTable
	}
	for i := len(s.frames) - 1; i >= 0; i-- {
		f := &s.frames[i]
		if f.element == el {
			s.frames = s.frames[:i]
			return
		}
		if f.traits&within != 0 {
			return
		}
	}
}

// imply closes the elements that end where el begins.
func (s *stack) imply(el *element) {
	if el.traits&endsP != 0 {
		s.closeAll(paragraph, scope)
	}
	if el.ends != 0 {
		s.closeAll(el.ends, el.within)
	}
}

// closeAll closes the open elements with a trait of wanted, and everything open in them.
func (s *stack) closeAll(wanted, within trait) {
	for i := s.innermost(wanted, within); i >= 0; i = s.innermost(wanted, within) {
		s.frames = s.frames[:i]
	}
}
