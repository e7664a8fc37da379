// Package servemap learns a site's sitemap from the pages that the site serves.
//
//	st, err := badgerstore.Open("sitemap-data", nil) // or nil for memory
//	if err != nil {
//		log.Fatal(err)
//	}
//	site, err := servemap.New("https://example.com", st, nil)
//	if err != nil {
//		log.Fatal(err)
//	}
//	log.Fatal(http.ListenAndServe(":8080", site.Wrap(mux)))
//
// Common questions:
//
//   - A page is missing: [Site.Explain] says why, and so does [Site.Inspector].
//   - A page must stay out: a [Rule] with [DecisionNever].
//   - A proxy is in front: it keeps the request's Host; see [Behind] for the client's address.
//   - Pages such as /article?id=5: [Options].Query names the parameter.
//   - gorilla/mux: [Site.Mount], last, in place of Wrap.
//   - The program ends: the server's Shutdown, then [Site.Close], then the store's Close.
//
// A [Site] stands around a server or in a router. It observes the HTML that anonymous visitors get,
// remembers when each page's content changed, and serves the sitemap. It never changes, delays or
// fails a response, whatever happens to its store. It lists a page only if an anonymous visitor got
// it and something shows that it is public.
//
// # Where it stands
//
// [Site.Wrap] goes around the whole program: it answers requests for the sitemap and observes all
// others. [Site.Mount] does the same in a gorilla/mux router. What compresses, or copies the request
// as tracing does, goes outside. examples/recipes has tested programs for other routers; a site in
// another language has the command: servemap proxy. With [Site.Explore] nobody has to wait for visitors.
//
// # What is listed, and when it changed
//
// A page is listed if a client without credentials got it whole, with status 200 and HTML, and if it is
// not private, no-store or noindex and names no other page as canonical. And one thing must show that it
// is public: it is the entry, a listed page links to it, the router has a route for exactly this path,
// a sitemap that the site had before lists it, or a [Rule] says so. The rules are in docs/listing.md.
//
// Its lastmod is when its content changed: the Site saw the change, a date that it believes says so, or
// a new link shows that the page is new. Otherwise there is none. The changefreq is the best estimate
// from the changes that were seen. The rules are in docs/dates.md.
//
// # More
//
//   - docs/deploying.md: proxies, folders of a host, cookies, several processes.
//   - docs/operating.md: what it costs, what it logs, what to do if it fails.
//   - docs/design.md: how it works inside, and which attack each defence is for.
//   - [github.com/servemap/servemap/notify] tells search engines what changed.
//   - [github.com/servemap/servemap/store] has the stores: folders, PostgreSQL and memory.
//
// All methods of a Site may be called from several goroutines at once.
package servemap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/internal/admin/crawlers"
	"github.com/servemap/servemap/internal/admin/guard"
	"github.com/servemap/servemap/internal/admin/logging"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/anonymous"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/quota"
	"github.com/servemap/servemap/internal/index/indexer"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe"
	"github.com/servemap/servemap/internal/observe/capture"
	"github.com/servemap/servemap/internal/observe/front"
	"github.com/servemap/servemap/internal/observe/hosts"
	"github.com/servemap/servemap/internal/observe/schedule"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// Options adjusts a [Site]. The zero value of each field is the default.
