package messages

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/words"
)

// Reason says what a reason means.
type Reason struct {
	Reason eligibility.Reason
	Care   Care
	Why    string   // what it means for a page: the rest of a sentence
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

var reasons = []Reason{
	{eligibility.ByEntry, Fine, "entry page", "", nil},
	{eligibility.ByLink, Fine, "a listed page links to it", "", nil},
	{eligibility.ByRoute, Fine, "it has its own route", "", nil},
	{eligibility.BySitemap, Fine, "the site's own sitemap has it, and no listed page links to it", "", nil},
	{eligibility.ByRule, Fine, "{Always} names it", "", nil},
	{eligibility.ByHistory, Fine, "it was listed before, and nothing speaks against it", "", nil},

	{eligibility.NoEvidence, Wait, "nothing shows yet that it is public",
		"Link to it from a listed page, or add {Always} for it.{OrWhole} A pattern such as /landing/*$ is for a whole folder.", []string{link, route, this}},
	{eligibility.NotSeen, Wait, "a listed page links to it, but no anonymous visitor has got it yet",
		"Open it once in a private window, or wait for the next visitor without a cookie.", []string{visitor}},

	{eligibility.NoPage, Intended, "what answers there is no page, but 404, an error, a log-in or a redirect",
		"If a link leads there by mistake, mend it. It is listed once a visitor without a cookie gets a page.", []string{visitor}},
	{eligibility.Growth, Wait, "links have listed as many new pages today as they may",
		"A visit on another day decides. To list it now, add {Always} for it, or explore. If such pages have no end, as in a calendar, keep them out with {Never}.", []string{"an anonymous visitor who gets it on another day", this}},

	{eligibility.ActionWord, Intended, "its address names an action, such as logout or delete", "If it is a page, add {Always} for it.", []string{this}},
	{eligibility.Capability, Intended, "its address looks like a secret, so it waits until a link from a listed page was seen twice, a day apart",
		"Link to it from a listed page. To list it now, add {Always} for it.", []string{link + ", seen twice, a day apart", this}},
	{eligibility.Duplicate, Intended, "another listed page shows the same content", "If they differ, have each name its own URL as canonical.", []string{"a canonical link to its own URL", this}},
	{eligibility.SoftNotFound, Look, "the content is what the site shows where it has no page, or what very many pages show",
		"Answer 404 where there is no page. Have a page name its own URL as canonical.", []string{"a canonical link to its own URL", this}},
	{eligibility.HeadNotSeen, Look, "the page is empty, or its head does not end or is too long to be read whole, so it may hide a noindex", "See what answers there. End the head, or shorten it.", []string{"a head that ends, and is short enough to be read whole"}},
	{eligibility.Encoding, Look, "servemap cannot read the Content-Encoding", unreadable, []string{"a Content-Encoding that servemap can read"}},

	{eligibility.RuleNever, Intended, "{Never} names it", "", nil},
	{eligibility.Disallowed, Intended, "the site's robots.txt disallows it", "Allow what should be listed.", nil},
	{eligibility.Forgotten, Intended, "you took it out with {Forget}", "{UndoForget} undoes that; so does adding {Always}.", nil},
	{eligibility.NoIndex, Intended, "the page says noindex", "Remove that where it is a mistake.", nil},
	{eligibility.PasswordField, Intended, "there is a field for a password, as on a log-in page",
		"If it is for the public too, add {Always} for it. If all pages have a box to log in, put that into <header>, <nav> or <dialog>.", nil},
	{eligibility.Private, Look, "sent for one visitor only (Cache-Control: private)", forOne, nil},
	{eligibility.NoStore, Look, "sent as not to be stored (Cache-Control: no-store)", forOne, nil},
	{eligibility.CanonicalElsewhere, Intended, "it names another URL as canonical", "If it is a page of its own, have it name its own URL.", nil},
	{eligibility.CanonicalConflict, Look, "several canonical URLs are named", "Have it name one.", nil},
	{eligibility.QueryNotCanonical, Intended, "its query has a parameter of its own, and it names no URL as canonical",
		"Does the parameter make the page, as in /article?id=5? Then name it in {Query}.", nil},

	{eligibility.NotFound, Intended, "the site answered 404", "Nobody got it in the minute after that. " + back, nil},
	{eligibility.StatusGone, Intended, "the site answered 410", "", nil},
	{eligibility.Moved, Intended, "it has moved for good", "", nil},
	{eligibility.LeadsOn, Look, "it redirects for now (302, 303 or 307)",
		"It still did a day later. If it has moved, redirect for good (301 or 308): then its history goes on there.", nil},
	{eligibility.Denied, Look, "the site refuses strangers (401 or 403)",
		"It still did a day later. If it is public, see why anonymous visitors are refused.", nil},
	{eligibility.LoginRedirect, Look, "the site asks strangers to log in, or something else, before they get it",
		"It still did a day later. If it is public, see why visitors must.", nil},
	{eligibility.Unseen, Intended, "no visitor came for longer than {KeepFor}", back, nil},

	{Reason: eligibility.Cookie, Care: Look, Why: "the visitor has a cookie", Todo: "Nothing needs to be done where {Explore} learns the pages without it. Else, if everybody gets it and it never stands for a log-in, as PHPSESSID does, name it in {Benign}."},
	{Reason: eligibility.IdentityHeader, Care: Look, Why: "a header may name a user", Todo: "If a proxy adds it to all and it says nothing of who is asking, name it in {Benign}, with a colon after it."},
	{Reason: eligibility.Authorization, Care: Look, Why: "the visitor sent credentials", Todo: "If a proxy adds them to all, have it leave that out{OrAnonymous}."},
	{Reason: eligibility.ClientCertificate, Care: Look, Why: "the visitor has a certificate"},
	{Reason: eligibility.NotAnonymous, Care: Intended, Why: "{Anonymous} says that the visitor is not anonymous"},
	{Reason: eligibility.Fragment, Care: Intended, Why: "a script or a frame asked for it, not a visitor"},
	{Reason: eligibility.NotHTML, Care: Intended, Why: "it is not HTML, or has no Content-Type"},
	{Reason: eligibility.Attachment, Care: Intended, Why: "it is a download"},
	{Reason: eligibility.Status, Care: Wait, Why: "the answer says nothing about the page, as a temporary error"},
	{Reason: eligibility.Incomplete, Care: Wait, Why: "the response ended early, or is only a part of the page"},

	{Reason: eligibility.LinkActs, Care: Intended, Why: "a request for them may change something, so they were not asked for", Todo: "Add {Always} for those that are pages."},
	{Reason: eligibility.LinkHeld, Care: Wait, Why: "their address looks like a secret, so they wait until their link was seen a day apart", Todo: "Add {Always} to list them now."},
	{Reason: eligibility.LinkElsewhere, Care: Wait, Why: "something answered them at the origin, but not this process, so they wait until a visitor gets them from here",
		Todo: "If that is a cache or another server for some paths, let it pass requests to this process."},
	{Reason: eligibility.LinkOffSite, Care: Look, Why: "they redirect to another host", Todo: "If that is this site, as www is, give it as the origin."},
	{Reason: eligibility.LinkLeft, Care: Look, Why: "the limit of requests was reached before they were asked for", Todo: "Give a greater {Max}."},
	{Reason: eligibility.LinkEndless, Care: Intended, Why: "pages of their kind showed nothing new any more, as in a calendar, a filter or print versions, so no more of them were asked for",
		Todo: "Link to those that matter from another page, or add {Always} for them."},
	{Reason: eligibility.LinkUnread, Care: Look, Why: "a sitemap that the site has was not read to its end: it does not answer, is none, is disallowed, or there are too many", Todo: "See what answers there, as with servemap check."},
	{Reason: eligibility.LinkStale, Care: Look, Why: "a sitemap that the site has names them, and they are answered with an error", Todo: "Mend them, or take them out of that sitemap."},
	{Reason: eligibility.LinkTooMany, Care: Look, Why: "more addresses than can be remembered were found, in links or the site's sitemap", Todo: "Give a greater {Max}."},
	{Reason: eligibility.LinkFile, Care: Intended, Why: "the site gave no HTML there, as at downloads and feeds", Todo: "If they are pages, answer them with the Content-Type text/html."},
	{Reason: eligibility.LinkNoFollow, Care: Intended, Why: "the link, or its page, says nofollow", Todo: "Remove that where it is a mistake."},
	{Reason: eligibility.LinkFailed, Care: Look, Why: "the site refused them, did not answer, or broke off", Todo: "See its log, and what is in front of it."},

	{Reason: eligibility.LinkWalled, Care: Look, Why: "a bot wall answered in place of the site",
		Todo: "Allow the User-Agent servemap-explore, or this machine's address, in its rules, and crawl again. See that it lets search engines through."},
	{Reason: eligibility.LinkRefused, Care: Look, Why: "refused", Todo: "If it is public, see why strangers are."},
	{Reason: eligibility.LinkLogin, Care: Look, Why: "visitors are sent to log in", Todo: "If it is public, see why strangers are."},
	{Reason: eligibility.LinkRedirects, Care: Look, Why: "redirect", Todo: "Link to the address where it leads."},
	{Reason: eligibility.LinkNoHTML, Care: Intended, Why: "no page of HTML, or one that leads on by itself"},
	{Reason: eligibility.LinkError, Care: Look, Why: "answered with an error", Todo: "Mend it, or the links to it."},
	{Reason: eligibility.LinkNotGot, Care: Wait, Why: "linked, or where visitors enter, and the crawl did not get it"},

	{Reason: eligibility.AddressHost, Care: Look, Why: "the host is not the site's", Todo: "If it is yours, correct {Origin}, or name its hosts in {Hosts}."},
	{Reason: eligibility.AddressForm, Care: Look, Why: "it is not a path or an http(s) URL, or it names a user", Todo: address},
	{Reason: eligibility.AddressCharacter, Care: Look, Why: "the address has a character that may not stand in a URL, or that nobody sees", Todo: address},
	{Reason: eligibility.AddressEscape, Care: Look, Why: "the address has a broken escape, an escaped slash, or is escaped twice", Todo: address},
	{Reason: eligibility.AddressSegment, Care: Look, Why: `the address has two slashes in a row, or "." or ".." as a segment`, Todo: address},
	{Reason: eligibility.AddressPathParam, Care: Look, Why: "the path has a session", Todo: address},
	{Reason: eligibility.AddressTooLong, Care: Look, Why: "the address is longer than the 2,047 bytes that a sitemap may have", Todo: address},
	{Reason: eligibility.AddressEmail, Care: Look, Why: "the address has an e-mail address in it", Todo: address},
	{Reason: eligibility.AddressOutsideFolder, Care: Intended, Why: "it is not in the folder of the origin"},
	{Reason: eligibility.AddressQuery, Care: Look, Why: "there is a parameter that {Query} does not name, or one without a value",
		Todo: "Name parameters that make pages of their own in {Query}, but none that only sorts, filters or searches."},
}

const (
	link       = "a link from a listed page"
	again      = "another visit to a page that links to it, a day later"
	route      = "{OrRoute}"
	visitor    = "an anonymous visitor who gets a page there"
	visit      = "a visit: open it once in a private window, and it is listed seconds later"
	this       = "{AlwaysThis}"
	unreadable = "Use gzip, br or zstd, or compress only after servemap."
	forOne     = "Send that only with pages for one visitor, or set {Public} for the others."
	address    = "Link to it by another address, or ignore it if it is no page."
	back       = "It comes back when an anonymous visitor gets it again."
)

// ReasonNamed returns the reason of that name. It is zero if there is none.
func ReasonNamed(name string) Reason {
	for _, r := range reasons {
		if r.Reason.String() == name {
			r.Why, r.Todo = words.Say(r.Why), words.Say(r.Todo)
			return r
		}
	}
	return Reason{}
}

// Cookie says what to do about visitors who have a cookie. explored says that the site was explored.
func Cookie(explored bool) string {
	if explored {
		return "Nothing to do: the pages were learned without it, by exploring."
	}
	return words.Say("Learn the pages without it, with {Explore}. {Benign} is only for one that never stands for a log-in, as PHPSESSID does.")
}

// Verdict returns the verdict that can carry the reason, Unknown if none can.
func (r Reason) Verdict() eligibility.Verdict { return r.Reason.Standing().Verdict }

// Means returns what the reason means, and what to do, in sentences.
func (r Reason) Means() string {
	if r.Why == "" {
		return ""
	}
	return strings.TrimSpace(strings.ToUpper(r.Why[:1]) + r.Why[1:] + ". " + r.Todo)
}

const unknown = "Nothing is known of this page: no visitor without a cookie got a page there, and no listed page links to it. " +
	"Open it once in a private window. It may answer with an error or a redirect, as to a log-in: " +
	"of such an address, only what a listed page links to is remembered."

// Page says why the page at location is listed or not, and what would change that.
func Page(v eligibility.Verdict, why eligibility.Reason, location string) string {
	r := ReasonNamed(why.String())
	if v == eligibility.Unknown || r.Why == "" {
		return unknown
	}
	text := openings[r.Verdict()] + r.Why + "."
	if word, acts := action.Word(location); acts && why == eligibility.ActionWord {
		text += fmt.Sprintf(" The word is %q.", word)
	}
	if why == eligibility.NoEvidence && eligibility.Own(location) {
		r.Todo = words.Say("Its name looks like the owner's. If it is for the public, link to it, " +
			"or add {Always} for it. If not, add {Never}.")
	}
	return strings.TrimSpace(text + " " + r.Todo)
}

// Besides says what else keeps a page out, and what to do about that.
func Besides(all []eligibility.Reason) (text string) {
	for _, why := range all {
		r := ReasonNamed(why.String())
		text += strings.TrimRight(" Besides, "+r.Why+". "+r.Todo, " ")
	}
	return text
}

// Overtaken says that the next visit of a page can list it, although it was not listed when it was last seen.
func Overtaken(why eligibility.Reason, at time.Time) (text string, missing []string) {
	return fmt.Sprintf("As of its last visit, at %s: %s. That no longer holds, so its next visit can list it: "+
		"open it once in a private window.", stamp(at), ReasonNamed(why.String()).Why), []string{visit}
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
		case item == route && eligibility.Own(location):
			continue // it may have one
		case led && strings.HasPrefix(item, link):
			item = again
		}
		if item = words.Say(item); item != "" {
			all = append(all, item)
		}
	}
	return all
}

