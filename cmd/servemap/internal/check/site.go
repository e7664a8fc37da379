package check

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/address"
	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/sitemap/strict"
	"github.com/servemap/servemap/internal/page/words"
)

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
		Disallows: func(path string) string { return barred(c.robots, path) }, Bars: c.bars,
		Vouches: func(u *url.URL) bool { return c.vouches(ctx, u) },
		Shows:   func(u *url.URL) bool { return c.shows(ctx, u) },
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
		c.Add("robots-error", at, "is answered with %s; crawlers fetch nothing while it is (this check went on, to see the "+
			"rest)", pages.Status(a.Status))
	case a.Status == http.StatusOK && response.IsHTML(a.Header.Get("Content-Type")):
		text := "is a page of HTML, which crawlers take for an empty file"
		if address.Key(a.url) != address.KeyOf(at.Where) {
			text += ", and stands at " + report.Shorten(a.url.String())
		}
		c.Add("robots-html", at, "%s", text)
	case a.Status == http.StatusOK:
		c.robots, c.ours = robots.Parse(a.Body), robots.ParseFor(token, a.Body)
		for _, engine := range engines {
			c.own[engine] = robots.ParseFor(engine, a.Body)
		}
		c.sitemapLines(at, a.Body)
	}
	return nil
}

// engines are the crawlers without which few visitors find a site.
var engines = []string{"Googlebot", "bingbot"}

// barred returns the line by which rules disallow a path, "" for none. A line that shuts the whole site is told once,
// and not of each path.
func barred(rules *robots.Rules, path string) string {
	if line := rules.Disallows(path); !forAll(line) {
		return line
	}
	return ""
}

// forAll reports whether a line of robots.txt disallows all paths, as "Disallow: /" and "Disallow: *" do.
func forAll(line string) bool {
	_, pattern, is := strings.Cut(line, ":")
	return is && strings.Trim(pattern, " \t*/") == "" && strings.Count(pattern, "/") <= 1
}

// bars returns the line that disallows a path for one of the engines, and that engine, "" for none.
func (c *checker) bars(path string) (engine, line string) {
	for _, engine := range engines {
		if line = barred(c.own[engine], path); line != "" {
			return engine, line
		}
	}
	return "", ""
}

// shut tells whether robots.txt disallows the site for all crawlers, or for one without which few find it, but for what
// another line allows. A site that lists no more than that is not shut.
func (c *checker) shut() {
	most := 0 // listed pages
	shuts := func(rules *robots.Rules) bool {
		n := 0
		for _, e := range c.judge.Pages {
			if u, err := url.Parse(e.Loc); err == nil && forAll(rules.Disallows(u.RequestURI())) {
				n++
			}
		}
		most = max(most, n)
		return n > 0 || len(c.judge.Pages) == 0 && forAll(rules.Disallows("/"))
	}
	var out, in []string // engines
	for _, engine := range engines {
		if shuts(c.own[engine]) {
			out = append(out, engine)
		} else {
			in = append(in, engine)
		}
	}
	kind, whom, all := "blocked-some", strings.Join(out, " and "), shuts(c.robots)
	switch {
	case all && len(in) == 0:
		kind, whom = "blocked", "all crawlers"
	case all:
		whom = "all crawlers but " + strings.Join(in, " and ")
	}
	if whom != "" {
		if of := len(c.judge.Pages); most < of {
			whom += "; by that line " + words.Number(most) + " of " + words.Count(of, "listed page") + " may not be fetched"
		}
		c.Add(kind, report.At{Where: c.Site + "/robots.txt"}, "disallows / for %s", whom)
	}
	for _, f := range c.Files {
		u, err := url.Parse(f.URL)
		if err != nil || f.Form == "" || address.Host(u) != address.Host(c.Origin) {
			continue
		}
		if line := c.robots.Disallows(u.RequestURI()); line != "" && (!all || barred(c.robots, u.RequestURI()) != "") {
			c.Add("robots-blocks-file", report.At{Where: f.URL}, "is disallowed by %q in robots.txt; this check read it all "+
				"the same", line)
		}
	}
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

// vouches reports whether the robots.txt of another host names a sitemap of this one. One that nobody else reaches,
// such as this machine, does for nobody: the site itself may answer there.
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

// Nowhere returns what a site shows where it has no page, nil if it shows none there, or its robots.txt lets nobody
// ask.
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