type Options struct {
	// Name is the sitemap's file name without ".xml"; by default "sitemap".
	Name string
	// Hosts are further hosts whose requests are observed, such as "www.example.com", with a port unless it is the
	// scheme's own. Requests for the origin's host always are. So are those for a host that a proxy nearby sends in its
	// place: an IP address, "localhost" or another name of a single label.
	Hosts []string
	// StrippedPrefix is the beginning of the public path that a proxy removes before a request
	// arrives, such as "/blog". It must be the origin's folder or lead to it. Give the host's
	// robots.txt in Robots.
	StrippedPrefix string
	// Entries are the locations where visitors enter the site. From there the Site lists pages
	// along their links. By default they are the origin's folder, and where that redirects to.
	Entries []string
	// Query names further query parameters that make a page of its own, whatever their values, such as "id". "page"
	// does so anyway, with a number or a short word. A page with any other parameter is observed only under the
	// canonical URL it gives itself. A visit with well-known tracking parameters does not count; links are followed
	// without them.
	// See also Rule.Query.
	Query []string
	// Benign are names of cookies that the site gives to every visitor, so that a client who
	// sends them is still anonymous. A final "*" stands for any ending. A name with a colon, as in
	// "X-Edge-Node:", is that of a header that a proxy adds to all requests. Do not name what
	// also identifies a user. What well-known tools and proxies send is known already.
	Benign []string
	// Anonymous, if not nil, alone decides whether a request comes from an anonymous visitor.
	// Set it if a proxy adds credentials to every request. It must be quick and safe for
	// concurrent use. By default there must be no Authorization or certificate, and only
	// benign cookies and headers.
	Anonymous func(*http.Request) bool
	// ClientIP, if not nil, returns the address of the client, or the zero Addr if that is unknown. The Site needs the
	// address to confirm crawlers by DNS and to count guesses of a password, not to learn pages. The function must be
	// quick and safe for concurrent use, and must not believe a header that the client itself can send. [Behind] makes
	// one for known proxies. By default the address is the peer's.
	ClientIP func(*http.Request) netip.Addr
	// Rules decide for groups of locations whether they are listed, and what the sitemap
	// says of them.
	Rules []Rule
	// Robots is the text of the site's robots.txt, if this program does not serve it. What it
	// disallows for every crawler ("*") is not listed. By default the robots.txt that the Site
	// sees this program serve counts.
	Robots string

	// ReportOnly makes the Site learn and explain, and answer 503 in place of its sitemap.
	ReportOnly bool
	// Extensions selects what the sitemap says of pages beyond their addresses and dates.
	Extensions Extensions
	// Crawlers follows what search engines fetch, for [Site.Crawlers]. If a request claims to
	// be from an engine, the Site asks the DNS in the background whether the client's address
	// is the engine's, once an hour for each address. It takes some 2 MB of memory at most.
	Crawlers bool
	// CrawlerRanges is a folder with lists of addresses as engines publish them, each named after its
	// crawler, such as GPTBot.json. They confirm crawlers that have no names in the DNS. They are read
	// once. By default there are none, and such a crawler is what it claims to be.
	CrawlerRanges string
	// Limits are the numbers by which the site decides. The defaults suit most sites.
	Limits Limits
	// Logger receives hints and the store's troubles, each cause once. No request waits for
	// it. By default it is slog.Default.
	Logger *slog.Logger
}

// Limits are numbers by which a site decides. Each is the default if it is 0.
type Limits struct {
	// KeepFor is how long a listed page stays while no anonymous visitor gets it or a listed page that links to it. Only
	// time in which the site is observed counts. The default is 90 days; the least an hour.
	KeepFor time.Duration
	// PartPages is the most pages of one file of the sitemap. The default is 50,000, and no
	// more are allowed.
	PartPages int
	// Looks keeps the site from looking at its own pages if it is negative. By default the site
	// looks where one visitor's word would decide: what takes a page out or dates it anew, a new
	// link, a new robots.txt. A look is a GET of a page that a visitor just asked for, with
	// nothing of the visitor, in this process, or through the origin once [Site.Explore] has
	// reached it there. It comes at most once a minute for each page, once for a hundred
	// observations, and once a second. See [Exploring].
	Looks int
	// RenderEvery is the least time between two renderings of the sitemap. A page that leaves
	// may stay in it for that long. Where processes share a store, each asks a third as often for
	// what the others have learned. The default is 5 seconds; the least is a millisecond.
	RenderEvery time.Duration
}

// Extensions are the extensions of the sitemap protocol that engines read. The Site learns
// them from the HTML of listed pages. Images and videos may be on other hosts. An image or
// video is left out if its URL is signed or holds a token or an e-mail address, if its host
// is no public name, or if a rule or robots.txt keeps it out.
type Extensions struct {
	// Alternates adds a page's versions in other languages (hreflang), if both name each other
	// and are listed.
	Alternates bool
	// Images adds the images of a page's main content, 20 at most.
	Images bool
	// Videos adds the videos that a page describes by JSON-LD, 4 at most.
	Videos bool
	// News adds the file "sitemap-news.xml": the articles that JSON-LD says were published in
	// the last two days, the latest first, 1,000 at most. While there are none it answers 404.
	News bool
	// Publication is the name of the newspaper or site in that file, exactly as Google shows it
	// on news.google.com. By default each page gives it.
	Publication string
}

// set returns the extensions that are switched on.
func (e Extensions) set() (on extension.Set) {
	for kind, wanted := range map[extension.Kind]bool{
		extension.Alternates: e.Alternates,
		extension.Images:     e.Images,
		extension.Videos:     e.Videos,
		extension.News:       e.News,
	} {
		if wanted {
			on |= extension.Of(kind)
		}
	}
	return on
}

