// Package check reads a served sitemap as a validator and a crawler do, and says what they would
// object to. It fetches the sitemap, robots.txt and some of the listed pages, and changes nothing.
package check

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/extension"
)

// Finding is something that a validator or a crawler would object to.
type Finding struct {
	Level string `json:"level"` // "fault", or "advice" for what is allowed and does not help
	Where string `json:"where"` // the file, the URL of a page, or how many more there are
	Text  string `json:"text"`
}

// Config says what to check, and who gets the findings.
type Config struct {
	URL    *url.URL // of the sitemap, or of the site, whose robots.txt names it
	Origin *url.URL // of the pages
	Pages  int      // how many of the listed pages to fetch at most
	Tell   func(Finding)
}

// checker reads a sitemap as a crawler does.
type checker struct {
	Config
	client *http.Client
	server *url.URL // which has the sitemap, or names it
	robots *robots.Rules
	named  bool // robots.txt names the sitemap
	seen   map[string]bool
	pages  []string // on the host of the sitemap
	listed int      // on any host
	faults int
	dates  map[string]int // how many pages have a lastmod in each hour
}

// fewDates is how many pages a sitemap has if nine in ten may not have a lastmod in the same hour.
const fewDates = 10

// patience is for one answer.
const patience = 30 * time.Second

// newChecker returns a checker whose client connects to no private address unless that of the URL is one:
// robots.txt may name any host.
func newChecker(cfg Config) (*checker, error) {
	origin, err := location.ParseOrigin(cfg.URL.Scheme + "://" + cfg.URL.Host)
	if err != nil {
		return nil, err
	}
	client := explore.NewClient(origin)
	client.Timeout = patience
	return &checker{Config: cfg, client: client, server: cfg.URL, seen: map[string]bool{}, dates: map[string]int{}}, nil
}

// Run checks a sitemap, the files that it names if it is an index, and some of the pages. It returns
// how many pages are listed and how many faults it reported. The error says why there is nothing to
// check, or is that of ctx.
func Run(ctx context.Context, cfg Config) (pages, faults int, err error) {
	c, err := newChecker(cfg)
	if err != nil {
		return 0, 0, err
	}
	same := c.Origin == c.URL
	if strings.Trim(c.URL.Path, "/") == "" {
		if c.URL, err = Follow(ctx, c.client, agent, c.URL); err != nil {
			return 0, 0, err
		}
		if same {
			c.Origin = c.URL
		}
		c.server = c.URL
	}
	named, err := c.sitemaps(ctx)
	for _, name := range named {
		if err == nil {
			c.URL, err = url.Parse(name)
		}
		if err == nil {
			err = c.sitemap(ctx)
		}
		if err != nil && len(named) > 1 && ctx.Err() == nil {
			c.fault(name, "cannot be read: %v", err)
			err = nil
		} else if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	rand.Shuffle(len(c.pages), func(i, j int) { c.pages[i], c.pages[j] = c.pages[j], c.pages[i] })
	for _, loc := range c.pages[:min(c.Pages, len(c.pages))] {
		if ctx.Err() == nil {
			c.page(ctx, loc)
		}
	}
	for hour, n := range c.dates {
		if c.listed >= fewDates && 10*n >= 9*c.listed {
			c.fault(c.URL.String(), "gives %d of its %d pages a lastmod of one time, %s; that is the time of a build, and engines ignore it", n, c.listed, hour)
		}
	}
	return c.listed, c.faults, ctx.Err()
}

// agent is the name of the checker.
const agent = "servemap-check (+https://github.com/servemap/servemap)"

// Follow returns where a site is, if its robots.txt redirects to the same path by https, or on the host
// with or without www.
func Follow(ctx context.Context, client *http.Client, agent string, u *url.URL) (*url.URL, error) {
	for range 3 {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.Scheme+"://"+u.Host+"/robots.txt", nil)
		if err != nil {
			return nil, err
		}
		r.Header.Set("User-Agent", agent)
		resp, err := client.Do(r)
		if err != nil {
			return nil, errors.Unwrap(err) // without the URL
		}
		resp.Body.Close()
		to, err := resp.Location()
		bare := func(host string) string { return strings.TrimPrefix(host, "www.") }
		if err != nil || to.Path != "/robots.txt" || bare(to.Host) != bare(u.Host) || to.Host == u.Host && to.Scheme == u.Scheme {
			return u, nil
		}
		next := *u
		next.Scheme, next.Host = to.Scheme, to.Host
		u = &next
	}
	return u, nil
}

