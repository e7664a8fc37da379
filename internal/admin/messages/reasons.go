package messages

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/nowhere"
	"github.com/servemap/servemap/internal/page/words"
)

// Reason says what a reason means.
type Reason struct {
	Reason eligibility.Reason
	Care   Care
	Why    string   // what it means for a page: the rest of a sentence; or of a count of pages or links
	Todo   string   // what to do if that is a mistake: a sentence, "" if there is nothing to do
	Frees  []string // what would list the page; each item alone is enough
}

// Care says how much a reason needs the owner's attention.
type Care string

// The cares.
const (
	Fine     Care = "fine"     // the page is listed
	Intended Care = "intended" // the site says so, or no sitemap lists such pages
	Wait     Care = "wait"     // time and visitors decide
	Look     Care = "look"     // it may be a mistake
)

// openings are how the text of each verdict begins.
var openings = map[eligibility.Verdict]string{
	eligibility.Listed: "It is listed: ", eligibility.Waiting: "It waits: ", eligibility.Held: "It is held: ",
	eligibility.Excluded: "It is not listed: ", eligibility.Gone: "It was listed, and has left: ",
}

// A text that depends on the number of pages has its forms in braces: {in a sentence about one page|behind 1|behind a
// greater number}. The first is left out where it is the same as the second.
var reasons = []Reason{
	{eligibility.ByEntry, Fine, "{it is an entry page|entry page|entry pages}", "", nil},
	{eligibility.ByLink, Fine,
		"{a listed page links to it|page is linked from a listed page|pages are linked from listed pages}", "", nil},
	{eligibility.ByRoute, Fine,
		"{it has its own route, and no link that counts leads to it|page has its own route, and no link that counts|" +
			"pages have their own routes, and no links that count}",
		"Not meant for search engines? Add {Never} for {it|them}.", nil},
	{eligibility.BySitemap, Fine,
		"{the site's own sitemap has it, and no link that counts leads to it|page is in the site's own sitemap, and has " +
			"no link that counts|pages are in the site's own sitemap, and have no links that count}", "", nil},
	{eligibility.ByRule, Fine, "{|page is named by |pages are named by }{Always}{ names it||}", "", nil},
	{eligibility.ByHistory, Fine,
		"{it was|page was|pages were} listed before, and nothing speaks against {it|it|them}", "", nil},

	{eligibility.NoEvidence, Wait,
		"{nothing shows yet that it is public|page waits for something that shows that it is public|pages wait " +
			"for something that shows that they are public}",
		"Link to {it|them} from a listed page, or add {Always} for {it|them}, such as /landing/*$ for a whole folder.{OrWhole} " +
			"A link that you just made is read at the next visit of the page that has it, a minute or more later.",
		[]string{link, route, this}},
	{eligibility.NotSeen, Wait,
		"{a listed page links to it, or did, but no anonymous visitor has got it yet|linked page has|linked pages have}" +
			"{| had no anonymous visitor yet| had no anonymous visitor yet}",
		"Open {it|them} once in a private window: what comes decides.",
		[]string{visitor}},

	{eligibility.NoPage, Intended,
		"{what answers there is no page, but|page is answered with|pages are answered with} 404, an error, a " +
			"log-in or a redirect",
		"If a link leads there by mistake, mend it. {It is|They are} listed once a visitor without a cookie " +
			"gets {a page|pages} there.", []string{visitor}},
	{eligibility.Growth, Wait,
		"{|page waits, as |pages wait, as }links have listed as many new pages today as they may",
		"A visit on another day lists {it|them}. To list {it|them} now, add {Always}, or explore. Is it a calendar " +
			"without end? Keep it out with {Never}.",
		[]string{"a visit on another day", this}},

	{eligibility.ActionWord, Intended,
		"{its address names|address names|addresses name} an action, such as logout or delete",
		"If {it is a page|they are pages}, add {Always} for {it|them}.", []string{this}},
	{eligibility.Capability, Intended,
		"{its address looks like a secret, so it waits|address looks like a secret, so the page waits|addresses " +
			"look like secrets, so the pages wait} until a link from a listed page was seen twice, a day apart",
		"To list {it|them} now, add {Always} for {it|them}.",
		[]string{link + ", seen twice, a day apart", this}},
	{eligibility.Duplicate, Intended,
		"{another listed page shows the same content|page shows the same content as another listed page|pages " +
			"show the same content as other listed pages}",
		"Have copies redirect, or name one URL as canonical. Give a page of its own another title or text.",
		[]string{"a canonical link to its own URL", this}},
	{eligibility.SoftNotFound, Look,
		"{the content is|page shows|pages show} what the site shows where it has no page, or what very many " +
			"pages show",
		"Answer 404 where there is no page. Have a page name its own URL as canonical.",
		[]string{"a canonical link to its own URL", this}},
	{eligibility.HeadNotSeen, Look,
		"{its head does not end, or is|page has a head that does not end, or is|pages have heads that do not end, or are} " +
			"too long to be read whole, so {it|it|they} may hide a noindex",
		"See what answers there. End the head, or shorten it.",
		[]string{"a head that ends, and is short enough to be read whole"}},
	{eligibility.Empty, Look, "{it is|page is|pages are} empty", "See what fails there.",
		[]string{"a page that is not empty"}},
	{eligibility.Encoding, Look,
		"{servemap cannot read the Content-Encoding|page has a Content-Encoding that servemap cannot read|pages " +
			"have a Content-Encoding that servemap cannot read}", unreadable,
		[]string{"a Content-Encoding that servemap can read"}},

	{eligibility.RuleNever, Intended, "{|page is named by |pages are named by }{Never}{ names it||}", "", nil},
	{eligibility.Disallowed, Intended,
		"{the site's robots.txt disallows it|page is disallowed by the site's robots.txt|pages are disallowed " +
			"by the site's robots.txt}", "Allow what should be listed.", nil},
	{eligibility.Forgotten, Intended, "{you took it out|page was taken out|pages were taken out}",
		"{UndoForget} undoes that; so does adding {Always}.", nil},
	{eligibility.NoIndex, Intended, "{the page says|page says|pages say} noindex",
		"Remove that where it is a mistake.", nil},
	{eligibility.PasswordField, Intended, "{there is|page has|pages have} a field for a password, as on a log-in page",
		"If {it is|they are} for the public too, add {Always} for {it|them}. If {it has|they have} a box to log in, " +
			"put that into <header>, <nav> or <dialog>.", nil},
	{eligibility.Private, Look, "{it is |page is |pages are }sent for one visitor only (Cache-Control: private)",
		forOne + done, nil},
	{eligibility.NoStore, Look, "{it is |page is |pages are }sent as not to be stored (Cache-Control: no-store)",
		forOne + done, nil},
	{eligibility.CanonicalElsewhere, Intended,
		"{it names another URL|page names another page|pages name another page} as canonical",
		"{If it is a page of its own, have it|Have those that are pages of their own} name {its|their} own URL.", nil},
	{eligibility.CanonicalConflict, Look,
		"{several canonical URLs are named|page names several canonical URLs|pages name several canonical URLs}",
		"Have {it|each} name one.", nil},
	{eligibility.QueryNotCanonical, Intended,
		"{its query has a parameter of its own, and it names|page has a parameter of its own, and names|pages " +
			"have parameters of their own, and name} no URL as canonical",
		"Does the parameter make the page, as in /article?id=5{|, and not only a view of it, such as to print or to " +
			"preview|, and not only a view of it, such as to print or to preview}? Then name it in {Query}. Never name a session there.", nil},

	{eligibility.NotFound, Intended, "{the site answered|page was answered with|pages were answered with} 404",
		"Nobody got {it|them} in the minute after that. " + back, nil},
	{eligibility.StatusGone, Intended, "{the site answered|page was answered with|pages were answered with} 410", "",
		nil},
	{eligibility.Moved, Intended, "{it has|page has|pages have} moved for good", "", nil},
	{eligibility.LeadsOn, Look, "{it redirects|page redirects|pages redirect} for now (302, 303 or 307)",
		"If {it has|they have} moved, redirect for good (301 or 308): then {its|their} history goes on there.", nil},
	{eligibility.Denied, Look, "{the site refuses|page refuses|pages refuse} visitors who are not logged in (401 or 403)",
		letIn, nil},
	{eligibility.LoginRedirect, Look,
		"{it sends|page sends|pages send} visitors who are not logged in to another page first, as to a log-in", letIn, nil},
	{eligibility.Unseen, Intended,
		"{it has|page has|pages have} had no visitors for longer than {KeepFor}", back, nil},

	{Reason: eligibility.Cookie, Care: Look, Why: "{the visitor has|visit had|visits had} a cookie",
		Todo: "Nothing needs to be done where {Explore} learns the pages without it. Else, if everybody gets it and it " +
			"never stands for a log-in (PHPSESSID does), name it in {Benign}."},
	{Reason: eligibility.IdentityHeader, Care: Look,
		Why: "{a header may name|visit had a header that may name|visits had a header that may name} a user",
		Todo: "If a proxy adds it to every request and it does not tell visitors apart, name it in {Benign}, with a " +
			"colon after it."},
	{Reason: eligibility.Authorization, Care: Look, Why: "{the visitor|visit|visits} sent credentials",
		Todo: "If a proxy adds them to every request, turn that off{OrAnonymous}."},
	{Reason: eligibility.ClientCertificate, Care: Look, Why: "{the visitor has|visit had|visits had} a certificate"},
	{Reason: eligibility.NotAnonymous, Care: Intended,
		Why: "{|visit was not anonymous, as |visits were not anonymous, as }{Anonymous} says" +
			"{ that the visitor is not anonymous||}"},
	{Reason: eligibility.Fragment, Care: Intended,
		Why: "{a script or a frame asked for it, not a visitor|visit was of a script or a frame|visits were of " +
			"scripts or frames}"},
	{Reason: eligibility.NotHTML, Care: Intended,
		Why: "{it is|answer was|answers were} not HTML, or {has|had|had} no Content-Type"},
	{Reason: eligibility.Attachment, Care: Intended,
		Why: "{it is a download|answer was a download|answers were downloads}"},
	{Reason: eligibility.Status, Care: Wait,
		Why: "{the answer says|answer says|answers say} nothing about the page, as a temporary error"},
	{Reason: eligibility.Incomplete, Care: Wait,
		Why: "{the response ended early, or is|answer ended early, or was|answers ended early, or were} only a part " +
			"of the page"},

	{Reason: eligibility.LinkActs, Care: Intended,
		Why: "{a request for it may change something, so it was|linked address may change something, so it was|" +
			"linked addresses may change something, so they were} not asked for",
		Todo: "If {it is a page|they are pages}, add {Always} for {it|them}."},
	{Reason: eligibility.LinkHeld, Care: Wait,
		Why: "{address looks like a secret, so the page waits until its link is|addresses look like secrets, " +
			"so the pages wait until their links are} seen again a day later",
		Todo: "Add {Always} to list {it|them} now."},
	{Reason: eligibility.LinkElsewhere, Care: Wait,
		Why: "{page was answered by something else at the origin than this process, so it waits|pages were " +
			"answered by something else at the origin than this process, so they wait} until a visitor gets " +
			"{it|them} from here",
		Todo: "Is that a cache, or another server for some paths? Have it pass requests to this process."},
	{Reason: eligibility.LinkOffSite, Care: Look, Why: "{link redirects|links redirect} to another host",
		Todo: "Is that this site too, such as www? Give the host where visitors end as the origin."},
	{Reason: eligibility.LinkLeft, Care: Look,
		Why:  "{page was|pages were} not asked for, as the limit of requests was reached",
		Todo: "Give a greater {Max}."},
	{Reason: eligibility.LinkEndless, Care: Intended,
		Why: "{page was|pages were} not asked for, as others of {its|their} kind showed nothing new any more, " +
			"as in a calendar, a filter or print versions",
		Todo: "Link to what matters from another page, or add {Always} for it. What has no end and nobody needs, {Never} bars."},
	{Reason: eligibility.LinkUnread, Care: Look, Why: "{sitemap|sitemaps} of the site could not be read",
		Todo: "See what answers there, as with servemap check."},
	{Reason: eligibility.LinkStale, Care: Look,
		Why:  "{page|pages} of the site's own sitemap {leads|lead} to an error, or elsewhere",
		Todo: "Mend {it, or take it|them, or take them} out of that sitemap."},
	{Reason: eligibility.LinkTooMany, Care: Look,
		Why: "{address was|addresses were} found beyond those that can be remembered, in links or the site's " +
			"sitemaps", Todo: "Give a greater {Max}."},
	{Reason: eligibility.LinkFile, Care: Intended,
		Why:  "{it is named like a file|link leads to a file|links lead to files}, such as a download or a feed",
		Todo: files + " A page is sent with the Content-Type text/html."},
	{Reason: eligibility.LinkLarge, Care: Look, // as package explore has it
		Why:  "{page is|pages are} larger than 16 MB, so {it was|they were} not read to {its|their} end",
		Todo: "Search engines read the first 2 MB of a page: split {it|them}."},
	{Reason: eligibility.LinkNoFollow, Care: Intended,
		Why:  "{link or page says|links and pages say} nofollow",
		Todo: "Remove that where it is a mistake."},
	{Reason: eligibility.LinkFailed, Care: Look,
		Why:  "{page was|pages were} refused by the site, or not answered to the end",
		Todo: "See its log, and what is in front of it."},

	{Reason: eligibility.LinkWalled, Care: Look, Why: "{page is|pages are} kept from the crawl by a bot wall",
		Todo: "Allow the User-Agent servemap-explore, or this machine's address, in its rules, and crawl again. " +
			"See that it lets search engines through."},
	{Reason: eligibility.LinkRefused, Care: Look, Why: "{page is|pages are} refused",
		Todo: letIn},
	{Reason: eligibility.LinkLogin, Care: Look, Why: "{page sends|pages send} visitors to log in", Todo: letIn},
	{Reason: eligibility.LinkRedirects, Care: Look, Why: "{page redirects|pages redirect}",
		Todo: "Link to {the address where it leads|the addresses where they lead}."},
	{Reason: eligibility.LinkNoHTML, Care: Intended, Todo: files,
		Why: "{link leads to a file that is|links lead to files that are} not HTML"},
	{Reason: eligibility.LinkError, Care: Look, Why: "{page is|pages are} answered with an error",
		Todo: "Mend {it, or the links to it|them, or the links to them}."},
	{Reason: eligibility.LinkNotGot, Care: Wait, Why: "{linked page|linked pages} gave the crawl no page"},

	{Reason: eligibility.AddressHost, Care: Look,
		Why:  "{the host is not|address is on another host than|addresses are on another host than} the site's",
		Todo: "If that host is yours, correct {Origin}, or name it in {Hosts}."},
	{Reason: eligibility.AddressForm, Care: Look,
		Why:  "{it is|address is|addresses are} not a path or an http(s) URL, or {it names|names|name} a user",
		Todo: address},
	{Reason: eligibility.AddressCharacter, Care: Look,
		Why: "{the address has|address has|addresses have} a character that may not stand in a URL, or that " +
			"nobody sees", Todo: address},
	{Reason: eligibility.AddressEscape, Care: Look,
		Why:  "{the address has|address has|addresses have} a broken escape, an escaped slash, or is escaped twice",
		Todo: address},
	{Reason: eligibility.AddressSegment, Care: Look,
		Why:  `{the address has|address has|addresses have} two slashes in a row, or "." or ".." as a segment`,
		Todo: address},
	{Reason: eligibility.AddressPathParam, Care: Look, Why: "{the path has|address has|addresses have} a session",
		Todo: address},
	{Reason: eligibility.AddressTooLong, Care: Look,
		Why:  "{the address is|address is|addresses are} longer than the 2,047 bytes that a sitemap may have",
		Todo: address},
	{Reason: eligibility.AddressEmail, Care: Look,
		Why: "{the address has|address has|addresses have} an e-mail address in {it|it|them}", Todo: address},
	{Reason: eligibility.AddressOutsideFolder, Care: Intended,
		Why: "{it is|address is|addresses are} not in the folder of the origin"},
	{Reason: eligibility.AddressQuery, Care: Look,
		Why: "{there is|linked address has|linked addresses have} a parameter that {Query} does not name, or one " +
			"without a value",
		Todo: "Name in {Query} what makes a page of its own, and nothing that only sorts, filters or searches."},
}

