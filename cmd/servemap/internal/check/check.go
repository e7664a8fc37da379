// Package check reads a served sitemap as a crawler does, and says what crawlers would object to. It fetches
// robots.txt, the sitemap and some of the listed pages, within bounds, and changes nothing. It makes the requests. The
// packages below it judge the answers and make none.
package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/sitemap/strict"
	"github.com/servemap/servemap/internal/page/words"
)

// Config says what to check.
type Config struct {
	URL    *url.URL // of the sitemap, or of the site, whose robots.txt names it
	Origin *url.URL // of the pages; that of URL if nil
	Pages  int      // how many of the listed pages to read; 0 for as many as are answered fast
	Seed   uint64   // of the choice of pages
	Time   time.Duration
	// Linked, if not nil, crawls a site.
	Linked func(context.Context, Known) (Crawl, error)
	// Seen, if not nil, has what servemap observed of pages, by URL.
	Seen map[string]pages.Seen
}

// Known has what the check found out before the crawl begins, so that the crawl needs not ask again.
type Known struct {
	Origin  string
	Listed  []string          // pages
	Nowhere *pages.Page       // what the site shows where it has no page; may be nil
	Through http.RoundTripper // asks
}

// Crawl is what a crawl found.
type Crawl struct {
	Public  []string // pages that anybody may get, linked from another or listed
	Orphans []Link   // to what is listed, without a link that counts, and with nothing else against it
	Whole   bool     // it came to its end
	Failed  []string // pages that it could not read
	// Scripts says that the start page says nothing without them, so that no link leads from it.
	Scripts bool
	Links   []Link   // that lead to no page, or by a redirect
	Why     string   // says why Public is empty
	Unasked []string // linked addresses that it did not ask for, and so knows nothing of
	Load    explore.Load
	Alike   string // one of those of which it asked for some, as these showed nothing new; "" for none

	From func(to string) (some []string, n int) // the first pages that link to an address, and how many do
	All  bool                                   // name more of these than one
}

// Link is one that should be mended.
type Link struct {
	Kind, To, Says string // Says is what is answered there
	From           string // a page that has it
	Passing        bool   // the answer may pass, such as 503
}

// Linking names one of n pages that link to an address, or with all some, and says how many more there are.
func Linking(some []string, n int, all bool) string {
	if !all {
		some = some[:min(len(some), 1)]
	}
	switch more := n - len(some); {
	case len(some) == 0:
		return words.Count(n, "page")
	case more > 0:
		return strings.Join(some, ", ") + " and " + words.Number(more) + " more"
	}
	return strings.Join(some, ", ")
}

// ErrNone says that the site has no sitemap, and ErrRefused that its answers do not tell.
var (
	ErrNone    = errors.New("no sitemap")
	ErrRefused = errors.New("nothing could be checked")
)

// agent is the name of the checker, and token the one that robots.txt may have.
const (
	token = "servemap-check"
	agent = token + " (+https://github.com/servemap/servemap)"
)

// checker is one check.
type checker struct {
	fetcher
	*report.Report
	now     time.Time
	robots  *robots.Rules            // for all crawlers
	ours    *robots.Rules            // for the checker
	own     map[string]*robots.Rules // of engines to which it says something else, by their names
	closed  bool                     // it disallows the site for all
	named   []string                 // by robots.txt
	isNamed map[string]bool          // the same, by key
	judge   *listing.Judge
	read    map[string]bool   // files, by key
	vouched map[string]string // by host, its robots.txt
	shown   map[string]bool   // by host, whether it shows the pages of the site
	blind   bool              // nobody knows what robots.txt names
	silent  string            // how robots.txt is answered, if that does not tell whether there is one
	doubt   bool              // what some file lists is not known
	nowhere *pages.Page       // what the site shows where it has no page; may be nil
	load    load              // that the site bears
	ends    sync.Map          // pages where others lead, by key
	private map[string]bool   // listed pages that look so, by key
	// What a check that stops now has not done.
	ahead, uncrawled string
}

