package e2e

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

func everybody(*http.Request) bool { return true }

// secret is the location of a page that only one visitor knows.
const secret = "/reset/q8ZrT2kLm9XvB4nW"

// inspected is a site with an inspector at /inspect/, and pages of several verdicts.
func inspected(t *testing.T, st store.Store, fn func(*testkit.Site)) {
	pages := testkit.Paths{
		"/":        testkit.Page("home", "/a", "/b/", "/b/c", "/hidden", "/unseen", "/x'y&z"),
		"/a":       testkit.Page("a", "/"),
		"/b/":      testkit.Page("b"),
		"/b/c":     testkit.Page("c"),
		"/x'y&z":   testkit.Page("quoted"),
		"/hidden":  testkit.Reply(http.StatusOK, testkit.HTML(`<meta name="robots" content="noindex">`, "hidden")),
		"/private": testkit.Reply(http.StatusOK, testkit.HTML("", "private"), "Cache-Control", "private"),
		secret:     testkit.Page("choose a password"),
		"/admin":   testkit.Reply(http.StatusFound, "", "Location", "/login"),
	}
	testkit.Run(t, testkit.Setup{Store: st, Mount: func(s *servemap.Site) http.Handler {
		m := http.NewServeMux()
		m.Handle("/", pages)
		m.Handle("/inspect/", s.Inspector(everybody))
		return s.Wrap(m)
	}}, func(s *testkit.Site) {
		s.Visit("/", "/a", "/b/", "/b/c", "/hidden", "/private", secret, "/x'y&z", "/admin")
		fn(s)
	})
}

// Where another table says why pages are not listed, the overview still has their numbers, each a link to these pages.
func TestOverviewHasTheNumbersOfPagesThatExploringLeftOut(t *testing.T) {
	pages := testkit.Paths{"/": testkit.Page("home", "/list?sort=a", "/list"), "/list": testkit.Page("list")}
	testkit.Run(t, testkit.Setup{Handler: pages}, func(s *testkit.Site) {
		explore(s, servemap.ExploreOptions{})
		w := httptest.NewRecorder()
		s.Inspector(everybody).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/inspect/", nil))
		_, card, _ := strings.Cut(w.Body.String(), `<h2 id="why-h">Not listed</h2>`)
		card, _, _ = strings.Cut(card, "</section>")
		for _, link := range []string{`<a href="pages?reason=query`, `1 linked address has a parameter`} {
			if !strings.Contains(card, link) || strings.Contains(card, "below") {
				s.Errorf("the card has no %s: %s", link, card)
			}
		}
	})
}

// text returns what a reader sees of HTML.
func text(page string) string {
	return strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(page, " "))),
		" ")
}

