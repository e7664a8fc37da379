package admit

import "fmt"

// Explain says in a sentence what a verdict and its reason mean, and what would
// change them. location is where the page is.
func Explain(v Verdict, why Reason, location string) string {
	if v == Held && (why == RiskyWord || why == ActionWord) {
		return explainWord(why, location)
	}
	if text, ok := explanations[why]; ok && v != Unknown {
		return text
	}
	return "Nothing is known of this location: no anonymous visitor opened an HTML page there since servemap runs (what a script or a frame fetches does not " +
		"count), and no listed page links to it."
}

var explanations = map[Reason]string{
	ByRule:     "It is listed: a rule says so, and an anonymous visitor got it.",
	ByEntry:    "It is listed: it is where visitors enter the site.",
	ByRoute:    "It is listed: it has a route of its own.",
	ByLink:     "It is listed: a listed page links to it.",
	ByNetworks: "It is listed: visitors from enough distinct networks got it, and pages beside it are linked.",
	ByHistory:  "It is listed: it was listed before, by visitors or a rule. Evidence is needed to enter, not to stay.",

	NoEvidence: "It waits: an anonymous visitor got it, but nothing shows that it is public. A link from a listed page would, a route " +
		"of its own, visitors from enough distinct networks where pages beside it are linked, or a rule.",
	NotSeen: "It waits: a listed page links to it, but no anonymous visitor got a page there yet: none has asked, or the answer was " +
		"an error or a redirect.",
	RuleNever: "It is not listed: a rule says never.",
	Forgotten: "It is not listed: it was to be forgotten. A rule that says always would list it again.",
	NoIndex:   "It is not listed: the page asks not to be indexed (noindex), or its unavailable_after has passed.",
	Private: "It is not listed: an anonymous visitor got it, but the response is for one visitor (Cache-Control: private). Where that does " +
		"not speak for the page, Rule.IgnoreCacheControl says so.",
	NoStore: "It is not listed: an anonymous visitor got it, but the response is not to be stored (Cache-Control: no-store). Where that does " +
		"not speak for the page, Rule.IgnoreCacheControl says so.",
	CanonicalElsewhere: "It is not listed: the page names another URL as its canonical one.",
	CanonicalConflict:  "It is not listed: the page names several canonical URLs.",
	QueryNotCanonical: "It is not listed: its query has a parameter that is not allowed, and the page does not name this URL as its canonical " +
		"one. Options.Query and Rule.Query allow parameters.",
	HeadNotSeen: "It is held: the page ends within its head, or its head is longer than what is read, so a noindex there could not be seen.",
	Encoding:    "It is held: the response's Content-Encoding cannot be read. Observe inside of what compresses responses.",

	StatusGone: "It was listed, and has left: the site answered 410.",
	NotFound: "It was listed, and has left: the site answered 404, and nobody got the page in the minute after. It comes back when " +
		"an anonymous visitor gets it again.",
	Denied: "It was listed, and has left: the site answered 401 or 403 to visitors from two networks, or on two days, and nobody got the " +
		"page in between. It comes back when an anonymous visitor gets it again.",
	LoginRedirect: "It was listed, and has left: the site sent anonymous visitors from two networks to log in, or on two days, and nobody " +
		"got the page in between. It comes back when an anonymous visitor gets it again.",
	Moved:  "It was listed, and has moved for good.",
	Unseen: "It was listed, and has left: no anonymous visitor got it for as long as Options.Limits.KeepFor says. It comes back when one gets it again.",

	Capability: "It is held: its location looks like a secret that lets in whoever knows it (a token, or a route variable named like " +
		"one). A link from a listed page would list it once looks a day apart, or from two networks, saw it, or a rule that " +
		"says always.",
	Duplicate: "It is held: another location shows the same content, and one of them at most is listed. Naming this one as the " +
		"canonical URL would list it instead, or a rule that says always.",
	SoftNotFound: "It is held: so many locations show the same content that it seems to be what the site answers to anything, such as an " +
		"error page with status 200. Naming itself as the canonical URL would list one of them, or a rule that says always.",
	Growth: "It is held: its route or folder has grown by as many pages as may be listed by visitors or links alone. It is decided " +
		"anew at its next visit, or a rule that says always would list it.",
	Disallowed: "It is not listed: the site's robots.txt disallows it.",
}

// explainWord names the word that a location is held for.
func explainWord(why Reason, location string) string {
	worst, word := pathWord(location)
	switch {
	case why == ActionWord && worst == Action:
		return fmt.Sprintf("It is held: its location is that of an action (%q), which nobody should be led to. A rule that says always would list it.", word)
	case why == RiskyWord && worst == Utility:
		return fmt.Sprintf("It is held: its location has the part %q, as pages have that are for the site's own use. A link from a listed page would "+
			"list it, or a rule that says always.", word)
	case why == RiskyWord && worst == Risky:
		return fmt.Sprintf("It is held: its location has the word %q, as pages often have that are meant for one person. A link from a listed page would list "+
			"it, once a visitor saw that link who came without a cookie or a query, and from a listed page or from nowhere, or two visitors did, a day "+
			"apart or from two networks. A rule that says always would list it too.", word)
	}
	return "It is held: its location has a word of pages that are not for the public. A rule that says always would list it." // so another version found
}

