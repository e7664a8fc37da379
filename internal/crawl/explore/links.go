package explore

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
)

// follow puts the links of an answer into the frontier. told says that it was a page, or that a cause of its own is
// counted for it.
func (e *explorer) follow(r result) (told bool) {
	e.queries.queueQueryOf(r.item.Location)
	if r.status >= 300 && r.status < 400 {
		told = e.redirected(r, r.header.Get("Location"))
	}
	isHTML := response.IsHTML(r.header.Get("Content-Type"))
	if r.status == http.StatusOK && !isHTML && !r.large && (r.Unlikely || e.published[r.Location]) {
		e.frontier.begin(r.item, html.Text{})
		e.frontier.end()
		e.skip(eligibility.LinkFile, e.url(r.Location))
		told = true
	}
	if r.status != http.StatusOK || !isHTML {
		e.queries.answers = append(e.queries.answers, shown{location: r.Location, other: true})
		return told
	}
	if capability.Looks(r.Location) {
		e.doubtful = append(e.doubtful, r.Location)
	}
	facts := html.Read(r.body, html.Options{ContentType: r.header.Get("Content-Type")})
	facts.AddHeader(r.header["Link"])
	facts.AddRobots(r.header["X-Robots-Tag"])
	if to, _ := observation.Refreshes(e.Normalizer, r.Location, r.header.Get("Refresh"), &facts); to != "" {
		e.queries.answers = append(e.queries.answers, shown{location: r.Location, other: true})
		return e.redirected(r, to)
	}
	for _, field := range facts.Searches {
		e.queries.neverOffer(field.Name)
	}
	e.report.Pages++
	e.asks(r, facts.LogIn)
	e.frontier.begin(r.item, facts.Text)
	base := e.Normalizer.Base(r.Location, facts.Base)
	page := shown{location: r.Location, fresh: e.frontier.fresh, other: facts.Canonical != "" || facts.NoIndex}
	if facts.Title != "" {
		page.title = xxh3.HashString(facts.Title)
	}
	for _, b := range facts.Text.Blocks {
		if b.Main { // what is around it may tell the time
			page.text += xxh3.HashString(b.Text)
		}
	}
	e.queries.answers = append(e.queries.answers, page)
	if facts.NoFollow {
		if len(facts.Links) > 0 {
			e.leave(eligibility.LinkNoFollow, 1, e.url(r.Location))
		}
		return true
	}
	for _, l := range facts.Links {
		switch to := e.Normalizer.Resolve(base, l.Href); {
		case l.NoFollow && !e.frontier.has(to.Location):
			e.skip(eligibility.LinkNoFollow, e.named(to, l.Href))
		case l.NoFollow: // others follow it
		case l.Acts:
			e.acts(to.Location)
		default:
			e.consider(to, l.Href, item{})
		}
	}
	for _, a := range facts.Alternates {
		e.consider(e.Normalizer.Resolve(base, a.Href), a.Href, item{})
	}
	if facts.Canonical != "" {
		to := e.Normalizer.Resolve(base, facts.Canonical)
		e.respell(r.item, to)
		e.consider(to, facts.Canonical, item{})
	}
	e.frontier.end()
	return true
}

// asks notes the forms to log in of a page. Once they show that the site has a box to log in, the pages that were taken
// for log-ins before are requested again.
func (e *explorer) asks(r result, logIn html.LogIn) {
	starts := slices.Contains(e.Entries, r.Location)
	e.box.Saw(r.Location, starts, logIn)
	early := e.boxed.IsZero() && !e.box.Has(r.Location, logIn) || r.begun.Before(e.boxed)
	if logIn.Forms > 0 && !starts && early && !eligibility.IsLogIn(r.Location) {
		e.logIns = append(e.logIns, r.item)
	}
	if !e.box.Proven() {
		return
	}
	if e.boxed.IsZero() {
		e.boxed = time.Now()
	}
	for _, it := range e.logIns {
		it.Again, it.Free, it.Plain = true, true, true
		e.frontier.put(&it)
	}
	e.logIns = nil
}

// respell asks for the address that a page names as its own, if that has the same parameters in another order.
func (e *explorer) respell(it item, to location.Result) {
	if to.Location == it.Location || location.Sorted(to.Location) != location.Sorted(it.Location) {
		return
	}
	rule, _ := e.Rules.Match(to.Location)
	if rule.Listing != eligibility.Never && e.robots.Allows(to.Location) && !e.mayAct(to.Location) &&
		e.frontier.news("respelled "+to.Location) {
		e.frontier.put(&item{Location: strings.Clone(to.Location), Unlikely: to.OwnQuery, Free: true, Plain: true, Old: true})
	}
}

