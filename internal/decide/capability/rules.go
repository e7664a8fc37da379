package capability

import (
	"bytes"

	"github.com/servemap/servemap/internal/decide/capability/letters"
	"github.com/servemap/servemap/internal/page/escape"
)

const (
	minHex    = 16 // from this length on, a run of both hexadecimal digits and letters is a token
	pureHex   = 32 // from this length on, a run of only one kind is too
	maxDigits = 12 // longer runs of digits are random numbers
	minJWT    = 21
	lenULID   = 26
)

// ruled reports whether a word has the shape of a token.
func ruled(word []byte) bool {
	return len(word) > maxDigits && (hasHex(word) || hasNumber(word) || isULID(word))
}

// hasUUID reports whether s has five groups of 8, 4, 4, 4 and 12 hexadecimal digits, joined by
// dashes.
func hasUUID(s []byte) bool {
	const size = 36
	for i := 8; i+size-8 <= len(s); i++ {
		if s[i] == '-' && s[i+5] == '-' && s[i+10] == '-' && s[i+15] == '-' &&
			allHex(s[i-8:i]) && allHex(s[i+1:i+5]) && allHex(s[i+6:i+10]) && allHex(s[i+11:i+15]) && allHex(s[i+16:i+28]) {
			return true
		}
	}
	return false
}

func allHex(s []byte) bool {
	for _, c := range s {
		if !escape.IsHex(c) {
			return false
		}
	}
	return true
}

// hasHex reports whether a word has a long run of hexadecimal digits.
func hasHex(word []byte) bool {
	run, digits := 0, 0
	for _, c := range word {
		if !escape.IsHex(c) {
			run, digits = 0, 0
			continue
		}
		run++
		if c <= '9' {
			digits++
		}
		if run >= pureHex || run >= minHex && 0 < digits && digits < run {
			return true
		}
	}
	return false
}

// hasNumber reports whether a word has a long run of digits that is neither an ISBN nor a time.
func hasNumber(word []byte) bool {
	for i := 0; i < len(word); i++ {
		start := i
		for i < len(word) && letters.Class(word[i]) == letters.Digit {
			i++
		}
		if run := word[start:i]; len(run) > maxDigits && !isISBN(run) && !isTime(run) {
			return true
		}
	}
	return false
}

// isISBN reports whether digits are an ISBN-13 (ISO 2108): a prefix and a check digit.
func isISBN(digits []byte) bool {
	if len(digits) != 13 || !bytes.HasPrefix(digits, []byte("978")) && !bytes.HasPrefix(digits, []byte("979")) {
		return false
	}
	sum := 0
	for i, c := range digits {
		sum += int(c-'0') * (1 + 2*(i&1))
	}
	return sum%10 == 0
}

// isTime reports whether digits are a date and time like 20261121103000.
func isTime(digits []byte) bool {
	if len(digits) != 14 {
		return false
	}
	century := string(digits[:2])
	return (century == "19" || century == "20") && between(digits[4:6], 1, 12) && between(digits[6:8], 1, 31) &&
		between(digits[8:10], 0, 23) && between(digits[10:12], 0, 59) && between(digits[12:14], 0, 59)
}

func between(two []byte, low, high int) bool {
	n := int(two[0]-'0')*10 + int(two[1]-'0')
	return low <= n && n <= high
}

// isULID reports whether a word is a ULID: 128 bits in Crockford's base 32, so the first character
// is at most 7.
func isULID(word []byte) bool {
	if len(word) != lenULID || word[0] < '0' || word[0] > '7' {
		return false
	}
	for _, c := range word {
		switch c | 0x20 {
		case 'i', 'l', 'o', 'u':
			return false
		}
	}
	return true
}

// isJWT reports whether s begins like JSON in base 64, as the tokens of RFC 7519 do, and is long
// enough.
func isJWT(s []byte) bool {
	return len(s) >= minJWT && s[0] == 'e' && s[1] == 'y' && s[2] == 'J'
}

// isRoman reports whether a word may be a Roman number. Letters follow each other there as in no
// word.
func isRoman(word []byte) bool {
	for _, c := range word {
		switch c | 0x20 {
		case 'i', 'v', 'x', 'l', 'c', 'd', 'm':
		default:
			return false
		}
	}
	return true
}

// digestPrefixes are the beginnings of names that Doxygen gives to pages of folders and members.
// Such names end in an MD5 of a public name: dir_d41d8cd98f00b204e9800998ecf8427e.html,
// group__api_1ga0cc175b9c0f1b6a831c399e269772661.html.
var digestPrefixes = [...]string{"dir_", "class", "struct", "union", "namespace", "interface", "group__"}

// withoutDigest returns a Doxygen name, which has lost its extension, without its final digest. It
// returns any other name unchanged.
func withoutDigest(s []byte) []byte {
	const size = 32
	at := len(s) - size
	if at < 1 || !allHex(s[at:]) {
		return s
	}
	name, cut := bytes.CutSuffix(bytes.TrimRight(s[:at], "ag1"), []byte("_"))
	if !cut {
		return s
	}
	for _, prefix := range digestPrefixes {
		if bytes.HasPrefix(s, []byte(prefix)) {
			return name
		}
	}
	return s
}

// skipEscape returns where the word at start really begins: after the rest of an escape that
// Texinfo uses in file names. _005f is an underscore.
func skipEscape(s []byte, start int) int {
	const size = 4
	end := start + size
	if start > 0 && s[start-1] == '_' && end <= len(s) && s[start] == '0' && s[start+1] == '0' && allHex(s[start:end]) {
		return end
	}
	return start
}
