package observe

import (
	"net/http"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/due"
	"github.com/servemap/servemap/internal/ledger"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/page"
	"github.com/servemap/servemap/internal/tap"
)

// robotsTxt is where a host has its robots.txt, whatever folder the site is in
// (RFC 9309, section 2.3). No page has that location; its name is an asset's.
const robotsTxt = "/robots.txt"

// asksForRobots reports whether r asks for the host's robots.txt, and nothing
// but that. Behind a proxy that strips a prefix, whatever arrives is below it.
func (o *Observer) asksForRobots(r *http.Request) bool {
	return o.cfg.WatchRobots && r.RequestURI == robotsTxt && o.cfg.StrippedPrefix == "" && r.Method == http.MethodGet
}

// beginRobots decides whether a response with the robots.txt is to be watched.
// Only what anonymous clients get is what crawlers get.
func (o *Observer) beginRobots(r *http.Request, look due.Look) (due.Look, bool) {
	if loc := o.cfg.Normalizer.Request(r.Host, r.RequestURI); loc.Reason == location.ReasonHost || loc.Local && !nearby(r) {
		o.refuse(location.ReasonHost, look)
		return due.Look{}, false
	}
	o.tally.own.Add(1)
	if o.known(r) != admit.None {
		look.Return()
		return due.Look{}, false
	}
	return look, true
}

// settleRobots hands over the robots.txt, if the response shows it.
func (o *Observer) settleRobots(look due.Look, resp *tap.Response) {
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
	dropOuterCoding(resp)
	look.Accept()
	if !o.cfg.Ledger.Offer(&ledger.Sighting{Kind: admit.RobotsFile, Location: robotsTxt, At: time.Now(), Response: resp}) {
		look.Return()
	}
}

// dropOuterCoding drops the content coding of a text to which it was not
// applied: a compressor around the site names it before the handler runs. A few
// bytes of a compressed text may look like text too, but they can be undone.
func dropOuterCoding(resp *tap.Response) {
	h := &resp.Header
	if h.ContentEncoding == "" || !isText(resp.Body) {
		return
	}
	const start = 512
	if _, _, err := page.Decode(nil, h.ContentEncoding, resp.Body[:min(len(resp.Body), start)], start); err != nil {
		h.ContentEncoding = ""
	}
}
