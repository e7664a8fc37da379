package robots

import (
	"iter"
	"strings"
)

// Sitemaps yields the values of the Sitemap lines of a robots.txt, as written. These lines do not
// belong to any group.
func Sitemaps(file []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range strings.FieldsFuncSeq(string(file), func(c rune) bool { return c == '\r' || c == '\n' }) {
			name, value, ok := cutField(line)
			if ok && (strings.EqualFold(name, "sitemap") || strings.EqualFold(name, "site-map")) && !yield(value) {
				return
			}
		}
	}
}
