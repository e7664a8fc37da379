// Package caddy is servemap as a module of Caddy. In a Caddyfile:
//
//	example.com {
//		encode
//		servemap https://example.com /var/lib/caddy/sitemap
//		root public
//		file_server
//	}
//
// The arguments are the origin and the folder for what is learned. Each site needs its own
// folder, outside of all roots: visitors could fetch it there. A block says more; each line may be left out, and those
// with several values may be repeated:
//
//	servemap https://example.com /var/lib/caddy/sitemap {
//		explore                            # when it starts, visit all pages along the links, so that they are listed before their visitors come
//		inside                             # explore here, even where the origin leads elsewhere; only if nothing in front keeps strangers from a page
//		max 50000                          # how many requests that makes at most, in place of 20000
//		report-only                        # learn and explain, and serve no sitemap
//		hosts www.example.com              # other hosts whose requests show pages of the site
//		stripped /shop                     # what handle_path cuts off, if the origin has a folder
//		entry /welcome                     # where visitors enter, in place of /
//		robots                             # name the sitemap in robots.txt, and serve one if the site has none
//		inspector /inspect/ {$PASSWORD}    # for the user admin; without a password by a link that Caddy's log has
//		never /internal/ *.pdf$            # locations that are not listed
//		always /landing/*$                 # that are listed once they are seen
//		public /                           # that are public although they are sent with Cache-Control private
//		query id lang                      # parameters that make a page of its own
//		benign shop_visit                  # cookies that every visitor gets
//		section blog /blog/ /news/         # whose pages are listed in sitemap-blog.xml; one line for each file
//		sitemap /old-sitemap.xml           # that the site has; explore asks for what it lists
//	}
//
// To build a Caddy with it, run in this folder:
//
//	go build -o caddy ./build
//
// or, in any folder, with xcaddy:
//
//	xcaddy build --with github.com/servemap/servemap/cmd/caddy
//
// A reload keeps the site and its folder open, unless the site's own lines have changed: then a new one
// learns once the old one has ended. It loses no more requests than a reload of Caddy without this module.
package caddy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	caddyserver "github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/store/badgerstore"
)

func init() {
	caddyserver.RegisterModule(Handler{})
	httpcaddyfile.RegisterHandlerDirective("servemap", parse)
	// inside the compression Handler serves the sitemap, and observes what the handlers after it serve.
	httpcaddyfile.RegisterDirectiveOrder("servemap", httpcaddyfile.After, "encode")
}

// Handler observes what the handlers after it serve, and serves the sitemap.
type Handler struct {
	Settings
	Robots    bool   `json:"robots,omitempty"`
	Inspector string `json:"inspector,omitempty"` // the path, which ends in a slash
	Password  string `json:"password,omitempty"`  // of the inspector's user admin

	key       string
	site      *servemap.Site
	inspector http.Handler
}

// Settings say how a site is made. One that has other settings after a reload is another one.
type Settings struct {
	Origin     string   `json:"origin"` // such as "https://example.com"
	Data       string   `json:"data"`   // the folder for what is learned
	Explore    bool     `json:"explore,omitempty"`
	Inside     bool     `json:"inside,omitempty"`
	Max        int      `json:"max,omitempty"` // requests of an exploration
	ReportOnly bool     `json:"report_only,omitempty"`
	Stripped   string   `json:"stripped,omitempty"`
	Hosts      []string `json:"hosts,omitempty"`
	Entries    []string `json:"entry,omitempty"`
	Never      []string `json:"never,omitempty"`
	Always     []string `json:"always,omitempty"`
	Public     []string `json:"public,omitempty"`
	Query      []string `json:"query,omitempty"`
	Benign     []string `json:"benign,omitempty"`
	Sitemaps   []string `json:"sitemap,omitempty"`

	Sections map[string][]string `json:"section,omitempty"` // the patterns of each
}

// open has the open sites. Caddy starts a new configuration before it ends the old one. So
// during a reload both use the same site, which is found by its folder and by what it was made with.
var open = caddyserver.NewUsagePool()

// site is an open site and its store.
type site struct {
	*servemap.Site
	store *badgerstore.Store
	ended sync.Once
	err   error

	stop      context.CancelFunc // what explores
	exploring sync.WaitGroup
}

// closing is how long the end of a site may take.
const closing = 10 * time.Second

// Destruct closes the site when no configuration uses it any more.
func (s *site) Destruct() error {
	s.ended.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closing)
		defer cancel()
		s.stop()
		s.exploring.Wait()
		s.err = errors.Join(s.Site.Close(ctx), s.store.Close())
	})
	return s.err
}

// CaddyModule says how Caddy makes a Handler.
func (Handler) CaddyModule() caddyserver.ModuleInfo {
	return caddyserver.ModuleInfo{ID: "http.handlers.servemap", New: func() caddyserver.Module { return new(Handler) }}
}

