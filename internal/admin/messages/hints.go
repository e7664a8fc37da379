package messages

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/page/words"
)

// Hint is a known cause that prevents learning a whole site. It is for an owner whose program runs
// and lists nothing. Hints are shown in the order of their numbers. The numbers are not stored and
// may change.
type Hint uint8

// The hints, more fundamental causes first.
const (
	_           Hint = iota
	Unwrapped        // no request passes through the site
	Routed           // it stands where no request for the sitemap comes
	Barred           // something around it answers requests for the sitemap
	Unanswered       // the site behind a proxy does not answer
	Failing          // listed pages are answered with errors alone
	Circles          // the entry redirects to itself
	OtherOrigin      // requests or pages name another host or scheme
	Canonicals       // pages name something else as canonical
	OtherFolder      // requests are for another folder
	NoPageYet        // visitors get no page where they enter
	Credentials      // every request names a user
	Cookies          // every visitor has a cookie that may be a log-in
	ForOne           // every response is private
	Incomplete       // the responses are not taken whole
	NoPages          // the responses are no pages that servemap can read
	Forbidden        // the entry is disallowed, noindex or nofollow
	ClientApp        // a script makes the pages in the browser
	Cut              // pages are longer than is read
	DeadEnd          // the entries link to no page
	Few              // hardly any page is listed
	Alike            // many pages show one text
	Leaving          // many pages left
	Unannounced      // robots.txt does not name the sitemap, and cannot
	Refused          // more listed pages are refused than may leave in a day for that
	Panicked         // a function of the owner's panicked
	Unexplored       // the origin does not lead to this process
	Another          // the origin leads to another process of the same store
	Unlistened       // nothing listens at the origin
	hints
)

// Mounting says how to put a site around a program.
const Mounting = "call site.Mount(r) on the root router of gorilla/mux, after its routes, or serve site.Wrap(handler)"

// passing says what to do if something answers before the site.
const passing = "have it let requests for the sitemap pass{OrMount}; if another program answers there, correct {Origin}"

// Passing says that to somebody who explores and gets the answers of something else.
func Passing() string {
	return "something answers before the site, as a log-in does; " + words.Say(passing)
}

// listening says what to do if nothing listens at the origin.
const listening = "write go site.Explore(ctx, nil) if the server begins to listen after that, or correct {Origin}"

// Early says that to somebody who explores.
func Early() string { return "nothing listens there yet: " + words.Say(listening) }