func TestInspectorSaysWhyAPageIsMissing(t *testing.T) {
	inspected(t, nil, func(s *testkit.Site) {
		if first := s.Get("/inspect/"); first.Status != http.StatusOK || !strings.Contains(text(first.Body),
			"5 pages in the sitemap") || !strings.Contains(first.Body, `action="pages"`) {
			t.Fatalf("the first page: %d\n%s", first.Status, text(first.Body))
		}
		for _, tt := range []struct{ name, asked, want string }{
			{"listed", "/a", "Listed"},
			{"by its URL", "https://example.com/a", "Listed"},
			{"noindex", "/hidden", "The page says noindex"},
			{"private", "/private", "set Rule.IgnoreCacheControl"},
			{"a secret", secret, "looks like a secret"},
			{"not seen", "/unseen", "open it once in a private window"},
			{"nothing known", "/nothing", "Nothing is known of this page"},
			{"a log-in that nothing links to", "/admin",
				"If it redirects, fails, needs a log-in or is no HTML, that is why,"},
			{"another slash", "/a/", "Did you mean https://example.com/a? That one is listed."},
			{"another case", "/B/C", "Did you mean https://example.com/b/c? That one is listed."},
			{"the sitemap itself", "/sitemap.xml", "This is a file of the sitemap itself."},
			{"elsewhere", "https://elsewhere.example/a", "Ask for the path alone, as /a."},
			{"robots.txt", "/robots.txt", "It is no page, and never listed."},
			{"no address", "/a//b", "two slashes in a row"},
		} {
			a := s.Get("/inspect/pages?q=" + url.QueryEscape(tt.asked))
			if a.Status != http.StatusSeeOther {
				t.Errorf("%s: %d, want that the search leads on", tt.name, a.Status)
				continue
			}
			if got := text(s.Get("/inspect/" + a.Header.Get("Location")).Body); !strings.Contains(got, tt.want) {
				t.Errorf("%s: no %q in\n%s", tt.name, tt.want, got)
			}
		}
		for _, tt := range []struct{ name, asked, has, not string }{
			{"within", "C", "/b/c", "/b/</a>"},
			{"the beginning of addresses", "/b*", "/b/c", "/a</a>"},
			{"what is below an address", "/b/*", "/b/c", "/a</a>"},
			{"nothing below an address", "/z/*", "No page fits.", "/b/c"},
			{"as people write it", "x'y&z", "x&#39;y&amp;z", "/b/c"},
			{"none", "zzz", "No page fits.", "/b/c"},
			{"none, but perhaps an address", "zz z",
				`<a href="page?u=%2fzz%2520z">Ask about <span class="code">/zz%20z</span></a>`, "/b/c"},
			{"nothing", " ", "Type an address", "No page fits."},
		} {
			a := s.Get("/inspect/pages?q=" + url.QueryEscape(tt.asked))
			if a.Status != http.StatusOK || !strings.Contains(a.Body, tt.has) || strings.Contains(a.Body, tt.not) {
				t.Errorf("searching %s: %d\n%s", tt.name, a.Status, a.Body)
			}
		}
	})
}

// linked finds the addresses in a page.
var linked = regexp.MustCompile(`(?:href|action)="([^"]*)"`)

// follow follows all links that stay below base, and returns the bodies by address.
func follow(t *testing.T, base string, get func(address string) testkit.Answer) map[string]string {
	t.Helper()
	seen, todo := map[string]string{}, []string{base}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		if _, done := seen[at]; done || len(seen) > 500 {
			continue
		}
		a := get(at)
		seen[at] = a.Body
		if a.Status == http.StatusSeeOther {
			a.Body = `href="` + a.Header.Get("Location") + `"`
		} else if a.Status != http.StatusOK {
			t.Errorf("%s: status %d", at, a.Status)
		}
		here, _ := url.Parse(at)
		for _, m := range linked.FindAllStringSubmatch(a.Body, -1) {
			link, err := url.Parse(html.UnescapeString(m[1]))
			if err != nil {
				t.Errorf("%s links to %q: %v", at, m[1], err)
				continue
			}
			if link.IsAbs() {
				if link.Host != "example.com" {
					t.Errorf("%s links to %s", at, link)
				}
				continue
			}
			to := here.ResolveReference(link)
			if to.Fragment = ""; !strings.HasPrefix(to.Path, base) {
				t.Errorf("%s links to %s, which is not below %s", at, to, base)
				continue
			}
			todo = append(todo, to.String())
		}
	}
	return seen
}

