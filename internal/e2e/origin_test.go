package e2e

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/memstore"
)

// Exploring stands where a stranger stands: before whatever is in front of the program.

// fronted is a program behind a front. The origin is the front's.
type fronted struct {
	*servemap.Site
	t       *testing.T
	origin  string
	program *httptest.Server
	mu      sync.Mutex
	asked   []*http.Request // by whomever, of the program
}

// behind starts a program behind a front, which passes on what it does not answer itself.
func behind(t *testing.T, pages http.Handler, front func(pass http.Handler) http.Handler) *fronted {
	t.Helper()
	f := &fronted{t: t}
	var outer http.Handler
	outside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { outer.ServeHTTP(w, r) }))
	t.Cleanup(outside.Close)
	f.origin = outside.URL
	site, err := servemap.New(f.origin, new(memstore.Store), &servemap.Options{Logger: new(base.Log).Logger()})
	base.Check(t, err)
	t.Cleanup(func() { base.Check(t, site.Close(context.Background())) })
	f.Site = site
	f.program = httptest.NewServer(site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.asked = append(f.asked, r)
		f.mu.Unlock()
		pages.ServeHTTP(w, r)
	})))
	t.Cleanup(f.program.Close)
	to, err := url.Parse(f.program.URL)
	base.Check(t, err)
	outer = front(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}})
	return f
}

// open passes everything on.
func open(pass http.Handler) http.Handler { return pass }

func (f *fronted) wantListed(want ...string) {
	f.t.Helper()
	var got []string
	for p, err := range f.Pages(f.t.Context()) {
		base.Check(f.t, err)
		got = append(got, strings.TrimPrefix(p.URL, f.origin))
	}
	if !slices.Equal(got, want) {
		f.t.Errorf("listed are %q, want %q: %v", got, want, f.Stats().Verdicts)
	}
}

// visit gets paths from outside with a header, and waits until they are learned. It returns the last status.
func (f *fronted) visit(name, value string, paths ...string) (status int) {
	f.t.Helper()
	for _, path := range paths {
		r, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, f.origin+path, nil)
		base.Check(f.t, err)
		r.Header.Set(name, value)
		resp, _ := base.Do(f.t, http.DefaultClient, r)
		status = resp.StatusCode
	}
	base.Check(f.t, f.Flush(f.t.Context()))
	return status
}

// explored explores the site from outside.
func (f *fronted) explored() servemap.Exploration {
	f.t.Helper()
	done, err := f.Explore(f.t.Context(), nil)
	base.Check(f.t, err)
	return done
}

func (f *fronted) paths() (all []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.asked {
		all = append(all, r.URL.Path)
	}
	return all
}

