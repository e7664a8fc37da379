// Package observe is the part of the library that every request passes. For each request, it
// decides whether the response is worth a look. If so, it captures the response, and tells
// the ledger what the response showed. It must never change, delay or fail a request.
package observe

import (
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/indexer"
	shown "github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe/capture"
	"github.com/servemap/servemap/internal/observe/schedule"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/publish/files"
)

// Config says how the observer judges requests. Anonymous and ClientIP may be nil.
type Config struct {
	Normalizer     *location.Normalizer
	StrippedPrefix string
	Due            *schedule.Table
	Captures       *capture.Recorder
	Ledger         *indexer.Indexer
	Files          *files.Files
	Rules          eligibility.Rules
	Cookies        eligibility.Cookies
	Anonymous      func(*http.Request) bool
	ClientIP       func(*http.Request) netip.Addr
	Hints          *messages.Hints
	// Own, if not nil, reports whether a location is that of the sitemap itself. It is
	// not watched: a page with links to all pages would keep each of them listed.
	Own         func(location string) bool
	WatchRobots bool // whether to learn robots.txt from the one that the site serves
}

// Observer watches the responses of one site. It is safe for concurrent use.
type Observer struct {
	closed   atomic.Bool // first field, on a cache line that is seldom written: every request reads it
	cfg      Config
	routed   atomic.Bool // whether any page's route was seen
	tally    tally
	looks    atomic.Uint64 // looks that have ended
	cookies  nameCounts    // names that identified clients
	headers  nameCounts
	outcomes [eligibility.Reasons]atomic.Uint64
	refusals [location.ReasonQuery + 1]atomic.Uint64
}

// New returns an observer.
func New(cfg Config) *Observer { return &Observer{cfg: cfg} }

// Close makes the observer pass every request on unwatched.
func (o *Observer) Close() { o.closed.Store(true) }

// Serve calls next for the request. It watches the response if there may be something to learn.
func (o *Observer) Serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if o.cfg.Captures.Of(w) != nil {
		// An outer observer of this site watches this response already. But the route may be known
		// only here, inside the router, and with some routers only after the handler. Of nested
		// routers, the innermost is asked first, and its route stays. If the outer handler has
		// returned, there is no capture any more.
		next.ServeHTTP(w, r)
		if seen := o.cfg.Captures.Of(w); seen != nil && seen.Route == "" {
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
		o.settleRobots(network, look, o.cfg.Captures.Serve(next, w, r, capture.RobotsTxt).Response)
		return
	}
	asked := asked{method: r.Method, network: o.network(r), local: local(r), explored: Explores(r), named: named(r)}
	wanted := capture.StrangerPage
	if asked.explored || o.vouched(loc.Location) {
		wanted = capture.Page
	}
	seen := o.cfg.Captures.Serve(next, w, r, wanted)
	if seen.Own {
		look.Return()
		seen.Release()
		return
	}
	asked.given = o.cfg.Cookies.Given(w.Header())
	o.settle(r, asked, loc, look, seen)
}

// Disown says that the response to w is none of the site's pages, but one that servemap
// itself writes for the owner: nothing is learned from it.
func (o *Observer) Disown(w http.ResponseWriter) {
	if seen := o.cfg.Captures.Of(w); seen != nil {
		seen.Own = true
	}
}

// asked is what Serve reads of a request before it serves it, since handlers may change the
// request. They may turn a HEAD into a GET, or set the remote address to what the client claims.
type asked struct {
	method   string
	network  netip.Prefix
	local    bool
	explored bool // the site asked itself
	given    bool // whether the response set a cookie that may stand for a log-in
	named    shown.Named
}

// named returns what r names besides its page. The strings share memory with r.
func named(r *http.Request) shown.Named {
	referer := r.Header.Get("Referer")
	_, query, _ := strings.Cut(r.RequestURI, "?")
	return shown.Named{Referer: referer[:min(len(referer), maxReferer)], Query: query, Cookies: len(r.Header["Cookie"]) > 0}
}

// maxReferer bounds the bytes of a Referer that are kept while a look waits. Every location fits,
// even with all of its bytes escaped.
const maxReferer = 4096

