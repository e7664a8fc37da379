package servemap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap/internal/admin/guard"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/forwarded"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/inspect"
	"github.com/servemap/servemap/internal/observe"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/internal/publish/announce"
	"github.com/servemap/servemap/internal/schema/changelog"
)

// Wrap returns a handler that answers requests for the sitemap's own files: "/sitemap.xml",
// its parts "/sitemap-1.xml" and so on if the site is large, "/sitemap-news.xml" with
// Extensions.News, each with ".gz" added. While nothing is listed they answer 503. next
// serves all other requests, and Wrap observes them; nil stands for [http.DefaultServeMux].
// Wrap goes around a whole router, or into one that runs its middleware also for requests
// that match no route, as chi does and gorilla/mux does not: see [Site.Mount].
func (s *Site) Wrap(next http.Handler) http.Handler {
	if next == nil {
		next = http.DefaultServeMux
	}
	if proxy, is := next.(interface{ TellBy(*messages.Hints) }); is { // the command's proxy
		proxy.TellBy(s.hints)
	}
	if s.looks.Inner.CompareAndSwap(nil, &next) {
		s.hints.End(messages.Unwrapped)
	} else {
		s.looks.Several.Store(true)
	}
	return s.front.Wrap(next)
}

// Mount makes r serve the sitemap and observe its responses, also those to requests that
// match no route. Call it once, after r's routes and its NotFoundHandler are set, and before
// r.Use of what asks for a log-in: else that stands before the sitemap too. r is the
// root router, or a subrouter with the whole folder of the origin. Mount panics if r is
// nil, has the site already, or is a subrouter that does not get the requests for the folder or the sitemap.
func (s *Site) Mount(r *mux.Router) {
	if r == nil {
		panic("servemap: Mount: the router is nil")
	}
	_ = r.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		if m, is := route.GetHandler().(mounted); is && m.site == s {
			panic("servemap: Mount: this router has the site already; call Mount once, after all routes")
		}
		return nil
	})
	var replaced sync.Once
	files := r.MatcherFunc(func(req *http.Request, _ *mux.RouteMatch) bool {
		if _, ours := r.NotFoundHandler.(*unmatched); !ours {
			replaced.Do(func() {
				s.log.Logger().Warn("servemap: Mount: the router's NotFoundHandler was set after Mount. Unless it calls the one "+
					"before, the site does not see which pages are gone, and they stay listed. Set it before site.Mount(r).",
					"origin", s.origin.String())
			})
		}
		owns := s.front.Owns(req)
		if owns {
			s.front.Missed(req) // middleware of r.Use may answer before the site does
		}
		return owns
	}).Handler(mounted{http.HandlerFunc(s.front.ServeFile), s})
	if path := s.front.Outside(files); path != "" {
		panic(fmt.Sprintf("servemap: Mount: no request for %q reaches this subrouter, so the site would not be seen, or "+
			"its sitemap not be served; "+
			"mount on the root router", path))
	}
	if host, err := files.GetHostTemplate(); err == nil && !s.mayServe(host) {
		s.log.Logger().Warn("servemap: Mount: this subrouter gets requests for "+host+" alone, so no page is learned. Mount on "+
			"the root router, correct the origin, or name the host in Options.Hosts.", "origin", s.origin.String())
	}
	var inner http.Handler = r
	s.looks.Inner.CompareAndSwap(nil, &inner)
	s.hints.End(messages.Unwrapped)
	s.bindInspectors(r)
	r.Use(s.front.Wrap)
	if r.NotFoundHandler == nil {
		r.NotFoundHandler = http.NotFoundHandler()
	}
	r.NotFoundHandler = &unmatched{s.front.Wrap(r.NotFoundHandler)}
}

// bindInspectors tells the inspectors in r's routes where they are, and logs that, or what answers in their place.
func (s *Site) bindInspectors(r *mux.Router) {
	_ = r.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		if i, is := route.GetHandler().(inspector); is {
			inspect.Bound(route)
			path, _ := route.GetPathTemplate()
			path = strings.TrimSuffix(path, "/")
			if by := inspect.Taken(r, route, s.origin); by != "" {
				s.log.Logger().Warn("servemap: Inspector: "+by, "origin", s.origin.String())
			} else if !i.linked || path != linkedAt {
				refuses := ""
				if i.unset {
					refuses = ", and refuses everybody until servemap.Password gets a user and a password"
				}
				s.log.Logger().Info("servemap: Inspector: mounted at "+path+"/"+refuses, "origin", s.origin.String())
			}
		}
		return nil
	})
}

// unmatched answers requests that match no route. Mount knows it by its type.
type unmatched struct{ http.Handler }

// mounted serves the files of a site, where Mount finds it among the routes.
type mounted struct {
	http.HandlerFunc
	site *Site
}

// Inspector returns a handler that shows the owner what the site has learned, and why. allow
// says who may see it: a function from [Password], or your own. If it is nil, whoever opens
// the link in the log may, until the process ends. Everybody else gets 404. Mount it below
// any path that ends in a slash, in gorilla/mux by a prefix and before [Site.Mount]:
//
//	mux.Handle("/inspect/", site.Inspector(nil))              // http.ServeMux
//	r.PathPrefix("/inspect").Handler(site.Inspector(nil))     // gorilla/mux
//
// The pages need no script. Each is JSON too, such as stats.json, the first one, and
// page.json?u=/about. They name only pages that are or were listed, and pages that these link to.
func (s *Site) Inspector(allow func(*http.Request) bool) http.Handler {
	var pages http.Handler = inspect.New(inspect.Config{
		Public: inspected{s}, Origin: s.origin, Normalizer: s.norm,
		Indexer: s.indexer, Files: s.files, Own: &s.observer.Own, Handler: &s.looks.Inner,
		Tops: s.topURLs(), RobotsLine: s.RobotsLine(), Announces: &s.announces, ReportOnly: s.opts.ReportOnly,
		Crawlers: s.crawlers != nil,
	})
	if door := s.door("inspector"); allow != nil {
		pages = door.Allow(allow, pages)
	} else {
		door.Names = inspect.Names
		pages = door.ByLink(s.link, pages)
		s.log.Logger().Info("servemap: Inspector: open "+s.InspectorLink(linkedAt)+
			" on your site (mounted elsewhere? use that path)", "origin", s.origin.String())
	}
	var told sync.Once
	return inspector{func(w http.ResponseWriter, r *http.Request) {
		s.observer.Disown(w, r)
		if fix := inspect.Narrow(r, s.looks.Inner.Load()); fix != "" {
			told.Do(func() { s.log.Logger().Error("servemap: Inspector: "+fix, "origin", s.origin.String()) })
		}
		if s.unmounted() {
			s.hints.Give(messages.Unwrapped, "")
		}
		if !inspect.Enter(w, r) {
			pages.ServeHTTP(w, r)
		}
	}, allow == nil, guard.Unset(allow)}
}