// Rule decides something for the locations that a pattern matches. A field that is zero
// leaves its decision to rules with shorter patterns. At each start the rules also apply to the pages
// that are listed already.
type Rule struct {
	// Pattern is a pattern of robots.txt: the beginning of a location, in which
	// "*" stands for any characters, and "$" at the end for the end.
	Pattern string
	// List says whether the pages that match are listed. The longest pattern whose rule sets it
	// decides; among patterns of equal length, Never wins over Auto, and Auto over Always.
	List Decision
	// Query names further query parameters that make a page of its own, as Options.Query does
	// for the whole site. The pattern must have no "?". The parameters of all rules count.
	Query []string
	// IgnoreCacheControl makes the Site ignore "private" and "no-store" in Cache-Control, and
	// headers with that meaning, for programs that send them with every page. The pattern must
	// match no page that differs from one visitor to the next. Any rule can set it.
	IgnoreCacheControl bool
	// ChangeFreq is published in place of what is inferred: "always", "hourly", "daily",
	// "weekly", "monthly", "yearly" or "never". The longest pattern whose rule sets it decides.
	ChangeFreq string
	// Priority is published: 0.1, 0.2 and so on to 1. The longest pattern whose rule sets it decides. A page without
	// such a rule has no priority in the sitemap.
	Priority float64
	// Section lists the pages in files of their own, as "blog" in sitemap-blog.xml, then sitemap-blog-2.xml, so that
	// Search Console counts them apart. The longest pattern whose rule sets it decides.
	Section string
}

// Decision says what decides whether a page is listed.
type Decision uint8

const (
	// DecisionUnset decides nothing. A rule with a shorter pattern does, or evidence.
	DecisionUnset Decision = iota
	// DecisionAuto lists a page when there is evidence that it is public. It makes an
	// exception from a rule with a shorter pattern.
	DecisionAuto
	// DecisionAlways lists a page once an anonymous visitor got it, unless the page itself or
	// robots.txt forbids that. If a route answers any path, it lists all that visitors request.
	DecisionAlways
	// DecisionNever keeps a page out, and takes it out if it is listed.
	DecisionNever
)

// Site observes one origin's responses and serves its sitemap. [New] makes it; its zero
// value is of no use. It is safe for concurrent use. Close it when the server has shut down.
type Site struct {
	settings
	files    *files.Files
	indexer  *indexer.Indexer
	observer *observe.Observer
	crawlers *crawlers.Tracker // nil without Options.Crawlers
	front    *front.Front
	looks    *observe.Looks
	explored atomic.Pointer[explored] // the last exploration, nil if there was none

	hints *messages.Hints
	link  *guard.Link // opens the inspector
	log   *logging.Queue

	announces atomic.Bool // Robots adds the sitemap to the site's robots.txt, as far as was seen

	running
}

// running is the work that a Site does in the background, and how it ends.
type running struct {
	workers sync.WaitGroup
	stop    context.CancelFunc // ends all workers
	rest    context.CancelFunc // ends the looks, before the other workers
	close   sync.Once
	closed  error // what the first Close returned
}

// settings are what the owner has set.
type settings struct {
	opts    Options // with the defaults
	origin  location.Origin
	norm    *location.Normalizer
	rules   eligibility.Rules
	robots  *robots.Rules // what Options.Robots says, nil if there is none
	entries []string
	path    string // of the folder with the sitemap's files, as requests have it
}

// New returns a Site for origin, such as "https://example.com", or
// "https://example.com/blog" for a site that is one folder of its host. The Site stores what
// it learns in st, which several Sites may share. The caller closes st, after the Site. If st
// is nil, what it learns is kept in memory until the program ends. If opts is nil, New uses
// the defaults. New does not wait for the store. Its error names the option that is wrong.
func New(origin string, st store.Store, opts *Options) (*Site, error) {
	s, err := newSite(origin, st, opts, indexer.Shared{})
	if err != nil {
		return nil, fmt.Errorf("servemap: %w", err)
	}
	return s, nil
}

// Sites are a [Site] for each host that the owner allows, such as customers' domains. Each is
// open while requests come for its host; at most 11,000 are. Together they read pages in 5 % of
// a core and 64 MiB, and none takes more than it leaves to the others.
type Sites struct {
	next  http.Handler
	table *hosts.Table[*hosted]
}

// hosted is one of many sites.
type hosted struct {
	*Site
	http.Handler
}

