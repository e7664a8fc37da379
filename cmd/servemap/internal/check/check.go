// Package check reads a served sitemap as a validator and a crawler do, and says what they
// would object to. It takes the URL of a sitemap, or a file, and returns findings. It
// fetches the sitemap, robots.txt and some of the listed pages, and changes nothing.
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
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/page/html"
	"github.com/servemap/servemap/internal/page/robots"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/extension"
)

// Finding is something that a validator or a crawler would object to.
type Finding struct {
	Level string `json:"level"` // "fault", or "advice" for what is allowed and does not help
	Where string `json:"where"` // the file, or the URL of a page
	Text  string `json:"text"`
}

// Config says what to check, and who gets the findings.
type Config struct {
	Name   string   // the URL of a sitemap, or the name of a file
	Origin *url.URL // of the pages; nil takes that of the URL, or of the first page in a file
	Pages  int      // how many of the listed pages to fetch at most, if Name is a URL
	Tell   func(Finding)
}

// checker reads a sitemap as a crawler does.
type checker struct {
	Config
	client *http.Client
	from   *url.URL // the server to ask, nil for files
	robots *robots.Rules
	seen   map[string]bool
	pages  []string // on the host of the sitemap
	listed int      // on any host
	dates  map[string]int
	faults int
}

const (
	checkPatience = 30 * time.Second // for one answer
	fewDates      = 20               // pages after which one date for all is suspicious
)

// Run checks a sitemap and some of its pages. If it is an index, Run checks its files too.
// Run returns how many pages are listed and how many faults it reported. The error says why
// there is nothing to check, or is that of ctx.
func Run(ctx context.Context, cfg Config) (pages, faults int, err error) {
	c := &checker{Config: cfg, seen: map[string]bool{}, dates: map[string]int{}}
	c.client = &http.Client{Timeout: checkPatience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if strings.Contains(c.Name, "://") {
		if c.from, err = url.Parse(c.Name); err != nil {
			return 0, 0, err
		}
		c.Origin = cmp.Or(c.Origin, c.from)
		c.readRobots(ctx, c.Name)
	}
	if err := c.files(ctx); err != nil {
		return 0, c.faults, err
	}
	if len(c.pages) > fewDates && len(c.dates) == 1 && slices.Contains(slices.Collect(maps.Values(c.dates)), len(c.pages)) {
		c.advise(c.Name, "all pages have the same lastmod; crawlers will not believe it")
	}
	if c.from != nil {
		c.sample(ctx)
	}
	return c.listed, c.faults, ctx.Err()
}

// files checks the sitemap and the files that it names.
func (c *checker) files(ctx context.Context) error {
	text, err := c.read(ctx, c.Name)
	if err != nil {
		return err
	}
	for _, part := range c.file(c.Name, text) {
		text, err := c.read(ctx, c.beside(c.Name, part))
		if err != nil {
			c.fault(part, "is named by the index and cannot be read: %v", err)
		} else if len(c.file(part, text)) > 0 {
			c.fault(part, "is an index within an index")
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (c *checker) fault(where, text string, args ...any) {
	c.faults++
	c.Tell(Finding{"fault", where, fmt.Sprintf(text, args...)})
}

func (c *checker) advise(where, text string) { c.Tell(Finding{"advice", where, text}) }

// beside returns where to read a file of an index: on the server that is asked, or in the
// folder of the index.
func (c *checker) beside(index, part string) string {
	if c.from == nil {
		return filepath.Join(filepath.Dir(index), part[strings.LastIndexByte(part, '/')+1:])
	}
	return part
}

// read returns a sitemap, decompressed.
func (c *checker) read(ctx context.Context, name string) ([]byte, error) {
	var text []byte
	if c.from == nil {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if text, err = readSome(f); err != nil {
			return nil, err
		}
	} else {
		resp, body, err := c.get(ctx, name)
		switch {
		case err != nil:
			return nil, err
		case resp.StatusCode != http.StatusOK:
			return nil, fmt.Errorf("the server answers %s%s", resp.Status, excerpt(resp.Header.Get("Content-Type"), body))
		case !strings.Contains(resp.Header.Get("Content-Type"), "xml") && !strings.HasSuffix(name, ".gz"):
			c.advise(name, fmt.Sprintf("the Content-Type is %q; it should be application/xml", resp.Header.Get("Content-Type")))
		}
		text = body
	}
	if !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
		return text, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return readSome(z)
}

// excerpt returns the beginning of a plain text on one line: a server that has no sitemap may say why.
func excerpt(contentType string, body []byte) string {
	const most = 500
	words := strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), most)]), ""))
	if len(words) == 0 || !strings.HasPrefix(contentType, "text/plain") {
		return ""
	}
	return " and says: " + strings.Join(words, " ")
}