// inspector is a handler of [Site.Inspector], which Mount finds among the routes.
type inspector struct {
	http.HandlerFunc
	linked bool // the log has a link to it
	unset  bool // its password is missing
}

// linkedAt is where the link in the log leads.
const linkedAt = "/inspect"

// InspectorLink returns the link that opens an inspector at base, such as
// "http://localhost:8080/inspect/". Its key ends with the process.
func (s *Site) InspectorLink(base string) string { return s.link.At(base) }

func (s *Site) door(what string) *guard.Door {
	return &guard.Door{What: what, Client: s.observer.Client, Logger: s.log.Logger()}
}

// inspected gives the inspector what this package says of a site.
type inspected struct{ *Site }

func (i inspected) Stats() (any, messages.Counts) {
	st := i.Site.Stats()
	return st, i.counts(st)
}

// counts are the numbers from which texts about the whole site are made.
func (s *Site) counts(st Stats) messages.Counts {
	served, _ := s.files.Metrics()
	// An owner who named parameters has chosen, unless an exploration found others that keep pages out.
	offers := len(s.opts.Query) == 0 && !slices.ContainsFunc(s.opts.Rules, func(r Rule) bool { return len(r.Query) > 0 })
	if last := s.explored.Load(); last != nil {
		offers = messages.Offered(last.Params) > last.listed(st.Verdicts)
	}
	return messages.Counts{
		OffersQuery: offers,
		Unserved:    s.unserved(),
		Origin:      s.origin.String(), Listed: st.Listed, Dated: served.Dated, Observations: st.Observations,
		Verdicts: st.Verdicts, Ignored: st.Ignored, Hints: st.Hints, Broken: st.BrokenLinks, ReportOnly: s.opts.ReportOnly,
		NoStore: st.Store != "", UnusedRules: s.unusedRules(st),
		Opens: slices.ContainsFunc(s.opts.Rules, func(r Rule) bool { return r.IgnoreCacheControl }),
	}
}

// unusedRules returns the patterns of Never rules, if no known address is kept out by any of them.
func (s *Site) unusedRules(st Stats) (patterns []string) {
	keeps := func(l LeftOut) bool { return l.Cause == string(ReasonRuleNever) }
	if st.Listed == 0 || slices.ContainsFunc(st.LeftOut, keeps) {
		return nil
	}
	for _, r := range s.opts.Rules {
		if r.List == DecisionNever {
			patterns = append(patterns, r.Pattern)
		}
	}
	return patterns
}

func (i inspected) Explain(ctx context.Context, url string) (inspect.Explained, error) {
	e, p, err := i.explain(ctx, url)
	return inspect.Explained{URL: e.URL, Page: e, Setting: inspect.SettingOf(&p)}, err
}

func (i inspected) Why(p *reader.Known) (text string, missing []string) { return i.why(p) }

func (i inspected) Page(p reader.Known) any { return i.page(p) }

func (i inspected) Change(e changelog.Event, since time.Time) any { return i.change(e, since) }

func (i inspected) Crawlers() any { return i.Site.Crawlers() }

// Password returns a function that allows requests with this user and password, for
// [Site.Inspector] and [Site.Metrics]. Browsers ask for both, by HTTP Basic. Use it
// over HTTPS only. A network that guesses wrong ten times may try once a minute. If either
// is empty, nobody is allowed, and the log says what to set.
func Password(user, password string) func(*http.Request) bool { return guard.Password(user, password) }

// Behind returns a function for Options.ClientIP of a site behind proxies whose addresses
// have these prefixes. The function returns the rightmost address that is not theirs: the
// peer's, or else one in X-Forwarded-For, to which each proxy must add its own peer. A peer
// on a Unix socket counts as one of the proxies. Behind panics if a prefix is not valid.
func Behind(prefixes ...netip.Prefix) func(*http.Request) netip.Addr {
	for i, p := range prefixes {
		if !p.IsValid() {
			panic(fmt.Sprintf("servemap: Behind: prefix %d is not valid; check the error of netip.ParsePrefix", i+1))
		}
	}
	return forwarded.Proxies(prefixes).Client
}

// Metrics returns a handler that gives numbers of the site, in the text format of Prometheus. allow says to whom, as
// for [Site.Inspector], and must not be nil. Package metrics, a module of its own, has a collector, a dashboard and
// alerts. In a fleet each process counts what it sees itself; of pages and files take the maximum. No number names a
// page.
func (s *Site) Metrics(allow func(*http.Request) bool) http.Handler {
	if allow == nil {
		panic("servemap: Metrics: allow is nil; give servemap.Password(user, password), or a function of your own: a " +
			"scraper cannot follow a link")
	}
	numbers := s.door("metrics").Allow(allow, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", metrics.ContentType)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Robots-Tag", "noindex")
		// the client may be gone
		_, _ = w.Write(metrics.Text(s.origin.String(),
			append(inspect.Numbers(s.indexer, s.files, s.observer, len(s.hints.Given())), s.crawlers.Metrics()...)))
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.observer.Disown(w, r)
		numbers.ServeHTTP(w, r)
	})
}

// ExploreOptions adjusts [Site.Explore]. The zero values are the defaults.
type ExploreOptions struct {
	// MaxRequests is how many requests Explore makes at most; by default 20,000.
	MaxRequests int
	// Concurrency is how many requests run at once at most; by default 2.
	Concurrency int
	// Inside, if not nil, is the site's own handler, to ask in place of the origin. Then pages
	// that a proxy in front protects count as public.
	Inside http.Handler
	// Revisit makes Explore go on until ctx ends. It then requests at most that many pages a day, which no visitor
	// requests: a page that changes daily about twice a day, and each page three times in Limits.KeepFor. So changes
	// get a lastmod, and pages that are gone leave.
	Revisit int
	// Paths are the paths of the program's routes, as its router lists them. Explore requests them too, and a page
	// there is listed as one with a route of its own. Left out are paths with a variable, such as /p/{id}, with a verb,
	// such as /cache/clear, and with a name such as admin or debug.
	Paths []string
	// Sitemaps are further sitemaps of the program, such as "/old.xml". Explore reads those that robots.txt names
	// anyway, and "/sitemap.xml", also one that this Site's own hides. It requests what they list, and a page there is
	// listed since the owner has published it. Their dates are not believed.
	Sitemaps []string
	// Progress, if not nil, is called a few times a second and at the end.
	Progress func(Exploration)
}