const (
	link       = "a link from a listed page"
	again      = "another visit to a page that links to it, a day later"
	route      = "{OrRoute}"
	visitor    = "a stranger who gets a page there"
	visit      = "a visit: open it once in a private window"
	this       = "{AlwaysThis}"
	letIn      = "If {it is|they are} public, answer {it|them} with 200 for visitors who are not logged in."
	unreadable = "Use gzip, br or zstd, or compress only after servemap."
	forOne     = "Do all visitors get the same? Leave that out, or set {Public} for these pages."
	done       = " If you did, {it counts|it counts|they count} at {its|its|their} next visit."
	address    = "Link to {it|them} by another address, or ignore {it if it is no page|them if they are no pages}."
	files      = "Only pages of HTML are listed. List PDFs and other files in a sitemap of your own, such as /files.xml, and name it in " +
		"robots.txt too."
	back = "{It comes|They come} back when an anonymous visitor gets {it|them} again."
)

// ReasonNamed returns the reason of that name, for sentences about one page. It is zero if there is none.
func ReasonNamed(name string) Reason { return ReasonOf(name, 0) }

// ReasonOf returns the reason of that name for so many pages or links: its Why goes behind the count.
func ReasonOf(name string, n int) Reason {
	for _, r := range reasons {
		if r.Reason.String() == name {
			r.Why, r.Todo = words.Say(words.Form(r.Why, n)), words.Say(words.Form(r.Todo, n))
			return r
		}
	}
	return Reason{}
}