// mostHops is how many redirects are followed in a row.
const mostHops = 10

// redirected follows an answer that leads elsewhere. Its target takes its place in the frontier. told says that it was
// left out, as it leads off the site.
func (e *explorer) redirected(r result, to string) (told bool) {
	if to == "" || r.Hops == mostHops {
		return false
	}
	target := e.Normalizer.Resolve(r.Location, to)
	if slices.Contains(e.Entries, r.Location) {
		e.away = moved(e.Normalizer.Origin(), r.Location, r.answer)
		e.Entries = append(e.Entries, target.Location) // visitors enter there too
	}
	if target.Reason == location.ReasonHost {
		e.leave(eligibility.LinkOffSite, 1, e.url(r.Location))
		return true
	}
	if _, published := e.published[r.Location]; published && !e.published[target.Location] {
		e.published[strings.Clone(target.Location)] = false // the sitemap is as old as the redirect
	}
	e.frontier.page = item{} // which shows nothing, and leads on for nothing
	e.consider(target, to, item{Hops: r.Hops + 1, Old: r.Old, Free: r.Free, Plain: true})
	return false
}

// consider puts a link into the frontier, or notes why exploring does not request it. href is the link as written.
// as holds what is known of its item already.
func (e *explorer) consider(to location.Result, href string, as item) {
	if to.Reason == location.ReasonHost || to.Reason == location.ReasonOutsideFolder || to.Reason == location.ReasonForm {
		return // not a link of this site
	}
	if e.frontier.has(to.Location) {
		return // most links lead where other links lead too
	}
	rule, _ := e.Rules.Match(to.Location)
	why, link := eligibility.None, e.named(to, href)
	switch {
	case e.mayAct(to.Location):
		e.acts(to.Location)
	case to.Reason != location.ReasonNone && !to.OwnQuery:
		why = eligibility.OfAddress(to.Reason)
	case e.Files.OwnsLocation(to.Location), to.Location == robotsTxt:
		why = eligibility.LinkFile
	case rule.Listing == eligibility.Never:
		why = eligibility.RuleNever
	case !e.robots.Allows(to.Location):
		why = eligibility.Disallowed
	case to.OwnQuery && e.lone(to.Location):
	case to.OwnQuery && names(values.ReplaceAllString(to.Location, "")) == "":
		// a value may be a secret: many lists go on by one
		why = eligibility.OfAddress(to.Reason)
	default:
		if to.OwnQuery {
			e.queries.count(to.Location)
		}
		as.From = e.frontier.page.Location
		as.Location, as.Unlikely = strings.Clone(to.Location), to.OwnQuery || eligibility.AssetName(to.Location)
		as.Plain = as.Plain || rule.Listing == eligibility.Always
		if why = e.frontier.add(as); why == eligibility.None {
			e.follows(link)
		}
	}
	switch {
	case why == eligibility.LinkEndless && e.once(link):
		e.dropped(&as)
	case why != eligibility.None:
		e.skip(why, link)
	}
}

// skippedKept is how many skipped links are remembered, to count each of them once.
const skippedKept = 100_000

// once reports whether a link is left out for the first time.
func (e *explorer) once(link string) bool {
	if _, was := e.skipped[link]; was || len(e.skipped) >= skippedKept {
		return false
	}
	e.skipped[strings.Clone(link)] = eligibility.None
	return true
}

// skip counts a link that exploring does not request, once, however it is written.
func (e *explorer) skip(why eligibility.Reason, link string) {
	if e.once(link) {
		e.skipped[link] = why
		e.leave(why, 1, link)
	}
}

// follows takes back that a link was left out, since another one leads there.
func (e *explorer) follows(link string) {
	if why := e.skipped[link].String(); e.skipped[link] != eligibility.None {
		e.skipped[link] = eligibility.None
		e.report.Links[why] = slices.DeleteFunc(e.report.Links[why], func(u string) bool { return u == link })
		if e.report.Skipped[why]--; e.report.Skipped[why] == 0 {
			delete(e.report.Skipped, why)
		}
	}
}

// leave counts what is left out, and names it, unless it is "".
func (e *explorer) leave(why eligibility.Reason, n int, link string) {
	name := why.String()
	if e.report.Skipped[name] += n; link != "" && len(e.report.Links[name]) < linksTold {
		e.report.Links[name] = append(e.report.Links[name], strings.Clone(link))
	}
}

// url returns the URL of a location.
func (e *explorer) url(loc string) string { return e.Normalizer.Origin().URL(loc) }

// named returns the URL of a link, or what the page has if it is none.
func (e *explorer) named(to location.Result, href string) string {
	if to.Location == "" {
		return href[:min(len(href), 200)]
	}
	return e.url(to.Location)
}