// readSome reads at most one byte more than a sitemap may have.
func readSome(r io.Reader) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, sitemap.MaxBytes+1))
}

// get requests a URL. It asks the server in from for URLs of the site, which may have another
// address, such as the one behind a proxy.
func (c *checker) get(ctx context.Context, address string) (*http.Response, []byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, nil, err
	}
	if u.Scheme == c.Origin.Scheme && u.Host == c.Origin.Host {
		u.Scheme, u.Host = c.from.Scheme, c.from.Host
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("User-Agent", "servemap-check")
	resp, err := c.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := readSome(resp.Body)
	return resp, body, err
}

// entry is what a sitemap says about a page, or an index about a file.
type entry struct {
	Loc        []string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 loc"`
	LastMod    []string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 lastmod"`
	ChangeFreq []string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 changefreq"`
	Priority   []string `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 priority"`
}

const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

// file checks a file, and returns the files that it names if it is an index.
func (c *checker) file(name string, text []byte) (parts []string) {
	if len(text) > sitemap.MaxBytes {
		c.fault(name, "has more than %d bytes", sitemap.MaxBytes)
	}
	d := xml.NewDecoder(bufio.NewReader(bytes.NewReader(text)))
	root, entries := "", 0
	for {
		token, err := d.Token()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.fault(name, "is not well-formed: %v", err)
				return parts
			}
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root == "" {
			if root = start.Name.Local; start.Name.Space != namespace || root != "urlset" && root != "sitemapindex" {
				c.fault(name, "begins with <%s> of the namespace %q; it must be <urlset> or <sitemapindex> of %q", root, start.Name.Space, namespace)
				return nil
			}
			continue
		}
		var e entry
		if want := map[string]string{"urlset": "url", "sitemapindex": "sitemap"}[root]; start.Name.Local != want {
			c.fault(name, "has <%s> where <%s> must be", start.Name.Local, want)
		}
		if err := d.DecodeElement(&e, &start); err != nil {
			c.fault(name, "is not well-formed: %v", err)
			return parts
		}
		entries++
		before := len(c.seen)
		loc := c.entry(name, e)
		if root == "urlset" {
			c.listed += len(c.seen) - before
		}
		if loc != "" && root == "urlset" {
			c.pages = append(c.pages, loc)
		} else if loc != "" {
			parts = append(parts, loc)
		}
	}
	switch {
	case root == "":
		c.fault(name, "is no sitemap: there is no XML in it")
	case entries == 0:
		c.fault(name, "names nothing; a sitemap must have an entry")
	case entries > sitemap.MaxURLs:
		c.fault(name, "has %d entries, and may have %d", entries, sitemap.MaxURLs)
	}
	return parts
}

