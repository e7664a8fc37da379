package mark

import "strings"

// longestAge is the length in bytes of the longest text that counts as an age.
const longestAge = 48

// Words, in some languages, of texts that say how long ago something was.
var (
	ages = [...]string{ // anywhere in the text
		"in the last ", "just now", "yesterday", "this week", "vor ", "gestern", "heute", "il y a ", "hier ", "hace ", "ayer", "ieri",
		"há ", "ontem", "gisteren", "igår", "wczoraj", "вчера", "前", "昨",
	}
	ageEnds = [...]string{" ago", " fa", " atrás", " geleden", " sedan", " siden", " temu", " назад", " önce"} // at its end
)

// isAge reports whether a text says how long ago something was, such as "Updated
// yesterday" or "vor 3 Tagen". Such a text changes by itself.
func isAge(s string) bool {
	if len(s) > longestAge {
		return false
	}
	for _, end := range ageEnds {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	for _, word := range ages {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}