// Exploration says how far [Site.Explore] has got. Once Progress has returned, Explore may
// change it.
type Exploration struct {
	Requests int `json:"requests"` // made so far
	Pages    int `json:"pages"`    // requests answered with HTML
	Waiting  int `json:"waiting"`  // locations still to request
	// Skipped counts by reason the links that Explore did not follow, such as "acting", "disallowed", "nofollow",
	// "query" or "endless". Pages "elsewhere" were requested, but not answered by this process, so it learned nothing
	// from them. Pages "held" are in Held.
	Skipped map[string]int `json:"skipped,omitempty"`
	// Examples have for each of these reasons the first such link: as a URL, or as written if it is not one.
	Examples map[string]string `json:"examples,omitempty"`
	// Links have for each of these reasons the links, at most 1,000, in the order in which they were found.
	Links map[string][]string `json:"-"`
	// Dead are links that lead to no page, as URLs, each with a page that has it, listed or not; at most 1,000.
	Dead map[string]string `json:"-"`
	// Acting are the URLs of links that may act, one of each shape, at most 100. If one is a
	// page, a [Rule] with [DecisionAlways] lets the next exploration request it.
	Acting []string `json:"acting,omitempty"`
	// Params are parameters that keep linked pages out, such as "id: 20 linked pages of /view", and first those that a
	// rule names for other pages, such as "color: 9 linked pages; a rule names it for /p/"; at most 20.
	Params []string `json:"params,omitempty"`
	// Held are, at the end, the URLs of requested pages that are held for their address, at most 100.
	Held []string `json:"held,omitempty"`
	// Stale are URLs that the site's own sitemap lists, and that were answered with an error or lead elsewhere; at most
	// 100.
	Stale []string `json:"stale,omitempty"`
	// Alone counts pages that failed beside other requests, and came once asked for alone. AtOnce are the fewest
	// requests under which one of these failed.
	Alone  int `json:"alone,omitempty"`
	AtOnce int `json:"at_once,omitempty"`
	// Waits is how long Explore waits now, and for what, such as "30s, as the site answers 429"; "" for nothing.
	Waits string `json:"waits,omitempty"`
}

// ErrElsewhere is wrapped by the error of [Site.Explore] if the public origin does not lead to this process.
var ErrElsewhere = explore.ErrElsewhere

// explored is an exploration that has ended, and how many addresses a parameter kept out then.
type explored struct {
	Exploration
	queries int
}

// listed returns how many of these addresses were listed since, as they turned out to be pages.
func (e *explored) listed(verdicts map[string]int) int { return max(0, e.queries-queriesOut(verdicts)) }

// queriesOut returns how many addresses a parameter keeps out.
func queriesOut(verdicts map[string]int) (n int) {
	for _, why := range [...]eligibility.Reason{eligibility.AddressQuery, eligibility.QueryNotCanonical} {
		n += verdicts[why.Standing().Verdict.String()+" "+why.String()]
	}
	return n
}

// LeftOut is a line of the table of what was left out.
type LeftOut struct {
	Cause   string `json:"cause"` // such as "query", "endless" or "no-store"
	Count   int    `json:"count"`
	Example string `json:"example,omitempty"` // a URL
	Means   string `json:"means"`             // a sentence
	Remedy  string `json:"remedy,omitempty"`  // what to do if it is a mistake
}

// LeftOut is the table of the links that were not followed, first what may be a mistake.
func (e Exploration) LeftOut() []LeftOut {
	counts := maps.Clone(e.Skipped)
	if counts == nil {
		counts = map[string]int{}
	}
	counts[eligibility.LinkLeft.String()] = e.Waiting
	return leftOut(messages.TableOf(counts, e.Examples), e.Params)
}

func leftOut(table []messages.Left, params []string) (all []LeftOut) {
	for _, l := range table {
		if l.Cause == eligibility.AddressQuery.String() {
			l.Remedy = messages.QueryRemedy(params)
		}
		all = append(all, LeftOut(l))
	}
	return all
}

// String sums it up in one line, such as "120 requests, 118 pages, 0 left, 2 acting".
func (e Exploration) String() string {
	text := fmt.Sprintf("%d requests, %d pages, %d left", e.Requests, e.Pages, e.Waiting)
	for _, why := range slices.Sorted(maps.Keys(e.Skipped)) {
		text += fmt.Sprintf(", %d %s", e.Skipped[why], why)
	}
	return text
}

// Explore walks the site through its public origin, from the entries along the links, and
// requests what the site's own sitemap behind this one lists, and what rules with
// [DecisionAlways] name without a star. It returns when all that it found is in the sitemap.
// So a site has its sitemap before its first visitor. If opts is nil, it uses the defaults.
//
// First Explore finds out, for some seconds, whether the origin leads to this process; the
// server may begin to listen meanwhile. If not, the error says so, and nothing is explored
// without [ExploreOptions.Inside]. So it gets what a stranger gets, whatever a proxy in
// front does. It makes only GET requests, to the origin alone, without cookies, as
// "servemap-explore". It obeys robots.txt and nofollow, leaves to visitors what may act,
// such as /logout and /items/5/hide, and slows down or pauses when the site does. A
// calendar without end is left after some pages that show nothing new.
//
// The error is that of ctx if ctx ended, or says why the exploration could not begin or go
// on. The Exploration counts what was done until then, and what was learned stays.
func (s *Site) Explore(ctx context.Context, opts *ExploreOptions) (Exploration, error) {
	if opts == nil {
		opts = &ExploreOptions{}
	}
	cfg, err := s.exploring(opts)
	if err != nil {
		return Exploration{}, fmt.Errorf("servemap: exploring: %w", err)
	}
	report, err := explore.Run(ctx, cfg)
	if err == nil {
		s.looks.Asks.Store(&cfg)                                               // looks go this way from now on, as strangers do
		s.hints.End(messages.Unexplored, messages.Unlistened, messages.Barred) // before the revisits, which do not end
		err = s.Flush(ctx)
	}
	if (err == nil || len(report.Skipped) > 0) && cfg.Walks() {
		done := Exploration(report)
		if err != nil { // it failed, so no limit left out what still waits
			done.Waiting = 0
		}
		s.explored.Store(&explored{done, queriesOut(s.Stats().Verdicts)})
		for _, l := range done.LeftOut() {
			args := []any{"cause", l.Cause}
			if example := messages.InLog(l.Cause, l.Example); example != "" {
				args = append(args, "such as", example)
			}
			s.log.Logger().Info(messages.Left(l).Line(), args...)
		}
	}
	if err == nil && opts.Revisit > 0 {
		err = explore.Revisit(ctx, cfg, opts.Revisit, s.opts.Limits.KeepFor/3)
	}
	if another := errors.Is(err, explore.ErrAnother) && s.observer.Own.Another(); !another &&
		errors.Is(err, explore.ErrElsewhere) {
		err = fmt.Errorf("%w; %s", err, s.elsewhere(err))
	}
	if errors.Is(err, explore.ErrCircles) {
		s.hints.Give(messages.Circles, "")
	}
	if err != nil {
		err = fmt.Errorf("servemap: exploring: %w", err)
	}
	return Exploration(report), err
}

