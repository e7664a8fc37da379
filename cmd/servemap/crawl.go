package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/cmd/servemap/internal/check"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/explorer"
	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/cmd/servemap/internal/terminal"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/crawl/explore"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
	"github.com/servemap/servemap/store/memstore"
)

func crawlCommand(s streams, fs *flag.FlagSet) func(context.Context, string) error {
	c := &crawl{streams: s}
	c.Flags(fs, "crawl")
	fs.Lookup("concurrency").DefValue = strconv.Itoa(crawlAtOnce)
	fs.BoolVar(&c.all, "all", false, "name at the end up to 1,000 of each kind of what was left out, and not only the first three")
	c.fail.flag(fs, "such as broken-link; orphan, a listed page without a link that engines follow; "+
		"advice for these two; or fault, which is secrets, and all that check would object to in listed pages")
	fs.StringVar(&c.out, "out", "sitemap.xml", "the `FILE` to write, or - for the standard output")
	return c.run
}

// crawl visits a site of which this process serves nothing. So it stands where a stranger stands: it is an
// exploration of a handler that asks the origin.
type crawl struct {
	streams
	settings.Settings
	out  string
	all  bool
	fail failing
	dir  *os.Root // of out
	site *heard

	through http.RoundTripper // asks in place of a client of its own; may be nil
}

// crawlAtOnce is how many requests of a crawl run at once at most. It comes to that only while answers take no longer
// for it.
const crawlAtOnce = 16

func (c *crawl) run(ctx context.Context, address string) error {
	if err := c.fail.check(crawlKinds); err != nil {
		return err
	}
	password := c.Password
	c.Concurrency = cmp.Or(c.Concurrency, crawlAtOnce)
	c.Fill()
	c.Database = "" // what the environment has is for the processes that serve
	if c.Admin == "" {
		c.Password = password
	}
	log, err := newLog(c.streams, c.Log, c.Level.Level)
	if err != nil {
		return err
	}
	if c.out != "-" {
		if filepath.Ext(c.out) != ".xml" {
			return usage("-out %s: crawl writes a sitemap, so give a name that ends in .xml; servemap check writes reports",
				c.out)
		}
		if c.dir, err = openOut(c.out); err != nil {
			return err
		}
		defer c.dir.Close()
		if err := c.spares(filepath.Base(c.out)); err != nil {
			return err
		}
	}
	if c.site, err = c.find(ctx, address); err != nil {
		return err
	}
	if c.Name = strings.TrimSuffix(filepath.Base(c.out), ".xml"); c.out == "-" {
		c.Name = "sitemap"
	}
	if err := c.Check(); err != nil {
		return usage("%v", err)
	}
	st, end := store.Store(new(memstore.Store)), func() {}
	if c.Data != "" {
		if err := checkData(c.Data); err != nil {
			return err
		}
		if err := ofOtherSite(c.Data, c.Origin); err != nil {
			return err
		}
		if st, end, err = openFolder(ctx, &c.Settings, log, answerPatience); err != nil {
			return err
		}
		if folder, ok := st.(*badgerstore.Store); ok && folder.Health() != nil { // what is learned could not be kept
			defer end()
			return unusable(c.Data, folder.Health())
		}
	}
	a, err := newAnswers(&c.Settings, c.site, st, end, slog.New(unhinted{log.Handler()}))
	if err != nil {
		return err
	}
	return errors.Join(c.visit(ctx, a), a.end())
}

// why says why an exploration failed: not to programs, so without who speaks, and not of this process's own site.
func (c *crawl) why(err error) error {
	if to := (explore.Moved{}); errors.As(err, &to) {
		return fmt.Errorf("%s redirects to %s; if visitors go there, crawl %[2]s", c.Origin, to.To)
	}
	return cmp.Or(errors.Unwrap(err), err)
}

// isCut reports whether an exploration left pages for which it was allowed no request.
func isCut(done servemap.Exploration) bool {
	return done.Waiting > 0 || done.Skipped[eligibility.LinkTooMany.String()] > 0
}

