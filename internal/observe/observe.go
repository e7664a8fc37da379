// Package observe is the part of the library that every request passes. For each request, it
// decides whether the response is worth an observation. If so, it captures the response, and tells the
// indexer what the response showed. It must never change, delay or fail a request.
package observe

import (
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/decide/anonymous"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/indexer"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe/capture"
	"github.com/servemap/servemap/internal/observe/schedule"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/publish/files"
)

// Config says how the observer judges requests.
type Config struct {
	Addresses
	Clients
	Schedule    *schedule.Table
	Captures    *capture.Recorder
	Indexer     *indexer.Indexer
	Files       *files.Files
	Rules       eligibility.Rules
	First       func(*http.Request)      // gets the first request that comes; may be nil
	Owner       func(*http.Request) bool // whether a request is for a page that servemap shows the owner
	Looks       *Looks                   // how the site looks at its own pages; nil if it does not
	WatchRobots bool                     // whether to learn robots.txt from the one that the site serves
}

// Observer watches the responses of one site. It is safe for concurrent use.
type Observer struct {
	closed    atomic.Bool // the first three fields are on a cache line that is seldom written: every request reads them
	passed    atomic.Bool // a request has come
	Own       Own
	cfg       Config
	diagnosis diagnosis
	shown     atomic.Pointer[[]string] // addresses of the owner's pages that somebody has asked for
}

// New returns an observer.
func New(cfg Config) *Observer {
	o := &Observer{cfg: cfg}
	// A proxy that strips a prefix sends only what is below it, and so never the host's robots.txt.
	o.cfg.WatchRobots = cfg.WatchRobots && cfg.StrippedPrefix == ""
	o.diagnosis.cfg = &o.cfg
	o.Own.start(o)
	if cfg.Looks != nil {
		cfg.Looks.own = &o.Own
	}
	return o
}

// Close makes the observer pass every request on unwatched.
func (o *Observer) Close() { o.closed.Store(true) }

// Passed reports whether a request has come.
func (o *Observer) Passed() bool { return o.passed.Load() }

// Serve calls next for the request. It watches the response if there may be something to learn.
func (o *Observer) Serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if o.Own.some.Load() > 0 && o.Own.serve(next, w, r) {
		return
	}
	if o.cfg.Captures.Of(w) != nil {
		// An outer observer of this site watches this response already. But the route may be known only
		// here, inside the router, and with some routers only after the handler. Of nested routers, the
		// innermost returns first, and its route stays. Once the outer handler has returned, the capture
		// has ended.
		next.ServeHTTP(w, r)
		if seen := o.cfg.Captures.Of(w); seen != nil && seen.Route.Template == "" {
			seen.Route = o.cfg.matched(r)
		}
		return
	}
	if o.idle(r) {
		next.ServeHTTP(w, r)
		return
	}
	asked := asked{boosted: anonymous.Boosted(r.Header)}
	loc, claim, ok := o.begin(r, &asked)
	if !ok {
		target, host := r.RequestURI, r.Host
		next.ServeHTTP(w, r)
		if asked.nothing != eligibility.None && !o.shows(target) { // asked now, since the handler may call Disown
			o.diagnosis.learnedNothing(asked.nothing, target, host)
		}
		return
	}
	if loc.Location == robotsTxt {
		o.learnRobots(asked, claim, o.cfg.Captures.Serve(next, w, r, capture.RobotsTxt, asked.vouched).Response)
		return
	}
	asked.named = named(r)
	if asked.vouched {
		o.Own.arrives(r)
	}
	if seen := o.cfg.Captures.Serve(next, w, r, capture.Page, asked.vouched); seen.Own {
		claim.Return()
		seen.Release()
	} else {
		o.learn(r, asked, loc, claim, seen)
	}
}

// Disown says that the response to w is not the site's, but a page of servemap's own for the owner, such as the
// inspector. From then on no request for that address counts as a visit or teaches anything. If the address is a
// folder, the same holds for all below it.
func (o *Observer) Disown(w http.ResponseWriter, r *http.Request) {
	if seen := o.cfg.Captures.Of(w); seen != nil {
		seen.Own = true
	}
	own, _, _ := strings.Cut(r.RequestURI, "?")
	if len(own) <= 1 || o.shows(own) {
		return
	}
	all := []string{strings.Clone(own)}
	if before := o.shown.Load(); before != nil {
		all = append(all, (*before)[:min(len(*before), mostShown-1)]...)
	}
	o.shown.Store(&all)
}

// mostShown is how many addresses of the owner's pages are remembered.
const mostShown = 8

// shows reports whether a target is known to be a page of servemap's own for the owner.
func (o *Observer) shows(target string) bool {
	all := o.shown.Load()
	if all == nil {
		return false
	}
	path, _, _ := strings.Cut(target, "?")
	return slices.ContainsFunc(*all, func(own string) bool {
		return path == own || strings.HasSuffix(own, "/") && strings.HasPrefix(path, own)
	})
}

// asked is what Serve reads of a request before it serves it, since handlers may change the
// request. They may set the remote address to what the client claims.
type asked struct {
	vouched bool // something on the site vouches for the location
	own     bool // the site asked itself
	boosted bool // a script asked for a page, and may have got a part
	named   observation.Named
	nothing eligibility.Reason // why the request teaches nothing, if that is worth counting
}

// named returns what r names besides its page. The strings share memory with r.
func named(r *http.Request) observation.Named {
	referer := r.Header.Get("Referer")
	_, query, _ := strings.Cut(r.RequestURI, "?")
	return observation.Named{
		Referer: referer[:min(len(referer), maxNamed)], Query: query,
		Vouched: anonymous.Credentials(r, anonymous.Benign{}) != eligibility.None,
	}
}