func TestWhatAFrontKeepsFromStrangersIsNotListed(t *testing.T) {
	const kept = "/team/salaries-2026"
	pages := testkit.Paths{
		"/": testkit.Page("home", "/about", kept, "/last"), "/about": testkit.Page("about"),
		kept: testkit.Page("salaries", "/below"), "/below": testkit.Page("below"), "/last": testkit.Page("last"),
	}
	// after changes what the program answered.
	after := func(change func(w *httptest.ResponseRecorder)) func(pass http.Handler) http.HandlerFunc {
		return func(pass http.Handler) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				rec := httptest.NewRecorder()
				pass.ServeHTTP(rec, r)
				change(rec)
				for name, values := range rec.Header() {
					w.Header()[name] = values
				}
				w.Header().Del("Content-Length")
				w.WriteHeader(rec.Code)
				w.Write(rec.Body.Bytes())
			}
		}
	}
	before := func(h http.HandlerFunc) func(http.Handler) http.HandlerFunc {
		return func(http.Handler) http.HandlerFunc { return h }
	}
	header := func(name, value string) func(http.Handler) http.HandlerFunc {
		return after(func(w *httptest.ResponseRecorder) { w.Header().Set(name, value) })
	}
	for _, tt := range []struct {
		name   string
		front  func(pass http.Handler) http.HandlerFunc
		passes bool // the program is asked
	}{
		{"a password", before(testkit.Reply(http.StatusUnauthorized, "who?", "WWW-Authenticate", "Basic")), false},
		{"a redirect to a log-in", before(testkit.Reply(http.StatusFound, "", "Location", "/login?next=x")), false},
		{"a log-in page with status 200", before(testkit.Page("please say who you are")), false},
		{"another program, which has no such page", before(http.NotFound), false},
		{"noindex in a header", header("X-Robots-Tag", "noindex"), true},
		{"private", header("Cache-Control", "private"), true},
		{"noindex in the page", after(func(w *httptest.ResponseRecorder) {
			html := strings.Replace(w.Body.String(), "<head>", `<head><meta name="robots" content="noindex">`, 1)
			w.Body.Reset()
			w.Body.WriteString(html)
		}), true},
		{"headers that it removes", func(pass http.Handler) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				r.Header.Del("Servemap-Visit") // so nothing proves what strangers get
				pass.ServeHTTP(w, r)
			}
		}, true},
		{"a log-in page in place of the program's",
			after(func(w *httptest.ResponseRecorder) { w.Code = http.StatusUnauthorized }), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := behind(t, pages, func(pass http.Handler) http.Handler {
				guarded := tt.front(pass)
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if strings.HasPrefix(r.URL.Path, "/team/") {
						guarded(w, r)
						return
					}
					pass.ServeHTTP(w, r)
				})
			})
			done := f.explored()
			want := []string{"/", "/about", "/last"}
			if strings.HasPrefix(tt.name, "noindex") {
				want = []string{"/", "/about", "/below", "/last"} // strangers can follow its links
			}
			f.wantListed(want...)
			e, err := f.Explain(t.Context(), f.origin+kept)
			if is := e.Verdict == servemap.VerdictExcluded && e.Reason == servemap.ReasonNoIndex; is != strings.HasPrefix(
				tt.name, "noindex") || err != nil {
				t.Errorf("it is %s because of %s, %v", e.Verdict, e.Reason, err)
			}
			if asked := slices.Contains(f.paths(), kept); asked != tt.passes {
				t.Errorf("the program was asked for what the front keeps: %v; %+v", asked, done)
			}
		})
	}
}

// Where the key of the site's own requests is taken off on the way, a new text of the program's comes from elsewhere as
// far as is known. It keeps nothing out.
func TestEditBehindAFrontThatRemovesHeadersKeepsThePage(t *testing.T) {
	pages := testkit.Paths{"/": testkit.Page("home", "/a"), "/a": testkit.Page(paragraph(1))}
	f := behind(t, pages, func(pass http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.Header.Del("Servemap-Visit")
			pass.ServeHTTP(w, r)
		})
	})
	f.visit("Accept", "*/*", "/", "/a")
	f.wantListed("/", "/a")
	pages["/a"] = testkit.Page(paragraph(2) + paragraph(3))
	f.explored()
	f.wantListed("/", "/a")
}

func TestNothingIsExploredWhereTheOriginDoesNotLeadHere(t *testing.T) {
	elsewhere := httptest.NewServer(testkit.PageOfItsURL("/a"))
	closed := httptest.NewServer(nil)
	closed.Close()
	for _, tt := range []struct {
		name  string
		front http.HandlerFunc
		want  string
		shut  bool // to explore what is inside would list what strangers do not get
	}{
		{"another program", testkit.PageOfItsURL("/a"), "another program answered", false},
		{"none of its files", http.NotFound, "answered with 404", false},
		{"a password for everything", testkit.Reply(http.StatusUnauthorized, ""), "answered with 401", true},
		{"a refusal of everything", testkit.Reply(http.StatusForbidden, ""), "answered with 403", true},
		{"a log-in for everything", testkit.Reply(http.StatusSeeOther, "", "Location", "/login?next=x"),
			"answered with 303, which leads to /login?next=x; something answers before the site, as a log-in does; have it", true},
		{"a log-in elsewhere", testkit.Reply(http.StatusFound, "", "Location", "https://id.example.org/auth?next=x"),
			"answered with 302, which leads to id.example.org/auth;", true},
		{"a redirect to where it is", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusFound)
		}, "if visitors go there, write the origin " + elsewhere.URL, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := behind(t, testkit.PageOfItsURL("/a"), func(http.Handler) http.Handler { return tt.front })
			done, err := f.Explore(t.Context(), nil)
			if err == nil || !strings.Contains(err.Error(), "does not lead to this process") ||
				!strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "ExploreOptions.Inside") == tt.shut {
				t.Errorf("the error is %v", err)
			}
			if hints := f.Stats().Hints; len(hints) != 1 || strings.Contains(hints[0], "ExploreOptions.Inside") == tt.shut {
				t.Errorf("the hints are %q", hints)
			}
			if len(f.paths()) > 0 || done.Requests > 0 {
				t.Errorf("%q was asked for", f.paths())
			}
			f.wantListed()
		})
	}
}

