// Package observe is the part of the library that every request passes. For each request, it
// decides whether the response is worth an observation. If so, it captures the response, and tells the
// indexer what the response showed. It must never change, delay or fail a request.
package observe

import (
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/anonymous"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/quota"
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
	Owner       func(*http.Request) bool // whether it is for what servemap shows the owner
	WatchRobots bool                     // whether to learn robots.txt from the one that the site serves
}

// Observer watches the responses of one site. It is safe for concurrent use.
type Observer struct {
	closed    atomic.Bool // the first two fields are on a cache line that is seldom written: every request reads them
	Visits    Visits
	cfg       Config
	routed    atomic.Bool            // whether any page's route was seen
	inspector atomic.Pointer[string] // the folder of what servemap shows the owner, nil if it was not asked for yet
	diagnosis diagnosis
}

// New returns an observer.
func New(cfg Config) *Observer {
	o := &Observer{cfg: cfg}
	o.cfg.payers = quota.NewPayers()
	o.cfg.WatchRobots = cfg.WatchRobots && cfg.StrippedPrefix == "" // behind a proxy that strips it, all requests are below the prefix
	o.diagnosis.cfg, o.Visits.observer = &o.cfg, o
	return o
}

// Close makes the observer pass every request on unwatched.
func (o *Observer) Close() { o.closed.Store(true) }