// Cookie says what to do about visitors who have a cookie. most says that nearly all have one, and that the site was
// not explored.
func Cookie(most bool) string {
	if !most {
		return "Nothing to do: the pages are learned without it."
	}
	return words.Say("Learn the pages without it, with {Explore}. {Benign} is only for a cookie that never stands for a " +
		"log-in; PHPSESSID does.")
}

// Opened says when pages that were sent as private or no-store count, where a rule lists some such.
func Opened(pages int) string {
	return words.Say(words.Form("{It counts at its|They count at their} next visit if {Public} names {it|them}.", pages))
}

// Verdict returns the verdict that can carry the reason, Unknown if none can.
func (r Reason) Verdict() eligibility.Verdict { return r.Reason.Standing().Verdict }

// CareOf returns how much the reason needs attention on a site that lists so many pages. Where no page is listed,
// nothing is left out as it should be.
func (r Reason) CareOf(listed int) Care {
	if listed == 0 && r.Care == Intended {
		return Look
	}
	return r.Care
}

// Means returns what the reason means, and what to do, in sentences.
func (r Reason) Means() string {
	if r.Why == "" {
		return ""
	}
	return strings.TrimSpace(strings.ToUpper(r.Why[:1]) + r.Why[1:] + ". " + r.Todo)
}

