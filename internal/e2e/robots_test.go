package e2e

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/memstore"
)

// robotsSite is a site of a few pages whose robots.txt the test makes.
type robotsSite struct {
	*testing.T
	*servemap.Site
	handler http.Handler
	robots  func(*http.Request) string
	host    string // that requests are for
}

const (
	robotsAllow  = "User-agent: *\nDisallow:\n"
	robotsForbid = "User-agent: *\nDisallow: /\n"
)

// inRobotsSite runs fn in virtual time with a site of which nobody has asked
// for anything.
func inRobotsSite(t *testing.T, opts servemap.Options, robots func(*http.Request) string, fn func(*robotsSite)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		opts.Logger = slog.New(slog.DiscardHandler)
		site, err := servemap.New("https://example.com", new(memstore.Store), &opts)
		if err != nil {
			t.Fatal(err)
		}
		s := &robotsSite{T: t, Site: site, robots: robots, host: "example.com"}
		s.handler = site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				io.WriteString(w, s.robots(r))
				return
			}
			fmt.Fprintf(w, `<!doctype html><html><head><title>t</title></head><body><main>%s <a href="/a">a</a> <a href="/b">b</a></main></body></html>`, r.URL.Path)
		}))
		fn(s)
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := site.Close(ctx); err != nil {
			t.Error(err)
		}
	})
}

// get asks for something from an address, with the header lines given.
func (s *robotsSite) get(from, target string, headers ...string) {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host, r.RemoteAddr = s.host, from+":4711"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	s.handler.ServeHTTP(httptest.NewRecorder(), r)
}

func (s *robotsSite) crawl() {
	for _, page := range []string{"/", "/a", "/b"} {
		s.get("8.8.8.8", page)
	}
}

func (s *robotsSite) wantListed(want ...string) {
	s.Helper()
	if err := s.Flush(s.Context()); err != nil {
		s.Fatal(err)
	}
	var got []string
	for p, err := range s.Pages(s.Context()) {
		if err != nil {
			s.Fatal(err)
		}
		got = append(got, p.URL)
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		s.Errorf("listed are %q, want %q", got, want)
	}
}

var robotsPages = []string{"https://example.com/", "https://example.com/a", "https://example.com/b"}

// A site that serves a copy of itself for tests, which it forbids crawlers, goes by
// what a proxy says of the host; a stranger says that too.
func TestARobotsTxtOfAForwardedHostEmptiesNoSite(t *testing.T) {
	for _, tt := range []struct{ name, header, value string }{
		{"X-Forwarded-Host", "X-Forwarded-Host", "staging.example.com"},
		{"X-Forwarded-Host, and what a proxy adds", "X-Forwarded-Host", "staging.example.com, example.com"},
		{"X-Forwarded-Host with a port", "X-Forwarded-Host", "staging.example.com:443"},
		{"Forwarded", "Forwarded", `for=1.2.3.4;host="staging.example.com";proto=https`},
		{"Forwarded, in capitals", "Forwarded", "For=1.2.3.4, Host=staging.example.com"},
		{"X-Host", "X-Host", "staging.example.com"},
		{"X-Original-Host", "X-Original-Host", "staging.example.com"},
	} {
		for _, configured := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, address known %v", tt.name, configured), func(t *testing.T) {
				opts := servemap.Options{}
				if configured {
					opts.ClientIP = func(r *http.Request) netip.Addr { return netip.MustParseAddrPort(r.RemoteAddr).Addr() }
				}
				robots := func(r *http.Request) string {
					if r.Header.Get(tt.header) == tt.value {
						return robotsForbid
					}
					return robotsAllow
				}
				inRobotsSite(t, opts, robots, func(s *robotsSite) {
					s.get("9.9.9.9", "/robots.txt", tt.header, tt.value) // before anybody else
					s.crawl()
					s.wantListed(robotsPages...)
					s.get("8.8.8.8", "/robots.txt")
					for range 240 {
						time.Sleep(30 * time.Second)
						s.get("9.9.9.9", "/robots.txt", tt.header, tt.value)
						s.get("7.7.7.7", "/robots.txt", tt.header, tt.value)
						s.wantListed(robotsPages...)
					}
					time.Sleep(24 * time.Hour)
					s.get("9.9.9.9", "/robots.txt", tt.header, tt.value)
					s.wantListed(robotsPages...)
				})
			})
		}
	}
}

