// Package observe stands on the request's path: it decides which responses are
// looked at, has them watched, and hands over what they showed. Whatever it
// does, the request is served as if it were not there.
package observe

import (
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/due"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/ledger"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/part"
	"github.com/servemap/servemap/internal/tap"
)

// Config says how requests are judged. Anonymous, ClientIP and Hints may be nil.
type Config struct {
	Normalizer     *location.Normalizer
	StrippedPrefix string
	Due            *due.Table
	Buffers        *tap.Buffers
	Ledger         *ledger.Ledger
	Files          *part.Files
	Cookies        admit.Cookies
	Anonymous      func(*http.Request) bool
	ClientIP       func(*http.Request) netip.Addr
	Hints          *hint.Hints
	WatchRobots    bool // the site's robots.txt is looked at as it is served
}

// Observer watches the responses of one site. It is safe for concurrent use.
type Observer struct {
	closed   atomic.Bool // first, away from what is written to: every request reads it
	cfg      Config
	tally    tally
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
	if seen := tap.From(w, o.cfg.Buffers); seen != nil {
		// Watched already, further out; but the route is known only here.
		seen.Route, seen.Exact = o.matched(r)
		next.ServeHTTP(w, r)
		return
	}
	loc, look, ok := o.begin(r)
	if !ok {
		next.ServeHTTP(w, r)
		return
	}
	if loc.Location == robotsTxt {
		o.settleRobots(look, tap.ServeText(next, w, r, o.cfg.Buffers))
		return
	}
	asked := asked{r.Method, o.network(r), local(r)} // before anything below can change r
	resp := tap.Serve(next, w, r, o.cfg.Buffers)
	o.settle(r, asked, loc, look, resp)
}

// asked is what is read of a request before it is served: handlers may turn a
// HEAD into a GET, or set the remote address to what the client claims.
type asked struct {
	method  string
	network netip.Prefix
	local   bool
}

// begin decides whether the response to r is to be watched. The cheapest
// question comes first: whether its target is due at all.
func (o *Observer) begin(r *http.Request) (location.Result, due.Look, bool) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.RequestURI == "" || o.closed.Load() {
		return location.Result{}, due.Look{}, false
	}
	class := ""
	if r.Method == http.MethodHead {
		class = heads // a HEAD must not use up the look of a GET
	}
	look, ok := o.cfg.Due.Begin(class + r.RequestURI)
	if !ok {
		return location.Result{}, due.Look{}, false
	}
	if special(r.Header) {
		look.Return()
		return location.Result{}, due.Look{}, false
	}
	if o.asksForRobots(r) {
		look, ok = o.beginRobots(r, look)
		return location.Result{Location: robotsTxt}, look, ok
	}
	loc := o.cfg.Normalizer.Request(r.Host, r.RequestURI)
	if loc.Local && !nearby(r) {
		loc = location.Result{Reason: location.ReasonHost}
	}
	if loc.Location == "" {
		if loc.Reason == location.ReasonOutsideFolder {
			o.tallyOutside(r.RequestURI)
		}
		o.refuse(loc.Reason, look)
		return loc, due.Look{}, false
	}
	o.tally.own.Add(1)
	o.tally.inside.Add(1)
	if admit.AssetName(loc.Location) {
		o.outcomes[admit.NotHTML].Add(1)
		look.Accept() // the target alone decided; it will again
		return loc, due.Look{}, false
	}
	if why := o.known(r); why != admit.None {
		o.outcomes[why].Add(1)
		look.Return()
		o.ended()
		return loc, due.Look{}, false
	}
	o.tally.anonymous.Add(1)
	if loc.Location != r.RequestURI {
		// Many spellings of one page share its looks.
		look.Return()
		look, ok = o.cfg.Due.Begin(class + loc.Location)
	}
	return loc, look, ok
}

// What else than a page a location shows is looked at in a time of its own: a
// stranger chooses with a HEAD, a validator or an Accept header what a response
// is, and must not be able to hide the page from us by it. Targets of requests
// never begin so.
const (
	heads     = "HEAD "
	unchanged = "304 "
	denials   = "404 "
	redirects = "3xx "
)

// special reports whether the request asks for something else than a page.
func special(h http.Header) bool {
	return len(h["Upgrade"]) > 0 || len(h["Range"]) > 0 ||
		len(h["Accept"]) > 0 && strings.Contains(h["Accept"][0], "text/event-stream")
}

