package texts

import (
	"strings"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/location"
)

// Care says how much a reason for many pages needs the owner's attention.
type Care string

// The cares.
const (
	Fine  Care = "fine"  // they are listed
	Meant Care = "meant" // the site says so, or no sitemap lists such pages
	Wait  Care = "wait"  // time and visitors decide
	Look  Care = "look"  // it may be a mistake
)

// Summary explains one reason for many pages.
type Summary struct {
	Means string // a sentence about several pages
	Care  Care
	Todo  string // what to do if that is a mistake, a sentence; "" if there is nothing to do
}

// summaries explains the reasons that a verdict can carry.
var summaries = map[admit.Reason]Summary{
	admit.ByRule:     {"A rule says Always.", Fine, ""},
	admit.ByEntry:    {"Visitors enter the site there, or are redirected there from an entry.", Fine, ""},
	admit.ByRoute:    {"The router has a route for each alone.", Fine, ""},
	admit.ByLink:     {"A listed page links to them.", Fine, ""},
	admit.ByNetworks: {"Visitors from enough networks got them.", Fine, ""},
	admit.ByHistory:  {"They were listed before, and nothing speaks against them.", Fine, ""},

	admit.NoEvidence: {"Visitors got them, but nothing shows yet that they are public.", Wait, "Link to them from a listed page, or write an Always rule."},
	admit.NotSeen:    {"A listed page links to them, but no anonymous visitor has got them yet.", Wait, "The next visit decides. Pages that need a log-in stay here, and that is meant. So do links to errors or redirects, and pages for which all who asked had a cookie."},

	admit.RiskyWord:    {"Their addresses have a word that is common for pages meant for one person, or for the site's own use.", Look, "If they are public, link to them from a listed page, or write an Always rule."},
	admit.ActionWord:   {"Their addresses name actions, such as logout or delete.", Meant, "If they are pages, write an Always rule."},
	admit.Capability:   {"Their addresses look like secrets that let in whoever knows them.", Meant, "If they are public, link to them from listed pages, or write an Always rule. Behind a proxy, set Options.ClientIP, so that servemap can tell visitors apart."},
	admit.Duplicate:    {"Another listed page shows the same content.", Meant, "If they differ, have each page name its own URL as canonical."},
	admit.SoftNotFound: {"So many pages show the same content that it seems to be an error page.", Look, "Answer 404 where there is no page."},
	admit.Growth:       {"Their route or folder has grown by as many pages as it may for now.", Look, "If they are real, write an Always rule; if not, answer 404."},
	admit.HeadNotSeen:  {"Their head does not end, or is too long to be read whole.", Look, "End the head, or shorten it."},
	admit.Encoding:     {"servemap cannot read their Content-Encoding.", Look, "Put servemap inside the middleware that compresses."},

	admit.RuleNever:          {"A rule says Never.", Meant, ""},
	admit.Forgotten:          {"You took them out with Site.Forget.", Meant, "An Always rule lists them again."},
	admit.Disallowed:         {"The site's robots.txt disallows them.", Meant, "Allow what should be listed."},
	admit.NoIndex:            {"They say noindex, or their unavailable_after date has passed.", Meant, "Remove that where it is a mistake."},
	admit.Private:            {"The responses say Cache-Control: private.", Look, "Send that only with pages for one visitor, or set Rule.IgnoreCacheControl for the others."},
	admit.NoStore:            {"The responses say Cache-Control: no-store.", Look, "Send that only with pages for one visitor, or set Rule.IgnoreCacheControl for the others."},
	admit.CanonicalElsewhere: {"They name another URL as canonical, which is listed in their place.", Meant, "If they are pages of their own, have each name its own URL."},
	admit.CanonicalConflict:  {"They name several canonical URLs.", Look, "Have each page name one."},
	admit.QueryNotCanonical:  {"Their query has a parameter that is not allowed.", Meant, "If it makes a page of its own, name it in Options.Query or Rule.Query."},

	admit.StatusGone:    {"They were listed, and the site answered 410.", Meant, ""},
	admit.NotFound:      {"They were listed, and the site answered 404.", Meant, "They come back when an anonymous visitor gets them again."},
	admit.Denied:        {"They were listed, and the site answered 401 or 403.", Look, "If they are public, see why anonymous visitors are refused."},
	admit.LoginRedirect: {"They were listed, and the site sent anonymous visitors to log in.", Look, "If they are public, see why visitors must log in."},
	admit.Moved:         {"They were listed, and have moved for good.", Meant, ""},
	admit.Unseen:        {"They were listed, and no anonymous visitor got them for the time of Limits.KeepFor.", Meant, "They come back with the next visit."},
}

