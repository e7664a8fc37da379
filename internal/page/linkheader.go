package page

import (
	"regexp"
	"slices"
	"strings"
)

// maxLinkHeader is how many bytes of one Link header are read.
const maxLinkHeader = 16 << 10

var (
	// headerLink finds a link: its target, and its parameters up to a comma.
	headerLink = regexp.MustCompile(`<([^>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*"?)*)`)
	// headerParam finds a parameter: its name, and its value if it has one, quoted or not.
	headerParam = regexp.MustCompile(`;[ \t]*([^=;" \t]+)(?:[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"?|[^;" \t]*))?`)
)

// LinkCanonicals returns the distinct targets with rel=canonical in Link headers (RFC 8288), as
// written. More than one is a conflict. It ignores links for another context (anchor) and for a
// variant of the page (hreflang, media, type).
func LinkCanonicals(values []string) []string {
	var found []string
	for _, v := range values {
		if v = v[:min(len(v), maxLinkHeader)]; !strings.Contains(strings.ToLower(v), "canonical") {
			continue
		}
		for _, link := range headerLink.FindAllStringSubmatch(v, -1) {
			target := string(trimHref([]byte(link[1])))
			if target != "" && IsWeb(target) && namesCanonical(link[2]) && !slices.Contains(found, target) {
				found = append(found, target)
			}
		}
	}
	return found
}

// namesCanonical reports whether the parameters of a link make its target the canonical location.
// Only the first rel counts.
func namesCanonical(params string) bool {
	rel := ""
	for _, param := range headerParam.FindAllStringSubmatch(params, -1) {
		switch strings.ToLower(param[1]) {
		case "rel":
			if rel == "" {
				rel = param[2]
			}
		case "anchor", "hreflang", "media", "type":
			return false
		}
	}
	return hasToken(strings.Trim(rel, `"`), "canonical")
}

// hasToken reports whether a list separated by white space holds a token, in any case.
func hasToken(list, token string) bool {
	for f := range strings.FieldsSeq(list) {
		if strings.EqualFold(f, token) {
			return true
		}
	}
	return false
}