// NewSites returns Sites in front of next, as [Site.Wrap] does. allow must be quick, and refuse names that strangers
// make up. It returns the options of https://host, nil for the defaults. They hold until no request has come for 5
// minutes, or sooner while more than 10,000 sites are open. If allow returns an error, next serves that host; a site
// that was open ends within 5 minutes.
func NewSites(st store.Store, next http.Handler, allow func(ctx context.Context, host string) (*Options,
	error)) *Sites {
	if st == nil || unopened(st) || allow == nil {
		panic("servemap: NewSites: the store or the function allow is nil; open a store first, such as with " +
			"badgerstore.Open, and check its error")
	}
	if next == nil {
		next = http.DefaultServeMux
	}
	with := indexer.Shared{Memory: response.NewMemory(sitesBytes), Reading: quota.NewBudget(quota.Reading, time.Now())}
	find := func(ctx context.Context, host string) func() (*hosted, error) {
		origin := "https://" + host
		if o, err := location.ParseOrigin(origin); err != nil || o.Host() != host {
			return nil // another spelling would be another site with the same records; by HTTP/2 a host may have a slash
		}
		given, err := allow(ctx, host)
		if err != nil {
			return nil
		}
		opts := *cmp.Or(given, &Options{})
		opts.Logger = cmp.Or(opts.Logger, slog.Default()).With("site", host)
		return func() (*hosted, error) {
			s, err := newSite(origin, st, &opts, with)
			if err != nil {
				opts.Logger.Error("servemap: the site cannot be opened", "err", err)
				return nil, err
			}
			return &hosted{s, s.Wrap(next)}, nil
		}
	}
	return &Sites{next, hosts.New(hosts.Config[*hosted]{
		Find: find,
		Most: sitesOpen,
		Full: func() {
			slog.Warn("servemap: more sites are asked for than may be open; the other hosts are served without a sitemap "+
				"until some rest", "open", sitesOpen)
		},
		Rest: func(ctx context.Context, s *hosted) error {
			ctx, cancel := context.WithTimeout(ctx, restPatience)
			defer cancel()
			err := s.Flush(ctx)
			if err == nil {
				_ = s.Close(ctx) // whatever it says, the site has ended, and the next request opens it again
			}
			return err
		},
		Close: func(ctx context.Context, s *hosted) error { return s.Close(ctx) },
	})}
}

const (
	sitesOpen    = 10_000           // how many stay open; a tenth more may be while idle ones end
	sitesBytes   = 64 << 20         // of the bodies that wait to be read, of all sites together
	restPatience = 30 * time.Second // how long an idle site may take to close
)

// ServeHTTP serves a request by the site of its host.
func (s *Sites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if site, ok := s.table.Get(r.Context(), hosts.Name(r.Host)); ok {
		site.ServeHTTP(w, r)
		return
	}
	s.next.ServeHTTP(w, r)
}

// Do calls fn with the site of a host, which stays open until fn returns.
func (s *Sites) Do(ctx context.Context, host string, fn func(*Site) error) error {
	site, release, err := s.table.Hold(ctx, hosts.Name(host))
	if err != nil {
		return fmt.Errorf("servemap: site %q: %w", host, err)
	}
	defer release()
	return fn(site.Site)
}

// Close closes all sites, as [Site.Close] does.
func (s *Sites) Close(ctx context.Context) error { return s.table.Close(ctx) }