func TestEveryLinkOfTheInspectorLeadsSomewhereBelowAnyPath(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/a", "/b/c"), "/a": testkit.Page("a"), "/b/c": testkit.Page("c")}
	for _, tt := range []struct {
		name, base string
		mount      func(inspector http.Handler) http.Handler
	}{
		{"at the root", "/", func(i http.Handler) http.Handler { return i }},
		{"in a mux", "/a/b/", func(i http.Handler) http.Handler {
			m := http.NewServeMux()
			m.Handle("/a/b/", i)
			return m
		}},
		{"behind StripPrefix", "/see/", func(i http.Handler) http.Handler { return http.StripPrefix("/see/", i) }},
		{"behind StripPrefix without the slash", "/see/",
			func(i http.Handler) http.Handler { return http.StripPrefix("/see", i) }},
		{"in gorilla/mux", "/see/", func(i http.Handler) http.Handler {
			r := mux.NewRouter()
			r.PathPrefix("/see").Handler(i)
			return r
		}},
		{"behind a proxy that cuts the prefix off", "/admin/", func(i http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.RequestURI = strings.TrimPrefix(r.RequestURI, "/admin")
				r.URL.Path = strings.TrimPrefix(r.URL.Path, "/admin")
				i.ServeHTTP(w, r)
			})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
				s.Visit("/", "/a", "/b/c")
				handler := tt.mount(s.Inspector(everybody))
				get := func(address string) testkit.Answer {
					w := base.Ask(handler, http.MethodGet, address)
					return testkit.Answer{Status: w.Code, Header: w.Header(), Body: w.Body.String()}
				}
				if n := len(follow(t, tt.base, get)); n < 25 {
					t.Errorf("%d pages were found", n)
				}
				if tt.base == "/see/" && tt.name != "behind StripPrefix" {
					if a := get("/see?live"); a.Status != http.StatusMovedPermanently || a.Header.Get("Location") != "./see/?live" {
						t.Errorf("without the slash: %d, to %q", a.Status, a.Header.Get("Location"))
					}
				}
			})
		})
	}
}

func TestInspectorNamesNoHiddenPageAndIsNoPageItself(t *testing.T) {
	inspected(t, nil, func(s *testkit.Site) {
		before := s.Stats()
		all := follow(t, "/inspect/", func(address string) testkit.Answer { return s.Get(address) })
		for at, body := range all {
			for _, hidden := range []string{secret, "/private", "/unseen", "/hidden"} {
				linked := hidden == "/unseen" || hidden == "/hidden" // by a listed page, and so named where the owner asks which
				if asked := strings.Contains(at, "reason=") || strings.Contains(at, "u="); strings.Contains(body, hidden) &&
					!(linked && asked) {
					t.Errorf("%s names %s", at, hidden)
				}
			}
			if strings.Count(body, "<script") > strings.Count(body, `<pre class="copy"`) || strings.Contains(body, "style=") {
				t.Errorf("%s has another script than the one that copies, or a style", at)
			}
		}
		s.Settle()
		s.WantVerdict("/inspect/files", "unknown", "none")
		if after := s.Stats(); after.Waiting != before.Waiting || after.Observations != before.Observations ||
			len(after.Hints) != len(before.Hints) {
			t.Errorf("it was %+v, and is %+v", before, after)
		}
		first := all["/inspect/"]
		for _, want := range []string{"looks like a secret", "says noindex", "Cache-Control: private",
			"had no anonymous visitor yet"} {
			if !strings.Contains(text(first), want) {
				t.Errorf("the first page has no %q", want)
			}
		}
	})
}

// Before the first visitor there is nothing to show, so no empty box is shown. What is not counted yet is no zero.
func TestAYoungInspectorShowsOnlyWhatThereIs(t *testing.T) {
	testkit.Run(t, testkit.Setup{Handler: testkit.Page("home")}, func(s *testkit.Site) {
		ask, boxes := owner(s), []string{"Not listed", "Why pages are listed", "Responses that did not count", "History",
			"What happened"}
		for _, box := range boxes {
			if got := text(ask("")); strings.Contains(got, box) || !strings.Contains(got, "Waiting for the first visitor") {
				t.Errorf("before the first visitor it has %s: %s", box, got)
			}
		}
		s.Get("/")
		time.Sleep(15 * time.Second)
		if got := text(ask("")); !strings.Contains(got, "not counted in the first minute") ||
			!strings.Contains(got, boxes[1]) || strings.Contains(got, boxes[4]) {
			t.Errorf("in the first minute: %s", got)
		}
	})
}

