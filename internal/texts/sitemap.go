package texts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/location"
)

// Counts are the numbers to show in place of a sitemap.
type Counts struct {
	Origin     string
	Listed     int
	Waiting    int               // locations that were never listed
	Sightings  uint64            // since the start
	Verdicts   map[string]int    // locations by verdict and reason
	Ignored    map[string]uint64 // responses that did not count, by reason
	Hints      []hint.Hint
	ReportOnly bool
	NoStore    bool // the store cannot be used
}

// NoSitemap says why there is no sitemap.
func NoSitemap(c Counts) string {
	var b strings.Builder
	switch {
	case c.ReportOnly:
		fmt.Fprintf(&b, "The sitemap of %s is not served: Options.ReportOnly is set. Pages it would list: %d.\n\n", c.Origin, c.Listed)
	case c.NoStore:
		fmt.Fprintf(&b, "The sitemap of %s cannot be served now: its store cannot be used. The log says why.\n\n", c.Origin)
	default:
		fmt.Fprintf(&b, "No page of %s is listed yet.\n\n", c.Origin)
	}
	for _, h := range c.Hints {
		fmt.Fprintf(&b, "%s\n\n", h)
	}
	fmt.Fprintf(&b, "Responses to anonymous visitors that were observed since the start: %d\n", c.Sightings)
	fmt.Fprintf(&b, "Locations that are known and were never listed: %d\n", c.Waiting)
	if c.Sightings == 0 && len(c.Ignored) == 0 && !c.NoStore && c.Listed == 0 {
		b.WriteString("Visit the site as an anonymous visitor would: without cookies, from its first page on.\n")
	}
	for _, why := range slices.Sorted(maps.Keys(c.Verdicts)) {
		fmt.Fprintf(&b, "Locations, %s: %d\n", why, c.Verdicts[why])
	}
	for _, why := range slices.Sorted(maps.Keys(c.Ignored)) {
		fmt.Fprintf(&b, "Responses that did not count, %s: %d%s\n", why, c.Ignored[why], advice[why])
	}
	b.WriteString("\nPages are listed from the entry on, by the links of listed pages. The owner can ask Site.Explain about any page.\n")
	return b.String()
}

// advice says why responses did not count, and what to do about it. It covers reasons that can
// prevent learning whole sites.
var advice = map[string]string{
	admit.Cookie.String():         " (the visitor has a cookie; Options.BenignCookies names those that everybody gets)",
	admit.IdentityHeader.String(): " (a proxy names a user; Options.Anonymous decides who is anonymous)",
	admit.Authorization.String():  " (the visitor has credentials; Options.Anonymous decides who is anonymous)",
	admit.Encoding.String():       " (the Content-Encoding cannot be read; observe inside of what compresses)",
	admit.Private.String():        " (the response is for one visitor: Cache-Control: private; Rule.IgnoreCacheControl says where that means nothing)",
	admit.NoStore.String():        " (the response is not to be stored: Cache-Control: no-store; Rule.IgnoreCacheControl says where that means nothing)",
	admit.NotAnonymous.String():   " (Options.Anonymous says that the visitor is known)",
	admit.NotHTML.String():        " (it is not HTML)",
	admit.Fragment.String():       " (a script or a frame asked for it, and no visitor)",

	location.ReasonQuery.String():         " (they had a query that makes no page: a parameter that is not allowed, or one without a value; Options.Query allows parameters)",
	location.ReasonOutsideFolder.String(): " (they asked for what is not below the origin's folder)",
	location.ReasonHost.String():          " (they asked for another host; Options.Hosts names those that count)",
}
