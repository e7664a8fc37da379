package notify

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
)

// consoleFake stands in for the API of Search Console.
type consoleFake struct {
	mu    sync.Mutex
	calls []string // "PUT PROPERTY SITEMAP"
	sites string   // the answer to the list of sites
	code  int      // of all answers, if it is not 0
	mux   http.ServeMux
}

func newConsole(sites string) *consoleFake {
	c := &consoleFake{sites: sites}
	c.mux.HandleFunc("GET /webmasters/v3/sites", func(w http.ResponseWriter, r *http.Request) {
		c.calls = append(c.calls, "LIST")
		io.WriteString(w, c.sites)
	})
	c.mux.HandleFunc("/webmasters/v3/sites/{site}/sitemaps/{feed}", func(w http.ResponseWriter, r *http.Request) {
		c.calls = append(c.calls, r.Method+" "+r.PathValue("site")+" "+r.PathValue("feed"))
		if r.Method == http.MethodGet {
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
			return nil, fmt.Errorf("oauth2: cannot use the token ya29.geheim")
		case c.code != 0:
			w.Header().Set("Location", "https://elsewhere.example.com/")
			w.WriteHeader(c.code)
			io.WriteString(w, `{"error":{"message":"the token ya29.geheim is no good"}}`)
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

const sites = `{"siteEntry":[{"siteUrl":"https://www.example.com/","permissionLevel":"siteOwner"},
	{"siteUrl":"sc-domain:example.com","permissionLevel":"siteFullUser"},{"siteUrl":"sc-domain:ample.com","permissionLevel":"siteOwner"}]}`

func TestSitemapIsSubmittedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const top = "https://example.com/sitemap.xml"
		c := newConsole(sites)
		r := newRig(t, 3, testkit.Setup{})
		opts := Options{Google: &Google{Client: c.client()}}
		r.start(opts)
		if got, want := c.taken(), []string{"LIST", "PUT sc-domain:example.com " + top, "GET sc-domain:example.com " + top}; !slices.Equal(got, want) {
			t.Errorf("the calls are %q, want %q", got, want)
		}
		want := Sitemap{
			URL: top, LastSubmitted: time.Date(2026, 11, 22, 10, 0, 0, 123e6, time.UTC), LastDownloaded: time.Date(2026, 11, 22, 11, 0, 0, 0, time.UTC),
			Errors: 1, Warnings: 2, Submitted: 1234,
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
		if slices.ContainsFunc(got, func(call string) bool { return strings.HasPrefix(call, "PUT") }) || len(got) < 4 || len(got) > 6 {
			t.Errorf("in three days the calls are %q", got)
		}
		if posts := r.engine.all(); len(posts) != 0 {
			t.Errorf("there were posts: %+v", posts)
		}
	})
}

func TestNewTopFilesAreSubmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newConsole(sites)
		r := newRig(t, 3, testkit.Setup{Options: servemap.Options{Extensions: servemap.Extensions{News: true}}})
		r.start(Options{Google: &Google{Client: c.client(), Property: "https://example.com/"}})
		time.Sleep(time.Hour)
		r.pages.answer("/1", testkit.Reply(200, testkit.HTML(`<meta property="og:type" content="article"><meta property="og:title" content="The news">`+
			`<meta property="og:site_name" content="Paper"><meta property="og:locale" content="en"><meta property="article:published_time" content="`+
			time.Now().UTC().Format(time.RFC3339)+`">`, "an article")))
		r.Visit("/1")
		time.Sleep(24 * time.Hour)
		var put []string
		for _, call := range c.taken() {
			if to, is := strings.CutPrefix(call, "PUT https://example.com/ "); is {
				put = append(put, to)
			}
		}
		if want := []string{"https://example.com/sitemap.xml", "https://example.com/sitemap-news.xml"}; !slices.Equal(put, want) {
			t.Errorf("submitted were %q, want %q", put, want)
		}
	})
}

func TestStatusSaysWhatKeepsGoogleFromBeingAsked(t *testing.T) {
	for _, row := range []struct {
		name  string
		sites string
		code  int
		want  string
	}{
		{"no property", `{"siteEntry":[{"siteUrl":"https://example.com/blog/","permissionLevel":"siteOwner"}]}`, 0, "none of the account's 1 properties"},
		{"no properties", `{}`, 0, "none of the account's 0 properties"},
		{"restricted", `{"siteEntry":[{"siteUrl":"https://example.com/","permissionLevel":"siteRestrictedUser"}]}`, 0, "full permission"},
		{"no JSON", `<html>`, 0, "cannot be read"},
		{"401", sites, 401, "no valid authorisation"},
		{"403", sites, 403, "must be enabled"},
		{"429", sites, 429, "answered 429"},
		{"500", sites, 500, "answered 500"},
		{"a redirect", sites, 302, "answered 302"},
		{"no answer", sites, -1, "cannot be reached"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newConsole(row.sites)
				c.code = row.code
				r := newRig(t, 3, testkit.Setup{})
				r.start(Options{Google: &Google{Client: c.client()}})
				if s := r.status(); !strings.Contains(s.GoogleProblem, row.want) {
					t.Errorf("the problem is %q, want %q in it", s.GoogleProblem, row.want)
				}
				time.Sleep(5 * time.Hour)
				if n := r.logged("Search Console"); n != 1 {
					t.Errorf("it was logged %d times:\n%s", n, r.Logged)
				}
				r.changes("/1") // IndexNow continues
				time.Sleep(10 * time.Minute)
				r.wantPosts("/1")
				if said := r.Logged.String() + fmt.Sprintf("%+v", r.status()); strings.Contains(said, "geheim") {
					t.Errorf("the token is told: %s", said)
				}
				c.answer(0)
				c.mu.Lock()
				c.sites = sites
				c.mu.Unlock()
				time.Sleep(2 * time.Hour)
				if s := r.status(); s.GoogleProblem != "" || len(s.Sitemaps) != 1 {
					t.Errorf("later the status is %+v", s)
				}
			})
		})
	}
}

func TestPropertyThatFitsTheSiteBestIsChosen(t *testing.T) {
	for _, row := range []struct {
		name, site, want string
		properties       []string
	}{
		{"the host", "https://example.com/", "https://example.com/", []string{"sc-domain:example.com", "https://example.com/", "http://example.com/"}},
		{"the longest folder", "https://example.com/blog/en/", "https://example.com/blog/", []string{"https://example.com/", "https://example.com/blog/", "https://example.com/blog/en/us/"}},
		{"the domain", "https://www.example.com/", "sc-domain:example.com", []string{"sc-domain:example.com", "https://example.com/"}},
		{"the longest domain", "https://a.b.example.com/", "sc-domain:b.example.com", []string{"sc-domain:example.com", "sc-domain:b.example.com"}},
		{"another domain of that ending", "https://example.com/", "", []string{"sc-domain:ample.com", "https://example.co/", "https://example.com"}},
		{"http is another one", "https://example.com/", "", []string{"http://example.com/"}},
		{"none", "https://example.com/", "", nil},
	} {
		if got := chooseProperty(row.properties, row.site); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