// begin decides whether to watch the response to r. It asks the cheapest question first: is the
// target due at all?
func (o *Observer) begin(r *http.Request) (location.Result, schedule.Claim, bool) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.RequestURI == "" || o.closed.Load() {
		return location.Result{}, schedule.Claim{}, false
	}
	class := ""
	if r.Method == http.MethodHead {
		class = heads
	}
	look, ok := o.cfg.Due.Begin(class + r.RequestURI)
	if !ok {
		return location.Result{}, schedule.Claim{}, false
	}
	return o.consider(r, class, look)
}

// consider decides whether to watch the response to a request that is due, and for which location.
func (o *Observer) consider(r *http.Request, class string, look schedule.Claim) (loc location.Result, _ schedule.Claim, ok bool) {
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
	if o.cfg.Own != nil && o.cfg.Own(loc.Location) {
		look.Accept()
		return loc, look, false
	}
	if eligibility.AssetName(loc.Location) {
		o.outcomes[eligibility.NotHTML].Add(1)
		look.Accept() // requests for this target will never be watched
		return loc, look, false
	}
	why := o.known(r)
	if why == eligibility.None && eligibility.IsFragment(r.Header) {
		why = eligibility.Fragment
	}
	if why != eligibility.None {
		o.noteNames(why, o.outcomes[why].Add(1), r.Header)
		look.Return()
		o.ended()
		return loc, look, false
	}
	o.tally[nAnonymous].Add(1)
	if loc.Location == r.RequestURI {
		return loc, look, true
	}
	look.Return() // all spellings of a page share its looks
	if loc.Tracked {
		class += tagged
	}
	look, ok = o.cfg.Due.Begin(class + loc.Location)
	return loc, look, ok
}

// vouched reports whether something on the site vouches for a location: it is an entry, it is
// listed, or the ledger expects it, as after a listed page linked to it. A stranger may have made
// up any other location.
func (o *Observer) vouched(loc string) bool {
	return o.cfg.Ledger.IsEntry(loc) || o.cfg.Due.Expects(loc) || o.cfg.Files.Lists(loc)
}

// These prefixes give responses other than the page itself their own schedules. No request's target
// begins with one. With a HEAD, a validator or an Accept header, a stranger can turn a response
// into one of these, and must not use up the page's look. Denials and redirects have a schedule for
// each of 16 groups of networks. So a client that is denied over and over does not hide that others
// are denied too.
const (
	heads     = "HEAD "
	unchanged = "304 "
	denials   = "404 "
	redirects = "3xx "
	tagged    = "tag " // the page with tracking parameters, for which the site may show anything

	robotsLook = "robots " // robots.txt, also for each group of networks
)

// special reports whether the request asks for something other than a page.
func special(h http.Header) bool {
	return len(h["Upgrade"]) > 0 || len(h["Range"]) > 0 ||
		len(h["Accept"]) > 0 && strings.Contains(h["Accept"][0], "text/event-stream")
}

// refuse ends the look at a request that is not for a location of the site.
func (o *Observer) refuse(r *http.Request, why location.Reason, look schedule.Claim) {
	o.refusals[why].Add(1)
	if why == location.ReasonOutsideFolder {
		o.tallyOutside(r)
	}
	if why == location.ReasonHost {
		look.Return()
	} else {
		o.tally[nOwn].Add(1)
		look.Accept() // the same target will always be refused
	}
	o.ended()
}

// settle gives the ledger what the response showed, if anything.
func (o *Observer) settle(r *http.Request, asked asked, loc location.Result, look schedule.Claim, seen *capture.Capture) {
	defer o.ended()
	at, resp := time.Now(), seen.Response
	kind, why := o.cfg.Rules.Response(asked.method, loc.Location, resp)
	o.tallyResponse(kind, asked, loc.Location, resp)
	if look = o.judge(asked, loc, kind, why, look, resp, at); look == (schedule.Claim{}) {
		resp.Release()
		return
	}
	s := &shown.Exchange{
		Kind: kind, Reason: why,
		Location: strings.Clone(loc.Location),
		OwnQuery: loc.OwnQuery,
		Tracked:  loc.Tracked,
		At:       at,
		Response: resp,
		Network:  asked.network,
		Explored: asked.explored,
		Variety:  shown.VarietyOf(resp.Header.Vary, r.Header),
		Named:    shown.Named{Referer: strings.Clone(asked.named.Referer), Query: strings.Clone(asked.named.Query), Cookies: asked.named.Cookies},
	}
	s.Route, s.Exact = o.route(r, seen, loc.Location)
	if kind == eligibility.Doubtful || kind == eligibility.Redirected {
		look.Pass()
	} else {
		look.Accept() // before the offer: merging it may make the page due again
	}
	if !o.cfg.Ledger.Offer(s) {
		look.Return()
	}
}

