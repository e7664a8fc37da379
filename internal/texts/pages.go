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

	"github.com/servemap/servemap/internal/admit"
)

// reasonText holds the texts for one reason.
type reasonText struct {
	page string // why one page is listed or not, and what would change that
	most string // why most pages of a site are not listed, in half a sentence
	todo string // what to do about that
}

const (
	unknown = "Nothing is known of this location: no anonymous visitor opened an HTML page there since servemap runs (what a script or a frame fetches does not " +
		"count), and no listed page links to it."
	comesBack      = " It comes back when an anonymous visitor gets it again."
	ifCacheControl = " Where that does not speak for the page, set Rule.IgnoreCacheControl."
	cacheControl   = "send that only with pages that are for one visitor, or, where it does not speak for the pages, set Rule.IgnoreCacheControl for them"
)

// reasons holds the texts for the reasons that a verdict can carry.
var reasons = map[admit.Reason]reasonText{
	admit.ByRule:     {page: "It is listed: a rule says so, and an anonymous visitor got it."},
	admit.ByEntry:    {page: "It is listed: it is where visitors enter the site."},
	admit.ByRoute:    {page: "It is listed: it has a route of its own."},
	admit.ByLink:     {page: "It is listed: a listed page links to it."},
	admit.ByNetworks: {page: "It is listed: visitors from enough distinct networks got it, and pages beside it are linked."},
	admit.ByHistory:  {page: "It is listed: it was listed before, by visitors or a rule. Evidence is needed to enter, not to stay."},

	admit.NoEvidence: {
		"It waits: an anonymous visitor got it, but nothing shows that it is public. One of these would: a link from a listed page, a route " +
			"of its own, visitors from enough distinct networks where pages beside it are linked, or a rule.",
		"nothing shows that they are public", "if they are, link to them from listed pages, or write an Always rule",
	},
	admit.NotSeen: {page: "It waits: a listed page links to it, but no anonymous visitor got a page there yet: none has asked, or the answer was " +
		"an error or a redirect."},
	admit.RuleNever: {page: "It is not listed: a rule says Never."},
	admit.Forgotten: {page: "It is not listed: Site.Forget took it out. A rule that says Always would list it again."},
	admit.NoIndex: {
		"It is not listed: the page asks not to be indexed (noindex), or its unavailable_after has passed.",
		"they ask not to be indexed (noindex)", "take that out where it is not meant",
	},
	admit.Private: {
		"It is not listed: an anonymous visitor got it, but the response is for one visitor (Cache-Control: private)." + ifCacheControl,
		"they say Cache-Control: private", cacheControl,
	},
	admit.NoStore: {
		"It is not listed: an anonymous visitor got it, but the response is not to be stored (Cache-Control: no-store)." + ifCacheControl,
		"they say Cache-Control: no-store", cacheControl,
	},
	admit.CanonicalElsewhere: {
		"It is not listed: the page names another URL as its canonical one.",
		"they name another URL as their canonical one", "have each page name its own, or correct the origin if that is what differs",
	},
	admit.CanonicalConflict: {
		"It is not listed: the page names several canonical URLs.",
		"they name several canonical URLs", "have each page name one",
	},
	admit.QueryNotCanonical: {
		"It is not listed: its query has a parameter that is not allowed, and the page does not name this URL as its canonical " +
			"one. Options.Query and Rule.Query allow parameters.",
		"their query has a parameter that is not allowed", "if a parameter makes a page of its own, " +
			"name it in Options.Query or Rule.Query, or have such a page name itself as canonical",
	},
	admit.HeadNotSeen: {
		"It is held: the page ends within its head, or its head is longer than what is read, so a noindex there could not be seen.",
		"their head does not end, or is longer than what is read", "shorten it",
	},
	admit.Encoding: {
		"It is held: the response's Content-Encoding cannot be read. Observe inside of what compresses responses.",
		"their Content-Encoding cannot be read", "observe inside of what compresses",
	},
	admit.RiskyWord: {
		"It is held: its location has a word of pages that are often meant for one person, or for the site's own use. A rule that says Always would list it.",
		"their addresses have a word of pages that are often for one person, and no listed page links to them",
		"if they are public, link to them, or write an Always rule",
	},
	admit.ActionWord: {
		"It is held: its location has a word of pages that do something. A rule that says Always would list it.",
		"their addresses are those of actions (logout, delete, cart ...)", "if they are pages, write an Always rule",
	},

	admit.StatusGone: {page: "It was listed, and has left: the site answered 410."},
	admit.NotFound: {page: "It was listed, and has left: the site answered 404, and nobody got the page in the minute after." +
		comesBack},
	admit.Denied: {page: "It was listed, and has left: the site answered 401 or 403 to visitors from two networks, or on two days, and nobody got the " +
		"page in between." + comesBack},
	admit.LoginRedirect: {page: "It was listed, and has left: the site sent anonymous visitors from two networks to log in, or on two days, and nobody " +
		"got the page in between." + comesBack},
	admit.Moved: {page: "It was listed, and has moved for good."},
	admit.Unseen: {page: "It was listed, and has left: no anonymous visitor got it for the time of Options.Limits.KeepFor." +
		comesBack},

	admit.Capability: {
		"It is held: its location looks like a secret that lets in whoever knows it (a token, or a route variable named like " +
			"one). A link from a listed page lists it once two looks saw that link, a day apart or from two networks. A rule that " +
			"says Always would list it too.",
		"their addresses look like secrets that let in whoever knows them", "if they are public, link to them from listed pages, " +
			"or write an Always rule; behind a proxy, set Options.ClientIP, so that visitors can be told apart",
	},
	admit.Duplicate: {
		"It is held: another location shows the same content, and at most one of them is listed. This one would be if it named itself as the " +
			"canonical URL, or if a rule said Always.",
		"they show the same content as others", "have each name itself as canonical, and answer 404 where there is no page",
	},
	admit.SoftNotFound: {
		"It is held: so many locations show the same content that it seems to be the site's answer to anything, such as an " +
			"error page with status 200. It would be listed if it named itself as the canonical URL, or if a rule said Always.",
		"so many show the same content that it seems to be an error page", "answer 404 where there is no page",
	},
	admit.Growth: {
		"It is held: its route or folder has grown by as many pages as may be listed by visitors or links alone. The next visit decides " +
			"again. A rule that says Always would list it.",
		"their route or folder has as many pages as it may grow to", "if they are real, write an Always rule",
	},
	admit.Disallowed: {
		"It is not listed: the site's robots.txt disallows it.",
		"the site's robots.txt disallows them", "allow there what should be listed",
	},
}