const unknown = "Nothing is known of this page: no listed page links to it, and nobody without a cookie got a page " +
	"there. If it redirects, fails, needs a log-in or is no HTML, that is why, and there is nothing to do. Else open it " +
	"once in a private window, as the first page there. A link that you just made is read when the page that has it is " +
	"visited again, a minute or more later."

// Unnamed says why nothing is known of a page whose query has a parameter that is not allowed.
func Unnamed(location string) string {
	return words.Say("Nothing is known of this page. Its address has a parameter that {Query} does not name, so it counts "+
		"only if it names this very address as canonical.") + " " + nameable(location, words.Say(
		"If the parameter makes a page of its own, as in /article?id=5, name it in {Query}."))
}

// nameable returns what to do about the query of a location: remedy, unless the name or the value of a parameter says
// that it makes no page of its own.
func nameable(location, remedy string) string {
	for name := range eligibility.Secrets(location) {
		return fmt.Sprintf(words.Say("The value of %s looks like a session or a secret, so leave it out of {Query}."), name)
	}
	_, query, _ := strings.Cut(location, "?")
	for param := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(param, "="); name != "" && ByName(name) != "" {
			return ByName(name)
		}
	}
	return remedy
}

// session matches the name of a parameter that may hold one, or tell of a talk.
var session = regexp.MustCompile(`(?i)^sess(ion)?([_-]?id)?$`)