// Where the program forgot the site, that is the one cause. An owner who reads of the origin or of a proxy looks there.
func TestExploringTellsAnOwnerWhoForgotMountNothingElse(t *testing.T) {
	const unwrapped, routed = "No request has passed through this site yet", "The site stands inside a route"
	const barred = "Crawlers do not get the sitemap"
	for _, tt := range []struct {
		name   string
		mount  func(*servemap.Site, *mux.Router)
		visits bool // come before
		hint   string
	}{
		{"forgotten", func(*servemap.Site, *mux.Router) {}, false, unwrapped},
		{"forgotten, with visitors", func(*servemap.Site, *mux.Router) {}, true, unwrapped},
		{"in Use", func(s *servemap.Site, r *mux.Router) { r.Use(s.Wrap) }, false, unwrapped},
		{"in Use, with visitors", func(s *servemap.Site, r *mux.Router) { r.Use(s.Wrap) }, true, routed},
		{"behind a log-in", func(s *servemap.Site, r *mux.Router) {
			r.Use(func(http.Handler) http.Handler { return http.RedirectHandler("/login", http.StatusSeeOther) })
			s.Mount(r)
		}, false, barred},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // it waits for some seconds
			r, log := mux.NewRouter(), new(base.Log)
			r.HandleFunc("/", testkit.Page("home", "/a"))
			server := httptest.NewServer(r)
			defer server.Close()
			site, err := servemap.New(server.URL, nil, &servemap.Options{Logger: log.Logger()})
			base.Check(t, err)
			tt.mount(site, r)
			if tt.visits {
				fetch(t, server.URL)
			}
			_, err = site.Explore(t.Context(), nil)
			if !errors.Is(err, servemap.ErrElsewhere) || !strings.Contains(err.Error(), "call site.Mount(r)") &&
				!strings.Contains(err.Error(), "which leads to /login; something answers before the site") ||
				strings.Contains(err.Error(), "Inside") {
				t.Errorf("the error is %v", err)
			}
			if hints := site.Stats().Hints; len(hints) != 1 || !strings.HasPrefix(hints[0], tt.hint) {
				t.Errorf("the hints are %q", hints)
			}
			base.Check(t, site.Close(context.Background()))
			log.Want(t, 1, "level=WARN")
		})
	}
}

// Whoever calls Explore without go before the server listens waits for it in vain. Its origin may be right.
func TestExploringBeforeTheServerListensSaysSo(t *testing.T) {
	unstarted, log := httptest.NewUnstartedServer(nil), new(base.Log)
	address := unstarted.Listener.Addr().String()
	unstarted.Listener.Close() // nothing listens there
	site, err := servemap.New("http://"+address, new(memstore.Store), &servemap.Options{Logger: log.Logger()})
	base.Check(t, err)
	_, err = site.Explore(t.Context(), nil)
	if !errors.Is(err, servemap.ErrElsewhere) || !strings.Contains(err.Error(), "nothing listens there yet: write go "+
		"site.Explore(ctx, nil) if the server begins to listen after that") ||
		strings.Contains(err.Error(), "Inside") {
		t.Errorf("the error is %v", err)
	}
	base.Check(t, site.Close(t.Context()))
	log.Want(t, 1, "level=WARN")
	log.Want(t, 1, "nothing listened at the site's public address")
}

func TestExploringMayBeginBeforeTheServerListens(t *testing.T) {
	unstarted := httptest.NewUnstartedServer(nil)
	site, err := servemap.New("http://"+unstarted.Listener.Addr().String(), new(memstore.Store), nil)
	base.Check(t, err)
	defer site.Close(context.Background())
	pages, early := site.Wrap(testkit.PageOfItsURL("/a")), true
	unstarted.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if early { // what is in front has not found it yet
			early = false
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		pages.ServeHTTP(w, r)
	})
	unstarted.Start()
	defer unstarted.Close()
	if _, err := site.Explore(t.Context(), nil); err != nil || site.Stats().Listed != 2 {
		t.Errorf("%v, %v", err, site.Stats().Verdicts)
	}
}