// ofOtherSite refuses a folder in which another site was learned: its pages would leave, one after the other.
func ofOtherSite(data, origin string) error {
	text, err := control.ReadFile(control.Settings(data))
	if err != nil || len(text) == 0 {
		return nil
	}
	sites, err := settings.Read(control.Settings(data), text)
	if err != nil || sites[0].Origin == "" || sites[0].Origin == origin {
		return nil
	}
	return usage("{-data} %s has what was learned of %s; give a folder of its own for %s", data, sites[0].Origin, origin)
}

// find returns the site at an address as strangers see it. Where it redirects to, there is its origin.
func (c *crawl) find(ctx context.Context, address string) (*heard, error) {
	at, bare, err := addressOf(address)
	if err != nil {
		return nil, err
	}
	origin, err := location.ParseOrigin(at.String())
	if err != nil {
		return nil, usage("%v", err)
	}
	client := explore.NewClient(origin)
	if c.through != nil {
		client.Transport = c.through
	}
	u, err := url.Parse(origin.URL(origin.Folder()))
	if err == nil {
		u, err = check.Follow(ctx, client, explore.Agent+agentPage, u)
	}
	if err != nil {
		return nil, cmp.Or(ctx.Err(), mendable(err, bare, origin.Host()))
	}
	c.Origin = strings.TrimSuffix(u.String(), "/")
	if origin, err = location.ParseOrigin(c.Origin); err != nil {
		return nil, usage("%v", err)
	}
	if u.Path != "/" && len(c.Entries) == 0 && isLonePage(ctx, client, u) {
		return nil, usage("%s is a page; crawl takes a site or a folder, such as %s", c.Origin, u.Scheme+"://"+u.Host)
	}
	norm, err := location.New(origin, location.Config{Params: c.Query})
	if err != nil {
		return nil, usage("%v", err)
	}
	site := &heard{origin: origin, norm: norm, all: map[string]*answered{}, more: map[string]bool{},
		linking: map[string]*linkers{}}
	var rules []eligibility.Rule
	for listing, patterns := range map[eligibility.Listing][]string{
		eligibility.Never: c.Never, eligibility.Always: c.Always,
	} {
		for _, pattern := range patterns {
			rules = append(rules, eligibility.Rule{Pattern: pattern, Listing: listing})
		}
	}
	site.rules, _ = eligibility.NewRules(rules) // what is wrong with them, Check says
	if c.through == nil {                       // else check has done both
		site.versions = true
		site.nowhere = check.Nowhere(ctx, client, explore.Agent+agentPage, u)
	}
	site.Handler = site.stranger(client, u)
	return site, nil
}

// isLonePage reports whether an address with a slash at its end, as a folder has it, is that of a page without.
func isLonePage(ctx context.Context, client *http.Client, folder *url.URL) bool {
	get := func(address string) (code int, typ string, to *url.URL) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return 0, "", nil
		}
		r.Header.Set("User-Agent", explore.Agent+agentPage)
		resp, err := client.Do(r)
		if err != nil {
			return 0, "", nil
		}
		resp.Body.Close()
		to, _ = resp.Location()
		return resp.StatusCode, resp.Header.Get("Content-Type"), to
	}
	page := strings.TrimSuffix(folder.String(), "/")
	code, _, to := get(folder.String())
	if code < http.StatusBadRequest && (to == nil || to.String() != page) {
		return false
	}
	code, typ, _ := get(page)
	return code == http.StatusOK && response.IsHTML(typ)
}