// elsewhere gives the hint that says best why the origin does not lead here, and returns what to do about it.
func (s *Site) elsewhere(err error) (remedy string) {
	led, barred := errors.AsType[explore.Led](err)
	switch cut := s.observer.Own.CutInFront(); {
	case words.Used() == words.Options && errors.Is(err, syscall.ECONNREFUSED) && !s.observer.Passed():
		s.hints.Give(messages.Unlistened, "", "origin", s.origin.String())
		return messages.Early()
	case s.unmounted():
		s.hints.Give(messages.Unwrapped, "")
		return "no request has passed through this site yet; " + messages.Mounting
	case s.hints.Has(messages.Routed):
		return "the site stands inside a route; " + messages.Mounting
	case barred:
		s.hints.Give(messages.Barred, messages.Instead(led.Status, led.To))
		return messages.Passing()
	default:
		remedy = messages.Elsewhere(cut)
		why := strings.TrimPrefix(err.Error(), explore.ErrElsewhere.Error()+": ")
		if cut != "" {
			why += "; " + remedy
		}
		s.hints.Give(messages.Unexplored, "What came there: "+why+".")
		return remedy
	}
}

// unserved reports whether a hint says that requests for the sitemap do not come here.
func (s *Site) unserved() bool {
	barred := s.hints.Has(messages.Barred) && !s.front.Reached() // what bars the site's own requests may let others in
	return barred || s.hints.Has(messages.Unwrapped) || s.hints.Has(messages.Routed)
}

// unmounted reports whether the program seems to have forgotten to put the site around its pages. The command never
// forgets, and also opens sites that it does not serve.
func (s *Site) unmounted() bool {
	return words.Used() == words.Options && !s.observer.Passed() && (s.looks.Inner.Load() == nil || s.looks.Several.Load())
}

// Exploring reports whether the site made a request itself, by [Site.Explore] or to look at
// a page of its own (see Limits.Looks), for handlers behind [Site.Wrap] or [Site.Mount].
// They can leave such requests out of their statistics and limits.
func Exploring(r *http.Request) bool { return observe.Explores(r) }

func (s *Site) exploring(opts *ExploreOptions) (cfg explore.Config, err error) {
	routes := map[string]bool{}
	cfg = s.observer.Own.Door(routes)
	cfg.Behind = s.looks.Behind
	cfg.Entries, cfg.MaxRequests, cfg.Concurrency = s.entries, cmp.Or(max(opts.MaxRequests, 0), 20_000),
		cmp.Or(max(opts.Concurrency, 0), 2)
	cfg.Ledger = explore.NewLedger(cfg.MaxRequests)
	for _, path := range opts.Paths {
		if r := s.norm.Parse(path); r.Reason == location.ReasonNone && !strings.ContainsAny(path, "{}[]<>():*+") &&
			eligibility.Unlinked(r.Location) {
			cfg.Paths, routes[r.Location] = append(cfg.Paths, r.Location), true
		}
	}
	for _, url := range opts.Sitemaps {
		at := s.norm.Parse(url)
		if at.Location == "" {
			return cfg, fmt.Errorf(words.Say("{Sitemaps}: %q is no address of %s"), url, s.origin)
		}
		cfg.Sitemaps = append(cfg.Sitemaps, at.Location)
	}
	if s.opts.Robots != "" {
		cfg.Robots = []byte(s.opts.Robots)
	}
	if opts.Inside != nil {
		s.observer.Own.Leads()
		cfg.How, cfg.Handler = explore.Inside, s.observer.Own.Inside(opts.Inside)
		if s.path != s.origin.Folder() && cfg.Robots == nil {
			cfg.Robots = []byte{} // a proxy removes the prefix, so the host's robots.txt is not this handler's
		}
	}
	if opts.Progress != nil {
		cfg.Progress = func(r explore.Report) { opts.Progress(Exploration(r)) }
	}
	return cfg, nil
}

// RobotsLine returns the line of robots.txt that tells crawlers where the sitemap is, such as
// "Sitemap: https://example.com/sitemap.xml". It is the same while that answers 503. Extensions.News adds a second
// line, behind a "\n".
func (s *Site) RobotsLine() string {
	return "Sitemap: " + strings.Join(s.topURLs(), "\nSitemap: ")
}

// Robots returns a handler that adds the lines of [Site.RobotsLine] to the robots.txt that
// next serves. If next answers 404 or 410, it serves Options.Robots with these lines, or
// the lines alone; if next answers an HTML page there, only with Options.Robots. next gets all
// other requests, and those for other hosts, unchanged; nil stands for [http.DefaultServeMux].
// Put it around the handler that serves the whole host:
//
//	http.ListenAndServe(":8080", site.Robots(site.Wrap(mux)))
//
// The lines come first, and the rest of the file stays as it is, to the byte. Nothing is
// added to a file that names the sitemap already or is no plain robots.txt of at most 500
// KiB, under Options.ReportOnly, if Options.Name looks like a secret, and while a hint says
// that requests for the sitemap do not come to the site.
func (s *Site) Robots(next http.Handler) http.Handler {
	if next == nil {
		next = http.DefaultServeMux
	}
	if s.opts.ReportOnly {
		return next
	}
	if capability.Looks("/" + s.opts.Name) {
		s.log.Logger().Warn(words.Say("servemap: robots.txt does not name the sitemap: {Name} looks like a secret, and "+
			"robots.txt is public"), "origin", s.origin.String())
		return next
	}
	s.announces.Store(true)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" || r.Method != http.MethodGet && r.Method != http.MethodHead ||
			!s.norm.Ours(r.Host, true) {
			next.ServeHTTP(w, r)
			s.front.Missed(r)
			return
		}
		urls := s.topURLs()
		if s.unserved() {
			urls = nil
		}
		adds, page, failed := announce.Serve(next, w, r, urls, s.opts.Robots)
		if !failed { // a failure says nothing: the lines are added once the site answers
			s.announces.Store(adds && urls != nil)
		}
		switch {
		case page && urls != nil:
			s.hints.Give(messages.Unannounced, "", "origin", s.origin.String())
		case !failed:
			s.hints.End(messages.Unannounced)
		}
	})
}

