// Package testkit runs a whole site for the end-to-end tests.
//
// A test gives the options and the program's handler, and gets a running [Site]. It asks for pages
// as visitors do, over connections in memory. It checks what the site lists, explains, logs and
// stores. All of this works in the virtual time of testing/synctest. Only tests may import this
// package.
package testkit

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// Log is a log that may be read while it is written.
type Log = base.Log

// Origin is the origin of a site if the test gives none.
const Origin = "https://example.com"

// Setup says how to make a site. The zero value of each field means its default.
type Setup struct {
	Origin  string                            // Origin if empty
	Store   store.Store                       // an empty memstore if nil
	Log     *Log                              // a new one if nil
	Options servemap.Options                  // the site logs to Log unless there is a Logger
	Handler http.Handler                      // the program's pages; the site wraps them
	Mount   func(*servemap.Site) http.Handler // makes the server's handler instead of wrapping Handler
}

// Site is a running site and its server.
type Site struct {
	testing.TB
	*servemap.Site
	Store  store.Store
	Logged *Log

	setup   Setup
	origin  *url.URL
	handler http.Handler
	closed  bool
	net     *base.Listener
	client  *http.Client
}

// Run runs fn with a site in a bubble of virtual time.
func Run(t *testing.T, setup Setup, fn func(*Site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		base.FixRandom(t)
		fn(Start(t, setup))
	})
}

// Start starts a site and its server. Both end with the test.
func Start(t testing.TB, setup Setup) *Site {
	t.Helper()
	s := &Site{TB: t, Store: setup.Store, Logged: setup.Log, setup: setup}
	if s.Store == nil {
		s.Store = new(memstore.Store)
	}
	if s.Logged == nil {
		s.Logged = new(Log)
	}
	if s.setup.Origin == "" {
		s.setup.Origin = Origin
	}
	if s.setup.Options.Logger == nil {
		s.setup.Options.Logger = s.Logged.Logger()
	}
	if s.setup.Options.Limits.Looks == 0 {
		s.setup.Options.Limits.Looks = looks
	}
	var err error
	if s.origin, err = url.Parse(s.setup.Origin); err != nil {
		t.Fatal(err)
	}
	s.open()
	s.net = base.NewListener()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn,
		error) {
		return s.net.Dial(ctx)
	}}
	s.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	server := &http.Server{Handler: s}
	go server.Serve(s.net)
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		if !s.closed {
			s.Shut()
		}
	})
	return s
}

func (s *Site) open() {
	s.Helper()
	site, err := servemap.New(s.setup.Origin, s.Store, &s.setup.Options)
	if err != nil {
		s.Fatal(err)
	}
	s.Site, s.closed = site, false
	if s.setup.Mount != nil {
		s.handler = s.setup.Mount(site)
	} else {
		s.handler = site.Wrap(s.setup.Handler)
	}
}

// ServeHTTP serves a request as the site's server does.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Close closes the site. The server goes on.
func (s *Site) Close(ctx context.Context) error {
	s.closed = true
	return s.Site.Close(ctx)
}

// Shut closes the site, and fails the test if closing fails.
func (s *Site) Shut() {
	s.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Close(ctx); err != nil {
		s.Errorf("closing the site: %v", err)
	}
}

// Restart closes the site and opens another one on the same store.
func (s *Site) Restart() {
	s.Helper()
	s.Shut()
	s.open()
}

// Answer is what a visitor got.
type Answer struct {
	Status int
	Header http.Header
	Body   string
}

// Get asks for a path as an anonymous visitor does. lines are names and values of header lines,
// sent exactly as spelled. It may be called by several goroutines.
func (s *Site) Get(path string, lines ...string) (a Answer) {
	s.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+s.origin.Host+path, nil)
	if err != nil {
		s.Error(err)
		return a
	}
	for i := 0; i < len(lines); i += 2 {
		req.Header[lines[i]] = append(req.Header[lines[i]], lines[i+1])
	}
	resp, err := s.client.Do(req)
	if err != nil {
		s.Error(err)
		return a
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Error(err)
	}
	return Answer{resp.StatusCode, resp.Header, string(body)}
}