func TestTheOwnersClicksDoNotCount(t *testing.T) {
	mount := func(s *servemap.Site) http.Handler {
		r := mux.NewRouter()
		r.PathPrefix("/inspect").Handler(s.Inspector(nil))
		r.HandleFunc("/", testkit.Page("home"))
		r.HandleFunc("/inspection", testkit.Page("the site's own page"))
		s.Mount(r)
		return r
	}
	testkit.Run(t, testkit.Setup{Mount: mount}, func(s *testkit.Site) {
		opened := s.Get(s.InspectorLink("/inspect/"))
		cookie, _, _ := strings.Cut(opened.Header.Get("Set-Cookie"), ";")
		for path, status := range map[string]int{
			"/inspect/": 200, "/inspect/pages": 200, "/inspect/page?u=/": 200, "/inspect/stats.json": 200,
			"/inspect/nonsense": 404, "/inspect/style.css": 404,
		} {
			for range 2 {
				if a := s.Get(path, "Cookie", cookie); a.Status != status {
					t.Errorf("%s gets %d, want %d", path, a.Status, status)
				}
			}
		}
		if a := s.Get("/inspect"); a.Status != http.StatusMovedPermanently || a.Header.Get("Location") != "./inspect/" {
			t.Errorf("without the slash: %d, to %q", a.Status, a.Header.Get("Location"))
		}
		if a := s.Get("/inspection"); a.Status != http.StatusOK || !strings.Contains(a.Body, "the site's own page") {
			t.Errorf("a page of the site whose address begins in the same way: %d", a.Status)
		}
		if got := s.Stats().Ignored; len(got) > 0 {
			t.Errorf("what the owner asked for counts: %v", got)
		}
		name, _, _ := strings.Cut(cookie, "=")
		s.Get("/", "Cookie", name+"=made-up")
		if got := s.Stats().Ignored; got["cookie"] != 1 {
			t.Errorf("a cookie of that name with another value: %v", got)
		}
	})
}

// In gorilla/mux, Handle is for one address, and the inspector has several.
func TestMountRefusesAnInspectorOfOneAddress(t *testing.T) {
	testkit.Run(t, testkit.Setup{Handler: testkit.Page("home")}, func(s *testkit.Site) {
		r := mux.NewRouter()
		r.Handle("/inspect/", s.Inspector(nil))
		defer func() {
			if text := fmt.Sprint(recover()); !strings.Contains(text,
				`write r.PathPrefix("/inspect").Handler(site.Inspector(...))`) {
				t.Errorf("Mount says %q", text)
			}
		}()
		s.Site.Mount(r)
	})
}

// Who mounts an inspector after Mount, or as one address of http.ServeMux, learns what to write.
func TestAnInspectorOfOneAddressIsTold(t *testing.T) {
	for _, tt := range []struct {
		name, at string
		with     func(s *servemap.Site) http.Handler
		told     string // "" for nothing
	}{
		{"after Mount", "/inspect/", func(s *servemap.Site) http.Handler {
			r := mux.NewRouter()
			s.Mount(r)
			r.Handle("/inspect/", s.Inspector(everybody))
			return r
		}, `write r.PathPrefix(\"/inspect\").Handler(site.Inspector(...)), before site.Mount(r)`},
		{"without a slash", "/inspect", func(s *servemap.Site) http.Handler {
			m := http.NewServeMux()
			m.Handle("/inspect", s.Inspector(everybody))
			return s.Wrap(m)
		}, `write mux.Handle(\"/inspect/\", site.Inspector(...))`},
		{"with and without", "/inspect", func(s *servemap.Site) http.Handler {
			m, i := http.NewServeMux(), s.Inspector(everybody)
			m.Handle("/inspect", i)
			m.Handle("/inspect/", i)
			return s.Wrap(m)
		}, ""},
		{"as it should be", "/inspect/", func(s *servemap.Site) http.Handler {
			m := http.NewServeMux()
			m.Handle("/inspect/", s.Inspector(everybody))
			return s.Wrap(m)
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Run(t, testkit.Setup{Mount: tt.with}, func(s *testkit.Site) {
				s.Get(tt.at)
				s.Get(tt.at)
				s.Shut()
				lines := 0
				if tt.told != "" {
					lines = 1
				}
				s.Logged.Want(t, lines, "the inspector has several")
				s.Logged.Want(t, lines, cmp.Or(tt.told, "the inspector has several"))
			})
		})
	}
}

