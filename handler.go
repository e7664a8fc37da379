package servemap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap/internal/admin/guard"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/decide/action"
	"github.com/servemap/servemap/internal/decide/capability"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/forwarded"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/inspect"
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
	if proxy, is := next.(interface{ TellBy(*messages.Hints) }); is { // of the command
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
// match no route. Call it once, after r's routes and its NotFoundHandler are set. r is the
// root router, or a subrouter with the whole folder of the origin. Mount panics if r is
// nil, or a subrouter that does not get the requests for the folder or the sitemap.
func (s *Site) Mount(r *mux.Router) {
	if r == nil {
		panic("servemap: Mount: the router is nil")
	}
	files := r.MatcherFunc(func(r *http.Request, _ *mux.RouteMatch) bool { return s.front.Owns(r) }).Handler(http.HandlerFunc(s.front.ServeFile))
	if path := s.front.Outside(files); path != "" {
		panic(fmt.Sprintf("servemap: Mount: no request for %q reaches this subrouter, so the site would not be seen, or its sitemap not be served; "+
			"mount on the root router", path))
	}
	s.front.Reached()
	var router http.Handler = r
	s.looks.Inner.CompareAndSwap(nil, &router)
	_ = r.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		if i, is := route.GetHandler().(inspector); is {
			inspect.Bound(route)
			if path, _ := route.GetPathTemplate(); !i.linked || strings.TrimSuffix(path, "/") != linkedAt {
				s.log.Logger().Info("servemap: Inspector: mounted at "+strings.TrimSuffix(path, "/")+"/", "origin", s.origin.String())
			}
		}
		return nil
	})
	r.Use(s.front.Wrap)
	if r.NotFoundHandler == nil {
		r.NotFoundHandler = http.NotFoundHandler()
	}
	r.NotFoundHandler = s.front.Wrap(r.NotFoundHandler)
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
// page.json?u=/about. They name only pages that are listed, were, or are linked from those.
func (s *Site) Inspector(allow func(*http.Request) bool) http.Handler {
	var pages http.Handler = inspect.New(inspect.Config{
		Public: inspected{s}, Origin: s.origin, Normalizer: s.norm,
		Indexer: s.indexer, Files: s.files, Own: &s.observer.Own, Handler: &s.looks.Inner,
		Tops: s.topURLs(), RobotsLine: s.RobotsLine(), Announces: &s.announces, ReportOnly: s.opts.ReportOnly, Crawlers: s.crawlers != nil,
	})
	if door := (inspected{s}).door("inspector"); allow != nil {
		pages = door.Allow(allow, pages)
	} else {
		door.Names = inspect.Names
		pages = door.ByLink(s.link, pages)
		s.log.Logger().Info("servemap: Inspector: "+s.InspectorLink(linkedAt)+" (mounted elsewhere? use that path)", "origin", s.origin.String())
	}
	return inspector{func(w http.ResponseWriter, r *http.Request) {
		s.observer.Disown(w)
		if !s.observer.Passed() && (s.looks.Inner.Load() == nil || s.looks.Several.Load()) {
			s.hints.Give(messages.Unwrapped, "")
		}
		if !inspect.Enter(w, r) {
			pages.ServeHTTP(w, r)
		}
	}, allow == nil}
}

// inspector is a handler of [Site.Inspector], which Mount finds among the routes.
type inspector struct {
	http.HandlerFunc
	linked bool // the log has a link to it
}

// linkedAt is where the link in the log leads.
const linkedAt = "/inspect"

// InspectorLink returns the link that opens an inspector at base, such as
// "http://localhost:8080/inspect/". Its key ends with the process.
func (s *Site) InspectorLink(base string) string { return s.link.At(base) }

func (s inspected) door(what string) *guard.Door {
	return &guard.Door{What: what, Client: s.observer.Client, Logger: s.log.Logger()}
}

// inspected shows the inspector what this package says of a site.
type inspected struct{ *Site }

func (i inspected) Stats() (any, messages.Counts) {
	st := i.Site.Stats()
	return st, i.counts(st)
}

// counts are the numbers from which texts about the whole site are made.
func (s inspected) counts(st Stats) messages.Counts {
	served, _ := s.files.Metrics()
	return messages.Counts{
		Unserved: s.hints.Has(messages.Unwrapped) || s.hints.Has(messages.Routed),
		Origin:   s.origin.String(), Listed: st.Listed, Dated: served.Dated, Observations: st.Observations,
		Verdicts: st.Verdicts, Ignored: st.Ignored, Hints: st.Hints, Broken: st.BrokenLinks, ReportOnly: s.opts.ReportOnly, NoStore: st.Store != "",
	}
}

