package observe

import (
	"cmp"
	"net/http"
	"testing"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/testkit/base"
)

// middleware wraps a handler, as an observer does.
type middleware = func(http.Handler) http.Handler

// serveMux puts a handler under the pattern and the observer around the mux.
func serveMux(pattern string) func(middleware) http.Handler {
	return func(observe middleware) http.Handler {
		m := http.NewServeMux()
		m.HandleFunc(pattern, page200)
		return observe(m)
	}
}

// gorilla makes a router with the routes that build adds, and uses the observer inside it.
func gorilla(build func(*mux.Router)) func(middleware) http.Handler {
	return func(observe middleware) http.Handler {
		r := mux.NewRouter()
		build(r)
		r.Use(observe)
		return r
	}
}

// names makes a router that answers everything, and names one pattern for it, as chi does.
func names(pattern string) func(middleware) http.Handler {
	return func(observe middleware) http.Handler {
		return observe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Pattern = pattern
			page200(w, r)
		}))
	}
}

func TestRoutesOfRoutersAreFound(t *testing.T) {
	for _, tt := range []struct {
		name     string
		build    func(middleware) http.Handler
		target   string
		location string // if it differs from target
		exact    bool
	}{
		{"ServeMux path", serveMux("/about"), "/about", "", true},
		{"ServeMux everything", serveMux("/"), "/about", "", false},
		{"ServeMux below a stripped prefix", func(observe middleware) http.Handler {
			inner, outer := http.NewServeMux(), http.NewServeMux()
			inner.HandleFunc("/about", page200)
			outer.Handle("/app/", http.StripPrefix("/app", inner))
			return observe(outer)
		}, "/app/about", "", false},
		{"ServeMux observed inside a stripped prefix", func(observe middleware) http.Handler {
			inner := http.NewServeMux()
			inner.Handle("/about", observe(http.HandlerFunc(page200)))
			return http.StripPrefix("/app", inner)
		}, "/app/about", "", false},
		{"a router that answers with a slash at the end too", names("/about"), "/about/", "", true},
		{"a router that answers without a slash too", names("GET /about/{$}"), "/about", "", true},
		{"a router that names the folder", names("/about/"), "/about/", "", false},

		{"mux prefix that ends in a dollar", gorilla(func(r *mux.Router) { r.PathPrefix("/a$").HandlerFunc(page200) }), "/a$",
			"", false},
		{"mux path that ends in a dollar", gorilla(func(r *mux.Router) { r.HandleFunc("/a$", page200) }), "/a$", "", true},
		{"mux subrouter", gorilla(func(r *mux.Router) {
			r.PathPrefix("/docs").Subrouter().HandleFunc("/about", page200)
		}), "/docs/about", "", true},
		{"mux without a path", gorilla(func(r *mux.Router) { r.Methods("GET").HandlerFunc(page200) }), "/about", "", false},
		{"mux observed from outside", func(observe middleware) http.Handler {
			r := mux.NewRouter()
			r.HandleFunc("/about", page200)
			return observe(r)
		}, "/about", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t)
			fetch(tt.build(r.observe), get(tt.target))
			r.wantObservations(1)
			if tt.location == "" {
				tt.location = tt.target
			}
			p := r.page(tt.location)
			if p.Observations != 1 || p.Evidence.Route != tt.exact {
				t.Errorf("%s has %d observations and a route of its own: %v, want 1 and %v", tt.location, p.Observations,
					p.Evidence.Route, tt.exact)
			}
			if listed := p.Verdict == eligibility.Listed; listed != (tt.exact || tt.location == "/") {
				t.Errorf("%s is %v because of %v", tt.location, p.Verdict, p.Reason)
			}
		})
	}
}

// A proxy cut off the start of the public path.
func TestRoutesHaveThePrefixThatAProxyStrips(t *testing.T) {
	r := start(t, at(t, "https://example.com/app", "/app"))
	fetch(serveMux("/about")(r.observe), get("/about"))
	if p := r.page("/app/about"); !p.Evidence.Route || p.Verdict != eligibility.Listed {
		t.Errorf("/app/about is %v because of %v, want it listed by its route", p.Verdict, p.Reason)
	}
}

func TestPatternOfServeMuxIsARoute(t *testing.T) {
	for pattern, want := range map[string]struct {
		host, template string
		exact          bool
	}{
		"":                      {"", "", false},
		"GET example.com":       {"", "", false},
		"/":                     {"", "/", false},
		"/{$}":                  {"", "/", true},
		"/a":                    {"", "/a", true},
		"/a/":                   {"", "/a/", false},
		"GET /a":                {"", "/a", true},
		"GET  \t example.com/a": {"example.com", "/a", true},
		"example.com/{$}":       {"example.com", "/", true},
		"/a/{b}":                {"", "/a/{b}", false},
		"/a/{b}/{$}":            {"", "/a/{b}/", false},
		"/a/{b...}":             {"", "/a/{b...}", false},
		"/share/:token":         {"", "/share/{token}", false},
		"/files/*path":          {"", "/files/{path}", false},
		"/docs/*":               {"", "/docs/{}", false},
		"/item-:id":             {"", "/item-:id", false},
	} {
		host, got := patternRoute(pattern)
		if host != want.host || got.Template != want.template || got.Exact != want.exact {
			t.Errorf("patternRoute(%q) = %q, %+v, want %+v", pattern, host, got, want)
		}
	}
}

