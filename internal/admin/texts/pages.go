// Package texts has what servemap tells the owner of a site: why a page is listed or not, what
// would change that, how its dates were decided, and why there is no sitemap. It takes the
// constants with which the other packages decide, and returns English. It decides nothing.
// Strangers can read the page that stands in for a sitemap, so its text names no page, client or
// cookie.
//
// Package hint has the texts on what prevents learning a whole site. Package location has the
// errors that say why a URL cannot be a page of the site.
package texts

import (
	"fmt"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

const (
	unknown = "Nothing is known of this page: servemap saw no anonymous visitor open it as HTML, and no listed page links to it. " +
		"Perhaps nobody asked for it, the answer was an error such as 404 or 500, or everybody who asked had a cookie or was logged in. " +
		"What a script or a frame fetches does not count."
	outside = "put servemap inside the middleware that compresses"
)

// Page says why the page at location is listed or not, and what would change that.
func Page(v eligibility.Verdict, why eligibility.Reason, location string) string {
	page := ReasonNamed(why.String()).Page
	if v == eligibility.Unknown || page == "" {
		return unknown
	}
	switch worst, word := eligibility.WordIn(location); {
	case why == eligibility.ActionWord && worst == eligibility.Action:
		return fmt.Sprintf("It is held: its address names an action (%q), and nobody should be led to one. A rule that says Always would list it.", word)
	case why == eligibility.RiskyWord && worst == eligibility.Utility:
		return fmt.Sprintf("It is held: its address has the word %q, which is common for pages for the site's own use. A link from a listed page would "+
			"list it, or a rule that says Always.", word)
	case why == eligibility.RiskyWord && worst == eligibility.Risky:
		return fmt.Sprintf("It is held: its address has the word %q, which is common for pages meant for one person. A link from a listed page lists it, "+
			"once that link was seen twice, a day apart or from two networks. Once is enough if the visitor had no cookie and no query, and came "+
			"from a listed page or from nowhere. A rule that says Always would list it too.", word)
	}
	return page
}

// Missing returns what would list a waiting or held page; each item alone is enough. networksNeeded
// is how many networks are evidence, and siblings how many pages beside it are linked. routes says that the site's router shows its routes.
func Missing(v eligibility.Verdict, why eligibility.Reason, ev eligibility.Evidence, siblings, networksNeeded int, routes bool) []string {
	const (
		link  = "a link from a listed page"
		rule  = "a rule that says Always"
		again = "another visit to a page that links to it, a day later"
	)
	linked := ev.Link || ev.Led()
	switch {
	case v == eligibility.Waiting && why == eligibility.NotSeen:
		return []string{"an anonymous visitor who gets a page there"}
	case v == eligibility.Waiting:
		return []string{link, missingRoute(routes), missingNetworks(len(ev.Networks), siblings, networksNeeded), rule}
	case v != eligibility.Held:
		return nil
	case why == eligibility.RiskyWord && linked:
		return []string{again + ", from another network, or by a visitor without cookies who comes from a listed page", rule}
	case why == eligibility.RiskyWord:
		return []string{link, rule}
	case why == eligibility.Capability && linked:
		return []string{again + " or from another network", rule}
	case why == eligibility.Capability:
		return []string{link + ", seen by visitors from two networks or a day apart", rule}
	case why == eligibility.Duplicate, why == eligibility.SoftNotFound:
		return []string{"a canonical link to its own URL", rule}
	case why == eligibility.HeadNotSeen:
		return []string{"a head that ends, and is short enough to be read whole"}
	case why == eligibility.Encoding:
		return []string{"a Content-Encoding that servemap can read"}
	}
	return []string{rule}
}

func missingRoute(routes bool) string {
	const route = "a route for this page alone, which answers with a whole document (an html or a title element)"
	if !routes {
		return route + "; servemap has seen no route yet, see Site.Observe"
	}
	return route
}

func missingNetworks(networks, siblings, needed int) string {
	far := fmt.Sprint("so far ", networks)
	if networks == 0 { // though somebody got it
		far += ", because no visitor's public address is known; behind a proxy, set Options.ClientIP"
	}
	return fmt.Sprintf("visitors from %d networks (%s), and links to %d pages beside it (so far %d)",
		needed, far, eligibility.SiblingsNeeded, siblings)
}

// NoRoutes is added for a page that waits for evidence while no route was seen.
const NoRoutes = " servemap has seen no route since the start: most routers show their routes only to what runs inside them. See Site.Observe."

// LeftOut says why exploring does not ask for a linked location, and what would list it.
// foreign says that its query has a parameter that is not allowed. If it is false, a
// request for the location may change something.
func LeftOut(location string, foreign bool) (text string, missing []string) {
	const (
		visitor = "an anonymous visitor who gets a page there"
		linked  = "It waits: a listed page links to it, but no anonymous visitor has got it yet. "
	)
	switch worst, word := eligibility.WordIn(location); {
	case worst == eligibility.Action:
		return linked + fmt.Sprintf("Its address names an action (%q), so exploring does not ask for it, and a visit alone would not list it.", word),
			[]string{visitor + ", and a rule that says Always"}
	case foreign:
		return linked + "Its query has a parameter that is not allowed, so exploring does not ask for it. If the parameter makes a page of its own, name it in Options.Query or Rule.Query.",
			[]string{visitor + ", if the parameter is allowed", visitor + ", if that page names this URL as its canonical one"}
	}
	return linked + "Exploring does not ask for it, because a request for an address with such a name may change something.",
		[]string{visitor, "exploring, if a rule says Always"}
}

// NoPage says that a waiting location answered with an error or a redirect.
func NoPage(status int) string {
	return fmt.Sprintf("It waits: the last request for it got %d instead of a page.", status)
}

// NeedsLogin says that a waiting location answered with 401, 403 or a redirect to a log-in.
func NeedsLogin(status int) string {
	return fmt.Sprintf("It needs a log-in: the last request for it got %d instead of a page. If that is meant, there is nothing to do.", status)
}

// ForAnybody is what would list a page that needs a log-in.
const ForAnybody = "a page there for visitors who are not logged in, if it is meant for them"

// OwnFile is the text for the address of one of the sitemap's files.
const OwnFile = "It is not listed: servemap itself answers at this address, with a file of the sitemap. A sitemap does not list its own files."

// SaysNoIndex is the text for a page that says noindex and has no end.
const SaysNoIndex = "It is not listed: the page says noindex."

// Ended says that the time has passed until which a page asked to be listed.
func Ended(until time.Time) string {
	return fmt.Sprintf("It is not listed: the date of its unavailable_after, %s, has passed.", stamp(until))
}

// Leaves says that a listed page answered with an error, and leaves a minute later.
func Leaves(status int, at time.Time) string {
	return fmt.Sprintf(" But it answered %d at %s. It leaves a minute later unless an anonymous visitor gets it.", status, at.UTC().Format(time.TimeOnly))
}

// LeavesAsSecond says that one network was refused a listed page. The page stays until another
// network is refused too, or until a day has passed. nameless says that the network is not known.
func LeavesAsSecond(status int, at time.Time, nameless bool) string {
	text := fmt.Sprintf(" But it answered %d at %s, perhaps to one visitor only. It leaves if a visitor from another network gets no page either, or any visitor a day later, "+
		"unless an anonymous visitor gets it before.", status, at.UTC().Format(time.DateTime))
	if nameless {
		text += " All visitors whose network is not known count as one; behind a proxy, set Options.ClientIP."
	}
	return text
}
