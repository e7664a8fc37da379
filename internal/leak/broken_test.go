package leak_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap"
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
		{"credentials are cut off in front of the site", setup{outer: stripRequest("Cookie", "Authorization", "X-Forwarded-User")},
			[]string{"L11 Authorization, a route", "L11 Authorization, linked", "L12", "L13 a session cookie", "L13 a session cookie, linked",
				"L14 a cookie", "L16 X-Forwarded-User"},
			[]string{"/sitemap.xml", "/sitemap.xml.gz", "pages", "record", ".mem, open", ".sst, closed"}},
		{"everybody is called anonymous", setup{opts: anonymous(func(*http.Request) bool { return true })},
			[]string{"L11", "L12", "L13", "L14 a cookie", "L15", "L16 Cf-Access"}, []string{"/sitemap.xml"}},
		{"what responses say of themselves is cut off", setup{inner: stripResponse("Cache-Control", "X-Robots-Tag")},
			[]string{"L17 private from", "L18 No-Store", "L18 the same", "L19 X-Robots-Tag", "L20 noindex", "L20 none"}, []string{"/sitemap.xml"}},
		{"locations are logged", setup{outer: logging(func(r *http.Request) string { return r.URL.EscapedPath() })},
			[]string{"L23", "L28 a UUID that nothing links to", "L36", "L38"}, []string{"log"}},
		{"locations are stored for a moment", setup{outer: storing}, []string{"L23", "L28 a UUID that nothing links to", "L13 a session"},
			[]string{".mem, open", ".sst, closed"}},
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

// The corpus notices a wrong verdict or reason even if nothing leaks.
func TestCorpusChecksVerdictsAndReasons(t *testing.T) {
	rows := []*row{
		{name: "public", route: "/about/{c}", canaries: []string{"a-page-that-is-listed"}, want: "waiting: no-evidence"},
		{name: "private", route: "/lone/{id}", canaries: []string{"a-page-that-is-not"}, want: "listed: link"},
		{name: "another reason", route: "/lone/{id}", canaries: []string{"a-page-that-waits"}, want: "waiting: not-seen"},
		{name: "refused", route: "/lone/{id}", path: "/lone/{c}%40example.org", canaries: []string{"somebody"}, want: "refused: path-param"},
	}
	s := newScene(t, setup{router: "ServeMux", proto: "HTTP/1.1", rounds: 4}, rows)
	s.TB = silent{t}
	s.visitAll()
	for _, p := range s.pages {
		if s.check(p) == "" {
			t.Errorf("row %q is wrong, and was not found to be", p.name)
		}
	}
}

// silent is a test that ignores failures: a twin's failures are wanted.
type silent struct{ testing.TB }

func (silent) Errorf(string, ...any) {}

func anonymous(fn func(*http.Request) bool) (opts servemap.Options) {
	opts.Anonymous = fn
	return opts
}

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

// storing writes each location into the store in clear, and deletes it at once.
func storing(w *world, next http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(rw, r)
		for _, value := range [][]byte{{1}, nil} {
			err := w.store.Update(w.Context(), []string{"seen|" + r.URL.EscapedPath()}, func(values [][]byte) error {
				values[0] = value
				return nil
			})
			if err != nil {
				w.Error(err)
			}
		}
	})
}

// stripResponse removes headers from responses before the site sees them.
func stripResponse(names ...string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(stripped{rw, names}, r)
		})
	}
}

type stripped struct {
	http.ResponseWriter
	names []string
}

func (s stripped) Unwrap() http.ResponseWriter { return s.ResponseWriter }

func (s stripped) Flush() { s.ResponseWriter.(http.Flusher).Flush() }

func (s stripped) WriteHeader(status int) {
	s.strip()
	s.ResponseWriter.WriteHeader(status)
}

func (s stripped) Write(p []byte) (int, error) {
	s.strip()
	return s.ResponseWriter.Write(p)
}

func (s stripped) strip() {
	for _, name := range s.names {
		s.Header().Del(name)
	}
}