func TestASecondMountIsRefused(t *testing.T) {
	s, r := testkit.Start(t, testkit.Setup{}), mux.NewRouter()
	s.Mount(r)
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "call Mount once") {
			t.Errorf("Mount says %q", text)
		}
	}()
	s.Mount(r)
}

func TestWhatIsForTheOwnerIsHiddenFromOthers(t *testing.T) {
	testkit.Run(t, testkit.Setup{Handler: testkit.Page("home")}, func(s *testkit.Site) {
		handlers := map[string]func(func(*http.Request) bool) http.Handler{"Inspector": s.Inspector, "Metrics": s.Metrics}
		for name, handler := range handlers {
			for _, path := range []string{"/", "/stats.json", "/page?u=/", "/nothing", "/forget"} {
				ask := func(allow func(*http.Request) bool) *httptest.ResponseRecorder {
					return base.Ask(handler(allow), http.MethodGet, path)
				}
				if w := ask(everybody); w.Code == http.StatusNotFound && path != "/nothing" {
					t.Errorf("%s, %s: its owner gets a 404", name, path)
				}
				if w := ask(func(*http.Request) bool { return false }); w.Code != http.StatusNotFound ||
					strings.Contains(w.Body.String(), "servemap") {
					t.Errorf("%s, %s: a stranger gets %d\n%s", name, path, w.Code, w.Body)
				}
				if w := ask(servemap.Password("a", "b")); w.Code != http.StatusUnauthorized {
					t.Errorf("%s, %s: who has no password gets %d", name, path, w.Code)
				}
			}
		}
		defer func() {
			if text := fmt.Sprint(recover()); !strings.Contains(text, "servemap.Password") {
				t.Errorf("Metrics(nil) says %q", text)
			}
		}()
		s.Metrics(nil)
	})
}

