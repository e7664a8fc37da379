// Cms compares two sitemaps of a content management system: the one that servemap learns, and the
// one that the system makes itself. The scripts in this folder install and fill the systems, and
// call it:
//
//	internal/e2e/cms/wordpress.sh
//	internal/e2e/cms/mediawiki.sh
//	internal/e2e/cms/dokuwiki.sh
//	internal/e2e/cms/cgit.sh
//
// It is a reverse proxy in front of the system. It runs wget through the site, and then prints what
// is missing and what is extra, each with the reason from Explain. It exits with status 1 if
// anything is listed that must not be.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/memstore"
)

// A kind is a group of URLs that people would call by one name.
type kind struct {
	name string
	expr *regexp.Regexp
}

type config struct {
	name, origin, upstream string
	theirs, never          string // files with one URL a line
	cookie                 string // of a logged-in user
	private                *regexp.Regexp
	fine                   []kind
	options                servemap.Options
	walk                   []string // more arguments of wget
}

func main() {
	log.SetFlags(0)
	c, err := parse(os.Args[1:])
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Minute)
	defer cancel()
	bad, err := run(ctx, c)
	if err != nil {
		log.Fatal(err)
	}
	if bad > 0 {
		os.Exit(1)
	}
}

func parse(args []string) (c config, err error) {
	f := flag.NewFlagSet("cms", flag.ContinueOnError)
	f.SetOutput(io.Discard) // the error says what is wrong
	f.StringVar(&c.name, "name", "", "title of the report")
	f.StringVar(&c.origin, "origin", "", "public origin of the site")
	f.StringVar(&c.upstream, "upstream", "", "where the system listens")
	f.StringVar(&c.theirs, "theirs", "", "file with the URLs of the system's own sitemap")
	f.StringVar(&c.never, "never", "", "file with URLs that are visited after the walk, with the cookie and without, and must not be listed")
	f.StringVar(&c.cookie, "cookie", "", "cookies of an editor who visits everything after the walk")
	f.Func("private", "pattern of URLs that must not be listed", func(s string) (err error) {
		c.private, err = regexp.Compile(s)
		return err
	})
	f.Func("fine", "NAME=PATTERN of URLs beyond their sitemap that are fine; may be repeated", func(s string) error {
		name, expr, _ := strings.Cut(s, "=")
		re, err := regexp.Compile(expr)
		c.fine = append(c.fine, kind{name, re})
		return err
	})
	f.Func("query", "Options.Query, with commas", func(s string) error {
		c.options.Query = strings.Split(s, ",")
		return nil
	})
	f.Func("rule", "one of Options.Rules, in JSON; may be repeated", func(s string) error {
		var r servemap.Rule
		d := json.NewDecoder(strings.NewReader(s))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			return err
		}
		c.options.Rules = append(c.options.Rules, r)
		return nil
	})
	f.Func("wget", "a further argument of wget; may be repeated", func(s string) error {
		c.walk = append(c.walk, s)
		return nil
	})
	if err := f.Parse(args); err != nil {
		return c, fmt.Errorf("cms: %w", err)
	}
	if c.origin == "" || c.upstream == "" || c.theirs == "" || f.NArg() > 0 {
		return c, errors.New("cms: -origin, -upstream and -theirs are needed, and no other arguments; see the scripts")
	}
	return c, nil
}

// rig is a site in front of a system, and a client that reaches it.
type rig struct {
	config
	site   *servemap.Site
	client *http.Client
}

func run(ctx context.Context, c config) (bad int, err error) {
	r := &rig{config: c}
	r.options.Logger = slog.New(slog.NewTextHandler(os.Stdout, nil))
	if r.site, err = servemap.New(c.origin, new(memstore.Store), &r.options); err != nil {
		return 0, err
	}
	defer r.site.Close(context.WithoutCancel(ctx))
	front, err := serve(r.site.Wrap(pass(c.upstream)))
	if err != nil {
		return 0, err
	}
	// The origin's name does not resolve. So clients use this as their proxy. It turns their
	// requests into plain requests, as a server of that name gets them.
	way, err := serve(pass(front))
	if err != nil {
		return 0, err
	}
	proxy, _ := url.Parse(way)
	r.client = &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyURL(proxy)},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	fmt.Printf("== %s ==\n", c.name)
	if err := r.walkIt(ctx, way); err != nil {
		return 0, err
	}
	r.tellWalk()
	return r.compare(ctx)
}

func serve(h http.Handler) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() { log.Fatal(http.Serve(l, h)) }()
	return "http://" + l.Addr().String(), nil
}

// pass returns a proxy to a server, which gets the Host of the client's request.
func pass(to string) http.Handler {
	target, err := url.Parse(to)
	if err != nil {
		log.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		p.SetURL(target)
		p.Out.Host = p.In.Host
	}}
}