// hintTexts say what is wrong, and then what to do about it.
var hintTexts = [hints]string{
	Unwrapped: "No request has passed through this site yet, so nothing is learned; " +
		"visits to the inspector do not count. " +
		"Put the site around your program: " + Mounting + ".",
	Routed: "The site stands inside a route of the program's router, or another route has the sitemap's address, so it is " +
		"not served. " +
		"With gorilla/mux, call site.Mount(r) on the root router in place of r.Use(site.Wrap). With others, put site.Wrap " +
		"around the whole router, without a route for the sitemap.",
	Barred: "Crawlers do not get the sitemap: something answers requests for it before they come to the site, as a " +
		"log-in does. " +
		"To mend that, " + passing + ".",
	Unanswered: "The site does not answer; visitors get 502 or 504. See whether it runs, and what its log says.",
	Failing: "For a minute and longer the site has answered anonymous visitors of listed pages with errors alone; the pages keep " +
		"their places and dates meanwhile. See what its log says, unless you mean it, as in a maintenance.",
	Circles: "The site redirects visitors from where they enter to the same address, again and again, so nobody gets a " +
		"page. " +
		"Most often it does not know that they come by https: have it heed X-Forwarded-Proto, as PHP does once " +
		"$_SERVER['HTTPS'] is on where that says https.",
	OtherOrigin: "Visitors, redirects or the pages themselves use another host or scheme than the origin's, so nothing " +
		"there is listed. " +
		"Of two hosts, such as example.com and www.example.com, give the one where visitors end, and that pages name as " +
		"canonical, as {Origin}. If the other shows the pages too, without a redirect, name it in {Hosts}.",
	Canonicals: "Pages that name something else as canonical are not listed. Have each page name its own URL, with the " +
		"host of {Origin}.",
	OtherFolder: "Requests are for another folder than the origin's, so no page can be listed there. Correct {Origin}, " +
		"or set {Stripped} to what a proxy cuts off.",
	NoPageYet: "Visitors get no page where they enter: the site answers with errors, or asks them to log in. " +
		"Make it answer 200, or name in {Entries} where anonymous visitors find pages.",
	Credentials: "Nearly every request has credentials, a certificate, or a header that may name a user, so no visitor " +
		"counts as anonymous. " +
		"If a proxy adds that to every request, turn that off{OrAnonymous}. If the header does not tell visitors apart, " +
		"name it in {Benign}, with a colon after it.",
	Cookies: "Nearly every request has a cookie that may be a log-in, so it does not count as an anonymous visitor's. " +
		exploring + " Name a cookie in {Benign} only if it never stands for a log-in; PHPSESSID does.",
	ForOne: "The responses say Cache-Control: private or no-store, as if each were for one visitor, so their pages are " +
		"not listed. " + forOne,
	Incomplete: "The responses end early: the visitor, or the proxy in front, had gone before the last byte, or fewer " +
		"bytes came than Content-Length says. " +
		"See the timeouts of what is in front, and whether the program's writes fail.",
	NoPages: "The responses are no HTML, are empty where servemap sees them, are parts of pages that a script asks for, " +
		"or have a Content-Encoding that servemap cannot read. " +
		"Send pages with the Content-Type text/html, and to a script that follows a link the whole document{OrAround}. " +
		unreadable,
	Forbidden: "A robots.txt, noindex or nofollow keeps crawlers from the page where visitors enter, or from its links. " +
		"Remove that if it is a mistake.",
	ClientApp: "Every path serves the same page, as when a script makes the pages in the browser, so servemap cannot " +
		"tell them apart. " +
		"Render the pages on the server, and answer 404 where there is none.",
	Cut: "Some pages are longer than the 2 MiB, or have more than the 5,000 links, that are read of each, so links " +
		"behind that are not followed. " +
		"Shorten them, or link to what is missing from another page.",
	DeadEnd: "The pages where visitors enter link to no page of the site, and servemap finds pages by links. " +
		"Link to them, name more pages in {Entries}, or add {Always} for them.",
	Few: "Hardly any of the pages that visitors saw is listed. Ask {Stats} for the reasons, and {Explain} about a page.",
	Alike: "Many listed pages show one and the same text now, or none; they keep their places and dates for a day. " +
		"See what the site answers. If you mean it, as in a maintenance, answer 503, so that search engines keep their " +
		"pages too.",
	Leaving: "Many pages left the sitemap in a short time. " +
		"Do they still exist? Then see whether a setting was changed or left out, or what the site answers, by mistake.",
	Unannounced: "robots.txt does not name the sitemap: what the site answers there, with status 200, is no plain robots.txt. " +
		"Answer 404, or serve one as text/plain of at most 500 KiB{OrRobots}.",
	Refused: "Many listed pages are refused, by a 401, 403 or 404 or a log-in. At most ten of them a day, or 1 %, " +
		"are taken out, and the others once nobody has got them for a day longer. " +
		"If you deleted them, answer 410. If you mean to refuse nobody, see what the site answers to crawlers, and to its " +
		"own machine.",
	Unexplored: "Not exploring: the site's public address does not lead here, so pages are learned from visitors. " +
		"To explore the site directly, {InsideThis} (only if no server in front keeps strangers from a page), " +
		"or else correct {Origin}.",
	Another: "Another process with the same database answers at the site's public address, and nobody came from there " +
		"to this one, so nothing is learned here. " +
		"If this is for staging, give it a table of its own. If a balancer spreads visitors over both, {InsideThis}.",
	Unlistened: "Not exploring: nothing listened at the site's public address, so pages are learned from visitors. " +
		"To explore, " + listening + ".",
	Panicked: "One of your functions panicked, so that request does not count. The log has the stack of the first panic.",
}

// String says what is wrong, and then what to do about it.
func (h Hint) String() string { return words.Say(hintTexts[h]) }

