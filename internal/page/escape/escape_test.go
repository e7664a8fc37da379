package escape

import (
	"fmt"
	"testing"
)

func TestEveryByteIsEscapedAndReadAgain(t *testing.T) {
	for i := range 256 {
		c := byte(i)
		upper, lower := fmt.Sprintf("%%%02X", c), fmt.Sprintf("%%%02x", c)
		if got := string(Append([]byte("a"), c)); got != "a"+upper {
			t.Errorf("%#x is escaped as %q", c, got)
		}
		for _, s := range []string{upper, lower, upper + "rest"} {
			if !Is(s) || Byte(s) != c {
				t.Errorf("%q is an escape: %v, of %#x", s, Is(s), Byte(s))
			}
		}
	}
}

func TestBrokenEscapesAreNotTakenForEscapes(t *testing.T) {
	for _, s := range []string{"", "%", "%2", "%2G", "%G2", "2A", "a%2A", "%%2A", "% 2", "%/0", "%:0", "%@0", "%`0"} {
		if Is(s) {
			t.Errorf("%q is taken for an escape", s)
		}
	}
}
