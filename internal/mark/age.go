package mark

import "strings"

// longestAge is the length in bytes of the longest text that counts as an age.
const longestAge = 48

// ages has the words that say how long ago something was, in some languages, and what must follow.
var ages = map[string]string{
	"in": "the last ", "just": "now", "yesterday": "", "this": "week",
	"vor": "", "gestern": "", "heute": "",
	"il": "y a ", "hier": "",
	"hace": "", "ayer": "",
	"ieri": "", "há": "", "ontem": "", "gisteren": "", "igår": "", "wczoraj": "", "вчера": "",
}

// ageEnds has the words that say so at the end of a text.
var ageEnds = map[string]bool{
	"ago": true, "fa": true, "atrás": true, "geleden": true, "sedan": true, "siden": true, "temu": true, "назад": true, "önce": true,
}

// isAge reports whether a text says how long ago something was, such as "Updated
// yesterday" or "vor 3 Tagen". Such a text changes by itself.
func isAge(s string) bool {
	if len(s) > longestAge {
		return false
	}
	if strings.Contains(s, "前") || strings.Contains(s, "昨") {
		return true
	}
	word, rest, more := strings.Cut(s, " ")
	for ; more; word, rest, more = strings.Cut(rest, " ") {
		if next, known := ages[strings.TrimRight(word, ",:")]; known && strings.HasPrefix(rest, next) {
			return true
		}
	}
	next, known := ages[word]
	return known && next == "" || ageEnds[word]
}