// Named returns a warning of a parameter that {Query} names, "" if it is as it should be.
func Named(param string) string {
	if session.MatchString(param) {
		return fmt.Sprintf(words.Say("{Query} names %s, and a session by that name would list one page many times. Leave it out if it "+
			"stands for a visitor."), param)
	}
	return ByName(param)
}

// ByName says that a parameter should not be named in {Query}, if its name tells that it makes no page, else "".
func ByName(param string) string {
	if pages(param) {
		return ""
	}
	return fmt.Sprintf(words.Say("By its name, %s makes no page of its own, so leave it out of {Query}."), param)
}

const wasLinked = "It is listed: a page linked to it that was listed, or that only its query, noindex or canonical " +
	"keeps out. No listed page links to it now."

// WasLinked says why a page is listed to which no listed page links. Which page showed its link is not stored.
func WasLinked() string {
	return words.Say(wasLinked + " It stays until a visit shows that it is gone. To take it out, " +
		"answer 404 or 410 there and open it once, or use {Forget}.")
}

// Page says why the page at location is listed or not, and what would change that.
func Page(v eligibility.Verdict, why eligibility.Reason, location string) string {
	r := reasonAt(location, why)
	if v == eligibility.Unknown || r.Why == "" {
		return unknown
	}
	text := openings[r.Verdict()] + r.Why + "."
	if word, acts := action.Word(location); acts && why == eligibility.ActionWord {
		text += fmt.Sprintf(" The word is %q.", word)
	}
	return strings.TrimSpace(text + " " + r.Todo)
}

