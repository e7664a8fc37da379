// Package explore walks a site from the entries along the links, as a stranger would: through its
// public origin, once that is proved to lead to this process, or by the owner's word through its
// handler. So servemap learns a site without visitors. It takes the places to begin, makes requests
// and returns a report. It must never ask another host than the origin's, nor request a link that
// may act, such as one that deletes, nor what robots.txt disallows. It must end on a site that makes
// up links for ever.
package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/indexer"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/publish/files"
)

// Door is where the requests of an exploration come in again, and what learns from them.
type Door interface {
	// Proof returns where the door serves a file that nobody else can know, and what that says. A door that shares its
	// records says another text, if it is not "".
	Proof() (location, says, another string)
	// Mark adds to the header of a request through the origin by which the door knows it again, and returns what
	// to call once that has its answer.
	Mark(h http.Header) (end func())
	// Asks is called before a location is asked for. What it returns is called with the answer, nil if there was none;
	// it learns nothing if its context has ended. published says that a sitemap of the site lists the location. here
	// reports whether this process may have answered.
	Asks(location string, how Way, published bool) (learn func(context.Context, *response.Response) (here bool))
}

// Way says how the site asks itself, and so what the answer proves.
type Way uint8

// The ways.
const (
	Outside  Way = iota // through the origin, as strangers do
	Inside              // in this process, of which the owner says that nothing in front keeps strangers from a page
	Unproved            // in this process: it shows no more than what the program answers
)

// Config says what to explore, how, and how far.
type Config struct {
	Site
	Asking
	Begin

	MaxRequests, Concurrency int

	Ledger   *Ledger      // what [Revisit] knows from [Run], if both have it; may be nil
	Progress func(Report) // may be nil
}

// Site is what is explored, and who learns from it.
type Site struct {
	Door           Door
	Indexer        *indexer.Indexer
	Files          *files.Files
	Normalizer     *location.Normalizer
	StrippedPrefix string // which a proxy removes from the targets of requests
	Rules          eligibility.Rules
}

// Asking says how the site is asked.
type Asking struct {
	How     Way
	Handler http.Handler        // to ask, unless How is Outside
	Behind  func() http.Handler // the site without the files of this process, nil if there is none; may be nil
}

// Begin says where an exploration begins. Only Entries are required.
type Begin struct {
	Robots   []byte   // if nil, Run requests the site's robots.txt
	Entries  []string // locations
	Paths    []string // locations to request besides, as far as links would be followed there
	Sitemaps []string // locations of sitemaps that the site has, besides those that robots.txt names
}

// Walks reports whether the site is walked. A single request finds out whether the origin leads here, before revisits,
// as after a restart.
func (c *Config) Walks() bool { return c.MaxRequests > 1 }

// Report says how far an exploration has got.
type Report struct {
	Requests int                 // made
	Pages    int                 // that were answered with HTML
	Waiting  int                 // locations still to request
	Skipped  map[string]int      // links that were not requested, by reason
	Examples map[string]string   // the URL or text of the first of them
	Links    map[string][]string // those of more of them, in their order
	Dead     map[string]string   // the first links that lead to no page, as URLs, each with a page that has it
	Acting   []string            // the first links that may act, as URLs, one of each shape, those without a query first
	Params   []string            // the parameters that keep most linked pages out, each with its path
	Held     []string            // at the end, the URLs of pages that are held
	Stale    []string            // the first URLs of the site's own sitemap that lead to an error, or elsewhere
	Alone    int                 // pages that failed beside other requests, and came once asked for alone
	AtOnce   int                 // the fewest requests under which one of these failed, 0 for none
	Waits    string              // what it waits for now, and how long, "" for nothing
}

// How many acting links, parameters, held and stale pages a report names.
const (
	actingTold = 100
	paramsTold = 20
	heldTold   = 100
	staleTold  = 100
	linksTold  = 1000 // for each reason
)

// explorer is one exploration. It belongs to the goroutine of Run.
type explorer struct {
	Config
	client   *http.Client
	frontier *frontier
	robots   *robots.Rules
	pace     pace
	load     Load
	patience time.Duration // for an answer
	report   Report
	away     error                         // the entry redirects to another host
	doubtful []string                      // the locations of pages that look like secrets
	skipped  map[string]eligibility.Reason // links that are counted in the report, and why if another may lead there
	queries  queries
	logIns   []item          // pages that look like log-ins
	box      eligibility.Box // in which they may stand
	boxed    time.Time       // since when that is proven

	lines     []string        // the sitemaps that robots.txt names, as written
	published map[string]bool // locations that they list, and, as false, where these redirect
	listed    map[string]bool // and those that are listed already, which are only asked for
}

func newExplorer(cfg Config) *explorer {
	if cfg.Ledger == nil {
		cfg.Ledger = NewLedger(cfg.MaxRequests)
		cfg.Ledger.beside = nil // a single look
	}
	f := newFrontier(cfg.MaxRequests, cfg.Ledger)
	e := &explorer{
		Config: cfg, frontier: f, patience: requestPatience,
		report: Report{Skipped: map[string]int{}, Examples: map[string]string{}, Links: map[string][]string{},
			Dead: map[string]string{}},
		skipped:   map[string]eligibility.Reason{},
		published: map[string]bool{}, listed: map[string]bool{},
		queries: queries{f, map[string]*linked{}, map[string]string{}, map[string][]string{}, map[string]bool{}, nil},
	}
	f.dropped = e.dropped
	return e
}