// topURLs returns the URLs of the files that crawlers need to know.
func (s *Site) topURLs() (urls []string) {
	for _, name := range s.files.Tops() {
		urls = append(urls, s.origin.URL(s.origin.Folder()+name))
	}
	return urls
}

// Sitemaps returns the URLs of [Site.RobotsLine] whose files are served now, for tools that
// submit them. There are none under Options.ReportOnly, and while nothing is listed.
func (s *Site) Sitemaps() (urls []string) {
	for _, f := range s.files.List() {
		if !s.opts.ReportOnly && slices.Contains(s.files.Tops(), f.Name) {
			urls = append(urls, f.URL)
		}
	}
	return urls
}

// Page is what is known of a listed page. All times are in UTC.
type Page struct {
	URL string `json:"url"` // as in the sitemap
	// FirstSeen and LastSeen are the times of the first and the last observation that showed
	// the page to an anonymous visitor. Most visits are no observations.
	FirstSeen time.Time `json:"first_seen,omitzero"`
	LastSeen  time.Time `json:"last_seen,omitzero"`
	// LastModified is the lastmod of the sitemap, or the zero Time if there is none.
	LastModified time.Time `json:"lastmod,omitzero"`
	// ChangeFreq is the changefreq of the sitemap: a rule's, or the inferred one, or "".
	ChangeFreq string `json:"changefreq,omitempty"`
	Changes    int    `json:"changes"` // how often its content was seen to change
	// Alternates are the URLs of the page in other languages, by hreflang in lower case.
	// Only listed pages that name this page in turn are among them.
	Alternates map[string]string `json:"alternates,omitempty"`
}

// Pages yields the listed pages, in the order of their URLs. An error ends it. A page that
// is listed or leaves meanwhile may be among them or not.
func (s *Site) Pages(ctx context.Context) iter.Seq2[Page, error] {
	return each(s.indexer.Pages(ctx), "reading the pages", s.page)
}

// each yields to of each value. An error ends it, and says what it was doing.
func each[From, To any](all iter.Seq2[From, error], doing string, to func(From) To) iter.Seq2[To, error] {
	return func(yield func(To, error) bool) {
		for one, err := range all {
			if err != nil {
				yield(*new(To), fmt.Errorf("servemap: %s: %w", doing, err))
				return
			}
			if !yield(to(one), nil) {
				return
			}
		}
	}
}

func (s *Site) page(p reader.Known) Page {
	page := Page{
		URL:        s.origin.URL(p.Location),
		FirstSeen:  p.FirstSeen.Time().UTC(),
		LastSeen:   p.LastSeen.Time().UTC(),
		ChangeFreq: cmp.Or(s.rules.Freq(p.Location), p.Entry.Freq.String()),
		Changes:    int(p.Dates.Count),
	}
	for _, a := range p.Peers {
		if page.Alternates == nil {
			page.Alternates = map[string]string{}
		}
		page.Alternates[a.Lang] = s.origin.URL(a.Location)
	}
	if at := p.Entry.LastMod(s.files.Trust(), moment.Of(time.Now())); at != 0 {
		page.LastModified = at.Time().UTC()
	}
	return page
}

// Change is what happened last to a page of the sitemap. All times are in UTC.
type Change struct {
	URL  string     `json:"url"` // as in the sitemap
	Kind ChangeKind `json:"kind"`
	At   time.Time  `json:"at"` // when the change was noted
	// Listed is when an added page was listed. It is before At if the page has changed
	// since then. It is zero for the other kinds.
	Listed time.Time `json:"listed,omitzero"`
	// Reason is why a removed page is no longer listed. It is "" for the other kinds, and
	// while the store does not know the reason yet.
	Reason Reason `json:"reason,omitempty"`
}

// ChangeKind says what happened to a page.
type ChangeKind string

// The kinds of changes.
const (
	ChangeAdded   ChangeKind = "added"   // it was listed since the requested time
	ChangeChanged ChangeKind = "changed" // its content changed since then
	ChangeRemoved ChangeKind = "removed" // it is no longer listed
)

// ErrTooOld says that the time given to [Site.Changes] is longer ago than the site
// remembers. The error of Changes wraps it.
var ErrTooOld = changelog.ErrOlder

// Changes yields what happened to the pages of the sitemap since a time: for each page its
// last change, in the order of time. An error ends it.
//
// The site remembers the last 7 days, and at most 128 MiB, but no page that [Site.Forget]
// took out. If since is longer ago, the error wraps [ErrTooOld]. Then read [Site.Pages], and
// next time ask for the time at which you began to read. To continue, ask for the time of
// the last change that you saw, in a fleet for a minute before it; Changes yields that again.
func (s *Site) Changes(ctx context.Context, since time.Time) iter.Seq2[Change, error] {
	doing := "reading the changes since " + since.UTC().Format(time.RFC3339)
	return each(s.indexer.Events(ctx, since), doing, func(e changelog.Event) Change { return s.change(e, since) })
}

func (s *Site) change(e changelog.Event, since time.Time) Change {
	c := Change{URL: s.origin.URL(e.Location), Kind: ChangeChanged, At: e.At.UTC()}
	switch what := e.Kind(since); {
	case what == changelog.Removed:
		c.Kind = ChangeRemoved
		if e.Why != eligibility.None {
			c.Reason = Reason(e.Why.String())
		}
	case !s.files.Allows(e.Location):
		c.Kind = ChangeRemoved
	case what == changelog.Added:
		if c.Kind, c.Listed = ChangeAdded, c.At; e.What == changelog.Changed {
			c.Listed = e.Since.UTC()
		}
	}
	return c
}

// Verdict says whether a page is listed.
type Verdict string

// The verdicts.
const (
	VerdictListed   Verdict = "listed"   // it is in the sitemap
	VerdictWaiting  Verdict = "waiting"  // servemap does not know yet that it is public
	VerdictHeld     Verdict = "held"     // something speaks against it; a link, the page or a rule can free it
	VerdictExcluded Verdict = "excluded" // the page, robots.txt or the owner forbids it
	VerdictGone     Verdict = "gone"     // it was listed, and the site no longer serves it
	VerdictUnknown  Verdict = "unknown"  // nothing is known of it
)

// Reason says what decided a [Verdict].
type Reason string