// Provision opens the site, or shares it with the configuration that is about to end.
func (h *Handler) Provision(caddy caddyserver.Context) error {
	words.Use(words.Caddyfile)
	folder, err := filepath.Abs(h.Data)
	switch {
	case h.Data == "" || err != nil:
		return errors.Join(errors.New("servemap: data is missing; name a folder for what is learned"), err)
	case h.Inspector != "" && (h.Inspector[0] != '/' || !strings.HasSuffix(h.Inspector, "/") || len(h.Inspector) < 3):
		return fmt.Errorf("servemap: inspector %s: give a path that begins and ends with a slash, such as /inspect/",
			h.Inspector)
	}
	log := caddy.Slogger()
	h.key = fmt.Sprintf("%q %#v", folder, h.Settings)
	shared, _, err := open.LoadOrNew(h.key, func() (caddyserver.Destructor, error) {
		st, err := badgerstore.Open(folder, &badgerstore.Options{Logger: log})
		if err != nil {
			return nil, err
		}
		made, err := servemap.New(h.Origin, st, &servemap.Options{
			ClientIP: client, Rules: h.rules(), Benign: h.Benign, Hosts: h.Hosts, Entries: h.Entries,
			StrippedPrefix: h.Stripped, ReportOnly: h.ReportOnly, Logger: log,
			Limits: servemap.Limits{Looks: -1}, // what answers a request here needs what Caddy adds to each
		})
		if err != nil {
			return nil, errors.Join(err, st.Close())
		}
		ctx, stop := context.WithCancel(context.Background())
		s := &site{Site: made, store: st, stop: stop}
		if h.Explore || h.Inside {
			server, _ := caddy.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server)
			opts := &servemap.ExploreOptions{MaxRequests: h.Max, Sitemaps: h.Sitemaps}
			if h.Inside {
				opts.Inside = whole(server, strings.TrimSuffix(h.Stripped, "/"))
			}
			s.exploring.Go(func() {
				for !begun(server) && ctx.Err() == nil {
					time.Sleep(10 * time.Millisecond)
				}
				s.explore(ctx, opts, log)
			})
		}
		return s, nil
	})
	if err != nil {
		h.key = ""
		return err
	}
	h.site = shared.(*site).Site
	var allow func(*http.Request) bool
	if h.Password != "" {
		allow = servemap.Password("admin", h.Password)
	}
	if h.Inspector != "" {
		h.inspector = h.site.Inspector(allow)
	}
	return nil
}

// rules are those of the lists. The query parameters are for all pages.
func (h *Handler) rules() (all []servemap.Rule) {
	for _, list := range []struct {
		patterns []string
		rule     servemap.Rule
	}{
		{h.Never, servemap.Rule{List: servemap.DecisionNever}},
		{h.Always, servemap.Rule{List: servemap.DecisionAlways}},
		{h.Public, servemap.Rule{IgnoreCacheControl: true}},
	} {
		for _, pattern := range list.patterns {
			list.rule.Pattern = pattern
			all = append(all, list.rule)
		}
	}
	for _, section := range slices.Sorted(maps.Keys(h.Sections)) { // of rules with one pattern the first decides
		for _, pattern := range h.Sections[section] {
			all = append(all, servemap.Rule{Pattern: pattern, Section: section})
		}
	}
	if len(h.Query) > 0 {
		all = append(all, servemap.Rule{Pattern: "/", Query: h.Query})
	}
	return all
}

// again is how long to wait after an exploration that could not begin, such as while Caddy gets a certificate. The
// origin may lead to a server of somebody else for ever.
const again = time.Minute

// whole returns a handler that asks a server of Caddy as visitors do: what handle_path cuts off is still there.
func whole(server *caddyhttp.Server, cut string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path = cut + r.URL.Path; r.URL.RawPath != "" {
			r.URL.RawPath = cut + r.URL.RawPath
		}
		server.ServeHTTP(w, r)
	})
}

// begun reports whether a server of Caddy can be asked. It cannot before its configuration has begun.
func begun(server *caddyhttp.Server) bool {
	app, _ := caddyserver.ActiveContext().AppIfConfigured("http")
	http, is := app.(*caddyhttp.App)
	return is && slices.Contains(slices.Collect(maps.Values(http.Servers)), server)
}