// SummaryOf explains a reason that a verdict can carry.
func SummaryOf(why admit.Reason) Summary { return summaries[why] }

// Summarise explains the reason of that name. ok is false if no verdict carries it.
func Summarise(reason string) (s Summary, ok bool) {
	for why := range admit.Reason(admit.Reasons) {
		if why.String() == reason {
			s, ok = summaries[why]
			return s, ok
		}
	}
	return s, false
}

// responses says why responses did not count, for reasons that are not in advice.
var responses = map[string]string{
	admit.Method.String():            "neither GET nor HEAD",
	admit.ClientCertificate.String(): "the visitor has a certificate",
	admit.Status.String():            "an answer that says nothing about the page, such as a temporary error",
	admit.Attachment.String():        "a download",
	admit.Incomplete.String():        "the response ended early, or is only a part of the page",
	admit.Moved.String():             "a redirect",
	admit.NotFound.String():          "404: there is no page",
	admit.StatusGone.String():        "410: the page is gone",
	admit.Denied.String():            "401 or 403: visitors are refused",
	admit.LoginRedirect.String():     "visitors must log in",
	admit.NoIndex.String():           "the response says noindex",
}

// Response says why responses did not count. reason is the reason's name.
func Response(reason string) string {
	if text := strings.Trim(advice[reason], " ()"); text != "" {
		return text
	}
	if text := responses[reason]; text != "" {
		return text
	}
	for r := location.ReasonNone + 1; r <= location.ReasonQuery; r++ {
		if r.String() == reason {
			return "the address: " + r.Text()
		}
	}
	return "see the log"
}

// Reason is a reason that a verdict can carry.
type Reason struct {
	Verdict, Name string
	Page          string // why one page is listed or not
	Summary
}

// Reasons returns the reasons that a verdict can carry, the listed ones first.
func Reasons() (all []Reason) {
	for _, v := range []struct {
		verdict admit.Verdict
		whys    []admit.Reason
	}{
		{admit.Listed, []admit.Reason{admit.ByEntry, admit.ByLink, admit.ByRoute, admit.ByNetworks, admit.ByRule, admit.ByHistory}},
		{admit.Waiting, []admit.Reason{admit.NoEvidence, admit.NotSeen}},
		{admit.Held, []admit.Reason{admit.RiskyWord, admit.ActionWord, admit.Capability, admit.Duplicate, admit.SoftNotFound, admit.Growth, admit.HeadNotSeen, admit.Encoding}},
		{admit.Excluded, []admit.Reason{
			admit.RuleNever, admit.Disallowed, admit.Forgotten, admit.NoIndex, admit.Private, admit.NoStore,
			admit.CanonicalElsewhere, admit.CanonicalConflict, admit.QueryNotCanonical,
		}},
		{admit.Gone, []admit.Reason{admit.NotFound, admit.StatusGone, admit.Moved, admit.Denied, admit.LoginRedirect, admit.Unseen}},
	} {
		for _, why := range v.whys {
			all = append(all, Reason{v.verdict.String(), why.String(), pages[why], summaries[why]})
		}
	}
	return all
}
