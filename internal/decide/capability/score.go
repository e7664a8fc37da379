package capability

import (
	_ "embed"
	"strings"

	"github.com/servemap/servemap/internal/decide/capability/letters"
	"github.com/servemap/servemap/internal/page/escape"
)

// model says in its first line where it comes from. The other lines are the tables.
//
//go:embed model.txt
var model string

// shapeCosts and soundCosts have a character for each cell that package letters counts.
var shapeCosts, soundCosts = readModel()

func readModel() (shapes, sounds string) {
	_, tables, _ := strings.Cut(model, "\n")
	tables = strings.Join(strings.Fields(tables), "")
	return tables[:letters.Shapes], tables[letters.Shapes:]
}

// Scores are in sixteenths of a nat. They say how much likelier random characters are than words.
// The tables have eighths.
const (
	unit      = 16
	tableUnit = unit / 8
	firstChar = '!' // of the tables, stands for 0
)

// The limits of scores. A word is judged if it has at least minLength characters. All words of a
// segment are also judged together, since base64url tokens fall apart at their dashes. That needs a
// higher score, because rare words in a title add up in the same way. Words in one case are the
// least certain: there are more languages than the tables know.
const (
	minLength    = 8         // characters; shorter words are not judged
	longLength   = 16        // characters; longer words are rarer than tokens
	longBonus    = 3 * unit  // how much less long words need, unless they have capitals inside, as in HowToReleaseLLVM
	mixedLimit   = 7 * unit  // for digits among letters
	humpsLimit   = 10 * unit // for letters of both cases, with a capital that is not the first character
	plainLimit   = 13 * unit // for letters of one case
	perLetter    = unit / 2  // for each letter beyond longLength; random characters score three times as much
	minPart      = 3         // characters; shorter words do not count for their segment
	segmentLimit = 16 * unit
	perCharacter = 3 * unit / 2 // per character of a segment; random characters score twice as much
	maxLength    = 48           // characters; longer words must read like words
)

// Costs that do not depend on the characters before: one for the end of a token, the others for a
// character of an alphabet.
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
// From limit on, it counts as a token.
func score(word []byte) (score, limit int) {
	var w letters.Walk
	var seen [4]bool
	cost, hex, humps := 0, true, false
	for i, c := range word {
		class := letters.Class(c)
		seen[class] = true
		hex = hex && escape.IsHex(c)
		humps = humps || class == letters.Upper && i > 0
		cost += cells(w.Next(c))
	}
	cost += cells(w.End()) - edgeCost
	random, limit := alphabet(seen[letters.Lower], seen[letters.Upper], seen[letters.Digit], hex, humps)
	if random == 0 {
		return 0, 0
	}
	if len(word) >= longLength {
		limit += (len(word) - longLength) * perLetter
		if !humps {
			limit -= longBonus
		}
	}
	return cost - len(word)*random, limit
}

// cells returns the cost of a character's cells.
func cells(shape, sound int) int {
	cost := int(shapeCosts[shape]-firstChar) * tableUnit
	if sound < 0 {
		return cost + digitCost
	}
	return cost + int(soundCosts[sound]-firstChar)*tableUnit
}

// alphabet returns the cost of a random character, and the limit for such words. The character is
// from the smallest usual alphabet with all the characters that were seen. Words of digits alone
// are not judged.
func alphabet(lower, upper, digit, hex, humps bool) (cost, limit int) {
	switch {
	case lower && upper && digit:
		return base62Cost, mixedLimit
	case lower && upper && humps:
		return base52Cost, humpsLimit
	case lower && upper:
		return base52Cost, plainLimit
	case !digit:
		return caseCost, plainLimit
	case !lower && !upper:
		return 0, 0
	case hex:
		return hexCost, mixedLimit
	default:
		return base36Cost, mixedLimit
	}
}
