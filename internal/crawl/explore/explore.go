// Package explore walks a site from the entries along the links, as a stranger would: through its
// public origin, once that is proved to lead to this process, or by the owner's word through its
// handler. So servemap learns a site without visitors. It takes the places to begin, makes requests
// and returns a report. It must never ask another host than the origin's, nor request a link that
// may act, such as one that deletes, nor what robots.txt disallows. It must end on a site that makes
// up links for ever.
package explore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
)

// Site is the site that is explored.
type Site interface {
	// Target returns the request target of the page at a location.
	Target(location string) string
	// Own reports whether a location belongs to the sitemap itself. Run does not request it,
	// since all its links are known already.
	Own(location string) bool
	// Rest waits until the reader of the pages has time for more, or ctx ends.
	Rest(ctx context.Context) error
	// Answered takes the status of each answer, 0 if there was none. It is called
	// concurrently.
	Answered(status int)
	// Pages yields the listed pages, in any fixed order.
	Pages(ctx context.Context) iter.Seq2[Seen, error]
	// Unseen reports whether nobody got the page at a location yet, as far as is known.
	Unseen(ctx context.Context, location string) bool
	// TakeBack takes out pages of a space without end, as far as no visitor got them.
	TakeBack(ctx context.Context, locations []string) error
	// Prove makes the door serve a file that nobody else can know, until end is called.
	Prove() (location, says string, end func())
	// Visit adds to the header of a request by which the site knows it again, and returns what to
	// call with the answer, nil if there is none. That reports whether this process answered.
	Visit(location string, h http.Header) (end func(context.Context, *response.Response) bool)
}

// Config says what to explore, and how far. All fields are required but Inside, Robots and
// Progress.
type Config struct {
	Site       Site
	Inside     http.Handler // if nil, Run asks the origin
	Normalizer *location.Normalizer
	Rules      eligibility.Rules
	Robots     []byte   // if nil, Run requests the site's robots.txt
	Entries    []string // locations
	Paths      []string // locations to request besides, as far as links would be followed there

	MaxRequests, Concurrency int

	Progress func(Report)
}

// Report says how far an exploration has got.
type Report struct {
	Requests int            // made
	Pages    int            // that were answered with HTML
	Waiting  int            // locations still to request
	Skipped  map[string]int // links that were not requested, by reason
	Acting   []string       // the first links that may act, as URLs, one of each shape, those without a query first
	Params   []string       // the parameters that keep most linked pages out, each with its path
	Held     []string       // locations of pages that look like secrets or as if meant for one visitor
}

// How many acting links, and parameters, a report names.
const (
	actingTold = 100
	paramsTold = 20
)

// explorer is one exploration. It belongs to the goroutine of Run.
type explorer struct {
	Config
	client   *http.Client
	frontier *frontier
	robots   *robots.Rules
	pace     pace
	report   Report
	away     error // the entry redirects to another host
	nothing  nothing
	skipped  map[string]bool     // links that are counted in the report
	queries  map[string]queries  // by what names returns
	bares    map[string]string   // by the path: a query of it
	lones    map[string][]string // by the names of parameters: the first such queries of other paths than the site links to
}

func newExplorer(cfg Config) *explorer {
	return &explorer{
		Config: cfg, frontier: newFrontier(cfg.MaxRequests), report: Report{Skipped: map[string]int{}},
		skipped: map[string]bool{}, queries: map[string]queries{}, bares: map[string]string{}, lones: map[string][]string{},
	}
}

// Run explores until nothing is left to request, a limit is reached, or ctx ends. The
// report is complete in each case. The error says why the exploration could not begin or go
// on. If ctx ended, it is the error of ctx.
func Run(ctx context.Context, cfg Config) (Report, error) {
	e := newExplorer(cfg)
	defer e.connect()()
	var err error
	if cfg.Inside == nil {
		err = e.prove(ctx)
	}
	if err == nil {
		err = e.askRobots(ctx)
	}
	if err == nil {
		e.askNowhere(ctx)
		e.begin(ctx)
		err = e.walk(ctx)
	}
	if err == nil && e.report.Pages == 0 && e.away != nil {
		err = e.away
	}
	if err == nil {
		err = e.Site.TakeBack(ctx, append(e.frontier.trail.endless(), e.nothing.pages...))
	}
	e.report.Params = e.params()
	e.tell()
	return e.report, err
}