// LeftOut says why exploring did not get a linked location, and what would list it.
// foreign says that its query has a parameter that is not allowed. If it is false, a
// request for the location may change something.
func LeftOut(location string, foreign bool) (text string, missing []string) {
	if foreign {
		return waits + words.Say("Its query has a parameter that is not allowed, and exploring asks for few such pages. If the parameter makes a page of its own, which names no other URL as canonical, name it in {Query}."),
			[]string{visitor + ", if the parameter is allowed", visitor + ", if that page names this URL as its canonical one"}
	}
	text, missing = waits+"Exploring does not ask for it, because a request for an address with such a name may change something.", []string{visitor, "exploring, with " + always(location)}
	if word, acts := action.Word(location); acts {
		text, missing = text+fmt.Sprintf(" The word is %q.", word), []string{visitor + ", and " + always(location)}
	}
	return text, missing
}

// LikeAFile says why a linked location that is named like a file is not listed yet, and what would list it.
func LikeAFile() (text string, missing []string) {
	return waits + "It is named like a file. Caches may keep one visitor's page under such a name, so what visitors get there does not count.",
		[]string{"HTML that the site itself gets there, by exploring or as a visitor asks for it"}
}

// Meant names the listed page that somebody may mean who asks for an unknown one.
func Meant(url string) string { return " Did you mean " + url + "? That one is listed." }