// Page says why the page at location is listed or not, and what would change that.
func Page(v admit.Verdict, why admit.Reason, location string) string {
	if v == admit.Unknown || reasons[why].page == "" {
		return unknown
	}
	switch worst, word := admit.WordIn(location); {
	case why == admit.ActionWord && worst == admit.Action:
		return fmt.Sprintf("It is held: its location is that of an action (%q), which nobody should be led to. A rule that says Always would list it.", word)
	case why == admit.RiskyWord && worst == admit.Utility:
		return fmt.Sprintf("It is held: its location has the part %q, as pages have that are for the site's own use. A link from a listed page would "+
			"list it, or a rule that says Always.", word)
	case why == admit.RiskyWord && worst == admit.Risky:
		return fmt.Sprintf("It is held: its location has the word %q, as pages often have that are meant for one person. A link from a listed page lists "+
			"it, once that link was seen by a visitor who had no cookie and no query and came from a listed page or from nowhere, or by two visitors, a day "+
			"apart or from two networks. A rule that says Always would list it too.", word)
	}
	return reasons[why].page
}

// Missing returns what would list a waiting or held page; each item alone is enough. networksNeeded
// is how many networks are evidence. routes says that the site's router shows its routes.
func Missing(v admit.Verdict, why admit.Reason, ev admit.Evidence, networksNeeded int, routes bool) []string {
	const (
		link  = "a link from a listed page"
		rule  = "a rule that says Always"
		again = "another look at a page that links to it, a day later"
	)
	linked := ev.Link || ev.Led
	switch {
	case v == admit.Waiting && why == admit.NotSeen:
		return []string{"an anonymous visitor who gets a page there"}
	case v == admit.Waiting:
		return []string{link, missingRoute(routes), missingNetworks(ev, networksNeeded), rule}
	case v != admit.Held:
		return nil
	case why == admit.RiskyWord && linked:
		return []string{again + ", from another network, or by a visitor without cookies who comes from a listed page", rule}
	case why == admit.RiskyWord:
		return []string{link, rule}
	case why == admit.Capability && linked:
		return []string{again + " or from another network", rule}
	case why == admit.Capability:
		return []string{link + ", seen by visitors from two networks or a day apart", rule}
	case why == admit.Duplicate, why == admit.SoftNotFound:
		return []string{"a canonical link to itself", rule}
	case why == admit.HeadNotSeen:
		return []string{"a head that ends, and is no longer than what is read"}
	case why == admit.Encoding:
		return []string{"a Content-Encoding that can be read"}
	}
	return []string{rule}
}