// unopened reports whether a store is a nil pointer, such as a function returns beside an error.
func unopened(st store.Store) bool {
	v := reflect.ValueOf(st)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// The sizes of the memory.
const (
	dueTargets  = 1 << 17  // request targets whose next observation is known, 16 bytes each
	bodiesBytes = 10 << 20 // of the bodies that wait to be read, beside the queue
)

func newSite(origin string, st store.Store, opts *Options, with indexer.Shared) (*Site, error) {
	if unopened(st) {
		return nil, errors.New("the store could not be opened; look at the error with which it came")
	}
	s := &Site{settings: settings{opts: *cmp.Or(opts, &Options{})}}
	if err := s.configure(origin); err != nil {
		return nil, err
	}
	if err := s.assemble(st, with); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	looks, rest := context.WithCancel(ctx)
	s.rest = rest
	s.workers.Go(func() { s.looks.Run(looks) })
	s.workers.Go(func() { s.indexer.Run(ctx) })
	s.workers.Go(func() { s.files.Run(ctx) })
	if s.opts.Limits.Looks >= 0 {
		s.workers.Go(func() { s.front.Run(ctx) })
	}
	if s.crawlers != nil {
		s.workers.Go(func() { s.crawlers.Run(ctx) })
	}
	return s, nil
}

// assemble puts the parts of the site together: the indexer tells the files what has
// changed, and the observer asks both.
func (s *Site) assemble(st store.Store, with indexer.Shared) error {
	keys, err := keys.New(s.origin.String())
	if err != nil {
		return err
	}
	var ranges crawlers.Ranges
	if s.opts.Crawlers && s.opts.CrawlerRanges != "" { // before the log says anything
		if ranges, err = crawlers.ReadRanges(s.opts.CrawlerRanges); err != nil {
			return fmt.Errorf("%s: %w", words.Say("{Ranges}"), err)
		}
	}
	s.log = logging.NewQueue(s.opts.Logger.Handler())
	logger := s.log.Logger()
	if st == nil {
		st = memstore.New()
		logger.Info("servemap: What is learned is kept in memory until the program ends. To keep it, give New a store, "+
			"such as badgerstore.Open's.", "origin", s.origin.String())
	}
	s.hints, s.link = messages.NewHints(logger), guard.NewLink(s.origin.String())
	due, limits, extensions := schedule.New(dueTargets), s.opts.Limits, s.opts.Extensions.set()
	refresh := time.Duration(0) // never
	if several, ok := st.(store.Sharer); ok && several.Shared() {
		refresh = 3 * limits.RenderEvery
	}
	st = txn.Guard(st, keys.Site(), logger)
	s.files = files.New(files.Config{
		Store: st, Keys: keys, URL: s.origin.URL, Name: s.opts.Name, Folder: s.origin.Folder(), Every: limits.RenderEvery,
		Rules:      s.rules,
		Extensions: extensions, Publication: s.opts.Extensions.Publication, ReportOnly: s.opts.ReportOnly, Logger: logger,
	})
	entries := map[string]bool{}
	for _, e := range s.entries {
		entries[e] = true
	}
	s.looks = observe.NewLooks(s.entries[0], limits.Looks < 0)
	s.indexer, err = indexer.New(indexer.Config{
		Store: st, Settings: merge.Settings{Rules: s.rules, Normalizer: s.norm, Entries: entries, KeepFor: limits.KeepFor,
			Extensions: extensions},
		Files: s.files, Robots: s.robots, Schedule: due, Hints: s.hints, Logger: logger, MaxURLs: limits.PartPages,
		RefreshEvery: refresh,
		Shared:       with, Looks: s.looks,
	})
	if err != nil {
		return err
	}
	s.warn()
	if s.opts.Crawlers {
		s.crawlers = crawlers.New(st, keys, net.DefaultResolver, ranges)
	}
	s.takeIn(due, with.Memory)
	return nil
}

// takeIn makes what each request passes: the front, and the observer behind it.
func (s *Site) takeIn(due *schedule.Table, memory *response.Memory) {
	addresses := observe.Addresses{Normalizer: s.norm, StrippedPrefix: strings.TrimSuffix(s.opts.StrippedPrefix, "/")}
	s.observer = observe.New(observe.Config{
		Addresses: addresses, Schedule: due,
		Captures: capture.NewRecorder(response.NewBuffers(observation.MaxPage, bodiesBytes, memory)), Indexer: s.indexer,
		Files: s.files,
		Clients: observe.Clients{Benign: anonymous.NewBenign(s.opts.Benign), Anonymous: s.opts.Anonymous,
			ClientIP: s.opts.ClientIP, Hints: s.hints},
		Rules: s.rules, WatchRobots: s.robots == nil, Owner: s.link.Owner, Looks: s.looks,
		First: func(r *http.Request) { s.passes(r, addresses.Locate(r).Local) },
	})
	s.front = front.New(front.Config{
		Origin: s.origin.String(), Path: s.path, Folder: s.origin.Folder(), Name: s.opts.Name, Files: s.files, Observer: s.observer,
		Crawlers: s.crawlers,
		Hints:    s.hints, NoSitemap: func() string { return messages.NoSitemap(s.counts(s.Stats())) },
		Unmounted: s.unmounted,
	})
}

// warn logs settings that are allowed, but may list what is not public, or list one page many times.
func (s *Site) warn() {
	for _, name := range s.opts.Benign {
		if anonymous.SessionLike(name) {
			s.opts.Logger.Warn(fmt.Sprintf(words.Say("servemap: {Benign} names %s, which looks like the log-in: "+
				"what a user gets who is logged in would count as public. "+
				"Explore the site instead, or make sure that no log-in uses it."), name))
		}
	}
	logger := s.log.Logger()
	for _, r := range slices.Concat(s.opts.Rules, []Rule{{Query: s.opts.Query}}) {
		for _, name := range r.Query {
			if says := messages.Named(name); says != "" { // location.New has refused what is sure to hold a session
				logger.Warn("servemap: " + says)
			}
		}
	}
	for _, r := range s.opts.Rules {
		never := func(o Rule) bool { return o.List == DecisionNever && o.Pattern == r.Pattern }
		if r.List == DecisionAlways && slices.ContainsFunc(s.opts.Rules, never) {
			logger.Warn(fmt.Sprintf(words.Say("servemap: {Always} and {Never} both name %q, and never wins. Leave one of them "+
				"out."), r.Pattern), "origin", s.origin.String())
		}
		if r.List == DecisionAlways && strings.HasPrefix(s.origin.Folder(), strings.TrimRight(r.Pattern, "*")) {
			logger.Warn(fmt.Sprintf(words.Say("servemap: {Always} for %q lists every address that visitors request and get, "+
				"secret ones too, such as the page of one order. Name only the pages or folders that you mean."),
				r.Pattern), "origin", s.origin.String())
		}
	}
}

// mayServe reports whether requests that a router matches by host may be for the site. A host without a port matches
// any port.
func (s *settings) mayServe(host string) bool {
	return strings.Contains(host, "{") || s.norm.Ours(host, true) ||
		slices.ContainsFunc(append([]string{s.origin.Host()}, s.opts.Hosts...), func(own string) bool {
			return strings.HasPrefix(strings.ToLower(own)+":", strings.ToLower(host)+":")
		})
}

// passes is called with the first request for the site. local says that a proxy nearby may have put the request's host
// in place of the origin's.
func (s *Site) passes(r *http.Request, local bool) {
	s.hints.End(messages.Unwrapped)
	if s.looks.Inner.Load() != nil { // else this program does not serve the sitemap
		s.front.Ask(r)
	}
	if local {
		s.log.Logger().Info("servemap: Visits to " + r.Host + " count as visits to " + s.origin.String() +
			", as behind a proxy nearby.")
	}
}

// configure checks the settings, and fills in the defaults.
func (s *settings) configure(origin string) (err error) {
	opts := &s.opts
	if s.rules, err = compile(opts.Rules); err != nil {
		return err
	}
	if s.origin, err = location.ParseOrigin(origin); err != nil {
		return fmt.Errorf("%s %w", words.Say("{Origin}"), err)
	}
	s.norm, err = location.New(s.origin, location.Config{
		Hosts: opts.Hosts, StrippedPrefix: opts.StrippedPrefix, Params: opts.Query, More: s.rules.Query,
	})
	if err != nil {
		return err
	}
	stripped := strings.TrimSuffix(opts.StrippedPrefix, "/")
	var below bool
	if s.path, below = strings.CutPrefix(s.origin.Folder(), stripped); !below || !strings.HasPrefix(s.path, "/") {
		return fmt.Errorf(words.Say("{Stripped} %q does not lead to the origin's folder %q, so the sitemap could not be "+
			"reached; write the origin as %q"),
			opts.StrippedPrefix, s.origin.Folder(), s.origin.URL(stripped))
	}
	opts.Name, opts.Logger = cmp.Or(opts.Name, "sitemap"), cmp.Or(opts.Logger, slog.Default())
	if !fileName.MatchString(opts.Name) || strings.HasSuffix(opts.Name, ".xml") || strings.HasSuffix(opts.Name, ".gz") {
		return fmt.Errorf(words.Say(`{Name} %q must be of letters, digits, "-", "_" and ".", without ".xml", such as "sitemap"`), opts.Name)
	}
	if opts.CrawlerRanges != "" && !opts.Crawlers {
		return errors.New(words.Say("{Ranges} is only used to confirm the crawlers that {Crawlers} follows; set that too"))
	}
	if err := cmp.Or(opts.Limits.check(), checkPublication(opts.Extensions), checkBenign(opts.Benign),
		checkFolder(s.origin, opts.Rules)); err != nil {
		return err
	}
	if s.entries, err = locateEntries(s.norm, opts.Entries); err != nil {
		return err
	}
	s.robots, err = parseRobots(opts.Robots)
	return err
}

var fileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$`)

// check refuses limits out of bounds, and fills in the defaults. A time that is far too short
// is probably a number without its unit.
func (l *Limits) check() error {
	l.KeepFor, l.RenderEvery = cmp.Or(l.KeepFor, 90*24*time.Hour), cmp.Or(l.RenderEvery, 5*time.Second)
	switch {
	case l.KeepFor < time.Hour:
		return fmt.Errorf(words.Say("{KeepFor} is %v; it must be at least 1h{OrZero}"), l.KeepFor)
	case l.RenderEvery < time.Millisecond:
		return fmt.Errorf(words.Say("{RenderEvery} is %v; it must be at least 1ms{OrZero}"), l.RenderEvery)
	case l.PartPages < 0 || l.PartPages > sitemap.MaxURLs:
		return fmt.Errorf(words.Say("{PartPages} is %d; it must be from 1 to %d{OrZero}"), l.PartPages, sitemap.MaxURLs)
	}
	return nil
}

func checkPublication(e Extensions) error {
	switch name := e.Publication; {
	case len(name) > extension.MaxPublication, name != "" && strings.TrimSpace(name) == "":
		return fmt.Errorf(words.Say("{Publication} %q must have from 1 to %d bytes"), name, extension.MaxPublication)
	case name != "" && !e.News:
		return fmt.Errorf(words.Say("{Publication} %q is only used in the file that {News} adds; set that too"), name)
	}
	return nil
}

func checkBenign(names []string) error {
	for _, name := range names {
		header := strings.TrimSuffix(name, ":")
		switch {
		case strings.EqualFold(name, "Cookie:"):
			return fmt.Errorf(`%s: %q is the header of all cookies; name each cookie that every visitor gets, such as "theme"`,
				words.Say("{Benign}"), name)
		case anonymous.NamesUser(name):
			return fmt.Errorf(words.Say("{Benign}: %q says who asks, so it is never benign; if a proxy adds it to every request, turn that "+
				"off{OrAnonymous}"), name)
		}
		if strings.Trim(header, "*") == "" || strings.ContainsAny(header, " \t=;,:") ||
			strings.Contains(strings.TrimSuffix(name, "*"), "*") {
			return fmt.Errorf(`%s: %q is no name of a cookie or header; name each alone, without its value, such as "theme" or "X-Edge-Node:", and a "*" only at the end of a cookie's`,
				words.Say("{Benign}"), name)
		}
	}
	return nil
}