// sitemaps returns the URLs of the sitemaps to check, and reads what the site's robots.txt disallows. If
// nobody says where the sitemap is, it is where most are.
func (c *checker) sitemaps(ctx context.Context) (named []string, err error) {
	if resp, text, err := c.get(ctx, c.root()+"/robots.txt"); err == nil && resp.StatusCode == http.StatusOK {
		c.robots = robots.Parse(text)
		for name := range robots.Sitemaps(text) {
			if at, err := c.URL.Parse(name); err == nil {
				named = append(named, at.String())
			}
		}
	}
	switch {
	case strings.Trim(c.URL.Path, "/") != "":
		c.named = slices.ContainsFunc(named, func(n string) bool { return strings.HasSuffix(n, c.URL.Path) })
		named = []string{c.URL.String()}
	case len(named) > 0:
		c.named = true
	default:
		named = []string{c.root() + "/sitemap.xml"}
	}
	return named, ctx.Err()
}

// sitemap checks one sitemap.
func (c *checker) sitemap(ctx context.Context) error {
	text, err := c.read(ctx, c.URL.String())
	if err != nil {
		return err
	}
	for _, part := range c.file(c.URL.String(), text) {
		text, err := c.read(ctx, part)
		if ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			c.fault(part, "is named by the index and cannot be read: %v", err)
		} else if len(c.file(part, text)) > 0 {
			c.fault(part, "is an index within an index")
		}
	}
	if !c.named && len(c.pages) > 0 { // else it may be no sitemap
		c.Tell(Finding{"advice", c.URL.String(), "robots.txt does not name it; crawlers find it by a line such as: Sitemap: " + c.root() + c.URL.Path})
	}
	return nil
}

// told is how many faults are told. All are counted.
const told = 100

func (c *checker) fault(where, text string, args ...any) {
	if c.faults++; c.faults <= told {
		c.Tell(Finding{"fault", where, fmt.Sprintf(text, args...)})
	}
}

// read returns a file of the sitemap. A server that has none may say why.
func (c *checker) read(ctx context.Context, name string) ([]byte, error) {
	resp, body, err := c.get(ctx, name)
	if err != nil || resp.StatusCode == http.StatusOK {
		return body, err
	}
	says := ""
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		says = " and says: " + html.PlainText(body, 500)
	}
	return nil, fmt.Errorf("the server answers %s%s", resp.Status, says)
}

// get requests a URL. It asks the server that it was given for URLs of the site, which may have another
// address, such as the one in front of a proxy.
func (c *checker) get(ctx context.Context, address string) (*http.Response, []byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, err
	}
	if u.Scheme == c.Origin.Scheme && strings.EqualFold(u.Host, c.Origin.Host) {
		u.Scheme, u.Host = c.server.Scheme, c.server.Host
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("User-Agent", agent)
	resp, err := c.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	from := bufio.NewReader(resp.Body)
	if head, _ := from.Peek(2); string(head) == "\x1f\x8b" { // a file such as sitemap.xml.gz
		packed, err := gzip.NewReader(from)
		if err != nil {
			return nil, nil, err
		}
		from = bufio.NewReader(packed)
	}
	body, err := io.ReadAll(io.LimitReader(from, sitemap.MaxBytes+1))
	return resp, body, err
}

// document is a sitemap, or an index of some.
type document struct {
	XMLName xml.Name
	Pages   []entry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 url"`
	Files   []entry `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemap"`
}

// entry is what a sitemap says about a page, or an index about a file.
type entry struct {
	Loc     []string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
	LastMod []string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 lastmod"`
}

const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

// mostElements bounds what a file of a stranger costs to read: 60 for each of 50,000 entries.
const mostElements = 60 * sitemap.MaxURLs