// From gives the handler a request from an IP address, without a server in between. A "Host" line
// replaces the origin's host.
func (s *Site) From(addr, path string, lines ...string) Answer {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host, r.RemoteAddr = s.origin.Host, addr+":4711"
	for i := 0; i < len(lines); i += 2 {
		if lines[i] == "Host" {
			r.Host = lines[i+1]
		} else {
			r.Header.Add(lines[i], lines[i+1])
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return Answer{w.Code, w.Header(), w.Body.String()}
}

// Visit gets each path once, and waits until all are learned.
func (s *Site) Visit(paths ...string) {
	s.Helper()
	for _, path := range paths {
		s.Get(path)
	}
	s.Settle()
}

// Settle returns when everything that was seen is learned and rendered.
func (s *Site) Settle() {
	s.Helper()
	if err := s.Flush(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// LastMods returns what the sitemap lists now, with the date of each location, which may be empty.
// It is nil while the site serves no sitemap.
func (s *Site) LastMods() map[string]string {
	s.Helper()
	a := s.Get(strings.TrimSuffix(s.origin.Path, "/") + "/sitemap.xml")
	if a.Status == http.StatusServiceUnavailable {
		return nil
	}
	dates, err := ParseSitemap(a.Body, s.origin.Scheme+"://"+s.origin.Host)
	if err != nil || a.Status != http.StatusOK {
		s.Errorf("the sitemap: status %d, %v:\n%s", a.Status, err, a.Body)
	}
	return dates
}

// ParseSitemap returns the locations in a sitemap, without the host, and their dates. It returns an
// error if a location is on another host.
func ParseSitemap(body, host string) (map[string]string, error) {
	var doc struct {
		URLs []struct {
			Loc     string `xml:"loc"`
			LastMod string `xml:"lastmod"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(body), &doc); err != nil {
		return nil, err
	}
	dates := map[string]string{}
	for _, u := range doc.URLs {
		path, ok := strings.CutPrefix(u.Loc, host+"/")
		if !ok {
			return nil, fmt.Errorf("%s is not on %s", u.Loc, host)
		}
		dates["/"+path] = u.LastMod
	}
	if len(dates) != len(doc.URLs) {
		return nil, fmt.Errorf("of %d entries only %d differ", len(doc.URLs), len(dates))
	}
	return dates, nil
}

// WantListed waits until everything seen is learned. Then it checks that the sitemap lists exactly
// these locations.
func (s *Site) WantListed(want ...string) {
	s.Helper()
	s.Settle()
	s.WantServed(want...)
}

// WantServed checks that the sitemap now lists exactly these locations.
func (s *Site) WantServed(want ...string) {
	s.Helper()
	got := slices.Sorted(maps.Keys(s.LastMods()))
	want = slices.Sorted(slices.Values(want))
	if slices.Equal(got, want) {
		return
	}
	why := ""
	for _, location := range slices.Concat(got, want) {
		if slices.Contains(got, location) != slices.Contains(want, location) {
			e, err := s.Explain(s.Context(), location)
			why += fmt.Sprintf("\n%s is %s because of %s, %v", location, e.Verdict, e.Reason, err)
		}
	}
	s.Errorf("the sitemap lists %q, want %q:%s", got, want, why)
}

// WantVerdict checks the verdict and the reason that explain a location.
func (s *Site) WantVerdict(location, verdict, reason string) {
	s.Helper()
	if e := s.Explained(location); string(e.Verdict) != verdict || string(e.Reason) != reason {
		s.Errorf("%s is %s because of %s, want %s because of %s", location, e.Verdict, e.Reason, verdict, reason)
	}
}

// Explained returns the explanation of a location.
func (s *Site) Explained(location string) servemap.Explanation {
	s.Helper()
	e, err := s.Explain(s.Context(), location)
	if err != nil {
		s.Errorf("explaining %s: %v", location, err)
	}
	return e
}

// WantHints checks that for each text there is one hint that contains it, and that each was logged
// once. It closes the site, which completes the log.
func (s *Site) WantHints(want ...string) {
	s.Helper()
	s.Settle()
	hints := s.Stats().Hints
	if !slices.EqualFunc(hints, want, strings.Contains) {
		s.Errorf("hints %q, want %q", hints, want)
	}
	s.Shut()
	for _, text := range want {
		s.Logged.Want(s, 1, text)
	}
}
