package e2e

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

const (
	robotsAllow   = "User-agent: *\nDisallow:\n"
	robotsForbid  = "User-agent: *\nDisallow: /\n"
	robotsForbidB = "User-agent: *\nDisallow: /b\n"
)

// inRobotsSite runs fn with a site of three pages. robots returns its robots.txt.
func inRobotsSite(t *testing.T, opts servemap.Options, robots func(*http.Request) string, fn func(*testkit.Site)) {
	t.Helper()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, robots(r))
			return
		}
		testkit.PageOfItsURL("/a", "/b")(w, r)
	})
	testkit.Run(t, testkit.Setup{Options: opts, Handler: h}, fn)
}

// visitRobotsPages visits the three pages.
func visitRobotsPages(s *testkit.Site, headers ...string) {
	for _, page := range []string{"/", "/a", "/b"} {
		s.From(ann, page, headers...)
	}
}

// A site also serves a test copy of itself, whose robots.txt forbids everything. It selects the
// copy by the host that a proxy forwards. A stranger can send that header too.
func TestRobotsTxtOfAForwardedHostEmptiesNoSite(t *testing.T) {
	for _, tt := range []struct{ name, header, value string }{
		{"X-Forwarded-Host", "X-Forwarded-Host", "staging.example.com"},
		{"X-Forwarded-Host, and what a proxy adds", "X-Forwarded-Host", "staging.example.com, example.com"},
		{"X-Forwarded-Host with a port", "X-Forwarded-Host", "staging.example.com:443"},
		{"Forwarded", "Forwarded", `for=1.2.3.4;host="staging.example.com";proto=https`},
		{"Forwarded, in capitals", "Forwarded", "For=1.2.3.4, Host=staging.example.com"},
		{"X-Host", "X-Host", "staging.example.com"},
		{"X-Original-Host", "X-Original-Host", "staging.example.com"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			robots := func(r *http.Request) string {
				if r.Header.Get(tt.header) == tt.value {
					return robotsForbid
				}
				return robotsAllow
			}
			inRobotsSite(t, servemap.Options{}, robots, func(s *testkit.Site) {
				s.From(bob, "/robots.txt", tt.header, tt.value) // before anybody else
				visitRobotsPages(s)
				s.WantListed("/", "/a", "/b")
				s.From(ann, "/robots.txt")
				for _, wait := range []time.Duration{30 * time.Second, time.Minute, time.Hour, 25 * time.Hour} {
					time.Sleep(wait)
					s.From(bob, "/robots.txt", tt.header, tt.value)
					s.From(carl, "/robots.txt", tt.header, tt.value)
					s.WantListed("/", "/a", "/b")
				}
			})
		})
	}
}

// A proxy asks for pages under its own name for the site, and forwards the origin's host, which is
// no other site's.
func TestRobotsTxtIsObeyedBehindAProxyThatForwardsTheOriginsHost(t *testing.T) {
	for _, tt := range []struct{ header, value string }{
		{"X-Forwarded-Host", "example.com"},
		{"X-Forwarded-Host", "Example.com:443"},
		{"X-Original-Host", "example.com"},
		{"Forwarded", `for=9.9.9.9;host="example.com"`},
	} {
		t.Run(tt.header+" "+tt.value, func(t *testing.T) {
			robots := func(*http.Request) string { return robotsForbidB }
			inRobotsSite(t, servemap.Options{Hosts: []string{"app.backend.example"}}, robots, func(s *testkit.Site) {
				host := []string{"Host", "app.backend.example"}
				s.From("10.0.0.1", "/robots.txt", append(host, tt.header, tt.value)...)
				visitRobotsPages(s, host...)
				s.WantListed("/", "/a")
			})
		})
	}
}
