package admit

import "fmt"

// Explain says in a sentence what a verdict and its reason mean, and what would
// change them.
func Explain(v Verdict, why Reason) string {
	if text, ok := explanations[why]; ok && v != Unknown {
		return text
	}
	return "Nothing is known of this location: no anonymous visitor got an HTML page there since servemap runs, and no listed page links to it."
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
	RuleNever:          "It is not listed: a rule says never.",
	Forgotten:          "It is not listed: it was to be forgotten. A rule that says always would list it again.",
	NoIndex:            "It is not listed: the page asks not to be indexed (noindex), or its unavailable_after has passed.",
	Private:            "It is not listed: the response is for one visitor (Cache-Control: private).",
	NoStore:            "It is not listed: the response is not to be stored (Cache-Control: no-store).",
	CanonicalElsewhere: "It is not listed: the page names another URL as its canonical one.",
	CanonicalConflict:  "It is not listed: the page names several canonical URLs.",
	QueryNotCanonical: "It is not listed: its query has a parameter that is not allowed, and the page does not name this URL as its canonical " +
		"one. Options.Query and Rule.Query allow parameters.",
	HeadNotSeen: "It is held: the page ends within its head, or its head is longer than what is read, so a noindex there could not be seen.",
	Encoding:    "It is held: the response's Content-Encoding cannot be read. Observe inside of what compresses responses.",
	RiskyWord: "It is held: its location has a word of pages that are often meant for one person (reset, invite, order ...). A link " +
		"from a listed page would list it, or a rule that says always.",
	ActionWord: "It is held: its location is that of an action (logout, delete, cart ...), which nobody should be led to. A rule that " +
		"says always would list it.",

	StatusGone: "It was listed, and has left: the site answered 410.",
	NotFound: "It was listed, and has left: the site answered 404, and nobody got the page in the minute after. It comes back when " +
		"an anonymous visitor gets it again.",
	Denied: "It was listed, and has left: the site answered 401 or 403, and nobody got the page in the minute after. It comes back " +
		"when an anonymous visitor gets it again.",
	LoginRedirect: "It was listed, and has left: the site sent an anonymous visitor to log in. It comes back when an anonymous visitor gets it again.",
	Moved:         "It was listed, and has moved for good.",
	Unseen:        "It was listed, and has left: no anonymous visitor got it for as long as Options.KeepFor says. It comes back when one gets it again.",

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

// Missing returns what would list a page that waits or is held, each by itself,
// nil for one that does neither. ev is what is known of it, networksNeeded as
// for [Decide].
func Missing(v Verdict, why Reason, ev Evidence, networksNeeded int) []string {
	const (
		link = "a link from a listed page"
		rule = "a rule that says always"
	)
	switch {
	case v == Waiting && why == NotSeen:
		return []string{"an anonymous visitor who gets a page there"}
	case v == Waiting:
		return []string{link, "a route that matches this location alone", byNetworks(ev, networksNeeded), rule}
	case v != Held:
		return nil
	}
	switch why {
	case RiskyWord:
		return []string{link, rule}
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
		far += ", since no visitor's address is known to be a public one"
	}
	return fmt.Sprintf("visitors from %d networks (%s), and links to %d pages beside it (so far %d)",
		needed, far, SiblingsNeeded, ev.Siblings)
}