// Run checks a sitemap, the files that it names if it is an index, and some of the pages. The error says why there is
// nothing to check or no crawl, as the report then does too, or is that of ctx.
func Run(ctx context.Context, cfg Config) (*report.Report, error) {
	c, err := newChecker(cfg)
	if err != nil {
		return nil, err
	}
	whole := ctx
	if cfg.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, cfg.Time, errBound{fmt.Sprintf("%s after %v", stopped, cfg.Time)})
		defer cancel()
	}
	if c.ahead = "not read: the rest of the sitemap, and all pages"; cfg.Linked != nil {
		c.uncrawled = "; no crawl was made"
	}
	if err = c.site(ctx); err == nil {
		err = c.sitemaps(ctx)
	}
	c.judge.Strays()
	c.Sample.Listed = len(c.judge.Pages) + c.Sample.Elsewhere + c.Sample.Unfit
	none := err
	switch {
	case err == nil && len(c.Files) > 0:
		where := c.Files[0]
		if where.Form != sitemap.Index && len(c.Files) > 1 { // it is about all of them
			where.URL = c.Site
		}
		c.judge.Dates(where.URL)
		c.pages(ctx)
	case err != nil && ctx.Err() == nil:
		if c.refused(err); c.Linked != nil && (errors.Is(err, ErrNone) || errors.Is(err, ErrRefused)) {
			err = nil // the crawl says what a sitemap would have
		}
	}
	if err == nil {
		if err = c.beside(ctx); err != nil && none != nil {
			err = fmt.Errorf("%w; %w", none, err)
		} else if err != nil && ctx.Err() == nil {
			c.limit(err)
		}
	}
	switch {
	case whole.Err() != nil:
		return nil, whole.Err()
	case ctx.Err() != nil:
		c.limit(context.Cause(ctx))
		err = nil
	}
	return c.Report, err
}

// refused notes why nothing can be checked, by an error that begins with the address.
func (c *checker) refused(err error) {
	kind := "unreachable"
	if errors.Is(err, ErrNone) {
		kind = "no-sitemap"
	} else if errors.Is(err, ErrRefused) {
		kind, c.doubt = "refused", true
	}
	where, text, _ := strings.Cut(strings.TrimPrefix(err.Error(), ErrNone.Error()+": "), " ")
	c.Add(kind, report.At{Where: where}, "%s", text)
}

// newChecker returns a checker whose client connects to no private address unless that of the URL is one: robots.txt
// may name any host.
func newChecker(cfg Config) (*checker, error) {
	origin, err := location.ParseOrigin(cfg.URL.Scheme + "://" + cfg.URL.Host)
	if err != nil {
		return nil, err
	}
	if cfg.Origin == nil {
		cfg.Origin = cfg.URL
	}
	c := &checker{
		fetcher: fetcher{Config: cfg, client: explore.NewClient(origin), agent: agent},
		Report: &report.Report{URL: cfg.URL.String(), Site: address.Site(cfg.URL), Version: metrics.Version(),
			Files: []report.File{}, Limits: []string{}, Facts: []string{}, Groups: []report.Group{}},
		now: time.Now().UTC(), read: map[string]bool{}, isNamed: map[string]bool{}, vouched: map[string]string{},
		shown: map[string]bool{}, own: map[string]*robots.Rules{},
	}
	c.judge = listing.NewJudge(listing.Site{}, c.Report)
	c.Report.Time = c.now.Truncate(time.Second)
	return c, nil
}