// walkIt makes wget walk the site as a search engine would.
func (r *rig) walkIt(ctx context.Context, way string) error {
	dir, err := os.MkdirTemp("", "cms-walk-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	args := append([]string{"-q", "-r", "-l", "inf", "--no-cookies", "--delete-after", "--tries=1", "-e", "use_proxy=on", "-e", "http_proxy=" + way}, r.walk...)
	args = append(args, r.origin+"/")
	wget := exec.CommandContext(ctx, "wget", args...)
	wget.Dir = dir
	var failed *exec.ExitError
	if err := wget.Run(); err != nil && (!errors.As(err, &failed) || failed.ExitCode() != 8) { // 8: some answers were errors
		return fmt.Errorf("wget: %w", err)
	}
	return r.site.Flush(ctx)
}

func (r *rig) tellWalk() {
	st := r.site.Stats()
	fmt.Println("ignored:", st.Ignored)
	fmt.Println("locations:", st.Verdicts)
	fmt.Println("dropped:", st.Dropped)
	for _, h := range st.Hints {
		fmt.Println("hint:", h)
	}
}

// compare compares the sitemap with theirs, and returns how many URLs are listed that must not be.
func (r *rig) compare(ctx context.Context) (bad int, err error) {
	theirs, err := lines(r.theirs)
	if err != nil {
		return 0, err
	}
	never, err := lines(r.never)
	if err != nil {
		return 0, err
	}
	if err := r.visitAs(ctx, theirs, never); err != nil {
		return 0, err
	}
	ours, err := r.sitemap(ctx)
	if err != nil {
		return 0, err
	}
	if err := r.tellDifference(ctx, theirs, ours); err != nil {
		return 0, err
	}
	return r.tellBarred(ctx, never, ours), nil
}

// visitAs has logged-in users see everything, and strangers try what they must not see.
func (r *rig) visitAs(ctx context.Context, theirs, never []string) error {
	if r.cookie != "" {
		if err := r.visit(ctx, slices.Concat(theirs, never), r.cookie); err != nil {
			return err
		}
	}
	if err := r.visit(ctx, never, ""); err != nil {
		return err
	}
	return r.site.Flush(ctx)
}

// tellDifference prints which of their URLs are missing in ours, and which of ours are extra.
func (r *rig) tellDifference(ctx context.Context, theirs, ours []string) error {
	want := map[string]bool{}
	missing, extra := groups{}, groups{}
	both := 0
	for _, u := range theirs {
		e, err := r.site.Explain(ctx, u)
		switch {
		case err != nil:
			missing.add("no location", u, err.Error())
			continue
		case want[e.URL]:
			continue // they have it twice
		case slices.Contains(ours, e.URL):
			both++
		default:
			missing.add(string(e.Verdict)+" "+string(e.Reason), e.URL, e.Text+" "+e.SameAs+" "+e.Canonical)
		}
		want[e.URL] = true
	}
	for _, u := range ours {
		if want[u] {
			continue
		}
		e, err := r.site.Explain(ctx, u)
		if err != nil {
			return err
		}
		extra.add(r.kind(u), u, "listed by "+string(e.Reason))
	}
	fmt.Printf("theirs %d, ours %d, in both %d, missing %d, extra %d\n", len(theirs), len(ours), both, missing.size(), extra.size())
	missing.tell("missing")
	extra.tell("extra")
	return nil
}

// tellBarred prints which of our URLs must not be listed, and returns how many they are.
func (r *rig) tellBarred(ctx context.Context, never, ours []string) (bad int) {
	barred := map[string]bool{}
	for _, u := range never {
		if e, err := r.site.Explain(ctx, u); err == nil {
			u = e.URL
		}
		barred[u] = true
	}
	for _, u := range ours {
		if barred[u] || r.private != nil && r.private.MatchString(u) {
			fmt.Println("MUST NOT BE LISTED:", u)
			bad++
		}
	}
	fmt.Printf("must not be listed: %d (of %d visited with the cookie and without, and by pattern)\n\n", bad, len(never))
	return bad
}

func (r *rig) kind(u string) string {
	for _, k := range r.fine {
		if k.expr.MatchString(u) {
			return "fine: " + k.name
		}
	}
	return "not foreseen"
}

// visit gets each URL.
func (r *rig) visit(ctx context.Context, urls []string, cookie string) error {
	for _, u := range urls {
		if _, err := r.get(ctx, u, cookie); err != nil {
			return err
		}
	}
	return nil
}

func (r *rig) get(ctx context.Context, u, cookie string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u, nil)
	if err != nil {
		return nil, err
	}
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// sitemap returns the URLs of the served sitemap; none while nothing is listed yet.
func (r *rig) sitemap(ctx context.Context) (urls []string, err error) {
	at, err := url.JoinPath(r.origin, "sitemap.xml")
	if err != nil {
		return nil, err
	}
	body, err := r.get(ctx, at, "")
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(body, []byte("<?xml")) {
		return nil, nil
	}
	var set struct {
		XMLName xml.Name `xml:"urlset"`
		URLs    []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal(body, &set); err != nil {
		return nil, fmt.Errorf("the sitemap: %w", err)
	}
	for _, u := range set.URLs {
		urls = append(urls, u.Loc)
	}
	return urls, nil
}

// lines returns the words of a file, or none if it has no name.
func lines(name string) ([]string, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	return strings.Fields(string(text)), err
}

// groups are URLs with more text, grouped by why they are missing or extra.
type groups map[string][]string

func (g groups) add(why, url, text string) { g[why] = append(g[why], url+"  "+text) }

func (g groups) size() (n int) {
	for _, list := range g {
		n += len(list)
	}
	return n
}

// shown is how many URLs of each group are printed.
const shown = 8

func (g groups) tell(what string) {
	for _, why := range slices.Sorted(maps.Keys(g)) {
		list := slices.Sorted(slices.Values(g[why]))
		fmt.Printf("%-8s %4d  %s\n", what, len(list), why)
		for _, line := range list[:min(len(list), shown)] {
			fmt.Println("              ", line)
		}
	}
}