func TestVisitsThroughTheOriginAreNobody(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", testkit.Page("home", "/about"))
	mux.HandleFunc("/about", testkit.Page("about"))
	f := behind(t, mux, open)
	f.explored()
	f.wantListed("/", "/about")
	for _, r := range f.asked {
		known := servemap.Exploring(r) || r.URL.Path == "/robots.txt"
		if !known || r.Header.Get("Servemap-Visit") != "" && r.URL.Path != "/robots.txt" || r.Header.Get("Cookie") != "" ||
			r.UserAgent() != "servemap-explore" {
			t.Errorf("%s is known as the site's own: %v; its header is %v", r.URL.Path, known, r.Header)
		}
	}
	e, err := f.Explain(t.Context(), "/about")
	if err != nil || !slices.Contains(e.Evidence, servemap.ReasonRoute) {
		t.Errorf("evidence %q, %v", e.Evidence, err)
	}
}

// Exploring sends no header that is unknown, so its visits have what the way adds to every request.
func TestHeaderThatTheWayAddsKeepsNothingFromBeingExplored(t *testing.T) {
	for name, want := range map[string][]string{"X-Blue-Harbour": {"/", "/a"}, "X-Cdn7-Nodehash": {"/", "/a"},
		"X-Org-Id": nil, "X-Remote-Employee-User": nil, "X-SSL-Client-DN": nil, "Cookie": nil} {
		t.Run(name, func(t *testing.T) {
			f := behind(t, testkit.PageOfItsURL("/a"), func(pass http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					r.Header.Set(name, "x=17")
					pass.ServeHTTP(w, r)
				})
			})
			f.explored()
			f.wantListed(want...)
		})
	}
}

func TestRevisitsGoThroughTheOrigin(t *testing.T) {
	pages := testkit.Paths{"/": testkit.Page("home", "/about", "/team", "/z"), "/about": testkit.Page("about"),
		"/team": testkit.Page("team"), "/z": testkit.Page("z")}
	st, now, asked := new(memstore.Store), time.Now(), make(chan string, 100)
	var program http.Handler
	outside := base.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		if asked <- r.URL.Path; r.URL.Path == "/team" {
			w.WriteHeader(http.StatusGone) // since yesterday the front has its own answer
			return
		}
		program.ServeHTTP(w, r)
	})
	synctest.Test(t, func(t *testing.T) { // so long ago that each page is revisited
		time.Sleep(time.Until(now.AddDate(0, 0, -31)))
		site, err := servemap.New(outside, st, nil)
		base.Check(t, err)
		_, err = site.Explore(t.Context(), &servemap.ExploreOptions{Inside: site.Wrap(pages)})
		base.Check(t, err)
		base.Check(t, site.Close(t.Context()))
	})
	site, err := servemap.New(outside, st, nil)
	base.Check(t, err)
	defer site.Close(context.Background())
	program = site.Wrap(pages)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := site.Explore(ctx, &servemap.ExploreOptions{MaxRequests: 1, Revisit: 86_400})
		ended <- err
	}()
	for path := range asked {
		if path == "/z" { // the last one: the others have been learned
			break
		}
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	base.Check(t, site.Flush(t.Context()))
	for path, want := range map[string]servemap.Verdict{"/about": servemap.VerdictListed, "/team": servemap.VerdictGone} {
		if e, err := site.Explain(t.Context(), path); err != nil || e.Verdict != want ||
			e.LastSeen.Before(now) != (path == "/team") {
			t.Errorf("%s is %s, last seen at %v, %v", path, e.Verdict, e.LastSeen, err)
		}
	}
}

func TestRequestThatClaimsToBeTheSitesOwnTeachesNothing(t *testing.T) {
	believed := false
	f := behind(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		believed = believed || servemap.Exploring(r)
		testkit.Page("home")(w, r)
	}), open)
	for _, h := range [][2]string{{"Servemap-Visit", "made up"}, {"User-Agent", "servemap-explore"},
		{"User-Agent", "servemap-explore (+https://example.com/the-command)"}} {
		name, value := h[0], h[1]
		if status := f.visit(name, value, "/"); believed || status != http.StatusOK || f.Stats().Observations != 0 {
			t.Errorf("%s: believed: %v, answered with %d, %d were observed", name, believed, status, f.Stats().Observations)
		}
	}
}

