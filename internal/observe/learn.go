package observe

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe/capture"
	"github.com/servemap/servemap/internal/observe/schedule"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
)

// learn gives the indexer what the response showed, if anything.
func (o *Observer) learn(r *http.Request, asked asked, loc location.Result, claim schedule.Claim,
	seen *capture.Capture) {
	at, resp := time.Now(), seen.Response
	kind, why := o.cfg.Rules.Response(loc.Location, resp)
	if asked.boosted && kind == eligibility.Witness && !whole(resp) {
		kind, why = eligibility.Nothing, eligibility.Fragment
	}
	o.diagnosis.answered(loc.Location, kind, why, resp)
	file := eligibility.AssetName(loc.Location)
	if file && (kind == eligibility.Witness || o.cfg.Files.Lists(loc.Location)) && o.cfg.Looks != nil {
		o.cfg.Looks.visited(loc.Location, true) // it may be one visitor's page, so the site asks itself
	}
	if kind != eligibility.Witness || !file {
		o.cfg.Indexer.Links.Answered(loc.Location, resp.Status, false, func() string {
			return o.cfg.Normalizer.Resolve(loc.Location, resp.Header.Location).Location
		})
	}
	if file {
		claim.Accept()
		resp.Release()
		return
	}
	if claim = o.worth(claim, asked, loc, kind, resp); claim == (schedule.Claim{}) {
		resp.Release()
		return
	}
	s := &observation.Observation{
		Kind: kind, Reason: why,
		Location: strings.Clone(loc.Location),
		OwnQuery: loc.OwnQuery,
		At:       at,
		Response: resp,
		Vouched:  asked.vouched,
		Prefers:  observation.Preferred(resp.Header.Vary, r.Header),
		Named:    asked.named,
	}
	s.Named.Referer, s.Named.Query = strings.Clone(s.Named.Referer), strings.Clone(s.Named.Query)
	route := seen.Route
	if route.Template == "" {
		route = o.cfg.matched(r)
	}
	s.Route = o.leadsTo(route, loc.Location)
	claim.Accept() // before the offer: merging it may make the page due again
	if !o.cfg.Indexer.Offer(s) {
		claim.Return()
	}
}

// worth returns the claim that a response of this kind uses up: the page's, or one of the kind's
// own schedule instead. It ends the claim and returns the zero Claim if the response is not worth
// merging, or its own schedule is not due.
func (o *Observer) worth(claim schedule.Claim, asked asked, loc location.Result, kind eligibility.Kind,
	resp *response.Response) schedule.Claim {
	class := ""
	switch {
	case kind == eligibility.Nothing && unread(resp), kind == eligibility.Witness && resp.Truncated &&
		len(resp.Body) < observation.MaxPage:
		o.cfg.Indexer.Drop() // there was no memory; the page is not too long
		claim.Return()
		return schedule.Claim{}
	case asked.boosted && kind != eligibility.Witness: // a part of a page proves nothing about the page
		claim.Accept()
		return schedule.Claim{}
	case kind == eligibility.Nothing:
		claim.Return()
		return schedule.Claim{}
	case kind == eligibility.Doubtful && !asked.vouched: // only a listed page can be lost
		claim.Return()
		return schedule.Claim{}
	case kind == eligibility.Alive:
		class = unchanged
	case kind == eligibility.Doubtful: // a missing entry is worth a hint, and Explain tells what linked pages answer
		class = denials
	case kind == eligibility.Redirected:
		class = redirects
	default:
		return claim
	}
	claim.Return()
	other, _ := o.cfg.Schedule.Begin(class+loc.Location, func() bool { return asked.vouched })
	return other
}

// whole reports whether a response begins as a document does. A part of a page may even have a title,
// but not what the page's head says to robots.
func whole(resp *response.Response) bool {
	start, _, err := observation.Decode(resp.Header.ContentEncoding, resp.Body, 1<<10)
	return err == nil && documentTag.Match(start)
}

var documentTag = regexp.MustCompile(`(?i)<(!doctype\s+html|html|body)[\s>]`)

// unread reports whether there was no memory to learn the type of a response from.
func unread(resp *response.Response) bool { return resp.Truncated && resp.Header.ContentType == "" }

// leadsTo returns the route as that of a page: exact only if it matches the page alone, with its path as the template.
// A prefix of the origin's folder may have been cut off before. Some routers, such as chi, answer alike with and
// without a slash at the end, and name one template for both.
func (o *Observer) leadsTo(route observation.Route, loc string) observation.Route {
	if route.Template == "" {
		return observation.Route{}
	}
	path, err := url.PathUnescape(loc)
	cut, ends := strings.CutSuffix(strings.TrimSuffix(path, "/"), strings.TrimSuffix(route.Template, "/"))
	route.Exact = route.Exact && err == nil && ends && strings.HasPrefix(o.cfg.Normalizer.Origin().Folder(), cut+"/")
	return route
}
