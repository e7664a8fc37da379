package notify

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// consoleFake stands in for the API of Search Console.
type consoleFake struct {
	mu    sync.Mutex
	calls []string // "PUT PROPERTY SITEMAP"
	code  int      // of all answers, if it is not 0
	says  string   // in place of the answer's text, or of the token that cannot be used
	sites string   // the account's properties, each with its permission
	known []string // the sitemaps that were submitted
	mux   http.ServeMux
}

func startConsole() *consoleFake {
	c := new(consoleFake)
	c.mux.HandleFunc("GET /webmasters/v3/sites", func(w http.ResponseWriter, r *http.Request) {
		var list []string
		for e := range strings.FieldsSeq(c.sites) {
			site, permission, _ := strings.Cut(e, "=")
			list = append(list, fmt.Sprintf(`{"siteUrl":%q,"permissionLevel":%q}`, site, permission))
		}
		fmt.Fprintf(w, `{"siteEntry":[%s]}`, strings.Join(list, ","))
	})
	c.mux.HandleFunc("/webmasters/v3/sites/{site}/sitemaps/{feed}", func(w http.ResponseWriter, r *http.Request) {
		c.calls = append(c.calls, r.Method+" "+r.PathValue("site")+" "+r.PathValue("feed"))
		switch {
		case r.Method == http.MethodPut:
			c.known = append(c.known, r.PathValue("feed"))
		case !slices.Contains(c.known, r.PathValue("feed")):
			http.NotFound(w, r)
		default:
			fmt.Fprintf(w, `{"path":%q,"lastSubmitted":"2026-11-22T10:00:00.123Z","lastDownloaded":"2026-11-22T11:00:00Z","isPending":false,"isSitemapsIndex":false,
				"type":"sitemap","warnings":"2","errors":"1","news":"of tomorrow","contents":[{"type":"web","submitted":"1234","indexed":"7"},{"type":"image","submitted":"9"}]}`, r.PathValue("feed"))
		}
	})
	return c
}

// client returns a client that a token authorises, like an owner's.
func (c *consoleFake) client() *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		w := httptest.NewRecorder()
		switch {
		case c.code == -1:
			return nil, fmt.Errorf("oauth2: cannot use the token ya29.geheim %s", c.says)
		case c.code == -2:
			return nil, fmt.Errorf("the token: %w", &fs.PathError{Op: "open", Path: "/run/token", Err: fs.ErrNotExist})
		case c.code == 200:
			io.WriteString(w, "<html>")
		case c.code != 0:
			c.calls = append(c.calls, "refused")
			w.Header().Set("Location", "https://elsewhere.example.com/")
			if c.code == 429 {
				w.Header().Set("Retry-After", "10800")
			}
			w.WriteHeader(c.code)
			fmt.Fprintf(w, `{"error":{"message":"the token ya29.geheim is no good","errors":[{"reason":%s}]}}`,
				strings.ReplaceAll(strconv.Quote(c.says), " ", `"},{"reason":"`))
		case r.URL.Scheme+r.URL.Host != "httpswww.googleapis.com":
			return nil, fmt.Errorf("it asks %s", r.URL)
		default:
			c.mux.ServeHTTP(w, r)
		}
		return w.Result(), nil
	})}
}

func (c *consoleFake) taken() (calls []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	calls, c.calls = c.calls, nil
	return calls
}

func (c *consoleFake) answer(code int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.code = code
}

// google returns options for the property of a domain.
func (c *consoleFake) google() *Google {
	return &Google{Client: c.client(), Property: "sc-domain:example.com"}
}

func TestSitemapIsSubmittedOnce(t *testing.T) {
	base.OneByOne(t)
	synctest.Test(t, func(t *testing.T) {
		const top = "https://example.com/sitemap.xml"
		c := startConsole()
		r := newRunningSite(t, 3, testkit.Setup{})
		opts := Options{Google: c.google()}
		r.start(opts)
		if s := r.status(); len(s.Sitemaps) != 1 || !s.Sitemaps[0].Pending || s.Sitemaps[0].LastSubmitted.IsZero() {
			t.Errorf("once it was submitted, the status is %+v", s)
		}
		time.Sleep(2 * time.Hour)
		if got, want := c.taken(), []string{"GET sc-domain:example.com " + top, "PUT sc-domain:example.com " + top,
			"GET sc-domain:example.com " + top}; !slices.Equal(got, want) {
			t.Errorf("the calls are %q, want %q", got, want)
		}
		want := Sitemap{
			URL: top, LastSubmitted: time.Date(2026, 11, 22, 10, 0, 0, 123e6, time.UTC),
			LastDownloaded: time.Date(2026, 11, 22, 11, 0, 0, 0, time.UTC),
			Errors:         1, Warnings: 2, Submitted: 1234,
		}
		if s := r.status(); len(s.Sitemaps) != 1 || s.Sitemaps[0] != want || s.GoogleProblem != "" || s.Listed != 4 {
			t.Errorf("the status is %+v", s)
		}
		r.stop()
		r.start(opts)
		if got := c.taken(); len(got) != 0 {
			t.Errorf("after a restart the calls are %q", got)
		}
		time.Sleep(3 * 24 * time.Hour)
		got := c.taken()
		if slices.ContainsFunc(got, func(call string) bool { return strings.HasPrefix(call, "PUT") }) || len(got) < 3 ||
			len(got) > 5 {
			t.Errorf("in three days the calls are %q", got)
		}
		if posts := r.engine.all(); len(posts) != 0 {
			t.Errorf("there were posts: %+v", posts)
		}
		c.answer(500)
		time.Sleep(2 * 24 * time.Hour)
		if s := r.status(); s.GoogleProblem == "" || len(s.Sitemaps) != 1 {
			t.Errorf("while Google has trouble the status is %+v", s)
		}
		shown := func() bool { return strings.Contains(r.inspector("stats.json"), "Search Console: ") }
		if !shown() {
			t.Error("the inspector does not say so")
		}
		r.stop()
		if time.Sleep(2 * leaseFor); shown() {
			t.Error("the inspector says so although nobody asks Google any more")
		}
		r.start(Options{})
		if s := r.status(); s.GoogleProblem != "" || s.Sitemaps != nil || shown() {
			t.Errorf("without Options.Google the status is %+v", s)
		}
	})
}

func TestNewTopFilesAreSubmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startConsole()
		r := newRunningSite(t, 3, testkit.Setup{Options: servemap.Options{Extensions: servemap.Extensions{News: true}}})
		r.start(Options{Google: &Google{Client: c.client(), Property: "https://example.com/"}})
		time.Sleep(time.Hour)
		r.pages.answer("/1", testkit.Reply(200,
			testkit.HTML(`<script type="application/ld+json">{"@type":"NewsArticle","headline":"The news",`+
				`"publisher":"Paper","inLanguage":"en","datePublished":"`+time.Now().UTC().Format(time.RFC3339)+`"}</script>`,
				"an article")))
		r.Visit("/1")
		time.Sleep(24 * time.Hour)
		var put []string
		for _, call := range c.taken() {
			if to, is := strings.CutPrefix(call, "PUT https://example.com/ "); is {
				put = append(put, to)
			}
		}
		if want := []string{"https://example.com/sitemap.xml", "https://example.com/sitemap-news.xml"}; !slices.Equal(put,
			want) {
			t.Errorf("submitted were %q, want %q", put, want)
		}
	})
}

func TestMetricsSayHowTheEnginesAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := startConsole()
		r := newRunningSite(t, 3, testkit.Setup{})
		r.start(Options{Google: c.google()})
		r.engine.next(reply(403, ""), reply(403, ""))
		r.changes("/1", "/2")
		time.Sleep(time.Hour)
		accepted := r.status().Endpoints[0].LastAccepted
		r.engine.next(reply(503, "", "Retry-After", "7200"))
		r.changes("/1")
		time.Sleep(61 * time.Second)
		r.Visit("/1") // a text that is replaced as a whole counts once it is seen again
		time.Sleep(time.Hour)
		scrape := func(allowed bool) string {
			metrics := r.notifier.Metrics(func(*http.Request) bool { return allowed })
			return base.Ask(metrics, http.MethodGet, "/metrics").Body.String()
		}
		got := scrape(true)
		for name, want := range map[string]float64{
			`sitemap_pages{site="https://example.com"}`:                                          4,
			`indexnow_pages_sent_total{site="https://example.com",engine="api.indexnow.org"}`:    2,
			`indexnow_posts_refused_total{site="https://example.com",engine="api.indexnow.org"}`: 3,
			`indexnow_accepted_timestamp_seconds{site="https://example.com",engine="api.indexnow.org"}`: float64(
				accepted.Unix()),
			`indexnow_pages_waiting{site="https://example.com"}`:  1,
			`google_up{site="https://example.com"}`:               1,
			`google_sitemap_errors{site="https://example.com"}`:   1,
			`google_sitemap_warnings{site="https://example.com"}`: 2,
			`google_sitemap_pages{site="https://example.com"}`:    1234,
			`google_sitemap_downloaded_timestamp_seconds{site="https://example.com"}`: float64(
				time.Date(2026, 11, 22, 11, 0, 0, 0, time.UTC).Unix()),
		} {
			if line := "servemap_" + name + " " + strconv.FormatFloat(want, 'g', -1, 64) + "\n"; !strings.Contains(got, line) {
				t.Errorf("no %s in\n%s", line, got)
			}
		}
		if got := scrape(false); strings.Contains(got, "servemap_") {
			t.Errorf("who is not allowed gets\n%s", got)
		}
	})
}

