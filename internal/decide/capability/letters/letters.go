// Package letters says which cells of the trained tables each letter of a word reads. The program
// that trains the tables and the one that reads them share it, so that they cannot differ.
package letters

// The symbols of a context. 1 to 26 stand for a letter of either case.
const (
	edge   = 0  // the edge of a word, or of one of its humps
	number = 27 // a digit
)

// The classes of a character.
const (
	Edge uint8 = iota
	Lower
	Upper
	Digit
)

// The sizes of the tables, in cells.
const (
	Symbols = 28                   // symbols in a context
	Turns   = 27                   // what may follow a context: the edge, or a letter
	Shapes  = 4 * 4 * 4            // two classes and the one that follows them
	Sounds  = 27 * Symbols * Turns // two symbols, the first not a digit, and the turn after them
)

// Walk goes through a word. The zero value is at a word's beginning. It is not safe for concurrent
// use.
type Walk struct {
	first, second uint8 // the two symbols before, the nearer one last
	history       uint8 // the two classes before, the nearer one in the lowest two bits
}

// Class returns the class of a character of a word, or Edge if it is not part of a word.
func Class(c byte) uint8 { return classes[c] }

// Next takes the next character of the word and returns the cells that it reads. It reads no sound
// if sound is negative, as for a digit: all digits are equally likely.
func (w *Walk) Next(c byte) (shape, sound int) {
	class := classes[c]
	shape = int(w.history)<<2 | int(class)
	near, far := w.history&3, w.history>>2
	w.history = w.history<<2&0xf | class
	if class == Digit {
		w.first, w.second = edge, number
		return shape, -1
	}
	if class == Upper && near == Lower {
		w.first, w.second = edge, edge // a hump of CamelCase begins like a word
	}
	if class == Lower && near == Upper && far == Upper {
		w.first = edge // the last capital of HTTPServer begins a hump
	}
	letter := c & 0x1f
	sound = w.cell(letter)
	w.first, w.second = w.second, letter
	if w.first == number {
		w.first = edge
	}
	return shape, sound
}

// End returns the cells that the end of the word reads.
func (w *Walk) End() (shape, sound int) {
	shape = int(w.history) << 2
	if w.history&3 == Digit {
		return shape, -1
	}
	return shape, w.cell(edge)
}

func (w *Walk) cell(turn uint8) int {
	return (int(w.first)*Symbols+int(w.second))*Turns + int(turn)
}

var classes = buildClasses()

func buildClasses() (t [256]uint8) {
	for c := range byte(26) {
		t['a'+c], t['A'+c] = Lower, Upper
	}
	for c := byte('0'); c <= '9'; c++ {
		t[c] = Digit
	}
	return t
}