// Instead says what came instead of the sitemap. to is where it leads, "" for nowhere.
func Instead(status int, to string) string {
	if to != "" {
		return fmt.Sprintf("What came was %d, which leads to %s.", status, to)
	}
	return fmt.Sprintf("What came was %d.", status)
}

// Hints holds the hints that hold for one site. It logs each once, once that it is over, and both again if its cause
// comes back later than that hour. A nil *Hints ignores hints and has none. It is safe for concurrent use.
type Hints struct {
	logger *slog.Logger
	mu     sync.Mutex
	all    [hints]given
}

// given is what is known of a hint.
type given struct {
	text   string // once it was given; it never changes
	holds  bool
	logged time.Time // when it was last
	open   bool      // it was logged, and not yet that it is over
}

// logsAgain is how long ago a hint that is over must have been logged to be logged anew.
const logsAgain = time.Hour

// NewHints returns Hints that log to logger.
func NewHints(logger *slog.Logger) *Hints { return &Hints{logger: logger} }

// Give gives the hint, and logs it unless the log has it and not that it is over. more is another sentence for the
// owner, or "". It says how the hint applies to this site. args are attributes as for
// [slog.Logger.Warn]. Only the log gets them, but they too may name only what is public.
func (h *Hints) Give(hint Hint, more string, args ...any) {
	if h == nil {
		return
	}
	h.mu.Lock()
	g, first := h.hold(hint, more)
	tells := !g.open && (first || !g.logged.IsZero() && time.Since(g.logged) >= logsAgain)
	if tells {
		g.open, g.logged = true, time.Now()
	}
	h.mu.Unlock()
	if tells {
		h.logger.Warn("servemap: "+g.text, args...)
	}
}

// Hold is Give without the log, for a caller that has logged the hint itself. It reports whether the hint was never
// given before.
func (h *Hints) Hold(hint Hint, more string) (first bool) {
	if h == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_, first = h.hold(hint, more)
	return first
}

// hold notes that a hint holds, and returns what is known of it. The caller has locked mu.
func (h *Hints) hold(hint Hint, more string) (g *given, first bool) {
	g = &h.all[hint]
	if g.holds, first = true, g.text == ""; first {
		g.text = strings.TrimSpace(hint.String() + " " + more)
	}
	return g, first
}

// In reports whether the hint is among these texts of a site.
func (h Hint) In(texts []string) bool {
	return slices.ContainsFunc(texts, func(text string) bool { return strings.HasPrefix(text, h.String()) })
}

// NotFollowed begins what the log says of links that exploring left out.
const NotFollowed = "servemap: left out: "

// Logs reports whether a line of the log is a hint, or says what exploring left out: a summary tells both by itself.
func Logs(message string) bool {
	if strings.HasPrefix(message, NotFollowed) {
		return true
	}
	for h := range hints {
		if h > 0 && strings.HasPrefix(message, "servemap: "+h.String()) {
			return true
		}
	}
	return false
}

// End ends hints, since their cause has gone. The log says so of each that it has, so that nobody goes on looking.
func (h *Hints) End(gone ...Hint) {
	if h == nil {
		return
	}
	var over []Hint
	h.mu.Lock()
	for _, hint := range gone {
		g := &h.all[hint]
		if g.holds && g.open {
			over = append(over, hint)
			g.open = false
		}
		g.holds = false
	}
	h.mu.Unlock()
	for _, hint := range over {
		h.logger.Info("servemap: This is over: “" + sentence.FindString(hint.String()) + ".”")
	}
}

// sentence matches the first sentence of a hint, or its first half, which names the cause.
var sentence = regexp.MustCompile(`^(?:[^.;]|\.\w)+`)

// Given returns the hints that hold, in the order of their numbers.
func (h *Hints) Given() (given []Hint) {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for hint, g := range h.all {
		if g.holds {
			given = append(given, Hint(hint))
		}
	}
	return given
}

// Has reports whether the hint was given, and holds.
func (h *Hints) Has(hint Hint) bool { return slices.Contains(h.Given(), hint) }

// Texts returns the texts for the owner of the hints that hold, in the same order.
func (h *Hints) Texts() (all []string) {
	for _, hint := range h.Given() {
		all = append(all, h.all[hint].text) // a text never changes once it is set
	}
	return all
}