func (i inspected) Explain(ctx context.Context, url string) (inspect.Explained, error) {
	e, p, err := i.explain(ctx, url)
	return inspect.Explained{URL: e.URL, Page: e, Setting: inspect.SettingOf(&p)}, err
}

func (i inspected) Why(p *reader.Known) (text string, missing []string) { return explained(i).why(p) }

func (i inspected) Page(p reader.Known) any { return i.page(p) }

func (i inspected) Change(e changelog.Event, since time.Time) any { return i.change(e, since) }

func (i inspected) Crawlers() any { return i.Site.Crawlers() }

// Password returns a function that allows requests with this user and password, for
// [Site.Inspector] and [Site.Metrics]. Browsers ask for both, by HTTP Basic. Use it
// over HTTPS only. A network that guesses wrong ten times may try once a minute. Password
// panics if either is empty.
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
// alerts. In a fleet each process counts its own; of pages and files take the maximum. No number names a page.
func (s *Site) Metrics(allow func(*http.Request) bool) http.Handler {
	if allow == nil {
		panic("servemap: Metrics: allow is nil; give servemap.Password(user, password), or a function of your own: a scraper cannot follow a link")
	}
	return (inspected{s}).door("metrics").Allow(allow, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", metrics.ContentType)
		h.Set("Cache-Control", "no-store")
		h.Set("X-Robots-Tag", "noindex")
		_, _ = w.Write(metrics.Text(s.origin.String(), append(inspect.Numbers(s.indexer, s.files, s.observer, len(s.hints.Given())), s.crawlers.Metrics()...))) // the client may be gone
	}))
}

// RobotsLine returns the line of robots.txt that tells crawlers where the sitemap is, such as
// "Sitemap: https://example.com/sitemap.xml". It is the same while that answers 503. Extensions.News adds a second
// line, behind a "\n".
func (s *Site) RobotsLine() string {
	return "Sitemap: " + strings.Join(s.topURLs(), "\nSitemap: ")
}

// Robots returns a handler that adds the lines of [Site.RobotsLine] to the robots.txt that
// next serves. If next answers 404 or 410, it serves Options.Robots with these lines, or
// the lines alone; for an HTML page, if Options.Robots is given. next gets all other
// requests, and those for other hosts, unchanged; nil stands for [http.DefaultServeMux].
// Put it around the handler that serves the whole host:
//
//	http.ListenAndServe(":8080", site.Robots(site.Wrap(mux)))
//
// The lines come first, and the rest of the file stays as it is, to the byte. Nothing is
// added to a file that names the sitemap already or is no plain robots.txt of at most 500
// KiB, under Options.ReportOnly, and if Options.Name looks like a secret.
func (s *Site) Robots(next http.Handler) http.Handler {
	if next == nil {
		next = http.DefaultServeMux
	}
	if s.opts.ReportOnly {
		return next
	}
	if capability.Looks("/" + s.opts.Name) {
		s.log.Logger().Warn("robots.txt does not name the sitemap: the Name in Options looks like a secret, and robots.txt is public", "origin", s.origin.String())
		return next
	}
	s.announces.Store(true)
	var wrote atomic.Bool // ever
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" || r.Method != http.MethodGet && r.Method != http.MethodHead || !s.norm.Ours(r.Host, true) {
			next.ServeHTTP(w, r)
			return
		}
		adds, page, failed := announce.Serve(next, w, r, s.topURLs(), s.opts.Robots)
		wrote.CompareAndSwap(false, adds)
		if s.announces.Store(adds || failed && wrote.Load()); page {
			s.told.Do(func() {
				s.log.Logger().Warn("servemap: robots.txt does not name the sitemap: what the site answers there, with status 200, is no plain robots.txt; "+
					words.Say("answer 404, serve one as text/plain of at most 500 KiB{OrRobots}"), "origin", s.origin.String())
			})
		}
	})
}

// topURLs returns the URLs of the files to name to crawlers.
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
	ReasonQueryNotCanonical  Reason = "query-not-canonical" // a parameter is not allowed, and the page names no URL as canonical
)

// The reasons why a listed page is gone, and the reason of VerdictUnknown.
const (
	ReasonGone          Reason = "gone"           // 410
	ReasonNotFound      Reason = "not-found"      // 404
	ReasonDenied        Reason = "denied"         // 401 or 403
	ReasonLoginRedirect Reason = "login-redirect" // a redirect to a log-in
	ReasonMoved         Reason = "moved"          // a permanent redirect
	ReasonLeadsOn       Reason = "leads-on"       // a redirect for now, for a day
	ReasonUnseen        Reason = "unseen"         // no anonymous visitor got it, or a page that links to it, for Limits.KeepFor
	ReasonNone          Reason = "none"           // nothing is known
)