// site finds where the site is, and reads its robots.txt.
func (c *checker) site(ctx context.Context) error {
	a, err := c.follow(ctx, on(c.Origin, "/robots.txt"), robots.Enough)
	if err != nil {
		return err
	}
	if to := moved(c.Config.URL, a.url); address.IsRoot(to) {
		if c.Origin == c.Config.URL {
			c.Origin = to
		}
		c.Config.URL = to
	}
	c.Site = address.Site(c.Origin)
	if address.Host(a.url) != address.Host(c.Origin) {
		home, err := c.follow(ctx, on(c.Origin, "/"), 0)
		if err == nil && address.Host(home.url) == address.Host(a.url) {
			return fmt.Errorf("%s redirects to %s; check that", c.Site, home.url)
		}
	}
	c.standsFor(ctx, a.Body)
	c.judge.Site = listing.Site{
		Scheme: c.Origin.Scheme, Host: address.Host(c.Origin), Now: c.now,
		Disallows: func(path string) string {
			if c.closed { // that was told
				return ""
			}
			return c.robots.Disallows(path)
		},
		Bars:    c.bars,
		Vouches: func(u *url.URL) bool { return c.vouches(ctx, u) }, Shows: func(u *url.URL) bool { return c.shows(ctx, u) },
	}
	at := report.At{Where: c.Site + "/robots.txt"}
	if isSilent(a.Status) {
		c.blind, c.silent = true, c.why(a)
	}
	switch wall := pages.Wall(a.Status, a.Header, a.Body); {
	case wall != "":
		c.blind = true
		c.Add("wall-file", at, "is answered with %d by %s, in place of the file", a.Status, wall)
	case a.Status >= 500:
		c.Add("robots-error", at, "is answered with %s; crawlers fetch nothing while it is (this check went on, to see the rest)",
			pages.Status(a.Status))
	case a.Status == http.StatusOK && response.IsHTML(a.Header.Get("Content-Type")):
		c.Add("robots-error", at, "is a page of HTML, at %s", a.url.String())
	case a.Status == http.StatusOK:
		c.robots, c.ours = robots.Parse(a.Body), robots.ParseFor(token, a.Body)
		c.blocked(at, a.Body)
		c.sitemapLines(at, a.Body)
	}
	return nil
}

// engines are the crawlers without which few visitors find a site.
var engines = []string{"Googlebot", "bingbot"}

// blocked tells whether a robots.txt disallows the site for all crawlers, or for one without which few find it.
func (c *checker) blocked(at report.At, robotsTxt []byte) {
	excepts := allows.Match(robotsTxt)
	if c.closed = !c.robots.Allows("/") && !excepts; c.closed {
		c.Add("blocked", at, "disallows / for all crawlers")
		return
	}
	for _, engine := range engines {
		switch rules := robots.ParseFor(engine, robotsTxt); {
		case rules.Equal(c.robots):
		case !rules.Allows("/") && !excepts:
			c.Add("blocked", at, "disallows / for %s", engine)
		default:
			c.own[engine] = rules
		}
	}
}

// bars returns the line that disallows a path for one of the engines, and that engine, "" for none.
func (c *checker) bars(path string) (engine, line string) {
	for _, engine := range engines {
		if line = c.own[engine].Disallows(path); line != "" {
			return engine, line
		}
	}
	return "", ""
}

// standsFor takes a server that nobody else reaches, such as one on this machine, for the public site whose page its
// sitemap lists first. -origin says otherwise.
func (c *checker) standsFor(ctx context.Context, robotsTxt []byte) {
	if c.Origin != c.Config.URL || c.public(c.Origin) {
		return
	}
	places := []string{c.Origin.RequestURI()} // perhaps of a sitemap
	for line := range robots.Sitemaps(robotsTxt) {
		if u, err := url.Parse(line); err == nil {
			places = append(places, u.RequestURI())
		}
	}
	for _, place := range append(places, usual...) {
		at, err := on(c.Origin, "/").Parse(place)
		if err != nil {
			continue
		}
		first := ""
		if a, err := c.follow(ctx, at, 1<<18); err == nil && a.Status == http.StatusOK {
			text, _, _ := strict.Unpack(a.Body, 1<<18)
			sitemap.Read(ctx, text, func(page string) { first = cmp.Or(first, page) })
		}
		if site, err := url.Parse(first); err == nil && c.public(site) {
			c.Origin, c.Site = on(site, "/"), address.Site(site)
			c.Facts = append(c.Facts, fmt.Sprintf("%s lists %s, so it was checked for %s; -origin %s says otherwise.", at, first,
				c.Site, address.Site(c.Config.URL)))
		}
		if first != "" {
			return
		}
	}
}