func TestInspectorForgetsAPageForItsOwnerOnly(t *testing.T) {
	inspected(t, nil, func(s *testkit.Site) {
		undoes, token := "", ""
		post := func(page string, lines ...string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodPost, "/inspect/forget",
				strings.NewReader(url.Values{"u": {page}, "undo": {undoes}, "token": {token}}.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			for i := 0; i < len(lines); i += 2 {
				r.Header.Set(lines[i], lines[i+1])
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			return w
		}
		for name, lines := range map[string][]string{
			"another site's form":           {"Sec-Fetch-Site", "cross-site"},
			"a form of a host beside it":    {"Sec-Fetch-Site", "same-site"},
			"an old browser's, by its site": {"Origin", "https://evil.example"},
		} {
			if w := post("/a", lines...); w.Code != http.StatusForbidden {
				t.Errorf("%s: %d, want 403", name, w.Code)
			}
		}
		if a := s.Get("/inspect/forget?u=/a"); a.Status != http.StatusSeeOther {
			t.Errorf("without a form: %d", a.Status)
		}
		s.WantListed("/", "/a", "/b/", "/b/c", "/x'y&z")
		if w := post("/a", "Sec-Fetch-Site", "same-origin"); w.Code != http.StatusSeeOther ||
			w.Header().Get("Location") != "page?u=%2Fa" {
			t.Errorf("its own form: %d, to %q", w.Code, w.Header().Get("Location"))
		}
		if w := post("https://elsewhere.example/", "Sec-Fetch-Site", "same-origin"); w.Code != http.StatusBadRequest {
			t.Errorf("a page that is none: %d", w.Code)
		}
		s.WantListed("/", "/b/", "/b/c", "/x'y&z")
		s.WantVerdict("/a", "excluded", "forgotten")
		if a := s.Get("/inspect/page?u=/a"); !strings.Contains(a.Body, `name="undo"`) ||
			strings.Contains(a.Body, "Forget it") {
			t.Errorf("a page that was forgotten has no button: %s", text(a.Body))
		}
		if w := post("/a", "Sec-Fetch-Site", "cross-site"); w.Code != http.StatusForbidden {
			t.Errorf("another site undoes it: %d", w.Code)
		}
		undoes = "1"
		token = regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(s.Get("/inspect/page?u=/a").Body)[1]
		if w := post("/a", "Origin", "https://behind-a-proxy.example"); w.Code != http.StatusSeeOther {
			t.Errorf("undoing behind a proxy that changes the host: %d", w.Code)
		}
		if w := post("/a", "Sec-Fetch-Site", "same-origin"); w.Code != http.StatusSeeOther {
			t.Errorf("undoing: %d", w.Code)
		}
		s.Visit("/a")
		s.WantListed("/", "/a", "/b/", "/b/c", "/x'y&z")
	})
}

func TestInspectorShowsHostileInputAsText(t *testing.T) {
	inspected(t, nil, func(s *testkit.Site) {
		evil := `/"><script>alert(1)</script><img src=x onerror=alert(1)>`
		for _, path := range []string{"page?u=", "pages?q=", "pages?after=", "changes?since=", "changes?before=",
			"pages?q=a&after=", "pages?q=/*&after="} {
			for _, ask := range []string{evil, "/\u202ea", "javascript:alert(1)", "//evil.example/", "/\x00",
				strings.Repeat("/a", 5000), "9223372036854775807"} {
				a := s.Get("/inspect/" + path + url.QueryEscape(ask))
				if a.Status >= 500 || strings.Count(a.Body, "<script") > strings.Count(a.Body, `<pre class="copy"`) ||
					strings.Contains(a.Body, "<img") || strings.Contains(a.Body, `href="javascript:`) ||
					strings.Contains(a.Body, `href="//`) {
					t.Errorf("%s%.60q: %d\n%s", path, ask, a.Status, a.Body)
				}
				if to := a.Header.Get("Location"); to != "" && !strings.HasPrefix(to, "page?u=") {
					t.Errorf("%s%.60q leads to %q", path, ask, to)
				}
			}
		}
		a := s.Get("/inspect/")
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer",
			"X-Content-Type-Options": "nosniff",
		} {
			base.Equal(t, a.Header.Get(name), want, "%s", name)
		}
		rest, ok := strings.CutPrefix(a.Header.Get("Content-Security-Policy"),
			"default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors "+
				"'none'; script-src 'sha256-")
		if !ok || len(rest) != len(base64.StdEncoding.EncodeToString(make([]byte, 32))+"'") {
			t.Errorf("the policy allows more than one script by its hash: %q", a.Header)
		}
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "http://x/", nil)
		r.URL.Path, r.RequestURI = "/https:evil", "/https:evil"
		s.Inspector(everybody).ServeHTTP(w, r)
		if to := w.Header().Get("Location"); to != "./https:evil/" {
			t.Errorf("a strange mount leads to %q", to)
		}
	})
}

