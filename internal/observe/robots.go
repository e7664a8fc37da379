package observe

import (
	"net/http"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe/schedule"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
)

// robotsTxt is the location of a host's robots.txt, whatever folder the site is in (RFC 9309,
// section 2.3). No page has this location, since it is named like an asset.
const robotsTxt = "/robots.txt"

// asksForRobots reports whether r asks for the host's robots.txt.
func (o *Observer) asksForRobots(r *http.Request) bool {
	return o.cfg.WatchRobots && r.RequestURI == robotsTxt
}

// learnRobots gives the robots.txt to the indexer, if the response shows one.
func (o *Observer) learnRobots(asked asked, claim schedule.Claim, resp *response.Response) {
	shows := eligibility.RobotsTxt(resp) && readable(resp)
	starved := resp.Truncated && len(resp.Body) < robots.Enough // there was no memory; the file is not too long
	if shows && starved {
		o.cfg.Indexer.Drop()
	}
	if !shows || starved {
		resp.Release()
		claim.Return()
		return
	}
	claim.Accept()
	if !o.cfg.Indexer.Offer(&observation.Observation{Kind: eligibility.RobotsFile, Location: robotsTxt, At: time.Now(),
		Response: resp, Explored: asked.own, Vouched: true}) {
		claim.Return()
	}
}