// on returns the URL of a path on the host of another URL.
func on(u *url.URL, path string) *url.URL {
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: path}
}

// allows matches a line of robots.txt that excepts pages from what is disallowed.
var allows = regexp.MustCompile(`(?mi)^\s*allow\s*:`)

// sitemapLines reads the lines of robots.txt that name sitemaps.
func (c *checker) sitemapLines(at report.At, text []byte) {
	for line := range robots.Sitemaps(text) {
		u, err := url.Parse(line)
		switch {
		case err != nil || line == "" || u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https":
			c.Add("robots-line", at, "has the line Sitemap: %s, which is no URL", line)
			continue
		case u.Host == "":
			c.Add("robots-line", at, "has the line Sitemap: %s, which is relative; it must be a whole URL", line)
			if u, err = c.Origin.Parse(line); err != nil {
				continue
			}
		case !c.public(u) && c.public(c.Origin):
			c.Add("robots-line", at, "has the line Sitemap: %s, which is an address that nobody else reaches", line)
			continue
		case address.Host(u) != address.Host(c.Origin):
			c.Add("robots-host", at, "has the line Sitemap: %s, on another host", line)
			if c.public(u) && !c.public(c.Origin) {
				continue // not what others serve is checked
			}
		}
		if key := address.Key(u); !c.isNamed[key] {
			c.isNamed[key] = true
			c.named = append(c.named, u.String())
		}
	}
}

func (c *checker) public(u *url.URL) bool {
	_, public := location.PublicHost(u.Scheme, u.Host)
	return public
}

// usual are the places of a sitemap that nobody names.
var usual = []string{"/sitemap.xml", "/sitemap_index.xml", "/wp-sitemap.xml", "/sitemap-index.xml"}