// judge returns the look that the response uses up. If the response is not worth merging, judge
// ends the look and returns the zero Look. It withdraws the page if the response forbids its
// listing.
func (o *Observer) judge(asked asked, loc location.Result, kind eligibility.Kind, why eligibility.Reason, look schedule.Claim, resp *response.Response, at time.Time) schedule.Claim {
	unread := resp.Truncated && resp.Header.ContentType == "" // there was no memory to learn its type from
	switch {
	case kind == eligibility.Nothing && unread:
		o.cfg.Ledger.Drop()
	case kind == eligibility.Nothing, kind == eligibility.Forbidden:
		o.outcomes[why].Add(1)
	}
	switch {
	case kind == eligibility.Nothing:
		look.Return()
		return schedule.Claim{}
	case loc.Tracked && kind != eligibility.Witness:
		look.Pass() // it proves nothing about the page without tracking parameters
		return schedule.Claim{}
	}
	if !loc.Tracked {
		o.withdraw(loc.Location, kind, resp, at)
	}
	switch {
	case asked.method == http.MethodHead:
	case kind == eligibility.Alive:
		return o.instead(look, unchanged+loc.Location, true)
	case kind == eligibility.Doubtful:
		// Only a listed page can be lost. A missing entry is worth a hint. Explain tells what
		// linked pages answer.
		wanted := asked.explored || o.vouched(loc.Location)
		return o.instead(look, denials+group(asked.network)+loc.Location, wanted)
	case kind == eligibility.Redirected:
		return o.instead(look, redirects+group(asked.network)+loc.Location, true)
	case kind == eligibility.Witness && resp.Truncated && len(resp.Body) < shown.MaxPage:
		o.cfg.Ledger.Drop() // there was no memory; the page is not too long
		look.Return()
		return schedule.Claim{}
	}
	return look
}

// instead gives back a look at a page whose response is of another kind. If wanted, it begins a
// look at target, the schedule of that kind, unless that is not due.
func (o *Observer) instead(look schedule.Claim, target string, wanted bool) schedule.Claim {
	look.Return()
	if !wanted {
		return schedule.Claim{}
	}
	other, _ := o.cfg.Due.Begin(target)
	return other
}

// group returns a character that stands for one of 16 groups of networks. All unknown networks are
// in one group.
func group(network netip.Prefix) string {
	n := byte(0)
	for _, b := range network.Addr().As16() {
		n += b ^ b>>4
	}
	return "0123456789abcdef"[n%16 : n%16+1]
}

// withdraw takes a page out of the served files if the response forbids its listing or says that it
// is gone for good. It does not wait for the store.
func (o *Observer) withdraw(loc string, kind eligibility.Kind, resp *response.Response, at time.Time) {
	gone := kind == eligibility.Forbidden || kind == eligibility.Vanished
	if tag := resp.Header.RobotsTag; kind == eligibility.Witness && tag != "" {
		gone, _, _ = html.Robots(strings.Split(tag, "\n"))
	}
	if gone {
		o.cfg.Files.Withdraw(loc, at)
	}
}

// NextLook returns when the page at a location will be looked at next, if somebody asks for it
// then. The zero Time means at any request from now on.
func (o *Observer) NextLook(loc string) time.Time { return o.cfg.Due.Next(loc) }

// SeesRoutes reports whether the route of any page was seen.
func (o *Observer) SeesRoutes() bool { return o.routed.Load() }

// Counts returns how many looks ended without a sighting, by the reason's name.
func (o *Observer) Counts() map[string]uint64 {
	counts := map[string]uint64{}
	for i := range o.outcomes {
		if n := o.outcomes[i].Load(); n > 0 {
			counts[eligibility.Reason(i).String()] += n
		}
	}
	for i := range o.refusals {
		if n := o.refusals[i].Load(); n > 0 {
			counts[location.Reason(i).String()] += n
		}
	}
	return counts
}