func TestExploringAsksNobodyButTheOrigin(t *testing.T) {
	others := 0
	other := base.Serve(t, func(http.ResponseWriter, *http.Request) { others++ })
	t.Setenv("HTTP_PROXY", other)
	f := behind(t, testkit.Paths{
		"/":      testkit.Page("home", "/moved", "/named", other+"/linked", "/about"),
		"/moved": testkit.Reply(http.StatusFound, "", "Location", other+"/x"),
		"/named": testkit.Reply(http.StatusFound, "", "Location", "//"+strings.TrimPrefix(other, "http://")),
		"/about": testkit.Page("about"), "/robots.txt": testkit.Reply(http.StatusNotFound, ""),
	}, open)
	f.explored()
	f.wantListed("/", "/about")
	if others > 0 {
		t.Errorf("another host was asked %d times", others)
	}
}

func TestPagesToWhichAFrontAddsAreStillTheSites(t *testing.T) {
	f := behind(t, testkit.PageOfItsURL("/a", "/b"), func(pass http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			rec := httptest.NewRecorder()
			pass.ServeHTTP(rec, r)
			if body := rec.Body.String(); strings.Contains(body, "<body>") {
				body = strings.Replace(strings.Join(strings.Fields(body), " "), "<body>",
					"<body><div>We use cookies, and tell everybody.</div>", 1)
				testkit.Reply(http.StatusOK, strings.ReplaceAll(body, "<p>", "<p><b>Advertisement</b> "))(w, r)
				return
			}
			w.WriteHeader(rec.Code)
			w.Write(rec.Body.Bytes())
		})
	})
	f.explored()
	f.wantListed("/", "/a", "/b")
}

func TestExploringNamesTheOriginToWhichTheEntryRedirects(t *testing.T) {
	for name, site := range map[string]testkit.Paths{
		"robots.txt": {"/robots.txt": testkit.Reply(http.StatusMovedPermanently, "", "Location",
			"https://www.example.com/robots.txt")},
		"the entry": {"/": testkit.Reply(http.StatusMovedPermanently, "", "Location", "https://www.example.com/")},
	} {
		testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
			_, err := s.Explore(s.Context(), &servemap.ExploreOptions{Inside: s})
			if err == nil || !strings.Contains(err.Error(), "write the origin https://www.example.com") {
				s.Errorf("%s: %v", name, err)
			}
		})
	}
}

// What the program answered is known before the explorer has its last byte. Many programs go on working then, as
// MediaWiki does, or PHP after fastcgi_finish_request.
func TestProgramThatWorksOnAfterTheLastByteHasAnswered(t *testing.T) {
	page := func(text string, links ...string) []byte {
		return []byte(testkit.HTML("", text, links...))
	}
	home := page("home", "/write", "/string", "/reader", "/header", "/gone", "/old", "/leads")
	over := make(chan struct{})
	write := func(status int) func(w http.ResponseWriter, body []byte) {
		return func(w http.ResponseWriter, body []byte) { w.WriteHeader(status); w.Write(body) }
	}
	answers := map[string]func(w http.ResponseWriter, body []byte){
		"/": func(w http.ResponseWriter, body []byte) { w.Write(body) }, "/write": func(w http.ResponseWriter,
			body []byte) {
			w.Write(body)
		},
		"/string": func(w http.ResponseWriter, body []byte) { text := string(body); io.WriteString(w, text) },
		"/reader": func(w http.ResponseWriter, body []byte) { io.Copy(w, bytes.NewReader(body)) },
		"/header": write(http.StatusOK), "/gone": write(http.StatusNotFound),
		"/old": func(w http.ResponseWriter, body []byte) {
			w.Header().Set("Location", "/new")
			write(http.StatusFound)(w, body)
		},
		"/new":   write(http.StatusOK),
		"/leads": func(w http.ResponseWriter, body []byte) { w.Header().Set("X-Robots-Tag", "noindex"); w.Write(body) },
	}
	f := behind(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := page("what stands at " + r.URL.Path)
		if r.URL.Path == "/" {
			body = home
		}
		answer := answers[r.URL.Path]
		if answer == nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Header().Set("Connection", "close") // the next request does not wait for this one
		answer(w, body)
		http.NewResponseController(w).Flush()
		<-over
	}), open)
	done := f.explored()
	close(over)
	f.wantListed("/", "/header", "/new", "/reader", "/string", "/write")
	if done.Skipped["elsewhere"] != 0 {
		t.Errorf("what this process answered came from elsewhere: %v, such as %v", done.Skipped, done.Examples)
	}
	if e, err := f.Explain(t.Context(), "/gone"); err != nil || strings.Contains(e.Text, "origin") {
		t.Errorf("%v, %s", err, e.Text)
	}
}