// connect makes the client, and returns what ends it.
func (e *explorer) connect() (end func()) {
	e.client = NewClient(e.Normalizer.Origin())
	if e.Inside != nil {
		return inside(e.client, e.Inside, e.Normalizer.Origin())
	}
	return e.client.CloseIdleConnections
}

// begin fills the frontier with the places where the exploration starts.
func (e *explorer) begin(ctx context.Context) {
	e.visited(ctx)
	for _, loc := range e.Entries {
		e.frontier.add(item{Location: loc})
	}
	for _, loc := range e.Paths {
		e.consider(e.Normalizer.Parse(loc), loc)
	}
	for _, loc := range e.Rules.Trusted() {
		if !action.Acts(loc) { // the rule may mean other locations that begin with it
			e.consider(e.Normalizer.Parse(loc), loc)
		}
	}
}

// askRobots reads the site's robots.txt (RFC 9309), as far as it is meant for the explorer. While the site answers with a server
// error, nothing may be requested (section 2.3.1.4).
func (e *explorer) askRobots(ctx context.Context) error {
	if e.Robots != nil {
		e.robots = robots.ParseFor(Agent, e.Robots)
		return nil
	}
	a := e.ask(ctx, "/robots.txt")
	for hops := 0; a.err == nil && a.status >= 300 && a.status < 400; hops++ { // section 2.3.1.2
		to := e.Normalizer.Resolve("/robots.txt", a.header.Get("Location"))
		if err := e.moved("/robots.txt", a); err != nil {
			return fmt.Errorf("asking for robots.txt: %w", err)
		}
		if hops == 5 || to.Location == "" {
			return fmt.Errorf("robots.txt redirects to %q, where it cannot be read; nothing may be asked for", a.header.Get("Location"))
		}
		a = e.ask(ctx, to.Location)
	}
	switch {
	case a.err != nil:
		return fmt.Errorf("asking for robots.txt: %w", a.err)
	case a.status >= 500 || a.status == http.StatusTooManyRequests:
		return fmt.Errorf("robots.txt was answered with %d; nothing may be asked for until it is there or answered with 404", a.status)
	case a.status == http.StatusOK:
		e.robots = robots.ParseFor(Agent, a.body)
	}
	return nil
}

// result is the answer to the request for an item.
type result struct {
	item
	answer
}

// walk requests the locations of the frontier, some at a time, in the order in which they
// were found.
func (e *explorer) walk(ctx context.Context) error {
	results := make(chan result)
	running, told := 0, time.Now()
	defer func() {
		for ; running > 0; running-- {
			<-results // each answer comes soon after ctx ends, or at its time limit
		}
	}()
	for {
		for running < e.pace.allowed(e.Concurrency) {
			if err := e.rest(ctx); err != nil {
				return err
			}
			it, ok := e.frontier.next()
			if !ok {
				break
			}
			running++
			e.report.Requests++
			go func() { results <- result{it, e.ask(ctx, it.Location)} }()
		}
		if running == 0 && (e.frontier.release() || e.unreached(ctx) || e.frontier.probe()) {
			continue
		}
		if running == 0 {
			e.end()
			return nil
		}
		r := <-results
		running--
		if err := e.take(ctx, r); err != nil {
			return err
		}
		if time.Since(told) >= tellEvery {
			told = time.Now()
			e.tell()
		}
	}
}

// unreached puts the listed pages that no link led to into the frontier. So each listed page is
// asked for by the path that a stranger takes, whoever got it before. It returns false if
// there is none, or if the explorer got no page at all: then it may be shut out, alone.
func (e *explorer) unreached(ctx context.Context) (some bool) {
	if e.report.Pages == 0 {
		return false
	}
	for p, err := range e.Site.Pages(ctx) {
		if err != nil {
			return some // the store may answer next time
		}
		if rule, _ := e.Rules.Match(p.Location); (rule.Listing == eligibility.Always || !action.Acts(p.Location)) && e.robots.Allows(p.Location) {
			some = e.frontier.addListed(p.Location) || some
		}
	}
	return some
}

