package html

import (
	"regexp"
	"slices"
	"strings"
)

// maxLinkHeader is how many bytes of one Link header are read.
const maxLinkHeader = 16 << 10

// linkValue matches a link of a Link header: its target, and its parameters up to the next link. canonicalRel
// matches parameters of which a rel has the word canonical.
var (
	linkValue    = regexp.MustCompile(`<([^<>]*)>([^<]*)`)
	canonicalRel = regexp.MustCompile(`(?i);[ \t]*rel[ \t]*=[^;,]*\bcanonical\b`)
)

// LinkCanonicals returns the distinct targets with rel=canonical in Link headers (RFC 8288), as
// written. More than one is a conflict, also if one is for another context or for a variant of the page.
func LinkCanonicals(values []string) (found []string) {
	for _, v := range values {
		for _, link := range linkValue.FindAllStringSubmatch(v[:min(len(v), maxLinkHeader)], -1) {
			target := string(trimHref([]byte(link[1])))
			if target != "" && IsWeb(target) && canonicalRel.MatchString(link[2]) && !slices.Contains(found, target) {
				found = append(found, target)
			}
		}
	}
	return found
}

// hasToken reports whether a list separated by white space holds a token, in any case.
func hasToken(list, token string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(word string) bool { return strings.EqualFold(word, token) })
}
