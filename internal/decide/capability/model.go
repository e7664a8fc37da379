package capability

import (
	_ "embed"
	"strings"

	"github.com/servemap/servemap/internal/page/escape"
)

// The classes of a character.
const (
	Edge uint8 = iota // not part of a word
	Lower
	Upper
	Digit
)

// The sizes of the tables, in cells. A symbol is an edge, a letter of either case, or a digit. A
// turn is what follows: an edge or a letter.
const (
	Symbols = 28
	Turns   = 27
	Shapes  = 4 * 4 * 4            // two classes and the one that follows them
	Sounds  = 27 * Symbols * Turns // two symbols, the first not a digit, and the turn after them
)

// model says in its first line where it comes from. The other lines are the tables. Each has a
// character for each cell that [Cells] reads.
//
//go:embed model.txt
var model string

var shapeCosts, soundCosts = readModel()

func readModel() (shapes, sounds string) {
	_, tables, _ := strings.Cut(model, "\n")
	tables = strings.Join(strings.Fields(tables), "")
	return tables[:Shapes], tables[Shapes:]
}

// Class returns the class of a character.
func Class(c byte) uint8 {
	switch {
	case 'a' <= c && c <= 'z':
		return Lower
	case 'A' <= c && c <= 'Z':
		return Upper
	case '0' <= c && c <= '9':
		return Digit
	}
	return Edge
}

// Cells reads the cells of a word, for each character and for the end. sound is below 0 for a digit,
// since all digits are equally likely. The program that makes the tables reads them here too.
func Cells(word string, read func(shape, sound int)) {
	const number = Symbols - 1
	first, second, before, near := 0, 0, Edge, Edge // symbols and classes, the nearer one last
	for i := range len(word) + 1 {
		c := byte(0)
		if i < len(word) {
			c = word[i]
		}
		class := Class(c)
		shape := (int(before)<<2|int(near))<<2 | int(class)
		switch {
		case class == Upper && near == Lower:
			first, second = 0, 0 // a hump of CamelCase begins like a word
		case class == Lower && near == Upper && before == Upper:
			first = 0 // the last capital of HTTPServer begins a hump
		}
		turn := int(c & 0x1f)
		switch {
		case class == Digit:
			read(shape, -1)
			first, second = 0, number
		case class == Edge && near == Digit:
			read(shape, -1)
		default:
			read(shape, (first*Symbols+second)*Turns+turn)
			if first, second = second, turn; first == number {
				first = 0
			}
		}
		before, near = near, class
	}
}

// Scores are in sixteenths of a nat. They say how much likelier random characters are than words.
// All words of an element are also judged together, since tokens in base64url fall apart at their
// dashes. That needs a higher score, because rare words in a title add up in the same way.
const (
	unit         = 16
	tableUnit    = unit / 8  // the tables have eighths
	firstChar    = '!'       // of the tables, stands for 0
	mixedLimit   = 7 * unit  // of words with digits
	humpsLimit   = 10 * unit // of letters of both cases, with a capital that is not the first character
	plainLimit   = 13 * unit // of letters of one case: there are more languages than the model knows
	longLength   = 16        // characters; longer words are rarer than tokens
	longBonus    = 3 * unit  // how much less they need, unless they have capitals inside, as in HowToReleaseLLVM
	segmentLimit = 16 * unit
)

// The costs of a random character of an alphabet, and of a token's end.
const (
	edgeCost   = 40 // ln 12
	digitCost  = 37 // ln 10
	hexCost    = 44 // ln 16
	caseCost   = 52 // ln 26
	base36Cost = 57 // ln 36
	base52Cost = 63 // ln 52
	base62Cost = 66 // ln 62
)

// score returns how much likelier a word of letters and digits is as a random token than as a word.
// Above limit it counts as a token. The token is from the smallest usual alphabet that has its characters.
func score(word string) (score, limit int) {
	var seen [4]bool
	hex, humps := true, false
	for i := range len(word) {
		c := word[i]
		class := Class(c)
		seen[class] = true
		hex = hex && escape.IsHex(c)
		humps = humps || class == Upper && i > 0
	}
	mixed := seen[Lower] && seen[Upper]
	humps = humps && mixed
	random, limit := caseCost, plainLimit
	switch {
	case seen[Digit] && mixed:
		random, limit = base62Cost, mixedLimit
	case seen[Digit] && !seen[Lower] && !seen[Upper], !seen[Digit] && !humps && len(word) < minLetters:
		return 0, 0
	case seen[Digit] && hex:
		random, limit = hexCost, mixedLimit
	case seen[Digit]:
		random, limit = base36Cost, mixedLimit
	case humps:
		random, limit = base52Cost, humpsLimit
	case mixed:
		random = base52Cost
	}
	if len(word) >= longLength && !humps {
		limit -= longBonus
	}
	cost := -edgeCost
	Cells(word, func(shape, sound int) {
		if cost += int(shapeCosts[shape]-firstChar) * tableUnit; sound < 0 {
			cost += digitCost
		} else {
			cost += int(soundCosts[sound]-firstChar) * tableUnit
		}
	})
	return cost - len(word)*random, limit
}