// tellEvery is how often walk reports progress.
const tellEvery = 250 * time.Millisecond

func (e *explorer) tell() {
	e.report.Waiting = e.frontier.waiting()
	if e.Progress != nil {
		e.Progress(e.report)
	}
}

// rest waits until the site, and the reader of its pages, have time.
func (e *explorer) rest(ctx context.Context) error {
	if err := sleep(ctx, e.pace.pause(time.Now())); err != nil {
		return err
	}
	return e.Site.Rest(ctx)
}

// take notes an answer and its links.
func (e *explorer) take(ctx context.Context, r result) error {
	if ctx.Err() != nil { // which may have cut its answer short
		return ctx.Err()
	}
	if e.pace.saw(time.Now(), r.answer) {
		if !e.frontier.refused(r.item) {
			e.report.Skipped["failed"]++
		}
		switch {
		case e.pace.refused < mostRefused:
			return nil
		case r.err != nil:
			return fmt.Errorf("%d requests in a row were not answered: %w", e.pace.refused, r.err)
		}
		return fmt.Errorf("the site answered %d to %d requests in a row", r.status, e.pace.refused)
	}
	if r.elsewhere {
		e.report.Skipped["elsewhere"]++
	}
	e.follow(r)
	return nil
}

// follow puts the links of an answer into the frontier.
func (e *explorer) follow(r result) {
	bare := e.query(r.item)
	if r.status >= 300 && r.status < 400 {
		if slices.Contains(e.Entries, r.Location) {
			e.away = e.moved(r.Location, r.answer)
		}
		if to := r.header.Get("Location"); to != "" {
			e.frontier.begin(r.item, html.Text{})
			target := e.Normalizer.Resolve(r.Location, to)
			if slices.Contains(e.Entries, r.Location) { // visitors enter there too
				e.Entries = append(e.Entries, target.Location)
			}
			e.consider(target, to)
			e.frontier.end()
		}
		return
	}
	if r.status != http.StatusOK || !response.IsHTML(r.header.Get("Content-Type")) {
		return
	}
	e.report.Pages++
	if eligibility.WordOf(r.Location, false) >= eligibility.Risky {
		e.report.Held = append(e.report.Held, r.Location)
	}
	facts := html.Read(r.body, html.Options{ContentType: r.header.Get("Content-Type")})
	if e.isNothing(r.Location, &facts) {
		e.nothing.pages = append(e.nothing.pages, r.Location)
		return
	}
	r.item.Query = r.item.Query || bare // nothing but its query is linked
	e.frontier.begin(r.item, facts.Text)
	if facts.Title != "" {
		e.frontier.trail.Pages[e.frontier.trail.last()].Title = xxh3.HashString(facts.Title)
	}
	base := e.Normalizer.Base(r.Location, facts.Base)
	noIndex, noFollow, _ := html.Robots(r.header["X-Robots-Tag"])
	if q := e.queries[names(r.Location)]; r.Query && q != nil && (facts.Canonical != "" || noIndex || facts.NoIndex) {
		delete(q, r.Location) // it is not its query that keeps it out
	}
	if noFollow || facts.NoFollow {
		for _, l := range facts.Links {
			e.skip("nofollow", l.Href)
		}
		return
	}
	for _, l := range facts.Links {
		switch {
		case l.NoFollow:
			e.skip("nofollow", l.Href)
		case l.Acts:
			e.acts(e.Normalizer.Resolve(base, l.Href).Location)
		default:
			if to := e.Normalizer.Resolve(base, l.Href); !bare || !to.OwnQuery { // else the query has such links, and they count
				e.consider(to, l.Href)
			}
		}
	}
	for _, a := range facts.Alternates {
		e.consider(e.Normalizer.Resolve(base, a.Href), a.Href)
	}
	if facts.Canonical != "" {
		e.consider(e.Normalizer.Resolve(base, facts.Canonical), facts.Canonical)
	}
	e.frontier.end()
}

