package mark

import "strings"

// longestAge is the length in bytes of the longest text that counts as an age.
const longestAge = 48

// ages are words, in some languages, of texts that say how long ago something was.
var ages = [...]string{
	" ago", "in the last ", "just now", "yesterday", "this week", "vor ", "gestern", "heute", "il y a ", "hier ", "hace ", "ayer", " fa", "ieri",
	" atrás", "há ", "ontem", " geleden", "gisteren", " sedan", "igår", " siden", " temu", "wczoraj", " назад", "вчера", "前", "昨", " önce",
}

// isAge reports whether a text says how long ago something was, such as "Updated
// yesterday" or "vor 3 Tagen". Such a text changes by itself.
func isAge(s string) bool {
	if len(s) > longestAge {
		return false
	}
	for _, word := range ages {
		if i := strings.Index(s, word); i >= 0 && (word[0] != ' ' || i+len(word) == len(s)) {
			return true
		}
	}
	return false
}