// Explanation says why a page is listed, or why not.
type Explanation struct {
	Verdict Verdict `json:"verdict"` // never ""
	Reason  Reason  `json:"reason"`  // never ""
	Text    string  `json:"text"`    // the same in sentences, and what would change it
	// Missing says what would list a page that waits or is held. Any one of them is enough.
	Missing []string `json:"missing,omitempty"`
	Page             // what was seen of it; fields that were not seen are zero
	// Evidence is what speaks for listing the page: ReasonRule, ReasonEntry, ReasonRoute,
	// ReasonLink and ReasonSitemap. While the page is excluded or gone, none counts, so there is none.
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

// Dates says when a page's content changed. A field is zero if that is not known.
type Dates struct {
	Text    string      `json:"text"`              // where the lastmod comes from, or why there is none
	Changes []time.Time `json:"changes,omitempty"` // the last ones that were seen, at most four, the latest first
	// Interval is the likely mean time between changes now, if the page goes on changing. One page in five changes more
	// often than IntervalLeast or more rarely than IntervalMost. They are zero as long as that is too early to
	// say: before the second change. Text that moves by itself counts here, although it is no change.
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
	e = explained{s}.explanation(&p)
	if e.Listed() {
		e.Element = s.files.Element(p.Shard, loc)
	}
	if e.Verdict == VerdictUnknown {
		if other := s.indexer.OtherSpelling(ctx, loc); other != "" {
			e.Text += messages.Meant(s.origin.URL(other))
		}
	}
	return e, p, nil
}

// explained answers what Explain asks.
type explained struct{ *Site }

func (s explained) explanation(p *reader.Known) Explanation {
	t := s.indexer.Links.Target(p.Location)
	if t != nil && p.Reason == eligibility.NotSeen {
		p.Status = cmp.Or(t.Status, p.Status)
	}
	e := Explanation{
		Page: s.page(*p), Verdict: Verdict(p.Verdict.String()), Reason: Reason(p.Reason.String()),
		Status: p.Status, Rule: p.Pattern,
		NextObservation: s.observer.NextObservation(p.Location), Dates: s.dates(p),
	}
	e.Text, e.Missing = s.why(p)
	if p.Canonical != "" {
		e.Canonical = s.origin.URL(p.Canonical)
	}
	if p.SameAs != "" {
		e.SameAs = s.origin.URL(p.SameAs)
	}
	from := s.indexer.Links.From(p.Location)
	if len(from) == 0 && t != nil {
		from = t.From // there was no room to remember all links of these
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

// why says in words why a page is listed or not, and what would list it.
func (s explained) why(p *reader.Known) (text string, missing []string) {
	if s.files.OwnsLocation(p.Location) {
		return messages.OwnFile, nil
	}
	if p.NeedsLogin() {
		return messages.NeedsLogin(p.Status)
	}
	foreign := s.norm.Parse(p.Location).OwnQuery
	switch notSeen := p.Reason == eligibility.NotSeen; {
	case notSeen && p.Status == 0 && !p.Rule && (foreign || action.Waits(p.Location)):
		return messages.LeftOut(p.Location, foreign)
	case notSeen && p.Status == 0 && eligibility.AssetName(p.Location):
		return messages.LikeAFile()
	}
	text, missing = messages.Page(p.Verdict, p.Reason, p.Location), messages.Missing(p.Location, p.Reason, p.Evidence.Led(), p.Status)
	if p.Overtaken {
		return messages.Overtaken(p.Reason, p.LastSeen.Time())
	}
	switch {
	case p.Missing != 0:
		text += messages.Leaves(p.Status, p.Missing.Time(), p.MissingWhy == eligibility.Duplicate)
	case p.Reason == eligibility.NoIndex && p.Entry.Until != 0 && p.Entry.Until <= moment.Of(time.Now()):
		text = messages.Ended(p.Entry.Until.Time())
	case p.Verdict == eligibility.Listed && !p.History.Held.IsZero():
		text += messages.Awaited(p.History.History)
	case p.Reason == eligibility.NotSeen && p.Status != 0, p.Reason == eligibility.NoPage:
		text = messages.NoPage(p.Status)
	}
	return text + messages.Besides(p.Besides), missing
}

func (s explained) dates(p *reader.Known) Dates {
	trust, now := s.files.Trust(), moment.Of(time.Now())
	d := Dates{Text: messages.LastMod(p.Entry.Date, p.History.History, trust, now)}
	if p.Verdict != eligibility.Listed && p.Entry.LastMod(trust, now) != 0 {
		d.Text = messages.Unlisted + d.Text
	}
	if p.Verdict == eligibility.Listed && s.rules.Freq(p.Location) == "" {
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
