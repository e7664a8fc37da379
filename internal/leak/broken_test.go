package leak_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// Each broken twin of a site breaks one promise from outside. The corpus must find the rows that
// rely on that promise.
func TestCorpusFindsTheLeaksOfBrokenTwins(t *testing.T) {
	tests := []struct {
		name  string
		twin  setup
		leaks []string // the beginnings of the names of the rows that must leak
		in    []string // where, among other places
	}{
		{"credentials are cut off in front of the site",
			setup{outer: stripRequest("Cookie", "Authorization", "X-Forwarded-User")},
			[]string{"L11 Authorization, a route", "L11 Authorization, linked", "L12", "L13 a session cookie",
				"L13 a session cookie, linked", "L14 a cookie", "L16 X-Forwarded-User"},
			[]string{"/sitemap.xml", "/sitemap.xml.gz", "pages", "record", ".mem, open", ".sst, closed"}},
		{"locations are logged", setup{outer: logging(func(r *http.Request) string { return r.URL.EscapedPath() })},
			[]string{"L23", "L28 a UUID that nothing links to", "L36", "L38"}, []string{"log"}},
		{"visitors are logged", setup{outer: logging(func(r *http.Request) string { return r.Header.Get(visitorHeader) })},
			[]string{"a visitor's address"}, []string{"log"}},
	}
	if testing.Short() {
		tests = tests[:1]
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.twin.router, tt.twin.proto, tt.twin.rounds = "ServeMux", "HTTP/1.1", 4
			rows := slices.DeleteFunc(corpus(), func(r *row) bool { // the others show nothing new
				return !slices.ContainsFunc(tt.leaks, func(name string) bool { return strings.HasPrefix(r.name, name) })
			})
			if len(rows) == 0 {
				rows = corpus()[:8] // any will do
			}
			s := newScene(t, tt.twin, rows)
			s.TB = silent{t}
			s.visitAll()
			found := map[string][]string{}
			for _, l := range s.leaks() {
				found[s.rowOf(l.of)] = append(found[s.rowOf(l.of)], l.where)
			}
			for _, want := range tt.leaks {
				places := ""
				for name, where := range found {
					if strings.HasPrefix(name, want) {
						places += strings.Join(where, "\n") + "\n"
					}
				}
				for _, in := range tt.in {
					if !strings.Contains(places, in+"\n") {
						t.Errorf("%s was not found in %s; it was in %q", want, in, places)
					}
				}
			}
		})
	}
}

// silent is a test that ignores failures: a twin's failures are wanted.
type silent struct{ testing.TB }

func (silent) Errorf(string, ...any) {}

// stripRequest removes headers from requests before the site sees them.
func stripRequest(names ...string) func(*world, http.Handler) http.Handler {
	return func(_ *world, next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			for _, name := range names {
				r.Header.Del(name)
			}
			next.ServeHTTP(rw, r)
		})
	}
}

// logging writes something about each request to the site's log.
func logging(what func(*http.Request) string) func(*world, http.Handler) http.Handler {
	return func(w *world, next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			w.Logged.Logger().Info("served", "what", what(r))
			next.ServeHTTP(rw, r)
		})
	}
}