// The origin's visitors never reach a route of another host.
func TestRouteOfAnotherHostDoesNotCount(t *testing.T) {
	plain, router := http.NewServeMux(), mux.NewRouter()
	plain.HandleFunc("backoffice/customers", page200)
	plain.HandleFunc("example.com/about", page200)
	router.Host("backoffice").Path("/customers").HandlerFunc(page200)
	router.Host("example.com").Path("/about").HandlerFunc(page200)
	for name, routes := range map[string]http.Handler{"net/http": plain, "mux": router} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			if m, ok := routes.(*mux.Router); ok {
				m.Use(r.observe)
			} else {
				routes = r.observe(routes)
			}
			for _, host := range []string{"backoffice", "example.com"} {
				for _, path := range []string{"/customers", "/about"} {
					req := get(path)
					req.Host = host
					fetch(routes, req)
				}
			}
			r.check(r.cfg.Indexer.Flush(t.Context()))
			if p := r.page("/customers"); p.Verdict == eligibility.Listed {
				t.Errorf("/customers is listed because of %v", p.Reason)
			}
			if p := r.page("/about"); !p.Evidence.Route {
				t.Errorf("/about is %v because of %v", p.Verdict, p.Reason)
			}
		})
	}
}

func TestAnyHostIsTakenFromAProxyNearby(t *testing.T) {
	for peer, listed := range map[string]bool{"127.0.0.1:1": true, "10.0.0.5:1": true, "[fd00::1]:1": true, "@": true,
		"8.8.8.8:1": false, "[2606:4700::1]:1": false} {
		t.Run(peer, func(t *testing.T) {
			r := start(t)
			req := get("/")
			req.Host, req.RemoteAddr = "backoffice", peer
			fetch(r.observe(http.HandlerFunc(page200)), req)
			r.check(r.cfg.Indexer.Flush(t.Context()))
			base.Equal(t, r.page("/").Verdict == eligibility.Listed, listed, "listed")
		})
	}
}

// A handler may obey such a header and answer for another page. If that counted, one stranger could take all pages out.
func TestRequestThatNamesAnotherPlaceInAHeaderTeachesNothing(t *testing.T) {
	for _, tt := range []struct {
		name, origin, stripped, target, header, value string
		nearby, counts                                bool
	}{
		{name: "the public host", header: "X-Forwarded-Host", value: "Example.com:443", counts: true},
		{name: "the public host, by two proxies", header: "X-Forwarded-Host", value: "example.com, example.com",
			counts: true},
		{name: "a local name, by a proxy nearby", header: "X-Forwarded-Host", value: "example.com, backend:8080",
			nearby: true, counts: true},
		{name: "a local name, by a stranger", header: "X-Forwarded-Host", value: "backend"},
		{name: "another host", header: "X-Forwarded-Host", value: "evil.example.net"},
		{name: "another host, by a proxy nearby", header: "X-Forwarded-Host", value: "evil.example.net", nearby: true},
		{name: "another host beside the public one", header: "X-Forwarded-Host", value: "example.com, evil.example.net"},
		{name: "another host, as a CGI reads it", header: "X_Forwarded_Host", value: "evil.example.net"},
		{name: "another host in a cousin", header: "X-Original-Host", value: "evil.example.net"},
		{name: "Forwarded", header: "Forwarded", value: `for=9.9.9.9;host="example.com";proto=https`, counts: true},
		{name: "Forwarded without a host", header: "Forwarded", value: `for="[2001:db8::1]:4711"`, counts: true},
		{name: "Forwarded for another host", header: "Forwarded", value: "for=9.9.9.9;host=evil.example.net"},
		{name: "the page's own path", header: "X-Original-Url", value: "/?utm_source=x", counts: true},
		{name: "the page's own URL", header: "X-Original-Url", value: "https://example.com/", counts: true},
		{name: "another path", header: "X-Original-Url", value: "/admin"},
		{name: "another path, in its cousin", header: "X-Rewrite-Url", value: "/admin"},
		{name: "the start page in place of another", target: "/about", header: "X-Original-Url", value: "/"},
		{name: "the page's own path with a comma", target: "/a,b", header: "X-Original-Url", value: "/a,b", counts: true},
		{name: "the page's own path behind a prefix", origin: "https://example.com/a/b", stripped: "/a/b",
			header: "X-Forwarded-Prefix", value: "/a, /b", counts: true},
		{name: "another query", header: "X-Original-Url", value: "/?page=2"},
		{name: "the same path at another host", header: "X-Original-Url", value: "https://evil.example.net/"},
		{name: "a public path with the prefix that a proxy cut off", origin: "https://example.com/app", stripped: "/app",
			header: "X-Envoy-Original-Path", value: "/app/", counts: true},
		{name: "the prefix that a proxy cut off", origin: "https://example.com/app", stripped: "/app",
			header: "X-Forwarded-Prefix", value: "/app", counts: true},
		{name: "the origin's folder", origin: "https://example.com/app", target: "/app/", header: "X-Forwarded-Prefix",
			value: "/app/", counts: true},
		{name: "no prefix", header: "X-Forwarded-Prefix", value: "/", counts: true},
		{name: "another prefix", header: "X-Forwarded-Prefix", value: "/staging"},
		{name: "a script's name", header: "X-Script-Name", value: "/staging"},
		{name: "the client's own name", header: "Remote-Host", value: "client.example.net", counts: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, at(t, cmp.Or(tt.origin, "https://example.com"), tt.stripped))
			req := with(get(cmp.Or(tt.target, "/")), tt.header, tt.value)
			if tt.nearby {
				req.RemoteAddr = "127.0.0.1:1"
			}
			fetch(r.observe(http.HandlerFunc(page200)), req)
			r.wantObservations(map[bool]uint64{true: 1}[tt.counts])
		})
	}
}