// visit crawls, and writes the sitemap.
func (c *crawl) visit(ctx context.Context, a *answers) error {
	a.explorer.Explored, a.explorer.Inside = "", true
	files := a.site.Wrap(a.explorer.Handler) // of -admin "Fetch it now" asks there
	if c.Data != "" {
		end, err := a.answerIn(ctx)
		if err != nil {
			return err
		}
		defer end()
	}
	a.log.Info("crawling", "site", c.Origin, "to", c.out)
	done, err := a.explorer.Explore(ctx, servemap.ExploreOptions{MaxRequests: c.Max, Concurrency: c.Concurrency,
		Progress: explorer.Progress(a.log)})
	if err != nil {
		kept := "nothing is kept without -data"
		if c.Data != "" {
			kept = "what was learned is kept in " + c.Data
		}
		return fmt.Errorf("%w; %s is not written, and %s%s", cmp.Or(ctx.Err(), c.why(err)), c.target(), kept,
			strings.TrimSuffix("."+c.wallsIn(), "."))
	}
	found, err := c.found(ctx, a, done)
	if err != nil {
		return err
	}
	cut, cure, full := "", "", isCut(done)
	if n := done.Skipped[eligibility.LinkFailed.String()]; full {
		cut = fmt.Sprintf("the crawl was cut after %s, by -max", words.Count(done.Requests, "request"))
		cure = "give a greater -max"
	} else if n > 0 {
		cut, cure = "the site refused "+words.Count(n, "page")+", or did not answer", "crawl it again later"
	}
	wrote := c.write(ctx, files, cut, cure, found.none)
	if found.to = c.out; wrote != nil || c.out == "-" {
		found.to = ""
	}
	to := c.streams.out.(terminal.Plain) // as run has made it
	if c.out == "-" {
		to = c.err.(terminal.Plain)
	}
	to.Clear()
	err = errors.Join(found.write(to.To, styleOf(to)), wrote)
	switch {
	case err != nil:
	case full: // a page that always fails was in no file before
		err = exit{codeNo, cut + ", so the sitemap is not whole; " + cure}
	case c.fail.why(found.found()) != "":
		err = endNo(c.fail.why(found.found()))
	}
	if no := (exit{}); c.Admin == "" || err != nil && (!errors.As(err, &no) || no.code != codeNo) {
		return err
	}
	end := error(nil)
	if err != nil { // the exit code says no only when the owner ends this, so why is said before
		if end = errNo; err.Error() != "" {
			a.log.Error(err.Error())
		}
	}
	p := &process{log: a.log, doors: map[string]*door{}}
	d, err := p.at("admin", c.Admin)
	if err != nil {
		return err
	}
	d.lead(p, a.admin("", d.at(), p.key(a.Origin)))
	a.log.Info("the inspector shows what was learned until you end it", "inspector", a.link)
	<-ctx.Done()
	return cmp.Or(d.Close(), end)
}

// target names what the crawl writes.
func (c *crawl) target() string {
	if c.out == "-" {
		return "the sitemap"
	}
	return c.out
}

// write writes the sitemap, each file in one step. An index comes after its parts. A file that has more
// pages stays if cut says why the crawl is not whole, and cure what to do; one that has twice as many stays in any
// case. Of its pages those count that no rule of this crawl keeps out. none says why there is no page, "" if there is
// one.
func (c *crawl) write(ctx context.Context, files http.Handler, cut, cure, none string) error {
	name := c.Name + ".xml"
	code, text := fetch(files, c.Origin+"/"+name)
	switch {
	case none != "":
		return exit{codeNo, fmt.Sprintf("%s is not written, as no page is listed. %s", c.target(), none)}
	case code != http.StatusOK:
		return exit{codeNo, fmt.Sprintf("%s is not written: %s", c.target(),
			bytes.TrimSpace(bytes.Replace(text, []byte(messages.ToOwner()), nil, 1)))}
	}
	var index struct {
		Parts []string `xml:"sitemap>loc"`
	}
	if err := xml.Unmarshal(text, &index); err != nil {
		return err
	}
	if c.out == "-" && len(index.Parts) > 0 {
		return usage("the sitemap has %d parts; give -out FILE", len(index.Parts))
	} else if c.out == "-" {
		_, err := c.streams.out.Write(text)
		return err
	}
	if there := c.there(filepath.Base(c.out)); there != nil {
		was := c.size(ctx, there, func(part string) []byte { return c.there(path.Base(part)) })
		is := c.size(ctx, text, func(part string) []byte { _, text := fetch(files, part); return text })
		if cut == "" && 2*is < was { // as behind a log-in, or while all pages say that the site is closed
			cut, cure = "the crawl found less than half of the pages that the file has", "if that is right, remove the file"
		}
		if cut != "" && is < was {
			return exit{codeNo, fmt.Sprintf("%s; %s is kept, since it has more pages. %s, or give another -out", cut, c.out,
				strings.ToUpper(cure[:1])+cure[1:])}
		}
	}
	for _, part := range index.Parts {
		_, text := fetch(files, part)
		if err := c.replace(path.Base(part), text); err != nil {
			return err
		}
	}
	return c.replace(filepath.Base(c.out), text)
}