// reasonAt returns a reason for a sentence about the page at location, with what to do there.
func reasonAt(location string, why eligibility.Reason) Reason {
	r := ReasonNamed(why.String())
	switch {
	case why == eligibility.QueryNotCanonical:
		r.Todo = nameable(location, r.Todo)
	case why == eligibility.NoEvidence && eligibility.Own(location):
		r.Todo = words.Say("Its name is one that sites use for what only their owners should see. If it is for the public, link to it, or add {Always} for it. " +
			"If not, add {Never}.")
	case why == eligibility.NoEvidence && strings.Contains(location, "?"): // a route is for a path
		r.Todo = words.Say("Link to it from a listed page, or add {Always} for it.")
	}
	return r
}

// ShowsNothing says that the page at location is held for what it shows: what the site shows at an address that it does
// not have, or else what very many pages show.
func ShowsNothing(location string, none bool) string {
	if !none {
		return "It is held: it shows the same as at least nineteen other pages, as an error page does. Give a page of its " +
			"own another title or text, or have it name its own URL as canonical. Where there is no page, answer 404."
	}
	madeUp := ""
	if _, stands := nowhere.Beside(location); stands != "" {
		madeUp = ", as at " + strings.NewReplacer("#", "123456789", "*", "made-up").Replace(stands)
	}
	return "It is held: the content is what the site shows where it has no page. Answer 404 where there is no page" +
		madeUp + ". Have a page name its own URL as canonical."
}

// Besides adds to the text about the page at location what else keeps it out. It says once what is to be done.
func Besides(text, location string, all []eligibility.Reason) string {
	for _, why := range all {
		r := reasonAt(location, why)
		if why == eligibility.NoEvidence && (nameable(location, "") != "" ||
			strings.Contains(text, words.Say("add {Always} for it"))) {
			r.Todo = "" // no link lists it, or that which is said already does
		}
		if text += " Besides, " + r.Why + "."; r.Todo != "" && !strings.Contains(text, r.Todo) {
			text += " " + r.Todo
		}
	}
	return text
}