// parseRobots reads the robots.txt that the owner gives, nil for none.
func parseRobots(text string) (*robots.Rules, error) {
	if text == "" {
		return nil, nil
	}
	if !strings.Contains(strings.ToLower(text), "user-agent:") {
		return nil, errors.New(words.Say(`{RobotsText} has no line that begins with "User-agent:"; it must be the text of a robots.txt`))
	}
	// never nil, so that the robots.txt that is served does not count
	return cmp.Or(robots.Parse([]byte(text)), new(robots.Rules)), nil
}

func compile(rules []Rule) (eligibility.Rules, error) {
	compiled := make([]eligibility.Rule, len(rules))
	for i, r := range rules {
		compiled[i] = eligibility.Rule{
			Pattern: r.Pattern, Listing: eligibility.Listing(r.List), Query: r.Query, ChangeFreq: r.ChangeFreq,
			Priority: r.Priority, Section: r.Section,
			IgnoreCacheControl: r.IgnoreCacheControl,
		}
	}
	set, err := eligibility.NewRules(compiled)
	if err != nil {
		return set, fmt.Errorf("%s: %w", words.Say("{Rules}"), err)
	}
	return set, nil
}

// checkFolder refuses rules that can match nothing in the folder of the origin, since a
// sitemap lists only pages in its own folder.
func checkFolder(origin location.Origin, rules []Rule) error {
	folder := origin.Folder()
	for i, r := range rules {
		start, _, _ := strings.Cut(r.Pattern, "*")
		start = strings.TrimSuffix(start, "$")
		if strings.Contains(start+folder, "%") || strings.HasPrefix(start, folder) || strings.HasPrefix(folder, start) {
			continue // the rule matches, or may match: a percent sign may spell the folder in another way
		}
		why := fmt.Errorf("matches nothing in %q, the folder of the origin %s, and a sitemap can only list "+
			"what is in its own folder; begin it with that, or give the origin as the whole host", folder, origin)
		return fmt.Errorf("%s: %w", words.Say("{Rules}"), &eligibility.RuleError{Index: i, Pattern: r.Pattern, Err: why})
	}
	return nil
}