// explore visits the site once.
func (s *site) explore(ctx context.Context, opts *servemap.ExploreOptions, log *slog.Logger) {
	for last := ""; ; {
		done, err := s.Explore(ctx, opts)
		if err == nil {
			log.Info("servemap: explored", "requests", done.Requests, "pages", done.Pages, "listed", s.Stats().Listed)
			return
		}
		if ctx.Err() == nil && err.Error() != last {
			last = err.Error()
			log.Warn("servemap: not explored; trying again each minute", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(again):
		}
	}
}

// Cleanup leaves the site. The site ends if no other configuration uses it.
func (h *Handler) Cleanup() error {
	if h.key == "" {
		return nil
	}
	_, err := open.Delete(h.key)
	return err
}

// client returns the address that Caddy found by its own trusted_proxies.
func client(r *http.Request) netip.Addr {
	text, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	addr, _ := netip.ParseAddr(text)
	return addr
}

// ServeHTTP hands a request on. An error of next goes back to Caddy, whose handle_errors
// makes the page for it. The site sees the error's status, so that a page that is gone
// leaves the sitemap, and a robots.txt that is not there is made.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) (err error) {
	if h.inspector != nil && strings.HasPrefix(r.URL.Path+"/", h.Inspector) {
		h.inspector.ServeHTTP(w, r)
		return nil
	}
	out := &quiet{ResponseWriterWrapper: &caddyhttp.ResponseWriterWrapper{ResponseWriter: w}}
	handler := h.site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err = next.ServeHTTP(w, r)
		if failed := (caddyhttp.HandlerError{}); errors.As(err, &failed) && failed.StatusCode >= 400 && !out.begun {
			out.failed = failed.StatusCode
			w.WriteHeader(failed.StatusCode)
		}
	}))
	if h.Robots {
		handler = h.site.Robots(handler)
	}
	handler.ServeHTTP(out, r)
	if out.failed != 0 && out.begun { // something else was answered
		return nil
	}
	return err
}

// quiet passes a response on, but for the status of an error of next, which Caddy answers.
type quiet struct {
	*caddyhttp.ResponseWriterWrapper
	begun, silent bool
	failed        int
}

func (q *quiet) WriteHeader(code int) {
	q.silent = q.silent || q.failed != 0 && code == q.failed && !q.begun
	if !q.silent {
		q.begun = q.begun || code >= 200
		q.ResponseWriterWrapper.WriteHeader(code)
	}
}

func (q *quiet) Write(p []byte) (int, error) {
	if q.silent {
		return len(p), nil
	}
	q.begun = true
	return q.ResponseWriterWrapper.Write(p)
}

func (q *quiet) ReadFrom(r io.Reader) (int64, error) {
	if q.silent {
		return io.Copy(io.Discard, r)
	}
	q.begun = true
	return q.ResponseWriterWrapper.ReadFrom(r)
}

// UnmarshalCaddyfile reads the directive: the origin, the folder, and a block.
func (h *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if !d.AllArgs(&h.Origin, &h.Data) {
		return d.Err("servemap takes the origin and a folder, such as servemap https://example.com /var/lib/caddy/sitemap")
	}
	lists := map[string]*[]string{"hosts": &h.Hosts, "entry": &h.Entries, "never": &h.Never, "always": &h.Always,
		"public": &h.Public, "query": &h.Query, "benign": &h.Benign, "sitemap": &h.Sitemaps}
	h.Sections = map[string][]string{}
	switches := map[string]*bool{"explore": &h.Explore, "inside": &h.Inside, "report-only": &h.ReportOnly,
		"robots": &h.Robots}
	var most string
	texts := map[string]*string{"stripped": &h.Stripped, "max": &most, "inspector": &h.Inspector}
	known := append([]string{"section"}, slices.Collect(maps.Keys(lists))...)
	known = slices.AppendSeq(slices.AppendSeq(known, maps.Keys(switches)), maps.Keys(texts))
	slices.Sort(known)
	for d.NextBlock(0) {
		name := d.Val()
		args := d.RemainingArgs()
		switch {
		case lists[name] != nil && len(args) > 0:
			*lists[name] = append(*lists[name], args...)
		case switches[name] != nil && len(args) == 0:
			*switches[name] = true
		case texts[name] != nil && len(args) == 1:
			*texts[name] = args[0]
		case name == "inspector" && len(args) == 2 && args[1] != "":
			h.Inspector, h.Password = args[0], args[1]
		case name == "section" && len(args) > 1:
			h.Sections[args[0]] = append(h.Sections[args[0]], args[1:]...)
		case slices.Contains(known, name):
			return d.Errf("servemap: %s has a wrong number of values, or an empty one", name)
		default:
			return d.Errf("servemap has no %s; its lines are %s", name, strings.Join(known, ", "))
		}
	}
	if h.Max, _ = strconv.Atoi(most); most != "" && h.Max < 1 {
		return d.Errf("servemap: max %s: give a number of requests", most)
	}
	return nil
}

func parse(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	m := new(Handler)
	return m, m.UnmarshalCaddyfile(h.Dispenser)
}

var (
	_ caddyserver.Provisioner     = (*Handler)(nil)
	_ caddyserver.CleanerUpper    = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
	_ caddyfile.Unmarshaler       = (*Handler)(nil)
)