// A proxy that asks for pages at a name of its own forwards the origin's, which is
// no other site's host.
func TestARobotsTxtIsObeyedBehindAProxyThatForwardsTheOriginsHost(t *testing.T) {
	for _, tt := range []struct{ header, value string }{
		{"X-Forwarded-Host", "example.com"},
		{"X-Forwarded-Host", "Example.com:443"},
		{"X-Original-Host", "example.com"},
		{"Forwarded", `for=9.9.9.9;host="example.com"`},
	} {
		t.Run(tt.header+" "+tt.value, func(t *testing.T) {
			robots := func(*http.Request) string { return "User-agent: *\nDisallow: /b\n" }
			inRobotsSite(t, servemap.Options{Hosts: []string{"app.backend.example"}}, robots, func(s *robotsSite) {
				s.host = "app.backend.example"
				s.get("10.0.0.1", "/robots.txt", tt.header, tt.value)
				s.crawl()
				s.wantListed(robotsPages[:2]...)
			})
		})
	}
}

// Whatever else a site makes its robots.txt of, a client that asks over and over does
// not hide what others get.
func TestARobotsTxtForOneClientEmptiesNoSite(t *testing.T) {
	robots := func(r *http.Request) string {
		if r.UserAgent() == "scraper" {
			return robotsForbid
		}
		return robotsAllow
	}
	inRobotsSite(t, servemap.Options{}, robots, func(s *robotsSite) {
		s.crawl()
		s.get("8.8.8.8", "/robots.txt")
		for i := range 2 * 24 * 360 {
			time.Sleep(10 * time.Second)
			s.get("9.9.9.9", "/robots.txt", "User-Agent", "scraper")
			if i%3600 == 1800 { // each ten hours
				s.get("8.8.8.8", "/robots.txt")
			}
			if i%90 == 0 {
				s.wantListed(robotsPages...)
			}
		}
		s.wantListed(robotsPages...)
	})
}

// A robots.txt that has really changed is obeyed.
func TestAChangedRobotsTxtIsObeyedOnceTwoNetworksOrTwoDaysShowIt(t *testing.T) {
	proxied := []string{"X-Forwarded-For", "9.9.9.9", "X-Forwarded-Host", "example.com"}
	for _, tt := range []struct {
		name    string
		second  string
		after   time.Duration
		headers []string
		obeyed  bool
	}{
		{"the same network", "8.8.8.8", time.Hour, nil, false},
		{"another network at once", "9.9.9.9", 10 * time.Second, nil, false},
		{"another network", "9.9.9.9", time.Minute, nil, true},
		{"the same network a day later", "8.8.8.8", 24 * time.Hour, nil, true},
		{"behind a proxy", "10.0.0.1", time.Hour, proxied, false},
		{"behind a proxy, a day later", "10.0.0.1", 24 * time.Hour, proxied, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := robotsAllow
			inRobotsSite(t, servemap.Options{}, func(*http.Request) string { return text }, func(s *robotsSite) {
				s.get("8.8.8.8", "/robots.txt", tt.headers...)
				s.crawl()
				time.Sleep(time.Hour)
				text = "User-agent: *\nDisallow: /b\n"
				s.get("8.8.8.8", "/robots.txt", tt.headers...)
				s.wantListed(robotsPages...)
				time.Sleep(tt.after)
				s.get(tt.second, "/robots.txt", tt.headers...)
				if tt.obeyed {
					s.wantListed(robotsPages[:2]...)
				} else {
					s.wantListed(robotsPages...)
				}
			})
		})
	}
}
