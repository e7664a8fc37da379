// Package check reads a served sitemap as a crawler does, and says what crawlers would object to. It fetches
// robots.txt, the sitemap and some of the listed pages, within bounds, and changes nothing. It makes the requests. The
// packages below it judge the answers and make none.
package check

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/page/sitemap"
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
	own     map[string]*robots.Rules // for engines, by their names
	named   []string                 // by robots.txt
	isNamed map[string]bool          // the same, by key
	judge   *listing.Judge
	read    map[string]bool      // files, by key
	asked   map[string]time.Time // when these were asked for, by address
	vouched map[string]string    // by host, its robots.txt
	shown   map[string]bool      // by host, whether it shows the pages of the site
	blind   bool                 // nobody knows what robots.txt names
	silent  string               // how robots.txt is answered, if that does not tell whether there is one
	doubt   bool                 // what some file lists is not known
	nowhere *pages.Page          // what the site shows where it has no page; may be nil
	load    load                 // that the site bears
	ends    sync.Map             // pages where others lead, by key
	crawled bool                 // the crawl found public pages
	private map[string]bool      // listed pages that look so, by key
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
	c.shut()
	c.Sample.Listed = len(c.judge.Pages) + c.Sample.Elsewhere + c.Sample.Unfit
	none := err
	switch {
	case err == nil && len(c.Files) > 0:
		where := c.Files[0]
		if where.Form != sitemap.Index && len(c.Files) > 1 { // it is about all of them
			where.URL = c.Site
		}
		c.again(ctx)
		c.judge.Dates(where.URL)
		c.pages(ctx)
	case err != nil && ctx.Err() == nil:
		if c.refused(err); c.Linked != nil && (errors.Is(err, ErrNone) || errors.Is(err, ErrRefused)) &&
			!c.silentAtHome(ctx) {
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
	if err == nil && errors.Is(none, ErrRefused) && !c.crawled { // as without a crawl
		err = none
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

// silentAtHome reports whether the start page does not tell either what the site has: then a crawl would only wait.
func (c *checker) silentAtHome(ctx context.Context) bool {
	a, err := c.request(ctx, on(c.Origin, "/"), pages.MaxBytes)
	return err != nil || isSilent(a.Status) && a.Status != http.StatusUnauthorized &&
		pages.Wall(a.Status, a.Header, a.Body) == ""
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
		now: time.Now().UTC(), read: map[string]bool{}, asked: map[string]time.Time{}, isNamed: map[string]bool{},
		vouched: map[string]string{}, shown: map[string]bool{}, own: map[string]*robots.Rules{},
	}
	c.judge = listing.NewJudge(listing.Site{}, c.Report)
	c.Report.Time = c.now.Truncate(time.Second)
	return c, nil
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