// sitemaps reads all files of the sitemap.
func (c *checker) sitemaps(ctx context.Context) error {
	names := c.named
	if given := c.given(ctx); given != nil {
		names = []string{given.String()}
	} else if len(names) == 0 {
		found, err := c.guess(ctx)
		if err != nil {
			return err
		}
		names = []string{found}
	}
	for f := range c.files(ctx, names) {
		if err := c.sitemap(ctx, f, len(names) == 1); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// given returns the address of the sitemap that was given, nil if that of the site was, or that of a page.
func (c *checker) given(ctx context.Context) *url.URL {
	if address.IsRoot(c.Config.URL) {
		return nil
	}
	at := *c.Config.URL
	at.Scheme, at.Host = c.Origin.Scheme, c.Origin.Host
	if slices.Contains([]string{".xml", ".gz", ".txt"}, path.Ext(at.Path)) && at.Path != "/robots.txt" ||
		c.isNamed[address.Key(&at)] {
		return &at
	}
	a, err := c.follow(ctx, &at, 0) // it is read later
	says := "is a page"
	switch {
	case at.Path == "/robots.txt":
		says = "says what crawlers may do"
	case err != nil || a.Status == http.StatusOK && !response.IsHTML(a.Header.Get("Content-Type")):
		return &at
	case a.Status != http.StatusOK:
		says = "is answered with " + pages.Status(a.Status)
	}
	c.Facts = append(c.Facts, at.String()+" "+says+", and no sitemap. So the sitemap of the site was checked.")
	return nil
}

// guess finds the sitemap of a site that names none.
func (c *checker) guess(ctx context.Context) (string, error) {
	site, tried, status := address.Site(c.at(c.Origin)), "", 0 // the first that is not there, or that does not tell
	for _, path := range usual {
		u := on(c.Origin, path)
		a, err := c.follow(ctx, u, pages.MaxBytes) // a sitemap is read later
		if err != nil {
			return "", err
		}
		if a.Status == http.StatusOK || pages.Wall(a.Status, a.Header, a.Body) != "" {
			return u.String(), nil
		}
		if tried == "" || isSilent(a.Status) && !isSilent(status) {
			tried, status = path+" is answered with "+c.why(a), a.Status
		}
		if c.silent != "" && isSilent(status) { // the others will say no more
			break
		}
	}
	unknown := isSilent(status)
	if status == http.StatusForbidden { // a store of files refuses so those that it has not
		home, err := c.follow(ctx, on(c.Origin, "/"), 0)
		unknown = err == nil && home.Status == status
	}
	switch {
	case c.silent != "":
		return "", fmt.Errorf("%s answers for robots.txt %s, and %s; %w", site, c.silent, tried, ErrRefused)
	case unknown:
		return "", fmt.Errorf("%s names no sitemap in a robots.txt, and %s; %w", site, tried, ErrRefused)
	}
	return "", fmt.Errorf("%w: %s names none of its own in a robots.txt, and %s", ErrNone, site, tried)
}

// isSilent reports whether an answer does not tell if a file is there: the server fails, asks for patience, or for a
// log-in.
func isSilent(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusUnauthorized
}

// why says how a server refuses a file. One that has none may say why.
func (c *checker) why(a answer) string {
	says := ""
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/plain") {
		says = ", which says: " + html.PlainText(a.Body, 500)
	} else if a.Status == http.StatusUnauthorized {
		says = ", which asks for a log-in"
	}
	return pages.Status(a.Status) + says
}

// mostHosts is how many other hosts are asked.
const mostHosts = 5

// shows reports whether another host shows the pages of this one, by one of them.
func (c *checker) shows(ctx context.Context, there *url.URL) bool {
	host, here := address.Host(there), *there
	here.Scheme, here.Host = c.Origin.Scheme, c.Origin.Host
	if _, asked := c.shown[host]; !asked && len(c.shown) < mostHosts && c.may(&here) {
		both := []*pages.Page{{Entry: listing.Entry{Loc: there.String()}}, {Entry: listing.Entry{Loc: here.String()}}}
		_, _ = c.ask(ctx, both)
		c.shown[host] = both[0].Shows(both[1]) || both[1].Read && both[0].Err != nil // as of a site that is not there yet
	}
	return c.shown[host]
}

// vouches reports whether the robots.txt of another host names a sitemap of this one. One that nobody else reaches, such as
// this machine, does for nobody: the site itself may answer there.
func (c *checker) vouches(ctx context.Context, u *url.URL) bool {
	if !c.public(u) {
		return false
	}
	host := address.Host(u)
	text, asked := c.vouched[host]
	if !asked && len(c.vouched) < mostHosts {
		if a, err := c.follow(ctx, on(u, "/robots.txt"), robots.Enough); err == nil && a.Status == http.StatusOK {
			text = string(a.Body)
		}
		c.vouched[host] = text
	}
	for line := range robots.Sitemaps([]byte(text)) {
		if named, err := url.Parse(line); err == nil && c.read[address.Key(named)] {
			return true
		}
	}
	return false
}

// file is one that was asked for.
type file struct {
	*url.URL
	answer
}

// files asks for files that were not read yet, some at once, and yields them in their order.
func (c *checker) files(ctx context.Context, names []string) iter.Seq[*file] {
	return func(yield func(*file) bool) {
		for some := range slices.Chunk(names, mostAtOnce) {
			var all []*file
			for _, name := range some {
				u, err := url.Parse(name)
				if err != nil || c.read[address.Key(u)] {
					continue // it was checked
				}
				if c.doubt = c.doubt || len(c.read) == mostFiles; len(c.read) == mostFiles {
					c.limit(errBound{words.Number(mostFiles) + " files were read; the rest was not"})
					break
				}
				c.read[address.Key(u)] = true
				all = append(all, &file{URL: u})
			}
			together(mostAtOnce, len(all), func(i int) { all[i].answer, all[i].Err = c.follow(ctx, all[i].URL, listing.MaxBytes) })
			for _, f := range all {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// sitemap judges one sitemap, and its parts if it is an index. alone says that there is no other to check.
func (c *checker) sitemap(ctx context.Context, f *file, alone bool) error {
	isNamed := c.isNamed[address.Key(f.URL)] || alone && c.isPart(ctx, f.URL)
	c.judge.Folder = f.Path[:strings.LastIndexByte(f.Path, '/')+1]
	if isNamed || c.judge.Folder == "" {
		c.judge.Folder = "/"
	}
	from := ""
	if c.isNamed[address.Key(f.URL)] {
		from = " (robots.txt names it)"
	}
	parts, err := c.take(ctx, f, alone, from)
	if err != nil {
		return err
	}
	from = " (" + strings.TrimPrefix(f.String(), c.Site) + " names it)"
	for part := range c.files(ctx, parts) {
		if more, err := c.take(ctx, part, false, from); err != nil {
			return err
		} else if len(more) > 0 {
			c.Add("nested", report.At{Where: part.String()}, "is an index, and named by an index; what it names was not read")
		}
	}
	told := isNamed || c.blind || c.Has("robots-line")
	if !told && len(c.judge.Pages) > 0 && c.Files[len(c.Files)-1].Form != "" { // else it may be no sitemap
		c.Add("unnamed", report.At{Where: f.String()}, "is found by crawlers once robots.txt has the line Sitemap: %s", f.String())
	}
	return nil
}

// isPart reports whether an index that robots.txt names has a file.
func (c *checker) isPart(ctx context.Context, u *url.URL) (is bool) {
	for _, name := range c.named[:min(len(c.named), mostAtOnce)] {
		if at, err := url.Parse(name); err == nil {
			a, _ := c.follow(ctx, at, listing.MaxBytes)
			text, _, _ := strict.Unpack(a.Body, listing.MaxBytes)
			found := false
			index, _ := sitemap.Read(ctx, text, func(part string) { found = found || address.KeyOf(part) == address.Key(u) })
			is = is || index && found && a.Status == http.StatusOK
		}
	}
	return is
}

// take judges what came for a file, and returns the files that it names if it is an index. alone says that without it
// there is nothing to check, and from which file names it.
func (c *checker) take(ctx context.Context, f *file, alone bool, from string) (parts []string, err error) {
	at := report.At{Where: f.String()}
	wall, none := pages.Wall(f.Status, f.Header, f.Body), (*net.DNSError)(nil)
	came := f.Err == nil && f.Status == http.StatusOK && wall == "" && !eligibility.IsLogIn(f.answer.url.String())
	lacks := f.Status == http.StatusNotFound || f.Status == http.StatusGone || errors.As(f.Err, &none) && none.IsNotFound
	c.doubt = c.doubt || !came && !lacks // what is not there lists nothing
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(f.Err, new(errBound)):
		c.limit(f.Err)
		return nil, nil
	case f.Err != nil && alone:
		return nil, fmt.Errorf("%w%s", f.Err, from)
	case f.Err != nil:
		c.Add("unreadable", at, "%s%s", strings.TrimPrefix(f.Err.Error(), f.String()+" "), from)
	case wall != "" && f.Status != http.StatusOK:
		c.Add("wall-file", at, "is answered with %d by %s, in place of the file", f.Status, wall)
	case isSilent(f.Status) && alone:
		return nil, fmt.Errorf("%s is answered with %s; %w", c.at(f.URL), c.why(f.answer), ErrRefused)
	case f.Status != http.StatusOK && alone:
		return nil, fmt.Errorf("%w: %s is answered with %s", ErrNone, c.at(f.URL), c.why(f.answer))
	case f.answer.url != f.URL && eligibility.IsLogIn(f.answer.url.String()):
		c.Add("unreadable", at, "sends who asks to log in, at %s%s", f.url.String(), from)
	case f.Status != http.StatusOK:
		c.Add("unreadable", at, "is answered with %s%s", c.why(f.answer), from)
	default:
		return c.judged(f.answer, f.URL), nil
	}
	c.Files = append(c.Files, report.File{URL: report.Shorten(f.String())})
	return nil, nil
}

// judged judges the text of a file.
func (c *checker) judged(a answer, u *url.URL) (parts []string) {
	moved := address.Key(a.url) != address.Key(u)
	if moved {
		c.Add("moved", report.At{Where: u.String()}, "redirects to %s", a.url.String())
	}
	if line := c.judge.Disallows(u.RequestURI()); address.Host(u) == address.Host(c.Origin) && line != "" {
		c.Add("robots-blocks-file", report.At{Where: u.String()}, "is disallowed by %q in robots.txt; this check read it "+
			"all the same", line)
	}
	f, parts := c.judge.File(listing.Answer{
		URL: u, Body: a.Body, ContentType: a.Header.Get("Content-Type"), Encoding: a.Header.Get("Content-Encoding"),
	})
	if moved {
		f.To = a.url.String()
	}
	c.Files = append(c.Files, f)
	if c.judge.Full {
		c.limit(errBound{"more than 1,000,000 pages are listed; the rest was not read"})
	}
	return parts
}

// limit notes a bound that was met, once. Where the check stops, it says what is missing.
func (c *checker) limit(err error) {
	text := err.Error()
	if slices.ContainsFunc(c.Limits, func(l string) bool { return strings.HasPrefix(l, text) }) {
		return
	}
	if strings.HasPrefix(text, stopped) {
		text += "; " + c.ahead + c.uncrawled
	}
	c.Limits = append(c.Limits, text)
}

// Nowhere returns what a site shows where it has no page, nil if it shows none there, or its robots.txt lets nobody ask.
func Nowhere(ctx context.Context, client *http.Client, agent string, site *url.URL) *pages.Page {
	c := &checker{fetcher: fetcher{Config: Config{URL: site, Origin: site}, client: client, agent: agent}, now: time.Now()}
	switch txt, err := c.request(ctx, on(site, "/robots.txt"), robots.Enough); {
	case err != nil, explore.Repeats(txt.Status): // then the crawl waits
		return nil
	case txt.Status == http.StatusOK:
		c.robots = robots.Parse(txt.Body)
	}
	p, to := c.askNowhere(ctx, address.Site(site)+"/")
	if to != nil {
		return nil
	}
	return p
}

// moved returns where a site is whose robots.txt is at another URL: at the same path by https, or on the host with or
// without www.
func moved(u, txt *url.URL) *url.URL {
	bare := func(u *url.URL) string { return strings.TrimPrefix(u.Hostname(), "www.") }
	to := *u
	if txt.Path == "/robots.txt" && bare(txt) == bare(u) {
		to.Scheme, to.Host = txt.Scheme, txt.Host
	}
	return &to
}

// Follow returns where a site is whose robots.txt redirects. Its error begins with the address.
func Follow(ctx context.Context, client *http.Client, agent string, u *url.URL) (*url.URL, error) {
	f := &fetcher{Config: Config{URL: u, Origin: u}, client: client, agent: agent}
	for range 3 {
		a, err := f.request(ctx, on(u, "/robots.txt"), 0)
		if err != nil {
			return nil, err
		}
		if a.leads() == nil || *moved(u, a.leads()) == *u {
			break
		}
		u = moved(u, a.leads())
	}
	return u, nil
}
