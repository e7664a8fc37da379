// Package observe is the part of the library on the request's path. It takes each
// request, decides whether its response is worth a look, has that response
// watched, and hands the ledger what it showed. It must never change, delay or
// fail a request.
package observe

import (
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/due"
	"github.com/servemap/servemap/internal/files"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/ledger"
	"github.com/servemap/servemap/internal/location"
	shown "github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/tap"
)

// Config says how requests are judged. Anonymous and ClientIP may be nil.
type Config struct {
	Normalizer     *location.Normalizer
	StrippedPrefix string
	Due            *due.Table
	Buffers        *tap.Buffers
	Ledger         *ledger.Ledger
	Files          *files.Files
	Rules          admit.Rules
	Cookies        admit.Cookies
	Anonymous      func(*http.Request) bool
	ClientIP       func(*http.Request) netip.Addr
	Hints          *hint.Hints
	WatchRobots    bool // learn robots.txt from the one that the site serves
}

// Observer watches the responses of one site. It is safe for concurrent use.
type Observer struct {
	closed   atomic.Bool // the first field, on a cache line that is seldom written: every request reads it
	cfg      Config
	routed   atomic.Bool // a route was seen
	tally    tally
	looks    atomic.Uint64 // that have ended
	cookies  nameCounts    // by which clients were known
	headers  nameCounts
	outcomes [admit.Reasons]atomic.Uint64
	refusals [location.ReasonQuery + 1]atomic.Uint64
}

// New returns an observer.
func New(cfg Config) *Observer { return &Observer{cfg: cfg} }

// Close makes the observer pass every request on unwatched.
func (o *Observer) Close() { o.closed.Store(true) }

// Serve calls next for the request, and watches the response if there may be
// something to learn.
func (o *Observer) Serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if tap.From(w, o.cfg.Buffers) != nil {
		// The site watches this response further out, but the route may be known
		// only here, behind the router, and with some routers only afterwards. Of
		// nested routers the innermost one is asked first, and its route stays.
		// There is no tap any more if the outer handler has returned.
		next.ServeHTTP(w, r)
		if seen := tap.From(w, o.cfg.Buffers); seen != nil && seen.Route == "" {
			seen.Route, seen.Exact = o.matched(r)
		}
		return
	}
	loc, look, ok := o.begin(r)
	if !ok {
		next.ServeHTTP(w, r)
		return
	}
	if loc.Location == robotsTxt {
		network := o.network(r)
		o.settleRobots(network, look, tap.ServeText(next, w, r, o.cfg.Buffers))
		return
	}
	asked := asked{method: r.Method, network: o.network(r), local: local(r), explored: Explores(r), named: named(r)}
	serve := tap.ServeStranger
	if asked.explored || o.vouched(loc.Location) {
		serve = tap.Serve
	}
	resp := serve(next, w, r, o.cfg.Buffers)
	asked.given = len(w.Header()["Set-Cookie"]) > 0
	o.settle(r, asked, loc, look, resp)
}

// asked is what is read of a request before it is served, since handlers may
// change the request: turn a HEAD into a GET, or set the remote address to what
// the client claims.
type asked struct {
	method   string
	network  netip.Prefix
	local    bool
	explored bool // by the site itself
	given    bool // the response set a cookie
	named    shown.Named
}

// named returns what r names besides its page. The strings still share memory with
// r.
func named(r *http.Request) shown.Named {
	referer := r.Header.Get("Referer")
	_, query, _ := strings.Cut(r.RequestURI, "?")
	return shown.Named{Referer: referer[:min(len(referer), maxReferer)], Query: query, Cookies: len(r.Header["Cookie"]) > 0}
}

// maxReferer bounds what is kept of a Referer while a look waits. It has room for
// every location with all of its bytes escaped.
const maxReferer = 4096

// begin decides whether the response to r is to be watched. The cheapest
// question comes first: whether its target is due at all.
func (o *Observer) begin(r *http.Request) (location.Result, due.Look, bool) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.RequestURI == "" || o.closed.Load() {
		return location.Result{}, due.Look{}, false
	}
	class := ""
	if r.Method == http.MethodHead {
		class = heads
	}
	look, ok := o.cfg.Due.Begin(class + r.RequestURI)
	if !ok {
		return location.Result{}, due.Look{}, false
	}
	return o.consider(r, class, look)
}