// consider puts a link into the frontier, or notes why exploring does not request it. href
// is the link as written.
func (e *explorer) consider(to location.Result, href string) {
	if to.Reason == location.ReasonHost || to.Reason == location.ReasonOutsideFolder || to.Reason == location.ReasonForm {
		return // not a link of this site
	}
	if e.frontier.has(to.Location) {
		return // most links lead where other links lead too
	}
	rule, _ := e.Rules.Match(to.Location)
	plain := rule.Listing == eligibility.Always
	if !plain && action.Acts(to.Location) {
		e.acts(to.Location)
		return
	}
	why := ""
	switch {
	case to.Reason != location.ReasonNone && !to.OwnQuery:
		why = to.Reason.String()
	case eligibility.AssetName(to.Location), e.Site.Own(to.Location):
		why = "file"
	case rule.Listing == eligibility.Never:
		why = "rule-never"
	case !e.robots.Allows(to.Location):
		why = "disallowed"
	case to.OwnQuery && e.lone(to.Location):
		e.keep(to.Location, !e.frontier.has(to.Location))
	case to.OwnQuery && names(to.Location) == "":
		why = to.Reason.String()
	default:
		if to.OwnQuery {
			e.keep(to.Location, false)
		}
		why = e.frontier.add(item{Location: strings.Clone(to.Location), Plain: plain, Query: to.OwnQuery})
	}
	if why != "" {
		e.skip(why, href)
	}
}

// queries are the linked locations on one path with the same parameters, but for those that say themselves which page
// they are: true if they were left out.
type queries map[string]bool

// How many queries with the same parameters must be linked in no other way before they are tried, how many paths
// with parameters are remembered, and how many names of parameters.
const (
	queriesTried = 3
	queriesKept  = 100
)

// names returns the names of the parameters of a location, and its path, or "" if a word of it asks for care.
func names(loc string) string {
	path, query, _ := strings.Cut(loc, "?")
	var names []string
	for param := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(param, "=")
		names = append(names, name)
	}
	if eligibility.WordOf(loc, false) != eligibility.Plain || slices.ContainsFunc(names, func(name string) bool { return capability.Looks("/" + name) }) {
		return ""
	}
	return strings.Join(names, ",") + " " + path
}

// keep notes a location with a query that is not allowed. out says that it was left out.
func (e *explorer) keep(loc string, out bool) {
	key := names(loc)
	q := e.queries[key]
	if q == nil && len(e.queries) < queriesKept && key != "" {
		q = queries{}
		e.queries[strings.Clone(key)] = q
	}
	if q != nil && len(q) < skippedKept/queriesKept {
		q[strings.Clone(loc)] = out
	}
}

// lone reports whether the site links to the path of a query in no other way. One that stands alone may act. If several
// have the same parameters, their paths are asked for, and then a query of each. If both show the same, the query selects
// nothing, as with a session in each link, and the link is one to the path.
func (e *explorer) lone(loc string) bool {
	path, _, _ := strings.Cut(loc, "?")
	params, _, _ := strings.Cut(names(values.ReplaceAllString(loc, "")), " ")
	if params == "" || e.frontier.has(path) || e.frontier.has(loc) || slices.Contains(e.Entries, loc) {
		return false
	}
	alone := e.lones[params]
	switch {
	case len(alone) >= queriesTried:
		e.bare(path, loc)
	case !slices.Contains(alone, loc) && len(e.lones) < queriesKept:
		alone = append(alone, strings.Clone(loc))
		e.lones[strings.Clone(params)] = alone
		if len(alone) == queriesTried {
			for _, loc := range alone {
				path, _, _ := strings.Cut(loc, "?")
				e.bare(path, loc)
			}
		}
	}
	return true
}

