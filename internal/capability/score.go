package capability

import (
	"github.com/servemap/servemap/internal/capability/letters"
	"github.com/servemap/servemap/internal/escape"
)

// Scores are in sixteenths of a nat: how much likelier random characters are than words. The tables have eighths.
const (
	unit      = 16
	tableUnit = unit / 8
	firstChar = '!' // of the tables, stands for 0
)

// The bounds of a score. A word is judged from minLength on. All words of a segment are judged together too, since
// base64url tokens fall apart at their dashes. That takes a higher score, because rare words of a title add up in the
// same way. Words of one case are the least certain: there are more languages than the tables know.
const (
	minLength    = 8         // characters; shorter words are not judged
	longLength   = 16        // characters; from here on words are rarer than tokens
	longBonus    = 3 * unit  // so much less is needed of those, unless capitals stand within, as in HowToReleaseLLVM
	mixedLimit   = 7 * unit  // for digits among letters
	humpsLimit   = 10 * unit // for letters of both cases, where the first is not the only capital
	plainLimit   = 13 * unit // for letters of one case
	perLetter    = unit / 2  // for each letter beyond longLength; random characters score three times as much
	minPart      = 3         // characters of a word that counts for its segment
	segmentLimit = 16 * unit
	perCharacter = 3 * unit / 2 // of a segment; random characters score twice as much
	maxLength    = 48           // characters; longer words must read like words
)

// The costs that do not depend on what came before: a character of an alphabet, and the end of a token.
const (
	edgeCost   = 40 // ln 12
	digitCost  = 37 // ln 10
	hexCost    = 44 // ln 16
	caseCost   = 52 // ln 26
	base36Cost = 57 // ln 36
	base52Cost = 63 // ln 52
	base62Cost = 66 // ln 62
)

// score returns how much likelier a word of letters and digits is as a random token than as a word, and the bound from
// which on it counts as one.
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

// cells returns what the cells of a character cost.
func cells(shape, sound int) int {
	cost := int(shapeCosts[shape]-firstChar) * tableUnit
	if sound < 0 {
		return cost + digitCost
	}
	return cost + int(soundCosts[sound]-firstChar)*tableUnit
}

// alphabet returns the cost of a random character of the smallest usual alphabet that has all the characters that were
// seen, and the bound for such words. Words of digits alone are not judged.
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