func TestTheInspectorSaysWhetherRobotsTxtNamesTheSitemap(t *testing.T) {
	const line, secret = "Sitemap: https://example.com/sitemap.xml", "9f86d081884c7d659a2feaa0c55ad015"
	file := func(text string) http.HandlerFunc {
		return testkit.Reply(http.StatusOK, "User-agent: *\nDisallow: /x/\n"+text, "Content-Type", "text/plain")
	}
	failing := func(at http.HandlerFunc) http.HandlerFunc { // from the second request on
		var asked atomic.Bool
		return func(w http.ResponseWriter, r *http.Request) {
			if asked.Swap(true) {
				http.Error(w, "", http.StatusBadGateway)
				return
			}
			at(w, r)
		}
	}
	says := map[string]string{"": "it is not known whether it has the line", "published": "Once it is published",
		"has-line": "has this line", "lacks-line": "Add this line to robots.txt", "line-added": "servemap adds this line",
		"no-file": "is no plain robots.txt"}
	for _, tt := range []struct {
		name    string
		robots  http.HandlerFunc // nil if nobody asks for it
		mounted bool             // Site.Robots is
		options servemap.Options
		want    string
	}{
		{"not seen", nil, false, servemap.Options{}, ""},
		{"it does", file(line), false, servemap.Options{}, "has-line"},
		{"it names another", file("Sitemap: https://example.com/old.xml"), false, servemap.Options{}, "lacks-line"},
		{"servemap adds it where there is none", http.NotFound, true, servemap.Options{}, "line-added"},
		{"servemap will add it", nil, true, servemap.Options{}, "line-added"},
		{"servemap need not add it", file(line), true, servemap.Options{}, "has-line"},
		{"servemap will add it once the site answers", status(http.StatusInternalServerError), true, servemap.Options{},
			"line-added"},
		{"servemap added it before the site was down", failing(file("")), true, servemap.Options{}, "line-added"},
		{"servemap cannot add it to the site's own page", testkit.Page("no such page"), true, servemap.Options{}, "no-file"},
		{"servemap adds nothing while it only reports", file(""), true, servemap.Options{ReportOnly: true}, "published"},
		{"servemap adds no secret name", file(""), true, servemap.Options{Name: secret}, "lacks-line"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pages := testkit.Paths{"/": testkit.Page("home")}
			if tt.robots != nil {
				pages["/robots.txt"] = tt.robots
			}
			mount := func(s *servemap.Site) http.Handler {
				if tt.mounted {
					return s.Robots(s.Wrap(pages))
				}
				return s.Wrap(pages)
			}
			testkit.Run(t, testkit.Setup{Mount: mount, Options: tt.options}, func(s *testkit.Site) {
				if s.Visit("/"); tt.robots != nil {
					s.Visit("/robots.txt")
					s.Visit("/robots.txt")
				}
				page := text(owner(s)("files"))
				for state, said := range says {
					if strings.Contains(page, said) != (state == tt.want) {
						t.Errorf("it says %q: %v:\n%s", said, state != tt.want, page)
					}
				}
				if told := strings.Contains(text(owner(s)("")), "robots.txt does not name the sitemap"); told != (tt.want ==
					"no-file" || tt.want == "lacks-line") {
					t.Errorf("the overview tells of it: %v", told)
				}
				if line := "https://example.com/" + cmp.Or(tt.options.Name, "sitemap") +
					".xml"; !strings.Contains(page, "Sitemap: "+line) {
					t.Errorf("it does not name %s:\n%s", line, page)
				}
			})
		})
	}
}

func TestInspectorSaysThatTheStoreIsDead(t *testing.T) {
	st, errDead := base.NewStore(), errors.New("the disk is gone")
	inspected(t, st, func(s *testkit.Site) {
		st.Down(errDead)
		defer st.Mend()
		s.Get("/b/c?page=2")
		time.Sleep(time.Minute)
		a := s.Get("/inspect/")
		if got := text(a.Body); a.Status != http.StatusOK || !strings.Contains(got, "The store cannot be used now") ||
			strings.Count(got, "The disk is gone.") != 1 {
			t.Errorf("the first page: %d\n%s", a.Status, got)
		}
		for _, path := range []string{"page?u=/a", "pages", "changes", "pages?q=c"} {
			if a := s.Get("/inspect/" + path); a.Status != http.StatusServiceUnavailable ||
				!strings.Contains(text(a.Body), errDead.Error()) {
				t.Errorf("%s: %d\n%s", path, a.Status, text(a.Body))
			}
		}
		for _, path := range []string{"files", "stats.json"} {
			if a := s.Get("/inspect/" + path); a.Status != http.StatusOK {
				t.Errorf("%s: %d", path, a.Status)
			}
		}
	})
}

// Nothing was learned where the store never answered, so nothing of that is promised to crawlers.
func TestInspectorSaysThatNoSitemapWasEverMade(t *testing.T) {
	st := base.NewStore()
	st.Down(errors.New("the disk is gone"))
	testkit.Run(t, testkit.Setup{Store: st, Handler: testkit.Paths{"/": testkit.Page("home")}}, func(s *testkit.Site) {
		defer st.Mend()
		s.Get("/")
		time.Sleep(time.Minute)
		const want = "Pages are served as ever; the sitemap is a 503 here until the store can be used."
		if got := text(owner(s)("")); !strings.Contains(got, want) ||
			s.Get("/sitemap.xml").Status != http.StatusServiceUnavailable {
			t.Errorf("no %q in %s", want, got)
		}
	})
}

