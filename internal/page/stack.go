package page

// maxDepth bounds the open elements that are kept, and so the time to find one of them. Browsers
// keep 512.
const maxDepth = 256

// frame is an open element.
type frame struct {
	place  uint64
	traits trait // own and inherited
	el     element
}

// stack holds the open block-level elements.
type stack struct {
	frames     []frame
	paragraphs int // open p elements
	overflow   int // open elements that were too deep to keep
}

func (s *stack) reset() { *s = stack{frames: s.frames[:0]} }

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
func (s *stack) foreign() bool {
	for i := range s.frames {
		if name := s.frames[i].el.name(); name == "svg" || name == "math" {
			return true
		}
	}
	return false
}

// push opens an element with the traits t.
func (s *stack) push(el element, name []byte, t trait) {
	if len(s.frames) == maxDepth {
		s.overflow++
		return
	}
	place, above := s.top()
	if t&inMain != 0 {
		above &^= furniture // the main text is not furniture, even in a form around the whole page
	}
	if el.name() == "header" && above&(inMain|inArticle) != 0 {
		t &^= furniture // it is the heading of the main text
	}
	if t&paragraph != 0 {
		s.paragraphs++
	}
	s.frames = append(s.frames, frame{placeIn(place, name), t | above, el})
}

// popTo closes the frames from i on.
func (s *stack) popTo(i int) {
	for s.paragraphs > 0 && len(s.frames) > i {
		if s.frames[len(s.frames)-1].traits&paragraph != 0 {
			s.paragraphs--
		}
		s.frames = s.frames[:len(s.frames)-1]
	}
	s.frames = s.frames[:i]
}

// end closes the innermost el and everything open in it. It ignores an end tag whose element is not
// open in its scope. Only another table stops the end tag of a table's part, and nothing that of a
// template or noscript.
func (s *stack) end(el element) {
	if s.overflow > 0 {
		s.overflow--
		return
	}
	within := scope
	switch {
	case el.name() == "template" || el.name() == "noscript":
		within = 0
	case el.traits()&(table|caption|tableRows|tableRow|cell) != 0:
		within = table
	}
	for i := len(s.frames) - 1; i >= 0; i-- {
		f := &s.frames[i]
		if f.el == el {
			s.popTo(i)
			return
		}
		if f.traits&within != 0 {
			return
		}
	}
}

// imply closes the elements that end where an element with the traits t begins.
func (s *stack) imply(t trait) {
	for _, rule := range implied {
		if t&rule.begins != 0 && (rule.ends != paragraph || s.paragraphs > 0) {
			s.close(rule.ends, rule.within)
		}
	}
}

// close closes the outermost element with a trait of ends, with everything open in it, and nothing
// outside of the innermost element with a trait of within.
func (s *stack) close(ends, within trait) {
	found := -1
	for i := len(s.frames) - 1; i >= 0; i-- {
		t := s.frames[i].traits
		if t&ends != 0 {
			found = i
		}
		if t&within != 0 {
			break
		}
	}
	if found >= 0 {
		s.popTo(found)
	}
}