// file checks a file, and returns the files that it names if it is an index.
func (c *checker) file(name string, text []byte) (parts []string) {
	if len(text) > sitemap.MaxBytes || bytes.Count(text, []byte("<")) > 2*mostElements {
		c.fault(name, "has more than %d bytes, or %d elements", sitemap.MaxBytes, mostElements)
		return nil
	}
	tokens := xml.NewDecoder(bytes.NewReader(text))
	tokens.CharsetReader = func(label string, _ io.Reader) (io.Reader, error) {
		return nil, fmt.Errorf("it is in %s, and a sitemap must be in UTF-8", label)
	}
	var doc document
	err := tokens.Decode(&doc)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		c.fault(name, "is not well-formed XML: %v", err)
		return nil
	}
	isIndex := doc.XMLName.Local == "sitemapindex"
	if doc.XMLName.Space != namespace || doc.XMLName.Local != "urlset" && !isIndex {
		c.fault(name, "begins with <%s> of the namespace %q; it must be <urlset> or <sitemapindex> of %q", doc.XMLName.Local, doc.XMLName.Space, namespace)
		return nil
	}
	all, to := doc.Pages, &c.pages
	if isIndex {
		all, to = doc.Files, &parts
	} else {
		c.listed += len(all)
	}
	switch {
	case len(all) == 0:
		c.fault(name, "names nothing; a sitemap must have an entry")
	case len(all) > sitemap.MaxURLs:
		c.fault(name, "has more than %d entries", sitemap.MaxURLs)
	}
	for _, e := range all {
		if loc := c.entry(name, e); loc != "" {
			*to = append(*to, loc)
		}
	}
	return parts
}

// entry checks an entry. It returns its address, "" if that is invalid.
func (c *checker) entry(name string, e entry) string {
	if len(e.Loc) != 1 || len(e.LastMod) > 1 {
		c.fault(name, "has an entry without <loc>, or with an element twice")
		return ""
	}
	loc := strings.TrimSpace(e.Loc[0])
	for _, t := range e.LastMod {
		c.dates[c.date(loc, t)]++
	}
	u, err := url.Parse(loc)
	switch {
	case err != nil || !extension.ValidURL(loc):
		c.fault(loc, "is no absolute URL, is too long, or has characters that must be encoded")
		return ""
	case c.seen[loc]:
		c.fault(loc, "is listed twice")
		return ""
	}
	c.seen[loc] = true
	switch {
	case !strings.EqualFold(u.Host, c.Origin.Host):
		c.fault(loc, "is on another host than the sitemap; give -origin and that host if the sitemap is only read from elsewhere")
		return ""
	case u.Scheme != c.Origin.Scheme:
		c.fault(loc, "is on %s, and the sitemap on %s", u.Scheme, c.Origin.Scheme)
		return ""
	case !strings.HasPrefix(u.Path, c.URL.Path[:strings.LastIndexByte(c.URL.Path, '/')+1]):
		c.fault(loc, "is not below the folder of the sitemap")
	case !c.robots.Allows(u.RequestURI()):
		c.fault(loc, "is disallowed by robots.txt")
	}
	return loc
}

// date checks a lastmod, and returns its hour, or what else it says.
func (c *checker) date(loc, text string) (hour string) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"} {
		if at, err := time.Parse(layout, text); err == nil {
			if at.After(time.Now().Add(time.Hour)) {
				c.fault(loc, "has a lastmod in the future")
			}
			if len(text) <= len(time.DateOnly) {
				return text
			}
			return at.UTC().Format("2006-01-02, 15h UTC")
		}
	}
	c.fault(loc, "has the lastmod %q; it must be as 2026-11-01 or 2026-11-01T08:00:00Z", text)
	return text
}

func (c *checker) root() string { return c.Origin.Scheme + "://" + c.Origin.Host }

func (c *checker) page(ctx context.Context, loc string) {
	resp, body, err := c.get(ctx, loc)
	switch {
	case err != nil:
		c.fault(loc, "cannot be fetched: %v", err)
		return
	case resp.StatusCode/100 == 3:
		c.fault(loc, "redirects to %s; list that", resp.Header.Get("Location"))
		return
	case resp.StatusCode != http.StatusOK:
		c.fault(loc, "is answered with %s", resp.Status)
		return
	}
	facts := html.Read(body, html.Options{ContentType: resp.Header.Get("Content-Type")})
	if noIndex, _, _ := html.Robots(resp.Header["X-Robots-Tag"]); noIndex || facts.NoIndex {
		c.fault(loc, "says noindex")
	}
	at, _ := url.Parse(loc) // it was checked
	to, err := at.Parse(facts.Canonical)
	if err != nil || facts.Canonical == "" {
		return
	}
	if to.Fragment, to.Path = "", cmp.Or(to.Path, "/"); to.String() != loc {
		c.fault(loc, "names another page as canonical")
	}
}
