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

// pop closes the innermost element that is wanted, and everything open in it. It reports false if there is none,
// or if an element with a trait of within is further in.
func (s *stack) pop(wanted func(*element) bool, within trait) bool {
	for i := len(s.frames) - 1; i >= 0; i-- {
		if el := s.frames[i].element; wanted(el) {
			s.frames = s.frames[:i]
			return true
		} else if el.traits&within != 0 {
			return false
		}
	}
	return false
}

// end closes the innermost el. It ignores an end tag whose element is not open in its scope. Only another table stops
// an end tag of a table's part.
func (s *stack) end(el *element) {
	if s.overflow > 0 {
		s.overflow--
		return
	}
	within := scope
	switch {
	case el.name == "template" || el.name == "noscript":
		within = 0
	case el.traits&inTable != 0:
		within = table | inert
	}
	s.pop(func(open *element) bool { return open == el }, within)
}

// imply closes the elements that end where el begins.
func (s *stack) imply(el *element) {
	if el.traits&endsP != 0 {
		for s.pop(func(open *element) bool { return open.traits&paragraph != 0 }, scope) {
		}
	}
	for el.ends != 0 && s.pop(func(open *element) bool { return open.traits&el.ends != 0 }, el.within) {
	}
}