func missingRoute(routes bool) string {
	const route = "a route that matches this location alone, with a whole document there (an html or a title element)"
	if !routes {
		return route + "; no route was seen yet, see Site.Observe"
	}
	return route
}

func missingNetworks(ev admit.Evidence, needed int) string {
	far := fmt.Sprint("so far ", ev.Networks)
	if ev.Networks == 0 { // though somebody got it
		far += ", since no visitor's address is known to be a public one; behind a proxy, Options.ClientIP gives it"
	}
	return fmt.Sprintf("visitors from %d networks (%s), and links to %d pages beside it (so far %d)",
		needed, far, admit.SiblingsNeeded, ev.Siblings)
}

// Most says why most of the seen pages are not listed, and what to do about it.
func Most(why admit.Reason) (cause, todo string) {
	if r := reasons[why]; r.most != "" {
		return r.most, r.todo
	}
	return "of " + why.String(), "ask Site.Explain about one of them"
}

// NoRoutes is added for a page that waits for evidence while no route was seen.
const NoRoutes = " No route was seen since the start: most routers show theirs only to what stands inside of them. See Site.Observe."

// LeftOut says why exploring does not ask for a linked location, and what would list it.
// foreign says that its query has a parameter that is not allowed. If it is false, a
// request for the location may change something.
func LeftOut(location string, foreign bool) (text string, missing []string) {
	const (
		visitor = "an anonymous visitor who gets a page there"
		linked  = "It waits: a listed page links to it, but no anonymous visitor got a page there yet. "
	)
	switch worst, word := admit.WordIn(location); {
	case worst == admit.Action:
		return linked + fmt.Sprintf("Its location is that of an action (%q), so exploring does not ask for it, and a visit alone would not list it.", word),
			[]string{visitor + ", and a rule that says Always"}
	case foreign:
		return linked + "Its query has a parameter that is not allowed, so exploring does not ask for it. Options.Query and Rule.Query allow parameters.",
			[]string{visitor + ", if the parameter is allowed", visitor + ", if that page names this URL as its canonical one"}
	}
	return linked + "Exploring does not ask for it, since a request for a location of such a name may change something.",
		[]string{visitor, "exploring, if a rule says Always"}
}

// NoPage says that a waiting location answered with an error or a redirect.
func NoPage(status int) string {
	return fmt.Sprintf("It waits: it answered %d when it was last asked for, and is no page.", status)
}

// Ended says that the time has passed until which a page asked to be listed.
func Ended(until time.Time) string {
	return fmt.Sprintf("It is not listed: the page gives %s as its unavailable_after, which has passed.", stamp(until))
}

// Leaves says that a listed page answered with an error, and leaves a minute later.
func Leaves(status int, at time.Time) string {
	return fmt.Sprintf(" But it answered %d at %s, and leaves a minute later unless an anonymous visitor gets it.", status, at.UTC().Format(time.TimeOnly))
}

// LeavesAsSecond says that one network was refused a listed page. The page stays until another
// network is refused too, or until a day has passed. nameless says that the network is not known.
func LeavesAsSecond(status int, at time.Time, nameless bool) string {
	text := fmt.Sprintf(" But it answered %d at %s, perhaps to one visitor alone. It leaves if a visitor from another network gets no page either, or anybody a day later, "+
		"unless an anonymous visitor gets it before.", status, at.UTC().Format(time.DateTime))
	if nameless {
		text += " All visitors whose network is not known count as one; behind a proxy, Options.ClientIP gives their addresses."
	}
	return text
}
