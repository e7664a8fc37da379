package observation

import (
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/schema/shards"
)

// The limits for the alternates of one page.
const (
	AlternatesKept  = 100
	AlternatesBytes = 16 << 10 // of languages and locations
)

// alternates returns the locations that the page names as itself in other languages, each once per
// language.
func alternates(norm *location.Normalizer, from string, facts *html.Facts) (found []shards.Alternate) {
	base, size := norm.Base(from, facts.Base), 0
	for _, a := range facts.Alternates {
		to := norm.Resolve(base, a.Href)
		p := shards.Alternate{Lang: strings.ToLower(a.Lang), Location: to.Location}
		if to.Reason != location.ReasonNone || strings.Contains(p.Lang, " ") || slices.Contains(found, p) {
			continue
		}
		if size += len(p.Lang) + len(p.Location); size > AlternatesBytes || len(found) == AlternatesKept {
			break
		}
		found = append(found, p)
	}
	return found
}