func (o *Observer) refuse(why location.Reason, look due.Look) {
	o.refusals[why].Add(1)
	if why != location.ReasonHost {
		o.tally.own.Add(1)
		look.Accept() // the target alone decided; it will again
	} else {
		look.Return()
	}
	o.ended()
}

// known returns why the client may not be anonymous.
func (o *Observer) known(r *http.Request) admit.Reason {
	if o.cfg.Anonymous == nil {
		return admit.Credentials(r, o.cfg.Cookies)
	}
	if !o.cfg.Anonymous(r) {
		return admit.NotAnonymous
	}
	return admit.None
}

// settle hands over what the response showed, if that is anything.
func (o *Observer) settle(r *http.Request, asked asked, loc location.Result, look due.Look, resp *tap.Response) {
	defer o.ended()
	kind, why := admit.Response(asked.method, loc.Location, resp)
	o.tallyResponse(kind, asked, loc.Location, resp)
	if kind == admit.Nothing {
		if resp.Truncated && resp.Header.ContentType == "" {
			o.cfg.Ledger.Drop() // there was no memory to learn its type from
		} else {
			o.outcomes[why].Add(1)
		}
		resp.Release()
		look.Return()
		return
	}
	if kind == admit.Forbidden {
		o.outcomes[why].Add(1)
	}
	at := time.Now()
	o.withdraw(loc.Location, kind, resp, at)
	switch {
	case asked.method == http.MethodHead:
	case kind == admit.Alive:
		look = o.instead(look, unchanged+loc.Location, true)
	case kind == admit.Doubtful:
		// No other page has anything to lose; of an entry it is worth telling.
		look = o.instead(look, denials+loc.Location, o.cfg.Files.Lists(loc.Location) || o.cfg.Ledger.IsEntry(loc.Location))
	case kind == admit.Redirected:
		look = o.instead(look, redirects+loc.Location, true)
	case kind == admit.Witness && resp.Truncated && len(resp.Body) < ledger.MaxPage:
		o.cfg.Ledger.Drop() // for want of memory, not because the page is long
		look.Return()
		look = due.Look{}
	}
	if look == (due.Look{}) {
		resp.Release()
		return
	}
	s := &ledger.Sighting{
		Kind: kind, Reason: why,
		Location: strings.Clone(loc.Location),
		OwnURL:   loc.NeedsCanonical,
		At:       at,
		Response: resp,
		Network:  asked.network,
		Variety:  ledger.VarietyOf(resp.Header.Vary, r.Header),
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

// instead gives back a look at a page that turned out to be something else,
// and begins one at that, if it is wanted and due.
func (o *Observer) instead(look due.Look, target string, wanted bool) due.Look {
	look.Return()
	if !wanted {
		return due.Look{}
	}
	other, _ := o.cfg.Due.Begin(target)
	return other
}

// withdraw takes a page that forbids its listing, or is gone for good, out of
// the files being served, without waiting for the store.
func (o *Observer) withdraw(loc string, kind admit.Kind, resp *tap.Response, at time.Time) {
	gone := kind == admit.Forbidden || kind == admit.Vanished
	if tag := resp.Header.RobotsTag; kind == admit.Witness && tag != "" {
		gone, _, _ = page.Robots(strings.Split(tag, "\n"))
	}
	if gone {
		o.cfg.Files.Withdraw(loc, at)
	}
}

// nearby reports whether the peer may be a proxy of the site's own: it is on this
// machine or in a private network, or its address says nothing, as on a Unix
// socket.
func nearby(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err != nil || !admit.Network(peer.Addr()).IsValid() || documentation.Contains(peer.Addr().Unmap())
}

// documentation is a range that no host on the internet has (RFC 5737). Requests
// that [net/http/httptest] makes come from it.
var documentation = netip.MustParsePrefix("192.0.2.0/24")

// network returns the client's network, if the address is really the client's.
func (o *Observer) network(r *http.Request) netip.Prefix {
	if o.cfg.ClientIP != nil {
		return admit.Network(o.cfg.ClientIP(r))
	}
	if admit.Forwarded(r.Header) {
		return netip.Prefix{}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{}
	}
	return admit.Network(peer.Addr())
}

// Counts returns how many looks ended without a sighting, by the reason's name.
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