// The reasons why a page is listed. The first four are also its [Explanation.Evidence].
const (
	ReasonRule    Reason = "rule"    // a rule says Always
	ReasonEntry   Reason = "entry"   // visitors enter there, or an entry redirects there
	ReasonRoute   Reason = "route"   // it has a route of its own
	ReasonLink    Reason = "link"    // a listed page links to it
	ReasonSitemap Reason = "sitemap" // a sitemap that the site has lists it, and no page links to it
	ReasonHistory Reason = "history" // it was listed before
)

// The reasons why a page waits.
const (
	ReasonNoEvidence Reason = "no-evidence" // nothing shows that it is public
	ReasonNotSeen    Reason = "not-seen"    // it is linked, but no anonymous visitor got it
	ReasonNoPage     Reason = "no-page"     // what answers there is no page: 404, an error, a log-in or a redirect
	ReasonGrowth     Reason = "growth"      // links have listed as many new pages as they may in a day

	// Pages as for ReasonNotSeen, which Explore does not request either:
	ReasonActing Reason = "acting" // a request may change something
	ReasonFile   Reason = "file"   // it is named like a file
	ReasonQuery  Reason = "query"  // a parameter is not allowed
)

// The reasons why a page is held.
const (
	ReasonActionWord   Reason = "action-word"    // its location is that of an action, such as logout
	ReasonCapability   Reason = "capability"     // its location looks like a secret that lets in anyone who knows it
	ReasonDuplicate    Reason = "duplicate"      // a listed page shows the same
	ReasonSoftNotFound Reason = "soft-not-found" // so many pages show the same that it may be an error page
	ReasonHeadNotSeen  Reason = "head-not-seen"  // its head does not end, or is too long
	ReasonEmpty        Reason = "empty"          // it has no text at all
	ReasonEncoding     Reason = "encoding"       // its Content-Encoding cannot be read
)

// The reasons why a page is excluded.
const (
	ReasonRuleNever          Reason = "rule-never"          // a rule says Never
	ReasonDisallowed         Reason = "disallowed"          // robots.txt disallows it
	ReasonForgotten          Reason = "forgotten"           // Site.Forget took it out
	ReasonPasswordField      Reason = "password-field"      // it has a field for a password
	ReasonNoIndex            Reason = "noindex"             // the page says noindex, or its unavailable_after has passed
	ReasonPrivate            Reason = "private"             // Cache-Control: private
	ReasonNoStore            Reason = "no-store"            // Cache-Control: no-store
	ReasonCanonicalElsewhere Reason = "canonical-elsewhere" // it names another URL as its canonical one
	ReasonCanonicalConflict  Reason = "canonical-conflict"  // it names several canonical URLs
	// a parameter is not allowed, and the page names no URL as canonical
	ReasonQueryNotCanonical Reason = "query-not-canonical"
)

// The reasons why a listed page is gone, and the reason of VerdictUnknown.
const (
	ReasonGone          Reason = "gone"           // 410
	ReasonNotFound      Reason = "not-found"      // 404
	ReasonDenied        Reason = "denied"         // 401 or 403
	ReasonLoginRedirect Reason = "login-redirect" // a redirect to a log-in
	ReasonMoved         Reason = "moved"          // a permanent redirect
	ReasonLeadsOn       Reason = "leads-on"       // a redirect for now, for a day
	// no anonymous visitor got it, or a page that links to it, for Limits.KeepFor
	ReasonUnseen Reason = "unseen"
	ReasonNone   Reason = "none" // nothing is known
)

// Explanation says why a page is listed, or why not.
type Explanation struct {
	Verdict Verdict `json:"verdict"` // never ""
	Reason  Reason  `json:"reason"`  // never ""
	Text    string  `json:"text"`    // the same in sentences, and what would change it
	// Missing says what would list a page that waits or is held. Any one of them is enough, so the list is empty if
	// several things keep the page out.
	Missing []string `json:"missing,omitempty"`
	Page             // what was seen of it; fields that were not seen are zero
	// Evidence is what speaks for listing the page: ReasonRule, ReasonEntry, ReasonRoute, ReasonLink and ReasonSitemap.
	// While the page is excluded or gone, no evidence counts, and the list is empty.
	Evidence  []Reason `json:"evidence,omitempty"`
	Status    int      `json:"status,omitempty"`    // of the last response that says something about the page, 0 for none
	Canonical string   `json:"canonical,omitempty"` // the other URL that the page names as its canonical one
	SameAs    string   `json:"same_as,omitempty"`   // the listed URL with the same content, if the page is held for that
	Rule      string   `json:"rule,omitempty"`      // the pattern of the rule that decides whether the page may be listed
	// NextObservation is when a request for the page next teaches this process something, the
	// zero Time if the next one does.
	NextObservation time.Time `json:"next_observation,omitzero"`
	Element         string    `json:"element,omitempty"` // of the sitemap, as XML, if the page is listed
	// LinkedFrom are listed pages that link to it, as far as read since the start, at most 100.
	LinkedFrom []string `json:"linked_from,omitempty"`
	Dates      Dates    `json:"dates"` // how its lastmod and changefreq were decided
}

// Listed reports whether the page is in the sitemap.
func (e Explanation) Listed() bool { return e.Verdict == VerdictListed }

// String returns the URL, the verdict with its reason, and the texts, for a log or a terminal.
func (e Explanation) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s: %s %s. %s %s", e.URL, e.Verdict, e.Reason, e.Text, e.Dates.Text))
}

// Dates says when a page's content changed. A field is zero if that is not known.
type Dates struct {
	Text    string      `json:"text"`              // where the lastmod comes from, or why there is none
	Changes []time.Time `json:"changes,omitempty"` // the last ones that were seen, at most four, the latest first
	// Interval is the likely mean time between changes now, if the page goes on changing. One page in five changes more
	// often than IntervalLeast or more rarely than IntervalMost. They are zero before the second change, when it is too
	// early to say. Text that moves by itself counts here, although it is no change.
	Interval      time.Duration `json:"interval_ns,omitempty"`
	IntervalLeast time.Duration `json:"interval_least_ns,omitempty"`
	IntervalMost  time.Duration `json:"interval_most_ns,omitempty"`
}

// Explain says whether the page at url is listed, and why. url is a URL of the site, or a
// location such as "/about". An error says why url cannot be a page of the site, or that
// the store did not answer.
func (s *Site) Explain(ctx context.Context, url string) (Explanation, error) {
	e, _, err := s.explain(ctx, url)
	return e, err
}

func (s *Site) explain(ctx context.Context, url string) (e Explanation, p reader.Known, err error) {
	loc, err := s.locate(url)
	if err != nil {
		return e, p, err
	}
	if p, err = s.indexer.Page(ctx, loc); err != nil {
		return e, p, fmt.Errorf("servemap: %w", err)
	}
	e = s.explanation(&p)
	if e.Listed() {
		e.Element = s.files.Element(ctx, p.Shard, loc)
	}
	if e.Verdict == VerdictUnknown {
		if other := s.indexer.OtherSpelling(ctx, loc); other != "" {
			e.Text += messages.Meant(s.origin.URL(other))
		}
	}
	return e, p, nil
}

