package observe

import (
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	shown "github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe/schedule"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
)

// robotsTxt is the location of a host's robots.txt, whatever folder the site is in (RFC 9309,
// section 2.3). No page has this location, since it is named like an asset.
const robotsTxt = "/robots.txt"

// asksForRobots reports whether r asks for the host's robots.txt. Behind a proxy that strips a
// prefix no request does: all are below the prefix.
func (o *Observer) asksForRobots(r *http.Request) bool {
	return o.cfg.WatchRobots && r.RequestURI == robotsTxt && o.cfg.StrippedPrefix == "" && r.Method == http.MethodGet
}

// beginRobots decides whether to watch a response that may show the robots.txt. Crawlers get what
// anonymous clients get, so only these count.
func (o *Observer) beginRobots(r *http.Request, look schedule.Claim) (schedule.Claim, bool) {
	if loc := o.cfg.Normalizer.Request(r.Host, r.RequestURI); loc.Reason == location.ReasonHost || loc.Local && !nearby(r) {
		o.refuse(r, location.ReasonHost, look)
		return schedule.Claim{}, false
	}
	o.tally[nOwn].Add(1)
	look.Return()
	if o.known(r) != eligibility.None || o.foreign(r.Header) {
		return schedule.Claim{}, false
	}
	return o.cfg.Due.Begin(robotsLook + group(o.network(r)))
}

// forwardedHosts are headers in which a proxy says which host the client asked
// for. Clients may send them too.
var forwardedHosts = []string{
	"X-Forwarded-Host", "X-Host", "X-Original-Host", "X-Forwarded-Original-Host", "X-Http-Host-Override", "X-Host-Override",
}

// foreign reports whether a forwarding header names a host other than the site's. A handler may
// obey the header, and answer with the robots.txt of another site or of a test copy.
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

// foreignHost reports whether a forwarded host is neither the origin's nor one that requests may
// have. The origin's host always counts as the site's, even if Options.Hosts leaves it out. A proxy
// may ask for the page under its own name for it, and forward the visitor's.
func (o *Observer) foreignHost(host string) bool {
	host = strings.TrimSpace(host)
	return host != "" && !o.cfg.Normalizer.Ours(host)
}

// settleRobots gives the robots.txt to the ledger, if the response shows one.
func (o *Observer) settleRobots(network netip.Prefix, look schedule.Claim, resp *response.Response) {
	switch {
	case !eligibility.RobotsTxt(resp) || !readable(resp):
		resp.Release()
		look.Return()
		return
	case resp.Truncated && len(resp.Body) < robots.Enough:
		o.cfg.Ledger.Drop() // there was no memory; the file is not too long
		resp.Release()
		look.Return()
		return
	}
	look.Accept()
	if !o.cfg.Ledger.Offer(&shown.Exchange{Kind: eligibility.RobotsFile, Location: robotsTxt, At: time.Now(), Response: resp, Network: network}) {
		look.Return()
	}
}