// NoPageOf says why an address that the owner typed can be no page of the site.
func NoPageOf(url, origin string, why eligibility.Reason) string {
	text := fmt.Sprintf("%q can be no page of %s: %s.", url, origin, ReasonNamed(why.String()).Why)
	if why == eligibility.AddressForm && url != "" && !strings.ContainsAny(url, "/: ") {
		text += fmt.Sprintf(" Did you mean /%s?", url)
	}
	return text
}

// OwnFile answers who asks why a file of the sitemap is not listed.
const OwnFile = "This is a file of the sitemap itself. It lists pages and is none."

// NoPage says that a waiting location answered with an error, a redirect or something else than a page.
func NoPage(status int) string {
	if status == http.StatusOK {
		return "It waits: the last request for it got something else than HTML, or HTML that leads on to another page."
	}
	return fmt.Sprintf("It waits: the last request for it got %d instead of a page.", status)
}

// NeedsLogin says that a waiting location answered with 401, 403 or a redirect to a log-in, and what
// would list it.
func NeedsLogin(status int) (text string, missing []string) {
	what := "needs a log-in"
	if status == http.StatusForbidden {
		what = "is refused"
	}
	return fmt.Sprintf("It %s: the last request for it got %d instead of a page. If that is intended, there is nothing to do.", what, status),
		[]string{"a page there for visitors who are not logged in, if it is meant for them"}
}

// Ended says that the time has passed until which a page asked to be listed.
func Ended(until time.Time) string {
	return fmt.Sprintf("It is not listed: the date of its unavailable_after, %s, has passed.", stamp(until))
}

// Leaves says what is known of a listed page that may be gone: what it answered, or, if borrowed, that it shows what
// other pages show.
func Leaves(status int, since time.Time, borrowed bool) string {
	what := fmt.Sprintf("answered %d", status)
	if borrowed {
		what = "shown what other pages show too, as in a maintenance"
	}
	leaves := "if that is still so a day later, unless the site or an anonymous visitor"
	if status == http.StatusNotFound && !borrowed {
		leaves = "a minute after it was first missed, unless somebody"
	}
	return fmt.Sprintf(" But since %s it has %s, perhaps for one visitor only. It leaves %s gets it before. "+
		"Ten pages leave as refused in a day, or one in a hundred.", stamp(since), what, leaves)
}