// bare asks for a path, and then for a query of it.
func (e *explorer) bare(path, loc string) {
	if e.frontier.has(path) {
		e.consider(e.Normalizer.Parse(loc), loc)
		return
	}
	if e.consider(e.Normalizer.Parse(path), path); e.frontier.has(path) {
		e.frontier.news(loc)
		e.bares[strings.Clone(path)] = strings.Clone(loc)
	}
}

// query queues the query of a path that was asked for, if there is one.
func (e *explorer) query(it item) bool {
	loc := e.bares[it.Location]
	if loc == "" {
		return false
	}
	delete(e.bares, it.Location)
	it.Location, it.Query = loc, true
	e.frontier.put(&it)
	return true
}

// params says which parameters keep pages out, those with the most pages first. It leaves out those that only add to what
// others select, as action does in ?title=Crow&action=history beside ?title=Crow.
func (e *explorer) params() (all []string) {
	titles := map[string]uint64{}
	for _, p := range e.frontier.trail.Pages {
		if titles[p.Location] = p.Title; p.Own > 0 && p.Query {
			titles[p.Location] = xxh3.HashString(p.Location) // a text of its own is worth a title
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(e.queries), func(a, b string) int {
		return cmp.Or(len(e.queries[b])-len(e.queries[a]), strings.Compare(a, b))
	}) {
		names, path, _ := strings.Cut(key, " ")
		adds := slices.ContainsFunc(strings.Split(names, ","), func(name string) bool {
			return name != names && (e.queries[name+" "+path] != nil || !e.Normalizer.Parse(path+"?"+name+"=1").OwnQuery)
		})
		n := e.queries[key].pages(titles, path)
		if n > 0 {
			e.report.Skipped[location.ReasonQuery.String()] += n
		}
		if n > 0 && !adds && len(all) < paramsTold {
			all = append(all, fmt.Sprintf("%s: %d linked pages of %s", names, n, path))
		}
	}
	return all
}

// pages returns how many pages only their query keeps out. They are pages if most of those that were asked for have a
// title of their own, or none was. What sorts, filters or tracks shows its texts under one title, and an archive of
// dates shows those of other pages.
func (q queries) pages(titles map[string]uint64, path string) (n int) {
	asked, own, dates := 0, map[uint64]bool{}, 0
	for loc, out := range q {
		title, got := titles[loc]
		own[title] = true
		switch {
		case got:
			asked++
		case out:
			n++
		}
		if date.MatchString(loc) {
			dates++
		}
	}
	delete(own, titles[path])
	delete(own, 0) // of those without a title, or that were not asked for
	switch {
	case dates == len(q), asked > 0 && 2*len(own) <= asked:
		return 0
	case asked > 0:
		return len(q)
	}
	return n
}

// end notes what is left when nothing can be requested.
func (e *explorer) end() {
	if e.frontier.asked >= e.frontier.most {
		return // they are counted as waiting
	}
	for _, it := range e.frontier.controls.waiting {
		e.acts(it.Location)
	}
	e.frontier.controls.waiting = nil
	if e.frontier.endless > 0 {
		e.report.Skipped["endless"] += e.frontier.endless
	}
}

// skippedKept is how many skipped links are remembered, to count each of them once.
const skippedKept = 100_000

// skip counts a link that exploring does not request.
func (e *explorer) skip(why, link string) (first bool) {
	if e.skipped[link] || len(e.skipped) >= skippedKept {
		return false
	}
	e.skipped[strings.Clone(link)] = true
	e.report.Skipped[why]++
	return true
}

// acts notes a link that may act. Links of one shape count as one. Those of queries are told
// last, since few of them are pages.
func (e *explorer) acts(loc string) {
	shape := shapeOf(loc)
	if b, is := action.Split(loc); is {
		shape = b.Kind + "/" + b.Word
	}
	if loc == "" || !e.skip("acting", shape) {
		return
	}
	all := append(e.report.Acting, e.Normalizer.Origin().URL(loc))
	slices.SortStableFunc(all, func(a, b string) int { return strings.Count(a, "?") - strings.Count(b, "?") })
	e.report.Acting = all[:min(len(all), actingTold)]
}
