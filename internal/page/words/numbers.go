package words

import (
	"fmt"
	"strconv"
)

// Thousands puts commas between the thousands of the digits of a whole number.
func Thousands(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Number writes a whole number.
func Number(n int) string { return Thousands(strconv.Itoa(n)) }

// Count writes a number of things.
func Count[N int | uint64](n N, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return Thousands(fmt.Sprint(n)) + " " + thing
}

// Size writes a number of bytes.
func Size(n int) string {
	switch {
	case n < 1000:
		return Count(n, "byte")
	case n < 999_950: // else it were 1000.0 kB
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