// locateEntries returns the locations of the entries, by default the folder's own.
func locateEntries(norm *location.Normalizer, given []string) ([]string, error) {
	if len(given) == 0 {
		given = []string{norm.Origin().Folder()}
	}
	entries := make([]string, len(given))
	for i, e := range given {
		r := norm.Parse(e)
		if r.OwnQuery || r.Reason != location.ReasonNone {
			if at := norm.Parse("/" + e); r.Reason == location.ReasonForm && at.Reason == location.ReasonNone {
				return nil, fmt.Errorf(words.Say("{Entries}: %q does not begin with a slash; write %q"), e, "/"+e)
			}
			return nil, fmt.Errorf(words.Say("{Entries}: %q cannot be listed: %s; name a location of the site, such as %q, "+
				"and its parameters in {Query}"), e, messages.ReasonNamed(eligibility.OfAddress(
				r.Reason).String()).Why, norm.Origin().Folder())
		}
		entries[i] = r.Location
	}
	return entries, nil
}

// Observe returns a handler that calls next, which must not be nil, and remembers the pages it serves. It is also a
// [mux.MiddlewareFunc]. It may stand anywhere, and more than once. It is best outermost, where it also sees pages that
// are gone, but inside what compresses.
//
// It learns the routes, which are evidence, inside a router and around an [http.ServeMux].
// Other routers show theirs only to handlers inside them: for gorilla/mux use [Site.Mount],
// for others see examples/recipes.
func (s *Site) Observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.observer.Serve(next, w, r) })
}

