package admit

// Explain says in a sentence what a verdict and its reason mean, and what would
// change them.
func Explain(v Verdict, why Reason) string {
	if text, ok := explanations[why]; ok && v != Unknown {
		return text
	}
	return "Nothing is known of this location: no anonymous visitor got it since servemap runs, and no listed page links to it."
}

var explanations = map[Reason]string{
	ByRule:     "It is listed: a rule says so, and an anonymous visitor got it.",
	ByEntry:    "It is listed: it is where visitors enter the site.",
	ByRoute:    "It is listed: it has a route of its own.",
	ByLink:     "It is listed: a listed page links to it.",
	ByNetworks: "It is listed: visitors from enough distinct networks got it, and pages beside it are linked.",
	ByHistory:  "It is listed: it was listed before. Evidence is needed to enter, not to stay.",

	NoEvidence:         "It waits: an anonymous visitor got it, but nothing shows that it is public. A link from a listed page would, a route of its own, visitors from enough distinct networks where pages beside it are linked, or a rule.",
	NotSeen:            "It waits: a listed page links to it, but no anonymous visitor has got it yet.",
	RuleNever:          "It is not listed: a rule says never.",
	Forgotten:          "It is not listed: it was to be forgotten. A rule that says always would list it again.",
	NoIndex:            "It is not listed: the page asks not to be indexed (noindex).",
	Private:            "It is not listed: the response is for one visitor (Cache-Control: private).",
	NoStore:            "It is not listed: the response is not to be stored (Cache-Control: no-store).",
	CanonicalElsewhere: "It is not listed: the page names another URL as its canonical one.",
	CanonicalConflict:  "It is not listed: the page names several canonical URLs.",
	QueryNotCanonical:  "It is not listed: its query has a parameter that is not allowed, and the page does not name this URL as its canonical one. Options.Query allows parameters.",
	HeadNotSeen:        "It is held: the end of the page's head was not within what is read, so a noindex there could not be seen.",
	Encoding:           "It is held: the response's Content-Encoding cannot be read. Observe inside of what compresses responses.",
	RiskyWord:          "It is held: its location has a word of pages that are often meant for one person (reset, invite, order ...). A link from a listed page would list it, or a rule that says always.",
	ActionWord:         "It is held: its location is that of an action (logout, delete, cart ...), which nobody should be led to. A rule that says always would list it.",

	StatusGone:    "It was listed, and has left: the site answered 410.",
	NotFound:      "It was listed, and has left: the site answered 404, and nobody got the page in the minute after. It comes back when an anonymous visitor gets it again.",
	Denied:        "It was listed, and has left: the site answered 401 or 403, and nobody got the page in the minute after. It comes back when an anonymous visitor gets it again.",
	LoginRedirect: "It was listed, and has left: the site sent an anonymous visitor to log in. It comes back when an anonymous visitor gets it again.",
	Moved:         "It was listed, and has moved for good.",
}