func (s *Site) explanation(p *reader.Known) Explanation {
	t := s.indexer.Links.Target(p.Location)
	if t != nil && p.Reason.Unvisited() {
		p.Status = cmp.Or(t.Status, p.Status)
	}
	e := Explanation{
		Page: s.page(*p), Verdict: Verdict(p.Verdict.String()), Reason: Reason(p.Reason.String()),
		Status: p.Status, Rule: p.Pattern,
		NextObservation: s.observer.NextObservation(p.Location), Dates: s.dates(p),
	}
	if e.Text, e.Missing = s.why(p); t != nil && t.To != "" && !e.Listed() {
		e.Text += messages.Leads(s.origin.URL(t.To))
	}
	if due := s.looks.Due(p.Location); !due.IsZero() {
		if e.Text += messages.Looks(due); e.Dates.Text != "" {
			e.Dates.Text += messages.LooksForChange
		}
	}
	if p.Canonical != "" {
		e.Canonical = s.origin.URL(p.Canonical)
	}
	if p.SameAs != "" {
		e.SameAs = s.origin.URL(p.SameAs)
	}
	from := s.indexer.Links.From(p.Location)
	if len(from) == 0 && t != nil {
		from = t.From // what is known where there was no room for all links of a page
	}
	for _, loc := range from[:min(len(from), 100)] {
		e.LinkedFrom = append(e.LinkedFrom, s.origin.URL(loc))
	}
	if p.Verdict == eligibility.Excluded || p.Verdict == eligibility.Gone {
		return e
	}
	kinds := slices.Collect(p.Evidence.Kinds)
	if p.Rule {
		kinds = append(kinds, eligibility.ByRule)
	}
	if p.IsEntry {
		kinds = append(kinds, eligibility.ByEntry)
	}
	slices.Sort(kinds)
	for _, kind := range slices.Compact(kinds) {
		e.Evidence = append(e.Evidence, Reason(kind.String()))
	}
	return e
}

// leftOf reports whether the last exploration left a location out for a cause.
func (s *Site) leftOf(cause eligibility.Reason, loc string) bool {
	done := s.explored.Load()
	return done != nil && slices.Contains(done.Links[cause.String()], s.origin.URL(loc))
}

// why says in words why a page is listed or not, and what would list it.
func (s *Site) why(p *reader.Known) (text string, missing []string) {
	if s.files.OwnsLocation(p.Location) {
		return messages.OwnFile, nil
	}
	if p.Location == "/robots.txt" {
		return messages.RobotsFile, nil
	}
	if p.NeedsLogin() {
		return messages.NeedsLogin(p.Status)
	}
	switch {
	case p.Verdict == eligibility.Unknown && s.norm.Parse(p.Location).OwnQuery:
		return messages.Unnamed(p.Location), nil
	case p.Reason.Unvisited() && p.Reason != eligibility.NotSeen && p.Status == 0:
		return messages.LeftOut(p.Location, p.Reason)
	case p.Reason == eligibility.NotSeen && p.Status == 0 && s.leftOf(eligibility.LinkEndless, p.Location):
		return messages.LeftOut(p.Location, eligibility.LinkEndless)
	case p.Reason == eligibility.NotSeen && p.Status == 0 && len(p.Besides) == 0 && s.hints.Has(messages.Cookies) &&
		!s.observer.Own.Explored():
		return messages.NoneAnonymous()
	}
	text, missing = messages.Page(p.Verdict, p.Reason, p.Location), messages.Missing(p.Location, p.Reason,
		p.Evidence.Led(), p.Status)
	if p.Overtaken {
		return messages.Overtaken(p.Reason, p.LastSeen.Time())
	}
	if p.Verdict == eligibility.Listed && p.Reason == eligibility.ByLink {
		served, _ := s.files.Metrics()
		if l := s.indexer.Links.Count([]string{p.Location}, served.Pages)[0]; l.Whole && l.Pages == 0 {
			text = messages.WasLinked()
		}
	}
	switch {
	case p.Missing != 0 && p.Verdict == eligibility.Listed:
		text = messages.Leaves(text, p.Status, p.MissingWhy, p.Missing.Time(), s.hints.Has(messages.Refused))
	case p.Reason == eligibility.SoftNotFound:
		text = messages.ShowsNothing(p.Location, p.Nowhere)
	case p.Reason == eligibility.NoIndex && p.Entry.Until != 0 && p.Entry.Until <= moment.Of(time.Now()):
		text = messages.Ended(p.Entry.Until.Time())
	case p.Reason.Unvisited() && p.Status != 0, p.Reason == eligibility.NoPage:
		text = messages.NoPage(p.Status)
	}
	if len(p.Besides) > 0 {
		missing = messages.Freed(missing, p.Location, p.Besides)
	}
	return messages.Besides(text, p.Location, p.Besides), missing
}

func (s *Site) dates(p *reader.Known) Dates {
	trust, now := s.files.Trust(), moment.Of(time.Now())
	seen := p.History.History
	if p.Missing != 0 && !seen.Held.IsZero() { // it says nothing of a page that may leave
		seen.LastSeen, seen.Held, seen.Differed = seen.Held, time.Time{}, time.Time{}
	}
	d := Dates{Text: messages.LastMod(p.Entry.Date, seen, trust, now)}
	if p.Missing != 0 && p.Verdict == eligibility.Listed {
		d.Text += messages.DatesNothing(p.Missing.Time())
	}
	switch dated := p.Entry.LastMod(trust, now) != 0; {
	case p.Verdict == eligibility.Listed:
	case dated:
		d.Text = messages.Unlisted + d.Text
	default:
		d.Text = "" // only of a listed page it is said why it has none
	}
	if p.Verdict == eligibility.Listed && p.Missing == 0 && s.rules.Freq(p.Location) == "" {
		d.Text += messages.Freq(p.Entry.Freq, p.Dates.Count)
	}
	if h := &p.History; h.Most != 0 {
		d.Interval, d.IntervalLeast, d.IntervalMost = h.Mean, h.Least, h.Most
	}
	for _, t := range p.History.Times {
		d.Changes = append(d.Changes, t.UTC())
	}
	return d
}

// locate returns the location of a URL that the owner names.
func (s *settings) locate(url string) (string, error) {
	r := s.norm.Parse(url)
	if r.Location == "" {
		return "", errors.New("servemap: " + messages.NoPageOf(url, s.origin.String(), eligibility.OfAddress(r.Reason)))
	}
	return r.Location, nil
}

