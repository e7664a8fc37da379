package sitemap

import (
	"slices"
	"strings"
)

// EscapedLen returns how many bytes an address takes once it is escaped. An entry takes at
// most MaxEntryOverhead more.
func EscapedLen(loc string) int { return len(EscapedAddress(loc)) }

// EscapedAddress returns an address as a file has it, escaped as encoding/xml does it.
func EscapedAddress(loc string) string { return escaper.Replace(loc) }

var escaper = strings.NewReplacer("&", "&amp;", "'", "&#39;", `"`, "&#34;", "<", "&lt;", ">", "&gt;")

// isAddress reports whether an address may be listed.
func isAddress(loc string) bool {
	if loc == "" || len(loc) > maxLoc {
		return false
	}
	for i := range len(loc) {
		if loc[i] < 0x21 || loc[i] > 0x7E {
			return false
		}
	}
	return true
}

// ValidFreq reports whether s is one of the protocol's seven words, or empty.
func ValidFreq(s string) bool { return s == "" || slices.Contains(freqs[:], s) }

var freqs = [...]string{"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}
