package messages

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

// Left is a line of the table of what was left out.
type Left struct {
	Cause   string // its name
	Count   int
	Example string // a URL, "" if none may be named
	Means   string // a sentence
	Remedy  string // a sentence, "" if there is nothing to do
}

// left are the causes for which exploring leaves links out. Those of pages are among the reasons.
var left = map[string]Reason{
	"acting": {Care: Intended, Why: "a request for them may change something, so they were not asked for", Todo: "Add {Always} for those that are pages."},
	"held":   {Care: Wait, Why: "their address looks like a secret, so they wait until their link was seen a day apart", Todo: "Add {Always} to list them now."},
	"elsewhere": {Care: Wait, Why: "something answered them at the origin, but not this process, so they wait until a visitor gets them from here",
		Todo: "If that is a cache or another server for some paths, let it pass requests to this process."},
	"off-site": {Care: Look, Why: "they redirect to another host", Todo: "If that is this site, as www is, give it as the origin."},
	"left":     {Care: Look, Why: "the limit of requests was reached before they were asked for", Todo: "Give a greater {Max}."},
	"endless": {Care: Intended, Why: "pages of their kind showed nothing new any more, as in a calendar or a filter, so no more of them were asked for",
		Todo: "Link to those that matter from another page, or add {Always} for them."},
	"unread":   {Care: Look, Why: "a sitemap that the site has was not read to its end: it does not answer, is none, is disallowed, or there are too many", Todo: "See what answers there, as with servemap check."},
	"stale":    {Care: Look, Why: "a sitemap that the site has names them, and they are answered with an error", Todo: "Mend them, or take them out of that sitemap."},
	"too-many": {Care: Look, Why: "more addresses than can be remembered were found, in links or the site's sitemap", Todo: "Give a greater {Max}."},
	"file":     {Care: Intended, Why: "the site gave no HTML there, as at downloads and feeds", Todo: "If they are pages, answer them with the Content-Type text/html."},
	"nofollow": {Care: Intended, Why: "the link, or its page, says nofollow", Todo: "Remove that where it is a mistake."},
	"failed":   {Care: Look, Why: "the site refused them, did not answer, or broke off", Todo: "See its log, and what is in front of it."},

	// What linked pages showed a crawl.
	"refused":  {Care: Look, Why: "refused", Todo: "If it is public, see why strangers are."},
	"login":    {Care: Look, Why: "visitors are sent to log in", Todo: "If it is public, see why strangers are."},
	"redirect": {Care: Look, Why: "redirect", Todo: "Link to the address where it leads."},
	"no-html":  {Care: Intended, Why: "no page of HTML, or one that leads on by itself"},
	"error":    {Care: Look, Why: "answered with an error", Todo: "Mend it, or the links to it."},
	"not-got":  {Care: Wait, Why: "linked, and the crawl did not get it"},
}

// TableOf returns the table of what was left out: how many there are by the name of the cause, with an example of
// each. It begins with what may be a mistake, and most.
func TableOf(counts map[string]int, examples map[string]string) (table []Left) {
	care := map[string]int{}
	for _, cause := range slices.Sorted(maps.Keys(counts)) {
		r := ReasonNamed(cause)
		if counts[cause] == 0 || r.Care == Fine {
			continue
		}
		care[cause] = slices.Index([]Care{Look, Wait, Intended}, r.Care)
		l := Left{Cause: cause, Count: counts[cause], Example: examples[cause], Remedy: r.Todo}
		if r.Why != "" {
			l.Means = strings.ToUpper(r.Why[:1]) + r.Why[1:] + "."
		}
		table = append(table, l)
	}
	slices.SortStableFunc(table, func(a, b Left) int { return cmp.Or(care[a.Cause]-care[b.Cause], b.Count-a.Count) })
	return table
}

// MayName reports whether an example of a cause may stand in a log: what others must not learn there is left out.
func MayName(cause string) bool {
	switch cause {
	case "acting", "held", eligibility.AddressEmail.String(), eligibility.AddressPathParam.String(), eligibility.Capability.String(), eligibility.ActionWord.String():
		return false
	}
	return true
}

// QueryRemedy says what to do about parameters that keep pages out. params are as in servemap.Exploration.
func QueryRemedy(params []string) string {
	remedy, found := ReasonNamed(eligibility.AddressQuery.String()).Todo, make([]string, len(params))
	for i, p := range params {
		names, pages, _ := strings.Cut(p, ": ")
		found[i] = pages + " with " + names
	}
	if len(found) > 0 {
		remedy += " Left out: " + strings.Join(found, ", ") + "."
	}
	return remedy
}