// Serve calls next for the request. It watches the response if there may be something to learn.
func (o *Observer) Serve(next http.Handler, w http.ResponseWriter, r *http.Request) {
	if o.Visits.some.Load() > 0 && o.Visits.serve(next, w, r) {
		return
	}
	if o.cfg.Captures.Of(w) != nil {
		// An outer observer of this site watches this response already. But only here, inside the
		// router, the route may be known, with some routers only after the handler. The innermost of
		// nested routers returns first, and its route stays. Once the outer handler has returned,
		// the capture has ended.
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
	asked := asked{method: r.Method, network: o.cfg.network(r), payer: o.cfg.payer(r), local: local(r), explored: Explores(r)}
	loc, claim, ok := o.begin(r, &asked)
	if !ok {
		next.ServeHTTP(w, r)
		o.passed(r, &asked)
		return
	}
	if loc.Location == robotsTxt {
		o.learnRobots(asked, claim, o.cfg.Captures.Serve(next, w, r, capture.RobotsTxt, asked.payer).Response)
		return
	}
	asked.boosted, asked.named = anonymous.Boosted(r.Header), named(r)
	wanted := capture.StrangerPage
	if asked.explored || o.trusts(loc.Location) {
		wanted = capture.Page
	}
	seen := o.cfg.Captures.Serve(next, w, r, wanted, asked.payer)
	if seen.Own {
		claim.Return()
		seen.Release()
		return
	}
	asked.given = o.cfg.Benign.Given(w.Header())
	if v := visitOf(r); v != nil {
		o.keep(v, r, asked, loc, claim, seen)
		return
	}
	o.learn(r, asked, loc, claim, seen)
}

// keep keeps what the program answered to a visit until that has ended. It is no part of Serve, where
// what it keeps would cost other requests memory.
func (o *Observer) keep(v *visit, r *http.Request, asked asked, loc location.Result, claim schedule.Claim, seen *capture.Capture) {
	v.answered = seen.Response
	v.learn = func() { o.learn(r, asked, loc, claim, seen) }
	v.drop = func() { claim.Return(); seen.Release() }
}

// Disown says that the response to w is none of the site's pages, but one that servemap itself writes for
// the owner. Nothing is learned from it, and requests for the folder of its path are not counted.
func (o *Observer) Disown(w http.ResponseWriter, r *http.Request) {
	if seen := o.cfg.Captures.Of(w); seen != nil {
		seen.Own = true
	}
	folder := r.RequestURI[:strings.LastIndexByte(pathOf(r), '/')+1]
	if known := o.inspector.Load(); len(folder) > 1 && (known == nil || len(folder) < len(*known)) {
		folder = strings.Clone(folder)
		o.inspector.Store(&folder)
	}
}

// passed counts a request whose response is not watched, unless it is for what servemap shows the owner. That
// is known only now, as he may mount it anywhere, and let himself in by anything.
func (o *Observer) passed(r *http.Request, asked *asked) {
	if folder := o.inspector.Load(); folder != nil && strings.HasPrefix(r.RequestURI, *folder) {
		return
	}
	switch {
	case asked.explored && asked.refused != location.ReasonNone: // it asked for what is no page on purpose
	case asked.refused != location.ReasonNone:
		o.diagnosis.refused(r, asked.refused, o.diagnosis.turn(asked.payer))
	case asked.passed != eligibility.None:
		o.diagnosis.passed(asked.passed, r.Header, asked.turn)
	}
}

// pathOf returns the path in the target of a request.
func pathOf(r *http.Request) string {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	return path
}

// asked is what Serve reads of a request before it serves it, since handlers may change the
// request. They may turn a HEAD into a GET, or set the remote address to what the client claims.
type asked struct {
	method   string
	network  netip.Prefix
	payer    quota.Payer
	turn     int64 // how many requests of that network the diagnosis has counted
	local    bool
	explored bool // the site asked itself
	boosted  bool // a script asked for a page, and may have got a part
	given    bool // whether the response set a cookie that may stand for a log-in
	named    observation.Named
	refused  location.Reason    // why it is for no location of the site
	passed   eligibility.Reason // why its response need not be watched
}

// named returns what r names besides its page. The strings share memory with r.
func named(r *http.Request) observation.Named {
	referer := r.Header.Get("Referer")
	_, query, _ := strings.Cut(r.RequestURI, "?")
	n := observation.Named{Referer: referer[:min(len(referer), maxNamed)], Query: query, Cookies: len(r.Header["Cookie"]) > 0}
	if Explores(r) { // no stranger chose the rest
		return n
	}
	n.Vouched = anonymous.Credentials(r, anonymous.Benign{}) != eligibility.None
	n.Much = r.ContentLength != 0 // a page may repeat what was sent
	var others strings.Builder
	others.WriteString(r.Host + " ")
	for name, values := range r.Header {
		for _, v := range values {
			if name == "User-Agent" { // each has some, as in Mozilla/5.0, and they are no paths
				v = versions.ReplaceAllString(v, "$1")
			}
			if name == "Referer" { // it is known already
				continue
			}
			if strings.ContainsAny(v, "/%") { // it may name this page, as those of proxies do
				v = strings.TrimSuffix(v, r.RequestURI)
			}
			if others.Len()+len(v) > 2*maxNamed {
				n.Others, n.Much = "", true
				return n
			}
			if v != "" {
				others.WriteString(v)
				others.WriteByte(' ')
			}
		}
	}
	n.Others = others.String()
	return n
}

// versions are those of programs in a User-Agent.
var versions = regexp.MustCompile(`/\d[\d.]*([\s;)]|$)`)

// maxNamed bounds the bytes of a Referer, and twice that those of all other headers that may name a location, while
// a response waits in the queue. Every location fits, even with all of its bytes escaped.
const maxNamed = 4096

// idle reports whether there is nothing to learn from r. It asks the cheapest question first: is the
// target due at all?
func (o *Observer) idle(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead || r.RequestURI == "" || o.closed.Load() ||
		o.cfg.Schedule.Waits(class(r)+r.RequestURI)
}

// class returns the class of a request, see heads.
func class(r *http.Request) string {
	if r.Method == http.MethodHead {
		return heads
	}
	return ""
}

// begin decides whether to watch the response to a request, and for which location.
func (o *Observer) begin(r *http.Request, asked *asked) (loc location.Result, claim schedule.Claim, ok bool) {
	class := class(r)
	if claim, ok = o.cfg.Schedule.Begin(class+r.RequestURI, asked.payer); !ok {
		return loc, claim, false
	}
	if special(r.Header) || stray(r) || o.cfg.Owner != nil && o.cfg.Owner(r) {
		claim.Return()
		return loc, claim, false
	}
	if o.asksForRobots(r) {
		claim, ok = o.beginRobots(r, asked, claim)
		return location.Result{Location: robotsTxt}, claim, ok
	}
	if loc = o.locate(r); loc.Location == "" {
		asked.refuse(loc.Reason, claim)
		return loc, claim, false
	}
	asked.turn = o.diagnosis.turn(asked.payer)
	o.diagnosis.came(asked.turn, nOwn, nInside)
	if o.cfg.Files.OwnsLocation(loc.Location) { // it links to all pages, and would keep each of them listed
		claim.Accept()
		return loc, claim, false
	}
	if eligibility.AssetName(loc.Location) {
		asked.passed = eligibility.NotHTML
		claim.Accept() // requests for this target will never be watched
		return loc, claim, false
	}
	asked.passed = o.cfg.known(r)
	if asked.passed == eligibility.None && anonymous.IsFragment(r.Header) {
		asked.passed = eligibility.Fragment
	}
	if asked.passed != eligibility.None {
		claim.Return()
		return loc, claim, false
	}
	o.diagnosis.came(asked.turn, nAnonymous)
	if anonymous.Boosted(r.Header) {
		class += boosted
	} else if loc.Location == r.RequestURI {
		return loc, claim, true
	}
	claim.Return() // all spellings of a page share its claims
	if loc.Tracked {
		class += tracked
	}
	claim, ok = o.cfg.Schedule.Begin(class+loc.Location, asked.payer)
	return loc, claim, ok
}

// locate returns the location of the requested page, or why there is none. It gives a hint if
// nothing is listed and every request so far had a prefix cut off that the origin does not name.
func (o *Observer) locate(r *http.Request) location.Result {
	loc, cut := o.cfg.Locate(r), CutOff(r)
	if loc.Location != "" && o.cfg.elsewhere(r, loc.Location) {
		loc = location.Result{Reason: location.ReasonHost}
	}
	switch {
	case loc.Reason == location.ReasonHost:
	case cut == "" || cut == o.cfg.StrippedPrefix || o.cfg.inOrigin(cut):
		o.diagnosis.add(nWhole)
	case o.diagnosis.tally[nWhole].Load() == 0 && o.cfg.Files.Listed() == 0:
		o.cfg.Hints.Give(messages.OtherFolder, "")
	}
	return loc
}

// trusts reports whether something on the site vouches for a location: it is an entry, it is
// listed, or the indexer expects it, as after a listed page linked to it. A stranger may have made
// up any other location.
func (o *Observer) trusts(loc string) bool {
	return o.cfg.Indexer.IsEntry(loc) || o.cfg.Schedule.Expects(loc) || o.cfg.Files.Lists(loc)
}

// These prefixes give responses other than the page itself their own schedules. No request's target
// begins with one. With a HEAD, a validator, an Accept header or a tracking parameter, a stranger
// can turn a response into one of these, and must not use up the page's claim. Denials and
// redirects have a schedule for each network. So a client that is denied over and over does not hide
// that others are denied too.
const (
	heads     = "HEAD "
	unchanged = "304 "
	denials   = "404 "
	redirects = "3xx "
	tracked   = "tracked "
	boosted   = "boosted "

	robotsClaim = "robots " // robots.txt, also for each network
)

// special reports whether the request asks for something other than a page.
func special(h http.Header) bool {
	return len(h["Upgrade"]) > 0 || len(h["Range"]) > 0 ||
		len(h["Accept"]) > 0 && strings.Contains(h["Accept"][0], "text/event-stream")
}

// refuse ends the claim of a request that is not for a location of the site.
func (a *asked) refuse(why location.Reason, claim schedule.Claim) {
	if a.refused = why; why == location.ReasonHost {
		claim.Return()
	} else {
		claim.Accept() // the same target will always be refused
	}
}

// NextObservation returns when the page at a location will be observed next, if somebody asks for it
// then. The zero Time means at any request from now on.
func (o *Observer) NextObservation(loc string) time.Time { return o.cfg.Schedule.Next(loc) }

// SeesRoutes reports whether the route of any page was seen.
func (o *Observer) SeesRoutes() bool { return o.routed.Load() }

// Locate returns the location of the requested page, see [Addresses.Locate].
func (o *Observer) Locate(r *http.Request) location.Result { return o.cfg.Locate(r) }

// Counts returns how many requests that were due taught nothing, by the reason's name.
func (o *Observer) Counts() map[string]uint64 { return o.diagnosis.reasons() }