// Crawler is what the crawler of one search engine fetched. Files have the requests from addresses that are confirmed
// to be the engine's. If none can be confirmed, they have every request that claims to be from it.
type Crawler struct {
	Engine      string        `json:"engine"`          // the name of the crawler, such as "Googlebot" or "GPTBot"
	AI          bool          `json:"ai,omitempty"`    // it reads for an AI service
	Confirmable bool          `json:"confirmable"`     // the DNS or Options.CrawlerRanges can confirm its addresses
	Days        []CrawlerDay  `json:"days"`            // the latest first, at most 30
	Files       []CrawlerFile `json:"files,omitempty"` // of the sitemap, the latest fetch first, at most 256
}

// CrawlerDay counts a day's requests whose User-Agent named an engine's crawler.
type CrawlerDay struct {
	Day     time.Time `json:"day"`     // the beginning of the day, in UTC
	Claimed int       `json:"claimed"` // requests that claimed to be from the engine
	// Confirmed is how many of them are known to come from an address of the engine: by
	// reverse and forward DNS, or by Options.CrawlerRanges.
	Confirmed int `json:"confirmed"`
}

// CrawlerFile is the last fetch of one of the sitemap's files.
type CrawlerFile struct {
	URL    string    `json:"url"`    // without ".gz"
	At     time.Time `json:"at"`     // in UTC
	Status int       `json:"status"` // such as 200, 304, or 503 while nothing was listed
}

// Crawlers returns what each search engine fetched, for every engine that a request claimed
// to be from. It is nil without Options.Crawlers. Days and Files are stored every 10
// minutes and by [Site.Close], with those of other processes on the same store. A client's
// address is never stored or logged.
func (s *Site) Crawlers() []Crawler {
	if s.crawlers == nil {
		return nil
	}
	var all []Crawler
	for _, r := range s.crawlers.Report() {
		c := Crawler{Engine: r.Engine.String(), AI: r.Engine.AI(), Confirmable: r.Confirmable}
		for day, n := range r.Days {
			c.Days = append(c.Days, CrawlerDay{Day: time.Unix(day*24*60*60, 0).UTC(), Claimed: n.Claimed,
				Confirmed: n.Confirmed})
		}
		slices.SortFunc(c.Days, func(x, y CrawlerDay) int { return y.Day.Compare(x.Day) })
		for name, f := range r.Files {
			c.Files = append(c.Files, CrawlerFile{URL: s.origin.URL(s.origin.Folder() + name), At: f.At.Time().UTC(),
				Status: f.Status})
		}
		slices.SortFunc(c.Files, func(x, y CrawlerFile) int { return cmp.Or(y.At.Compare(x.At), cmp.Compare(x.URL, y.URL)) })
		all = append(all, c)
	}
	return all
}

// Stats are counts since the start of this process, unless they say otherwise.
type Stats struct {
	Listed       int    `json:"listed"`       // pages in the sitemap that is served now
	Waiting      int    `json:"waiting"`      // the locations of VerdictWaiting, as in Verdicts
	Observations uint64 `json:"observations"` // responses that showed something of a page
	Dropped      uint64 `json:"dropped"`      // observations lost because too many came at once
	Queued       int    `json:"queued"`       // observations not yet merged now
	Damaged      uint64 `json:"damaged"`      // records of the store that could not be read
	// Verdicts counts the known locations by [Verdict] and [Reason], such as "listed link"
	// or "held capability". It may be incomplete soon after the start.
	Verdicts map[string]int `json:"verdicts"`
	// Ignored counts the responses that were observed and showed no public page, by
	// reason, such as "cookie" or "not-html".
	Ignored map[string]uint64 `json:"ignored"`
	// LeftOut is the table of what is not listed, first what may be a mistake: known pages by their reason, and the
	// linked addresses that the last exploration of this process left out. Each address counts once, but for one whose
	// parameter is not allowed and that is kept out by something else too.
	LeftOut []LeftOut `json:"left_out,omitempty"`
	// Hints say what keeps the site, or much of it, from being learned, and what to do about it, as long as the cause
	// lasts. Each was logged as well.
	Hints []string `json:"hints,omitempty"`
	// BrokenLinks are the addresses that listed pages link to and that answered 404, 410 or an error.
	BrokenLinks int    `json:"broken_links"`
	Store       string `json:"store,omitempty"` // why the store cannot be used now
}

// Stats returns the present counts. It does not wait for the store.
func (s *Site) Stats() Stats {
	l := s.indexer.Stats()
	served, _ := s.files.Metrics()
	st := Stats{
		Listed:       served.Pages,
		Observations: l.Observations, Dropped: l.Dropped, Queued: l.Queued,
		Damaged:  l.Damaged + uint64(served.Damaged),
		Verdicts: map[string]int{}, Ignored: s.observer.Counts(), Hints: s.hints.Texts(),
		BrokenLinks: s.indexer.Links.Broken(),
	}
	for _, c := range l.Counts {
		st.Verdicts[c.Verdict.String()+" "+c.Reason.String()] = c.Pages
		if c.Verdict == eligibility.Waiting {
			st.Waiting += c.Pages
		}
	}
	st.LeftOut = s.leftOut(st.Verdicts)
	if l.Problem != nil {
		st.Store = messages.Trouble(l.Problem)
	}
	return st
}

// leftOut returns the table of what is not listed. Each address counts once: what exploring left out is not counted
// again among the pages.
func (s *Site) leftOut(verdicts map[string]int) []LeftOut {
	counts := map[string]int{}
	for verdict, n := range verdicts {
		if is, reason, _ := strings.Cut(verdict, " "); is != string(VerdictListed) && is != string(VerdictGone) {
			counts[reason] += n
		}
	}
	last := s.explored.Load()
	if last == nil {
		return leftOut(messages.TableOf(counts, nil), nil)
	}
	for cause, n := range last.Skipped {
		if messages.Unasked(cause) {
			cause = eligibility.NotSeen.String()
		}
		counts[cause] = max(0, counts[cause]-n)
	}
	links, query := last.LeftOut(), eligibility.AddressQuery.String()
	for i := range links {
		if links[i].Cause == query {
			links[i].Count -= last.listed(verdicts)
		}
	}
	links = slices.DeleteFunc(links, func(l LeftOut) bool {
		// the pages that are held now count above, and some are listed by now
		return l.Cause == eligibility.LinkHeld.String() || l.Count <= 0
	})
	return append(leftOut(messages.TableOf(counts, nil), nil), links...)
}
