package observe

import (
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/due"
	"github.com/servemap/servemap/internal/location"
	shown "github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/tap"
)

// robotsTxt is where a host has its robots.txt, whatever folder the site is in
// (RFC 9309, section 2.3). No page has that location, since its name is that of
// an asset.
const robotsTxt = "/robots.txt"

// asksForRobots reports whether r asks for the host's robots.txt. Behind a proxy
// that strips a prefix no request can: all of them are below the prefix.
func (o *Observer) asksForRobots(r *http.Request) bool {
	return o.cfg.WatchRobots && r.RequestURI == robotsTxt && o.cfg.StrippedPrefix == "" && r.Method == http.MethodGet
}

// beginRobots decides whether to watch a response with the robots.txt. Only what
// anonymous clients get is what crawlers get.
func (o *Observer) beginRobots(r *http.Request, look due.Look) (due.Look, bool) {
	if loc := o.cfg.Normalizer.Request(r.Host, r.RequestURI); loc.Reason == location.ReasonHost || loc.Local && !nearby(r) {
		o.refuse(r, location.ReasonHost, look)
		return due.Look{}, false
	}
	o.tally[nOwn].Add(1)
	look.Return()
	if o.known(r) != admit.None || o.foreign(r.Header) {
		return due.Look{}, false
	}
	return o.cfg.Due.Begin(robotsLook + group(o.network(r)))
}

// forwardedHosts are headers in which a proxy says which host the client asked
// for. Clients may send them too.
var forwardedHosts = []string{
	"X-Forwarded-Host", "X-Host", "X-Original-Host", "X-Forwarded-Original-Host", "X-Http-Host-Override", "X-Host-Override",
}

// foreign reports whether a forwarding header names another host than the site's.
// A handler may go by that, and answer with the robots.txt of another site or of
// a test copy of this one.
func (o *Observer) foreign(h http.Header) bool {
	for _, name := range forwardedHosts {
		for _, line := range h[name] {
			for host := range strings.SplitSeq(line, ",") {
				if o.foreignHost(host) {
					return true
				}
			}
		}
	}
	for _, line := range h["Forwarded"] { // RFC 7239, section 4
		for pair := range strings.FieldsFuncSeq(line, func(c rune) bool { return c == ',' || c == ';' }) {
			name, host, _ := strings.Cut(strings.TrimSpace(pair), "=")
			if strings.EqualFold(strings.TrimSpace(name), "host") && o.foreignHost(strings.Trim(strings.TrimSpace(host), `"`)) {
				return true
			}
		}
	}
	return false
}

// foreignHost reports whether a forwarded host is neither the origin's nor one
// that requests may have. The origin's counts as the site's even if Options.Hosts
// leaves it out: a proxy may ask for the page at a name of its own, and forward
// the visitor's.
func (o *Observer) foreignHost(host string) bool {
	host = strings.TrimSpace(host)
	return host != "" && !o.cfg.Normalizer.Ours(host)
}

// settleRobots hands over the robots.txt, if the response shows one.
func (o *Observer) settleRobots(network netip.Prefix, look due.Look, resp *tap.Response) {
	switch {
	case !admit.RobotsTxt(resp) || !readable(resp):
		resp.Release()
		look.Return()
		return
	case resp.Truncated && len(resp.Body) < tap.MaxText:
		o.cfg.Ledger.Drop() // for want of memory, not because it is long
		resp.Release()
		look.Return()
		return
	}
	look.Accept()
	if !o.cfg.Ledger.Offer(&shown.Sighting{Kind: admit.RobotsFile, Location: robotsTxt, At: time.Now(), Response: resp, Network: network}) {
		look.Return()
	}
}