// consider decides whether the response to a request that is due is to be watched,
// and at which location.
func (o *Observer) consider(r *http.Request, class string, look due.Look) (loc location.Result, _ due.Look, ok bool) {
	if special(r.Header) {
		look.Return()
		return loc, look, false
	}
	if o.asksForRobots(r) {
		look, ok = o.beginRobots(r, look)
		return location.Result{Location: robotsTxt}, look, ok
	}
	if loc = o.locate(r); loc.Location == "" {
		o.refuse(r, loc.Reason, look)
		return loc, look, false
	}
	o.tally[nOwn].Add(1)
	o.tally[nInside].Add(1)
	if admit.AssetName(loc.Location) {
		o.outcomes[admit.NotHTML].Add(1)
		look.Accept() // the same target is passed on each time
		return loc, look, false
	}
	why := o.known(r)
	if why == admit.None && admit.IsFragment(r.Header) {
		why = admit.Fragment
	}
	if why != admit.None {
		o.noteNames(why, o.outcomes[why].Add(1), r.Header)
		look.Return()
		o.ended()
		return loc, look, false
	}
	o.tally[nAnonymous].Add(1)
	if loc.Location == r.RequestURI {
		return loc, look, true
	}
	look.Return() // many spellings of one page share its looks
	if loc.Tagged {
		class += tagged
	}
	look, ok = o.cfg.Due.Begin(class + loc.Location)
	return loc, look, ok
}

// vouched reports whether something on the site vouches for a location: it is an
// entry, it is listed, or the ledger asked for it, as it does when a listed page
// links to it. A stranger may have made up any other location.
func (o *Observer) vouched(loc string) bool {
	return o.cfg.Ledger.IsEntry(loc) || o.cfg.Due.Expects(loc) || o.cfg.Files.Lists(loc)
}

// These prefixes give responses other than the page itself their own schedules. No
// target of a request begins with one. A stranger can turn a response into one of
// these with a HEAD, a validator or an Accept header, and must not use up the
// page's look by it. Denials and redirects have a schedule for each of 16 groups
// of networks, so that a client that is denied over and over does not hide that
// others are denied too.
const (
	heads     = "HEAD "
	unchanged = "304 "
	denials   = "404 "
	redirects = "3xx "
	tagged    = "tag " // the page with tracking parameters, which the site may answer with anything

	robotsLook = "robots " // robots.txt, also for each group of networks
)

// special reports whether the request asks for something other than a page.
func special(h http.Header) bool {
	return len(h["Upgrade"]) > 0 || len(h["Range"]) > 0 ||
		len(h["Accept"]) > 0 && strings.Contains(h["Accept"][0], "text/event-stream")
}

// refuse ends the look at a request that has no location on the site.
func (o *Observer) refuse(r *http.Request, why location.Reason, look due.Look) {
	o.refusals[why].Add(1)
	if why == location.ReasonOutsideFolder {
		o.tallyOutside(r)
	}
	if why == location.ReasonHost {
		look.Return()
	} else {
		o.tally[nOwn].Add(1)
		look.Accept() // the same target is refused each time
	}
	o.ended()
}

// settle hands over what the response showed, if anything.
func (o *Observer) settle(r *http.Request, asked asked, loc location.Result, look due.Look, resp *tap.Response) {
	defer o.ended()
	at := time.Now()
	kind, why := o.cfg.Rules.Response(asked.method, loc.Location, resp)
	o.tallyResponse(kind, asked, loc.Location, resp)
	if look = o.judge(asked, loc, kind, why, look, resp, at); look == (due.Look{}) {
		resp.Release()
		return
	}
	s := &shown.Sighting{
		Kind: kind, Reason: why,
		Location: strings.Clone(loc.Location),
		OwnURL:   loc.NeedsCanonical,
		Tagged:   loc.Tagged,
		At:       at,
		Response: resp,
		Network:  asked.network,
		Explored: asked.explored,
		Variety:  shown.VarietyOf(resp.Header.Vary, r.Header),
		Named:    shown.Named{Referer: strings.Clone(asked.named.Referer), Query: strings.Clone(asked.named.Query), Cookies: asked.named.Cookies},
	}
	s.Route, s.Exact = o.route(r, resp, loc.Location)
	if kind == admit.Doubtful || kind == admit.Redirected {
		look.Pass()
	} else {
		look.Accept() // before the offer, as merging it may make the page due again
	}
	if !o.cfg.Ledger.Offer(s) {
		look.Return()
	}
}