// there returns what a plain file has, nil for none: to open a pipe would wait for ever.
func (c *crawl) there(name string) []byte {
	if control.Replaceable(c.dir, name) != nil {
		return nil
	}
	text, _ := c.dir.ReadFile(name)
	return text
}

// size returns how many pages a sitemap has that no rule of this crawl keeps out, in its parts if it is an index.
func (c *crawl) size(ctx context.Context, text []byte, part func(string) []byte) (n int) {
	var all []string
	index, _ := sitemap.Read(ctx, text, func(at string) { all = append(all, at) })
	for _, at := range all {
		if index {
			n += c.size(ctx, part(at), func(string) []byte { return nil }) // an index has no index
		} else if c.site.rule(at) != eligibility.Never {
			n++
		}
	}
	return n
}

func (c *crawl) replace(name string, text []byte) error {
	if err := c.spares(name); err != nil {
		return err
	}
	return control.Replace(c.dir, name, text, 0o644)
}

// isSitemap matches how a sitemap begins, or an index of some.
var isSitemap = regexp.MustCompile(`<(?:\w+:)?(?:urlset|sitemapindex)\b`)

// spares refuses to replace what is no plain file, such as a pipe, and a file of the owner that is no sitemap.
func (c *crawl) spares(name string) error {
	if err := control.Replaceable(c.dir, name); err != nil {
		return err
	}
	f, err := c.dir.Open(name)
	if err != nil { // none is there, or it can only be replaced
		return nil
	}
	defer f.Close()
	begin, _ := io.ReadAll(io.LimitReader(f, 4096))
	if len(begin) > 0 && !isSitemap.Match(begin) {
		return usage("-out %s: %s is no sitemap, and would be replaced; give another name, or remove it", c.out, name)
	}
	return nil
}

// fetch asks a handler in this process.
func fetch(h http.Handler, path string) (code int, text []byte) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.Bytes()
}

// agentPage says who crawls, to owners of sites.
const agentPage = " (+https://github.com/servemap/servemap/blob/main/docs/command.md#servemap-crawl)"

// stranger returns a site as strangers see it: it asks the origin, and breaks off where that does.
func (h *heard) stranger(client *http.Client, origin *url.URL) http.Handler {
	return &httputil.ReverseProxy{
		Transport:      client.Transport,
		ErrorLog:       slog.NewLogLogger(slog.DiscardHandler, 0),
		ModifyResponse: h.hear,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.RawQuery = r.In.URL.RawQuery // as linked
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = origin.Scheme, origin.Host, origin.Host
			r.Out.Header = http.Header{"User-Agent": {explore.Agent + agentPage}, "Accept": r.In.Header["Accept"],
				"Accept-Encoding": {"gzip"}}
		},
		ErrorHandler: func(_ http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() != nil { // the crawl waits no longer
				err = context.DeadlineExceeded
			}
			loc := h.origin.URL(r.URL.RequestURI())
			_ = h.note(loc, judged(loc, "", pages.Answer{Err: fmt.Errorf("%s does not answer: %w", loc, explore.Plain(err))}))
			panic(http.ErrAbortHandler)
		},
	}
}

// wallsIn says which bot walls answered, in sentences, "" for none.
func (c *crawl) wallsIn() (text string) {
	t := &table{got: c.site.answers(), told: map[string]bool{}}
	t.answered(wallsOf(t.got))
	for _, row := range t.rows {
		text += " " + words.Number(row.n) + " " + row.says()
	}
	return text
}
