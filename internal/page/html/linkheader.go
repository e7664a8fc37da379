package html

import (
	"regexp"
	"slices"
	"strings"
)

// maxLinkHeader is how many bytes of one Link header are read.
const maxLinkHeader = 16 << 10

// linkValue matches a link of a Link header: its target, and its parameters, up to the comma before
// the next link. linkParam matches one of these parameters: its name and its value, quoted or not.
// Without quotes too, a value may be several words.
var (
	linkValue = regexp.MustCompile(`(?:^|,)[ \t,]*<([^>]*)>((?:[^,"]|"(?:[^"\\]|\\.)*(?:"|$))*)`)
	linkParam = regexp.MustCompile(`;[ \t]*([^=;,\s]+)[ \t]*(?:=[ \t]*("(?:[^"\\]|\\.)*|[^;]*))?`)
)

// LinkCanonicals returns the distinct targets with rel=canonical in Link headers (RFC 8288), as
// written. More than one is a conflict. It ignores links for another context (anchor) and for a
// variant of the page (hreflang, media, type).
func LinkCanonicals(values []string) []string {
	var found []string
	for _, v := range values {
		for _, link := range linkValue.FindAllStringSubmatch(v[:min(len(v), maxLinkHeader)], -1) {
			target := string(trimHref([]byte(link[1])))
			if target != "" && IsWeb(target) && isCanonical(link[2]) && !slices.Contains(found, target) {
				found = append(found, target)
			}
		}
	}
	return found
}

// isCanonical reports whether the parameters of a link make it the page's canonical one. Only the
// first rel counts.
func isCanonical(params string) bool {
	rel := ""
	for _, param := range linkParam.FindAllStringSubmatch(params, -1) {
		switch strings.ToLower(param[1]) {
		case "rel":
			if rel == "" {
				rel = strings.TrimPrefix(param[2], `"`) + " "
			}
		case "anchor", "hreflang", "media", "type":
			return false
		}
	}
	return hasToken(rel, "canonical")
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
