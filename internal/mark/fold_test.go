package mark

import "testing"

func TestDigitIsFoundAmongAnyBytes(t *testing.T) {
	for c := range 256 {
		for _, other := range []byte{' ', '/', ':', 0x7f, 0x80, 0xff} {
			for i := range 8 {
				s := [8]byte{other, other, other, other, other, other, other, other}
				s[i] = byte(c)
				if got := hasDigits(s); got != isDigit(byte(c)) {
					t.Fatalf("%q: found a digit: %v", s, got)
				}
			}
		}
	}
}