// judge ends the look if the response is not worth merging, and then returns the
// zero Look. Otherwise it returns the look that the response uses up. It withdraws
// a page that the response forbids to list.
func (o *Observer) judge(asked asked, loc location.Result, kind admit.Kind, why admit.Reason, look due.Look, resp *tap.Response, at time.Time) due.Look {
	unread := resp.Truncated && resp.Header.ContentType == "" // there was no memory to learn its type from
	switch {
	case kind == admit.Nothing && unread:
		o.cfg.Ledger.Drop()
	case kind == admit.Nothing, kind == admit.Forbidden:
		o.outcomes[why].Add(1)
	}
	switch {
	case kind == admit.Nothing:
		look.Return()
		return due.Look{}
	case loc.Tagged && kind != admit.Witness:
		look.Pass() // it says nothing of the page without the tracking parameters
		return due.Look{}
	}
	if !loc.Tagged {
		o.withdraw(loc.Location, kind, resp, at)
	}
	switch {
	case asked.method == http.MethodHead:
	case kind == admit.Alive:
		return o.instead(look, unchanged+loc.Location, true)
	case kind == admit.Doubtful:
		// Only a listed page can be lost. An entry that is missing is worth a
		// hint.
		return o.instead(look, denials+group(asked.network)+loc.Location, o.cfg.Files.Lists(loc.Location) || o.cfg.Ledger.IsEntry(loc.Location))
	case kind == admit.Redirected:
		return o.instead(look, redirects+group(asked.network)+loc.Location, true)
	case kind == admit.Witness && resp.Truncated && len(resp.Body) < shown.MaxPage:
		o.cfg.Ledger.Drop() // for want of memory, not because the page is long
		look.Return()
		return due.Look{}
	}
	return look
}

// instead gives back a look at a page whose response is of another kind, and
// begins a look at target, the schedule of that kind, if it is wanted and due.
func (o *Observer) instead(look due.Look, target string, wanted bool) due.Look {
	look.Return()
	if !wanted {
		return due.Look{}
	}
	other, _ := o.cfg.Due.Begin(target)
	return other
}

// group names one of 16 groups of networks by a character. All unknown networks
// are in one group.
func group(network netip.Prefix) string {
	n := byte(0)
	for _, b := range network.Addr().As16() {
		n += b ^ b>>4
	}
	return "0123456789abcdef"[n%16 : n%16+1]
}

// withdraw takes a page out of the files being served if the response forbids its
// listing or says that it is gone for good. It does not wait for the store.
func (o *Observer) withdraw(loc string, kind admit.Kind, resp *tap.Response, at time.Time) {
	gone := kind == admit.Forbidden || kind == admit.Vanished
	if tag := resp.Header.RobotsTag; kind == admit.Witness && tag != "" {
		gone, _, _ = page.Robots(strings.Split(tag, "\n"))
	}
	if gone {
		o.cfg.Files.Withdraw(loc, at)
	}
}

// NextLook returns when the page at a location is looked at next, if somebody asks
// for it then; the zero Time if at any time from now on.
func (o *Observer) NextLook(loc string) time.Time { return o.cfg.Due.Next(loc) }

// SeesRoutes reports whether the route of any page was seen.
func (o *Observer) SeesRoutes() bool { return o.routed.Load() }

// Counts returns how many looks ended without a sighting, by the name of the
// reason.
func (o *Observer) Counts() map[string]uint64 {
	counts := map[string]uint64{}
	for i := range o.outcomes {
		if n := o.outcomes[i].Load(); n > 0 {
			counts[admit.Reason(i).String()] += n
		}
	}
	for i := range o.refusals {
		if n := o.refusals[i].Load(); n > 0 {
			counts[location.Reason(i).String()] += n
		}
	}
	return counts
}