func TestPropertyIsChosenAmongThoseWithEnoughRights(t *testing.T) {
	const top = "https://example.com/sitemap.xml"
	for _, row := range []struct{ name, given, sites, want string }{
		{"the address", "", "https://example.com/=siteOwner https://other.com/=siteOwner", "https://example.com/"},
		{"the domain before the address", "",
			"https://example.com/=siteOwner sc-domain:example.com=siteFullUser https://example.com/blog/=siteOwner",
			"sc-domain:example.com"},
		{"the domain has too few rights", "", "sc-domain:example.com=siteRestrictedUser https://example.com/=siteFullUser",
			"https://example.com/"},
		{"only others", "", "http://example.com/=siteOwner sc-domain:xexample.com=siteOwner " +
			"sc-domain:www.example.com=siteOwner https://example.com/blog/=siteOwner", ""},
		{"not verified", "", "https://example.com/=siteUnverifiedUser", ""},
		{"none", "", "", ""},
		{"the given one", "https://example.com/", "sc-domain:example.com=siteOwner", "https://example.com/"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := startConsole()
			c.sites = row.sites
			k := newConsole(Google{Client: c.client(), Property: row.given}, "test")
			_, submitted, err := k.ask(t.Context(), []string{top})
			if row.want == "" {
				if err == nil || !strings.Contains(err.Error(), "full permission for no property") || len(c.taken()) != 0 {
					t.Errorf("the error is %v", err)
				}
				return
			}
			if calls := c.taken(); err != nil || submitted != 1 || !slices.Equal(calls,
				[]string{"GET " + row.want + " " + top, "PUT " + row.want + " " + top}) {
				t.Errorf("the calls are %q, %v", calls, err)
			}
			c.answer(403) // the rights change
			if _, _, err := k.ask(t.Context(), []string{top}); err == nil {
				t.Error("403 is no error")
			}
			c.answer(0)
			c.sites, _ = "sc-domain:com=siteOwner", c.taken()
			want := cmp.Or(row.given, "sc-domain:com")
			if _, _, err := k.ask(t.Context(), []string{top}); err != nil || !strings.Contains(strings.Join(c.taken(), ""),
				want+" ") {
				t.Errorf("after a 403 it was not chosen anew: %v", err)
			}
		})
	}
}

func TestStatusSaysWhatKeepsGoogleFromBeingAsked(t *testing.T) {
	for i, row := range []struct {
		name string
		code int
		says string
		want string
	}{
		{"no JSON", 200, "", "cannot be read"},
		{"a token that is not there", -2, "", "Google.Client got no authorisation: open /run/token: file does not exist"},
		{"401", 401, "", "no valid authorisation"},
		{"403 without a reason", 403, "", "property, the client needs the scope " +
			"https://www.googleapis.com/auth/webmasters, and the Google"},
		{"an API that is off", 403, "accessNotConfigured", "403: the Google Search Console API must be enabled"},
		{"another scope", 403, "insufficientPermissions", "403: the client needs the scope"},
		{"an account without rights", 403, "forbidden", "403: the account needs full permission"},
		{"two reasons", 403, "forbidden accessNotConfigured", "403: the Google Search Console API must be enabled"},
		{"a limit and an account without rights", 403, "forbidden quotaExceeded", "has used up its requests"},
		{"503 that names what a 403 names", 503, "forbidden", "answered 503: Search Console has trouble of its own"},
		{"404", 404, "", "404: Search Console has no such property"},
		{"a project's limit of a day", 403, "dailyLimitExceeded",
			"403: the Cloud project of the client has used up its requests of today"},
		{"429", 429, "", "answered 429: it was asked too often"}, // it asks for three hours
		{"503", 503, "", "answered 503: Search Console has trouble of its own"},
		{"500", 500, "", "answered 500"},
		{"a redirect", 302, "", "answered 302"},
		{"no answer", -1, "", "cannot be reached"},
		{"a key that was revoked", -1, "invalid_grant", "revoked"},
	} {
		if testing.Short() && i > 3 { // the race detector takes ten times as long
			break
		}
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := startConsole()
				c.code, c.says = row.code, row.says
				r := newRunningSite(t, 3, testkit.Setup{})
				r.start(Options{Google: c.google()})
				if s := r.status(); !strings.Contains(s.GoogleProblem, row.want) {
					t.Errorf("the problem is %q, want %q in it", s.GoogleProblem, row.want)
				}
				time.Sleep(5 * time.Hour)
				if n := len(c.taken()); row.code == 429 && n != 2 {
					t.Errorf("it was asked %d times in five hours, although it asked for three", n)
				}
				r.Logged.Want(t, 1, `msg="notify: Search Console"`)
				r.changes("/1") // IndexNow continues
				time.Sleep(10 * time.Minute)
				r.wantPosts("/1")
				if said := r.Logged.String() + fmt.Sprintf("%+v", r.status()); strings.Contains(said, "geheim") {
					t.Errorf("the token is told: %s", said)
				}
				c.answer(0)
				time.Sleep(2 * time.Hour)
				if s := r.status(); s.GoogleProblem != "" || len(s.Sitemaps) != 1 {
					t.Errorf("later the status is %+v", s)
				}
			})
		})
	}
}