// looksPatience is how long Flush waits for looks: each may take ten seconds where a handler hangs.
const looksPatience = 5 * time.Second

// Flush returns when all that visitors showed before the call, and what the Site then looked
// at itself, is read, stored and rendered. If the store cannot be used, Flush soon returns an
// error, and the Site stores all this later.
func (s *Site) Flush(ctx context.Context) error {
	err := s.indexer.Flush(ctx)
	soon, cancel := context.WithTimeout(ctx, looksPatience)
	defer cancel()
	for before, made := uint64(0), s.looks.Settled(soon); err == nil && made != before; before, made = made,
		s.looks.Settled(soon) {
		err = s.indexer.Flush(ctx) // what the looks saw may ask for more
	}
	if err == nil {
		err = s.files.Render(ctx)
	}
	if err == nil && s.crawlers != nil {
		err = s.crawlers.Flush(ctx)
	}
	if err != nil {
		return fmt.Errorf("servemap: flushing: %w", err)
	}
	return nil
}

// Forget takes the page at url out of the sitemap, as of the next rendering, and erases what is known of it. It stays
// out until a rule says Always, or [Site.UndoForget] is called. url is a URL of the site, or a location such as
// "/about".
func (s *Site) Forget(ctx context.Context, url string) error {
	return s.barring(ctx, url, s.indexer.Forget)
}

// UndoForget undoes [Site.Forget]. The evidence for the page was kept, so the next visit lists it
// again. What was erased is learned anew: its dates, its history and how often it changes. A page that
// was listed only by its past needs new evidence.
func (s *Site) UndoForget(ctx context.Context, url string) error {
	return s.barring(ctx, url, s.indexer.Allow)
}

func (s *settings) barring(ctx context.Context, url string, do func(context.Context, string) error) error {
	loc, err := s.locate(url)
	if err != nil {
		return err
	}
	if err := do(ctx, loc); err != nil {
		return fmt.Errorf("servemap: forgetting: %w", err)
	}
	return nil
}

// Close flushes and stops, and returns when that is done or ctx ends. After that the Site
// observes no requests, and serves the last sitemap from memory. Whoever opened the store
// closes it, after this. Further calls return what the first call did.
func (s *Site) Close(ctx context.Context) error {
	s.close.Do(func() {
		s.rest()
		s.observer.Close()
		s.closed = s.Flush(ctx)
		s.stop()
		done := make(chan struct{})
		go func() { s.workers.Wait(); close(done) }()
		select {
		case <-done:
		case <-ctx.Done():
			s.closed = errors.Join(s.closed, fmt.Errorf("servemap: closing: %w", ctx.Err()))
		}
		ctx, cancel := context.WithTimeout(ctx, time.Second) // in case the Logger takes no records
		defer cancel()
		s.log.Wait(ctx)
	})
	return s.closed
}