// Missing returns what would list a page that waits or is held, each by itself,
// nil for one that does neither. ev is what is known of it, networksNeeded as
// for [Decide]. routes says that the site's router shows its routes.
func Missing(v Verdict, why Reason, ev Evidence, networksNeeded int, routes bool) []string {
	const (
		link = "a link from a listed page"
		rule = "a rule that says always"
	)
	route := "a route that matches this location alone, with a whole document there (an html or a title element)"
	if !routes {
		route += "; no route was seen yet, see Site.Observe"
	}
	switch {
	case v == Waiting && why == NotSeen:
		return []string{"an anonymous visitor who gets a page there"}
	case v == Waiting:
		return []string{link, route, byNetworks(ev, networksNeeded), rule}
	case v != Held:
		return nil
	}
	switch why {
	case RiskyWord:
		if !ev.Link && !ev.Led {
			return []string{link, rule}
		}
		return []string{"another look at a page that links to it, a day later, from another network, or by a visitor without cookies who " +
			"comes from a listed page", rule}
	case Capability:
		if !ev.Link && !ev.Led {
			return []string{link + ", seen by visitors from two networks or a day apart", rule}
		}
		return []string{"another look at a page that links to it, a day later or from another network", rule}
	case Duplicate, SoftNotFound:
		return []string{"a canonical link to itself", rule}
	case HeadNotSeen:
		return []string{"a head that ends, and is no longer than what is read"}
	case Encoding:
		return []string{"a Content-Encoding that can be read"}
	}
	return []string{rule}
}

// byNetworks says what visitors are missing.
func byNetworks(ev Evidence, needed int) string {
	far := fmt.Sprint("so far ", ev.Networks)
	if ev.Networks == 0 { // though somebody got it
		far += ", since no visitor's address is known to be a public one; behind a proxy, Options.ClientIP gives it"
	}
	return fmt.Sprintf("visitors from %d networks (%s), and links to %d pages beside it (so far %d)",
		needed, far, SiblingsNeeded, ev.Siblings)
}

// Remedy says of most pages of a site what [Explain] says of one that was seen
// and is not listed: why, in half a sentence, and what to do about it.
func Remedy(why Reason) (cause, todo string) {
	r, ok := remedies[why]
	if !ok {
		return "of " + why.String(), "ask Site.Explain about one of them"
	}
	return r[0], r[1]
}

var remedies = map[Reason][2]string{
	NoEvidence: {"nothing shows that they are public", "if they are, link to them from listed pages, or write an Always rule"},
	NoIndex:    {"they ask not to be indexed (noindex)", "take that out where it is not meant"},
	Private: {"they say Cache-Control: private", "send that only with pages that are for one visitor, " +
		"or, where it does not speak for the pages, set Rule.IgnoreCacheControl for them"},
	NoStore: {"they say Cache-Control: no-store", "send that only with pages that are for one visitor, " +
		"or, where it does not speak for the pages, set Rule.IgnoreCacheControl for them"},
	CanonicalElsewhere: {"they name another URL as their canonical one", "have each page name its own, or correct the origin if that is what differs"},
	CanonicalConflict:  {"they name several canonical URLs", "have each page name one"},
	QueryNotCanonical: {"their query has a parameter that is not allowed", "if a parameter makes a page of its own, " +
		"name it in Options.Query or Rule.Query, or have such a page name itself as canonical"},
	HeadNotSeen: {"their head does not end, or is longer than what is read", "shorten it"},
	Encoding:    {"their Content-Encoding cannot be read", "observe inside of what compresses"},
	RiskyWord: {"their addresses have a word of pages that are often for one person, and no listed page links to them",
		"if they are public, link to them, or write an Always rule"},
	ActionWord: {"their addresses are those of actions (logout, delete, cart ...)", "if they are pages, write an Always rule"},
	Capability: {"their addresses look like secrets that let in whoever knows them", "if they are public, link to them from listed pages, " +
		"or write an Always rule; behind a proxy Options.ClientIP tells the visitors apart that it takes"},
	Duplicate:    {"they show the same content as others", "have each name itself as canonical, and answer 404 where there is no page"},
	SoftNotFound: {"so many show the same content that it seems to be an error page", "answer 404 where there is no page"},
	Growth:       {"their route or folder has as many pages as it may grow to", "if they are real, write an Always rule"},
	Disallowed:   {"the site's robots.txt disallows them", "allow there what is to be found"},
}