// Overtaken says that the next visit of a page can list it, although it was not listed when it was last seen.
func Overtaken(why eligibility.Reason, at time.Time) (text string, missing []string) {
	return fmt.Sprintf("At its last visit, %s: %s. That has changed, so its next visit can list it: open it once in a "+
		"private window.", stamp(at), ReasonNamed(why.String()).Why), []string{visit}
}

// Bare returns a text of Page without its opening, for where the verdict stands above it.
func Bare(text string) string {
	for _, opening := range openings {
		if rest, found := strings.CutPrefix(text, opening); found && rest != "" {
			return strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	return text
}

// waits begins the text of a linked page that nobody got, and that exploring does not ask for.
const waits = "It waits: a listed page links to it, but no anonymous visitor has got it yet. "

// Missing returns what would list a waiting or held page; each item alone is enough. led says that
// the site leads its visitors there, and status what it answered last, 0 if that is not known.
func Missing(location string, why eligibility.Reason, led bool, status int) (all []string) {
	for _, item := range ReasonNamed(why.String()).Frees {
		switch {
		case item == this:
			item = always(location)
		case item == visitor && status == 0 && eligibility.Unlinked(location):
			item = visit
		case item == route && (eligibility.Own(location) || strings.Contains(location, "?")):
			continue // it may have a route of its own, or no route can be for it alone
		case led && strings.HasPrefix(item, link):
			item = again
		}
		if item = words.Say(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// exploring says what to do where everybody has a cookie.
const exploring = "Explore the site with {Explore}: then it asks for its pages itself, without cookies."

// NoneAnonymous says why a linked page waits where nearly every visitor has a cookie, and what would list it.
func NoneAnonymous() (text string, missing []string) {
	return words.Say("It waits: a listed page links to it, and nearly every visitor has a cookie that may be a log-in, so " +
		"no visit counts. " + exploring), []string{"exploring", visit}
}

// Freed returns the items of Missing that list a page which these reasons keep out too: the rule, if that ends all of
// them, and a visit together with it.
func Freed(missing []string, location string, besides []eligibility.Reason) (all []string) {
	rule := always(location)
	for _, why := range besides {
		if !slices.Contains(ReasonNamed(why.String()).Frees, this) {
			return nil
		}
	}
	for _, item := range missing {
		switch item {
		case rule:
			all = append(all, rule)
		case visit, visitor:
			all = append(all, "a visit, with "+rule)
		}
	}
	return all
}

// LeftOut says why exploring did not get a linked location, and what would list it.
func LeftOut(location string, why eligibility.Reason) (text string, missing []string) {
	switch why {
	case eligibility.LinkFile:
		return waits + "It is named like a file. Caches may keep one visitor's page under such a name, so only what the " +
			"site itself gets there counts.", []string{"HTML there, by exploring or at the next visit"}
	case eligibility.LinkEndless:
		return waits + words.Say("Exploring did not ask for it, as others of its kind showed nothing new any more, as in a "+
				"calendar without end. What nobody needs to find there, {Never} bars."), []string{
				visitor, "exploring, with " + always(location)}
	case eligibility.AddressQuery:
		name := words.Say("If the parameter makes a page of its own, name it in {Query}.")
		remedy := nameable(location, name)
		missing = []string{"a visit, if the page names this URL as its canonical one"}
		if remedy == name {
			missing = append(missing, words.Say("a visit, with the parameter in {Query}"))
		}
		return waits + words.Say("Its query has a parameter that {Query} does not name, and exploring asks for few such "+
			"pages. ") + remedy, missing
	}
	text = waits + "Exploring leaves it out, because a request for an address with such a name may change something."
	if word, acts := action.Word(location); acts {
		return text + fmt.Sprintf(" The word is %q.", word), []string{"a visit, with " + always(location)}
	}
	return text, []string{visitor, "exploring, with " + always(location)}
}

// Meant names the listed page that somebody may mean who asks for an unknown one.
func Meant(url string) string { return " Did you mean " + url + "? That one is listed." }

// NoPageOf says why an address that the owner typed can be no page of the site.
func NoPageOf(url, origin string, why eligibility.Reason) string {
	if why == eligibility.AddressForm && url != "" && !strings.ContainsAny(url, ": ") && url[0] != '/' {
		return fmt.Sprintf("%q is not a path: it needs a slash before it. Did you mean /%s?", url, url)
	}
	text := fmt.Sprintf("%q can be no page of %s: %s.", url, origin, ReasonNamed(why.String()).Why)
	if _, rest, is := strings.Cut(url, "://"); is && why == eligibility.AddressHost {
		_, path, _ := strings.Cut(rest, "/")
		text += " Ask for the path alone, as /" + path + "."
	}
	return text
}

// OwnFile answers an owner who asks why a file of the sitemap is not listed.
const OwnFile = "This is a file of the sitemap itself. It lists pages and is none."

// RobotsFile answers an owner who asks that of robots.txt.
const RobotsFile = "This file tells crawlers what they may ask for. It is no page, and never listed."

// NoPage says that a waiting location answered with an error, a redirect or something else than a page.
func NoPage(status int) string {
	if status == http.StatusOK {
		return "It waits: the last request for it got something else than HTML, or HTML that leads on to another page. " +
			files
	}
	text := fmt.Sprintf("It waits: the last request for it got %d instead of a page.", status)
	if status >= http.StatusBadRequest {
		text += " Mend that, or the links to it."
	}
	return text
}

// Leads says where a page that is not listed redirects.
func Leads(url string) string { return " It leads to " + url + "." }

// Looks says from when on the site itself looks at a page.
func Looks(due time.Time) string {
	return " The site itself asks for it too, at " + stamp(due) + " or soon after, and what it then gets decides."
}

// LooksForChange stands after the dates of a page that the site is about to look at.
const LooksForChange = " If visitors got something new since, that look decides on it."

// NeedsLogin says that a waiting location answered with 401, 403 or a redirect to a log-in, and what
// would list it.
func NeedsLogin(status int) (text string, missing []string) {
	what := "needs a log-in"
	if status == http.StatusForbidden {
		what = "is refused"
	}
	return fmt.Sprintf("It %s: the last request for it got %d instead of a page. If that is intended, there is nothing "+
			"to do.", what, status),
		[]string{"a page there for visitors who are not logged in, if it is meant for them"}
}

// Ended says that the time has passed until which a page asked to be listed.
func Ended(until time.Time) string {
	return fmt.Sprintf("It is not listed: the date of its unavailable_after, %s, has passed.", stamp(until))
}

// Leaves says of a listed page that may be gone what it answers now, and then why it is still listed, which is text. If
// the answer is a page, it says why that may not be listed, or that other pages show the same. full says that as many
// pages have left today as may for such a reason.
func Leaves(text string, status int, why eligibility.Reason, since time.Time, full bool) string {
	what, borrowed := fmt.Sprintf("it has answered %d", status), why == eligibility.Duplicate
	switch r := ReasonNamed(why.String()); {
	case borrowed:
		what = "it has shown what other pages show too, as in a maintenance"
	case status < http.StatusBadRequest && r.Why != "":
		what = r.Why
	}
	leaves := "if that is still so a day later, unless the site or an anonymous visitor"
	if status == http.StatusNotFound && !borrowed {
		leaves = "a minute after it was first missed, unless somebody"
	}
	first := fmt.Sprintf("It is listed, but since %s %s. It leaves %s gets it before.", stamp(since), what, leaves)
	if borrowed {
		first += " If it was deleted, answer 404 or 410, and it leaves within minutes of its next visit."
	}
	if full {
		first += " At most ten pages, or 1 %, leave in a day by that."
	}
	if text == WasLinked() {
		text = wasLinked // how to take it out, it needs no more
	}
	return first + " " + Bare(text)
}