// entry checks an entry. It returns its address, "" if that is invalid.
func (c *checker) entry(name string, e entry) string {
	if len(e.Loc) != 1 || len(e.LastMod) > 1 || len(e.ChangeFreq) > 1 || len(e.Priority) > 1 {
		c.fault(name, "has an entry without <loc>, or with an element twice")
		return ""
	}
	loc := strings.TrimSpace(e.Loc[0])
	for _, t := range e.LastMod {
		c.date(loc, t)
	}
	for _, f := range e.ChangeFreq {
		if !slices.Contains([]string{"always", "hourly", "daily", "weekly", "monthly", "yearly", "never"}, f) {
			c.fault(loc, "has the changefreq %q; it must be always, hourly, daily, weekly, monthly, yearly or never", f)
		}
	}
	for _, p := range e.Priority {
		if n, err := strconv.ParseFloat(p, 64); err != nil || n < 0 || n > 1 {
			c.fault(loc, "has the priority %q; it must be from 0 to 1", p)
		}
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
	c.Origin = cmp.Or(c.Origin, u) // in a file, the first page says which site it is
	switch {
	case u.Scheme != c.Origin.Scheme || u.Host != c.Origin.Host:
		c.fault(loc, "is on another host than the sitemap; give -origin and that host if the sitemap is only read from elsewhere")
		return ""
	case c.from != nil && !strings.HasPrefix(u.Path, c.from.Path[:strings.LastIndexByte(c.from.Path, '/')+1]):
		c.fault(loc, "is not below the folder of the sitemap")
	case !c.robots.Allows(u.RequestURI()):
		c.fault(loc, "is disallowed by robots.txt")
	}
	return loc
}

// date checks a lastmod.
func (c *checker) date(loc, text string) {
	c.dates[text]++
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04Z07:00", time.DateOnly, "2006-01", "2006"} {
		if at, err := time.Parse(layout, text); err == nil {
			if at.After(time.Now().Add(time.Hour)) {
				c.fault(loc, "has a lastmod in the future")
			}
			return
		}
	}
	c.fault(loc, "has the lastmod %q; it must be as 2026-11-01 or 2026-11-01T08:00:00Z", text)
}

// readRobots reads what the site's robots.txt disallows, and whether it names the sitemap.
func (c *checker) readRobots(ctx context.Context, name string) {
	resp, text, err := c.get(ctx, c.Origin.Scheme+"://"+c.Origin.Host+"/robots.txt")
	if err != nil {
		return // the sitemap will show what is wrong with the server
	}
	named := false
	if resp.StatusCode == http.StatusOK {
		c.robots = robots.Parse(text)
		for line := range strings.Lines(string(text)) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			named = named || strings.EqualFold(key, "sitemap") && strings.HasSuffix(strings.TrimSpace(value), c.from.Path)
		}
	}
	if !named {
		c.advise(name, "robots.txt does not name it; crawlers find it by a line such as: Sitemap: "+c.Origin.Scheme+"://"+c.Origin.Host+c.from.Path)
	}
}

// sample checks some of the pages, spread over the sitemap.
func (c *checker) sample(ctx context.Context) {
	n := min(c.Pages, len(c.pages))
	for i := range n {
		if ctx.Err() != nil {
			return
		}
		c.page(ctx, c.pages[i*len(c.pages)/n])
	}
}

func (c *checker) page(ctx context.Context, loc string) {
	resp, body, err := c.get(ctx, loc)
	switch {
	case err != nil:
		c.fault(loc, "cannot be fetched: %v", err)
		return
	case resp.StatusCode != http.StatusOK:
		c.fault(loc, "is answered with %s", resp.Status)
		return
	}
	facts := html.Read(body, html.Options{ContentType: resp.Header.Get("Content-Type")})
	if noIndex, _, _ := html.Robots(resp.Header["X-Robots-Tag"]); noIndex || facts.NoIndex {
		c.fault(loc, "says noindex")
	}
	u, err := url.Parse(loc)
	if err != nil || facts.Canonical == "" {
		return
	}
	to, err := u.Parse(facts.Canonical)
	if err != nil {
		return
	}
	if to.Fragment = ""; to.String() != loc {
		c.fault(loc, "names another page as canonical")
	}
}
