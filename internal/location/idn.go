package location

import (
	"fmt"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// toASCII converts a host name that is written in another script to the form sent over the wire, as browsers do when
// they look it up.
func toASCII(name string) (string, error) {
	// The conversion would replace what is not UTF-8 and go on.
	if !utf8.ValidString(name) {
		return "", fmt.Errorf("host %q is not UTF-8", name)
	}
	ascii, err := idna.Lookup.ToASCII(name)
	if err != nil {
		return "", fmt.Errorf("host %q cannot be converted to punycode: %w", name, err)
	}
	return ascii, nil
}
