package words

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
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
		thing = plural(thing)
	}
	return Thousands(fmt.Sprint(n)) + " " + thing
}

var (
	hissing   = regexp.MustCompile(`(?:s|x|z|ch|sh)$`)
	consonant = regexp.MustCompile(`[^aeiou]y$`)
)

// plural returns the name of several things.
func plural(thing string) string {
	switch {
	case hissing.MatchString(thing):
		return thing + "es"
	case consonant.MatchString(thing):
		return strings.TrimSuffix(thing, "y") + "ies"
	}
	return thing + "s"
}

var forms = regexp.MustCompile(`\{([^{}|]*\|[^{}]*)\}`)

// Form returns a text for n things: of {page is|pages are} it takes the first for one, the last for more. A third form
// may stand before these for 0; without it, 0 takes the first.
func Form(text string, n int) string {
	return forms.ReplaceAllStringFunc(text, func(braced string) string {
		all := strings.Split(braced[1:len(braced)-1], "|")
		switch last := len(all) - 1; {
		case n > 1:
			return all[last]
		case n == 1:
			return all[last-1]
		}
		return all[0]
	})
}

// Size writes a number of bytes.
func Size(n int) string {
	switch {
	case n < 1000:
		return Count(n, "byte")
	case n < 999_950: // from here on it would round to 1000.0 kB
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