// maxNamed bounds the bytes of a Referer while a response waits in the queue. Every location fits, even with all of
// its bytes escaped.
const maxNamed = 4096

// idle reports whether there is nothing to learn from r. It asks the cheapest question first: is the
// target due at all?
func (o *Observer) idle(r *http.Request) bool {
	return r.Method != http.MethodGet || r.RequestURI == "" || o.closed.Load() || o.cfg.Schedule.Waits(r.RequestURI)
}

// begin decides whether to watch the response to a request, and for which location.
func (o *Observer) begin(r *http.Request, asked *asked) (loc location.Result, claim schedule.Claim, ok bool) {
	if !o.passed.Load() && !o.passed.Swap(true) && o.cfg.First != nil {
		o.cfg.First(r)
	}
	located := false
	claim, ok = o.cfg.Schedule.Begin(r.RequestURI, func() bool {
		loc, located = o.locate(r), true
		return o.vouches(loc.Location, r.RequestURI)
	})
	if !ok {
		return loc, claim, false
	}
	foreign := o.Own.foreign()
	if foreign && o.cfg.Looks != nil {
		o.cfg.Looks.FindOutLater()
	}
	if stray(r) || foreign || o.cfg.Owner != nil && o.cfg.Owner(r) {
		claim.Return()
		return loc, claim, false
	}
	if !located {
		loc = o.locate(r)
	}
	isRobots := o.asksForRobots(r)
	if why, refused := o.refuses(loc, isRobots); refused {
		asked.nothing = why
		if loc.Reason == location.ReasonHost {
			claim.Return()
		} else {
			claim.Accept() // the same target will always be refused
		}
		return loc, claim, false
	}
	why := o.cfg.known(r)
	if why == eligibility.None && anonymous.IsFragment(r.Header) {
		why = eligibility.Fragment
	}
	if why != eligibility.None {
		asked.nothing = why
		o.diagnosis.names(why, r.Header) // now, since handlers may change the header
		claim.Return()
		if !isRobots {
			o.lookInstead(loc.Location)
		}
		return loc, claim, false
	}
	asked.vouched = o.trusts(loc.Location)
	class := ""
	switch {
	case asked.boosted && !isRobots:
		class = boosted
	case loc.Location == r.RequestURI:
		return loc, claim, true
	}
	claim.Return() // all spellings of a page share its claims
	claim, ok = o.cfg.Schedule.Begin(class+loc.Location, func() bool { return asked.vouched })
	return loc, claim, ok
}

// refuses reports whether a response at a location teaches nothing, whoever gets it, and why, if that is worth
// counting.
func (o *Observer) refuses(loc location.Result, isRobots bool) (why eligibility.Reason, refused bool) {
	switch {
	case loc.Location == "":
		return eligibility.OfAddress(loc.Reason), true
	case o.cfg.Files.OwnsLocation(loc.Location): // it links to all pages, and would keep each of them listed
		return eligibility.None, true
	case !isRobots && eligibility.AssetName(loc.Location) && (loc.Location == robotsTxt || !o.trusts(loc.Location)):
		return eligibility.NotHTML, true
	}
	return eligibility.None, false
}

// lookInstead has the site look at a page that a client asked for of whom nothing may count.
func (o *Observer) lookInstead(loc string) {
	if o.cfg.Looks == nil || !o.trusts(loc) {
		return
	}
	if claim, due := o.cfg.Schedule.Begin(looks+loc, func() bool { return true }); due {
		claim.Accept()
		o.cfg.Looks.visited(loc, false)
	}
}

// locate returns the location of the requested page or robots.txt, or why there is none.
func (o *Observer) locate(r *http.Request) location.Result {
	loc := o.cfg.Locate(r)
	if o.asksForRobots(r) && loc.Reason != location.ReasonHost {
		loc = location.Result{Location: robotsTxt}
	}
	if loc.Location != "" && o.cfg.elsewhere(r, loc.Location) {
		return location.Result{Reason: location.ReasonHost}
	}
	return loc
}

// vouches reports whether something on the site vouches for a request's target, spelled exactly so. A stranger can
// spell a page's address in many other ways.
func (o *Observer) vouches(loc, target string) bool {
	return strings.HasSuffix(loc, target) && o.trusts(loc) // a proxy may have cut off a prefix
}

// trusts reports whether something on the site vouches for a location: it is an entry, it is listed, or the indexer
// expects it, since a listed page links to it. A stranger may have made up any other.
func (o *Observer) trusts(loc string) bool {
	return loc == robotsTxt || o.cfg.Indexer.IsEntry(loc) || o.cfg.Schedule.Expects(loc) || o.cfg.Files.Lists(loc)
}

// These prefixes give responses other than the page itself their own schedules. No request's target begins with one. A
// stranger can bring about such a response, with a validator or an Accept header, and it must not use up the page's
// claim.
const (
	unchanged = "304 "
	denials   = "404 "
	redirects = "3xx "
	boosted   = "boosted "
	looks     = "looks "
)

// NextObservation returns when the page at a location will be observed next, if somebody asks for it
// then. The zero Time means at any request from now on.
func (o *Observer) NextObservation(loc string) time.Time { return o.cfg.Schedule.Next(loc) }

// Counts returns how many requests that were due taught nothing, by the reason's name.
func (o *Observer) Counts() map[string]uint64 { return o.diagnosis.reasons() }