// TestKeyOfTheInspectorIsKeptNowhere opens the link where it is right and where it is wrong, on a
// site whose pages repeat the address and link to it.
func TestKeyOfTheInspectorIsKeptNowhere(t *testing.T) {
	mount := func(s *servemap.Site) http.Handler {
		r := mux.NewRouter()
		r.PathPrefix("/inspect/").Handler(s.Inspector(nil))
		r.PathPrefix("/").HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			testkit.Page(r.RequestURI, r.RequestURI, r.Referer(), "/a")(w, r)
		})
		s.Mount(r)
		return r
	}
	testkit.Run(t, testkit.Setup{Mount: mount}, func(s *testkit.Site) {
		link := s.InspectorLink("/inspect/")
		_, key, _ := strings.Cut(link, "key=")
		s.Visit("/", "/a", link)
		for _, wrong := range []string{"/", "/inspect", "/a", "/b"} {
			s.Get(wrong + "?key=" + key)
			s.Get(wrong, "Referer", "https://example.com"+link)
			s.Get("/page", "Referer", s.InspectorLink("https://example.com"+wrong))
		}
		s.Get("/inspect/?key=" + key + "x")
		s.Settle()
		if n := strings.Count(s.Logged.String(), key); n != 1 || !strings.Contains(s.Logged.String(),
			"Inspector: open /inspect/?key="+key+" on your site (mounted elsewhere? use that path)") {
			t.Errorf("the key is %d times in the log: %s", n, s.Logged)
		}
		s.Shut()
		base.WantNoTrace(t, s.Store, new(testkit.Log), key)
		base.WantNoTrace(t, s.Store, new(testkit.Log), url.QueryEscape(key))
	})
}

// The owner learns which host most asked for, where that is not the origin's.
func TestInspectorNamesTheHostThatMostAskedFor(t *testing.T) {
	testkit.Run(t, testkit.Setup{Handler: testkit.Page("home")}, func(s *testkit.Site) {
		for range 60 {
			s.From("192.0.2.1", "/", "Host", "tea.example.org")
		}
		const want = `Most came to "tea.example.org", and the origin is https://example.com.`
		if overview := text(owner(s)("")); !strings.Contains(overview, want) {
			t.Errorf("the overview does not say %s:\n%s", want, overview)
		}
	})
}

// What is left out as it should be stands folded below what to do, and who mistypes a view finds back.
func TestInspectorShowsFirstWhatToDo(t *testing.T) {
	site := testkit.Paths{"/": testkit.Page("home", "/a", "/b", "/soon"),
		"/a": testkit.Reply(200, "a", "X-Robots-Tag", "noindex"), "/b": testkit.Page("b")}
	testkit.Run(t, testkit.Setup{Handler: site}, func(s *testkit.Site) {
		s.Visit("/", "/a", "/b")
		site["/b"] = status(http.StatusNotFound)
		time.Sleep(time.Hour)
		s.Visit("/b")
		time.Sleep(2 * time.Minute)
		s.Settle()
		page := owner(s)("")
		before, after, _ := strings.Cut(page, "<details><summary>2 pages are most likely left out as it should be")
		if !strings.Contains(before, "reason=not-seen") || strings.Contains(before, "reason=noindex") ||
			!strings.Contains(after, "reason=noindex") {
			s.Errorf("what to do is not shown first: %s", text(page))
		}
		if !strings.Contains(text(after), "1 page was answered with 404 Nobody got it in the minute after that. It comes back "+
			"when an anonymous visitor gets it again. gone") {
			s.Errorf("nobody said that a 404 is intended: %s", text(after))
		}
		w := base.Ask(s.Inspector(everybody), http.MethodGet, "/nothere.html")
		if body := w.Body.String(); w.Code != http.StatusNotFound || !strings.Contains(body, "viewport") ||
			!strings.Contains(body, `href="./">Overview</a>`) {
			s.Errorf("%d %s", w.Code, body)
		}
	})
}
