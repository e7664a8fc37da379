package page

import (
	"bytes"

	"github.com/zeebo/xxh3"
)

// hashData returns a hash of the values in a script of structured data, each
// with the name before it. It reads the pieces of JSON without asking whether
// they are in order: a script that is no JSON has a hash too, and the same one
// each time.
func hashData(script []byte) (sum uint64) {
	var name []byte
	for i := 0; i < len(script); {
		switch c := script[i]; {
		case c == '"':
			s := jsonString(script[i:])
			i += len(s)
			if rest := script[i+skipSpace(script[i:]):]; len(rest) > 0 && rest[0] == ':' {
				name = s
				continue
			}
			sum += hashValue(name, s)
		case c <= ' ', c == ',', c == ':', c == '{', c == '}', c == '[', c == ']':
			i++
		default:
			n := bytes.IndexAny(script[i:], " \t\r\n,]}\"")
			if n < 0 {
				n = len(script) - i
			}
			n = max(n, 1)
			sum += hashValue(name, script[i:i+n])
			i += n
		}
	}
	return sum
}

// jsonString returns the string that b begins with, with its quotes.
func jsonString(b []byte) []byte {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return b[:i+1]
		}
	}
	return b
}

func hashValue(name, value []byte) uint64 {
	if moves(name) {
		return 0
	}
	return xxh3.HashSeed(value, xxh3.Hash(name))
}

// moves reports whether a property has a value that changes while what is
// described does not: a date or how often something happened (schema.org).
func moves(name []byte) bool {
	name = bytes.Trim(name, `"`)
	for _, end := range [...]string{"Date", "Time", "Until", "Count", "Modified", "Published", "Created"} {
		if bytes.HasSuffix(name, []byte(end)) {
			return true
		}
	}
	return false
}