// Run explores until nothing is left to request, a limit is reached, or ctx ends. The
// report is complete in each case. The error says why the exploration could not begin or go
// on. If ctx ended, it is the error of ctx.
func Run(ctx context.Context, cfg Config) (Report, error) {
	e := newExplorer(cfg)
	defer e.connect()()
	var err error
	if cfg.How == Outside {
		err = e.prove(ctx)
	}
	if err == nil {
		err = e.askRobots(ctx)
	}
	if err == nil {
		e.begin(ctx)
	}
	if err == nil && cfg.Walks() {
		e.readSitemaps(ctx)
	}
	if err == nil {
		err = e.walk(ctx)
	}
	if err == nil {
		err = e.Indexer.Flush(ctx)
	}
	if err == nil && e.report.Pages == 0 && e.away != nil {
		err = e.away
	}
	params, left, first := e.queries.params(e.Normalizer, e.Rules)
	if e.report.Params = params; left > 0 {
		e.leave(eligibility.AddressQuery, left, e.url(first))
	}
	for _, key := range slices.Sorted(maps.Keys(e.queries.linked)) {
		if of := e.queries.linked[key]; of.dropped > 0 {
			e.leave(eligibility.LinkEndless, of.dropped, e.url(of.example))
		}
	}
	e.held(ctx)
	e.tell()
	return e.report, err
}

// held names the pages that are held.
func (e *explorer) held(ctx context.Context) {
	for _, loc := range e.doubtful {
		p, err := e.Indexer.Page(ctx, loc)
		if err != nil || p.Verdict != eligibility.Held {
			continue
		}
		e.leave(eligibility.LinkHeld, 1, e.url(loc))
	}
}

// connect makes the client, and returns what ends it.
func (e *explorer) connect() (end func()) {
	e.client = NewClient(e.Normalizer.Origin())
	if e.How != Outside {
		return inside(e.client, e.Handler, e.Normalizer.Origin())
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
		e.consider(e.Normalizer.Parse(loc), loc, item{})
	}
	for _, loc := range e.Rules.Trusted() {
		if !action.Acts(loc) { // the rule may mean other locations that begin with it
			e.consider(e.Normalizer.Parse(loc), loc, item{})
		}
	}
}

const robotsTxt = "/robots.txt"

// ErrCircles says that the site redirects an address to itself.
var ErrCircles = errors.New("robots.txt redirects to itself")

// askRobots reads the site's robots.txt (RFC 9309), as far as it is meant for the explorer. While the site answers
// with a server error, nothing may be requested (section 2.3.1.4).
func (e *explorer) askRobots(ctx context.Context) error {
	if e.Robots != nil {
		e.obey(e.Robots)
		return nil
	}
	a := e.askPatiently(ctx, robotsTxt)
	for hops := 0; a.err == nil && a.status >= 300 && a.status < 400; hops++ { // section 2.3.1.2
		to := e.Normalizer.Resolve(robotsTxt, a.header.Get("Location"))
		if err := moved(e.Normalizer.Origin(), robotsTxt, a); err != nil {
			e.leave(eligibility.LinkOffSite, 1, e.url(robotsTxt))
			return fmt.Errorf("asking for robots.txt: %w", err)
		}
		if to.Location == robotsTxt {
			return ErrCircles
		}
		if hops == 5 || to.Location == "" {
			return fmt.Errorf("robots.txt redirects to %q, where it cannot be read; nothing may be asked for",
				a.header.Get("Location"))
		}
		a = e.askPatiently(ctx, to.Location)
	}
	switch {
	case a.err != nil:
		return fmt.Errorf("asking for robots.txt: %w", a.err)
	case a.status == http.StatusBadGateway || a.status == http.StatusGatewayTimeout:
		// of a proxy: this says nothing of robots.txt
		return fmt.Errorf("robots.txt was answered with %d, as by a proxy whose site does not run; nothing may be asked for until it does",
			a.status)
	case a.status >= 500 || a.status == http.StatusTooManyRequests:
		return fmt.Errorf("robots.txt was answered with %d; nothing may be asked for until it is there or answered with 404",
			a.status)
	case a.status == http.StatusOK:
		e.obey(a.body)
	}
	return nil
}

// askPatiently requests a location again when the site says that it may, up to some times.
func (e *explorer) askPatiently(ctx context.Context, loc string) answer {
	for tries := 1; ; tries++ {
		a := e.ask(ctx, loc, false)
		if !Asks(a.status, a.header) || tries == mostTries {
			return a
		}
		now := time.Now()
		pause := min(Patience(now, tries, a.header), longestPause)
		e.waits(now.Add(pause), fmt.Sprintf("the site answers %d for %s", a.status, loc))
		if sleep(ctx, pause) != nil {
			return a
		}
	}
}

func (e *explorer) obey(robotsTxt []byte) {
	e.robots, e.lines = robots.ParseFor(Agent, robotsTxt), slices.Collect(robots.Sitemaps(robotsTxt))
}
