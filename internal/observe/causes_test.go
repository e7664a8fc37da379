package observe

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/texts"
)

func TestCauses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		counts counts
		want   []hint.Hint
	}{
		{"nothing was seen", counts{}, nil},
		{"a site that is learned", counts{own: 900, anonymous: 800, cookie: 90, pages: 700, networks: 600, foreign: 300, failing: 50}, nil},

		{"only foreign hosts", counts{foreign: 20}, []hint.Hint{hint.Host}},
		{"few foreign hosts", counts{foreign: 19}, nil},
		{"foreign hosts, and one of the right", counts{own: 1, foreign: 20}, []hint.Hint{hint.Host}},
		{"a scan for other hosts on a small site", counts{own: 100, foreign: 1000}, nil},
		{"nearly all for foreign hosts", counts{own: 100, foreign: 1001}, []hint.Hint{hint.Host}},
		{"the origin leads to another host", counts{own: 40, redirects: 40, foreign: 20}, []hint.Hint{hint.Host}},
		{"more led away than begun", counts{own: 1, redirects: 2, foreign: 20}, []hint.Hint{hint.Host}},

		{"all have a cookie", counts{own: 50, cookie: 50}, []hint.Hint{hint.Cookies}},
		{"few have a cookie", counts{own: 49, cookie: 49}, nil},
		{"2 % are anonymous", counts{own: 50, cookie: 50, anonymous: 1}, []hint.Hint{hint.Cookies}},
		{"more are anonymous", counts{own: 101, cookie: 99, anonymous: 2}, nil},
		{"all have credentials", counts{own: 50, authorization: 50}, []hint.Hint{hint.Authorization}},
		{"all are named by a proxy", counts{own: 50, identity: 50}, []hint.Hint{hint.Identity}},
		{"all are named, and some have cookies", counts{own: 99, identity: 50, cookie: 49}, []hint.Hint{hint.Identity}},
		{"all are named, or have cookies", counts{own: 100, identity: 50, cookie: 50}, []hint.Hint{hint.Identity, hint.Cookies}},

		{"all are given a cookie, and most pages wait", counts{own: 21, cookie: 20, anonymous: 1, pages: 1, setting: 1, starved: true}, []hint.Hint{hint.Cookies}},
		{"few came back with it", counts{own: 20, cookie: 19, anonymous: 1, pages: 1, setting: 1, starved: true}, nil},
		{"not all are given it", counts{own: 42, cookie: 40, anonymous: 2, pages: 2, setting: 1, starved: true}, nil},
		{"all are given it, and pages are got", counts{own: 120, cookie: 100, anonymous: 20, pages: 20, setting: 20}, nil},
		{"all are given it, and crawlers come without", counts{own: 100, cookie: 60, anonymous: 40, pages: 40, setting: 40, starved: true}, nil},
		{"members with cookies, and most pages wait", counts{own: 60, cookie: 40, anonymous: 20, pages: 20, starved: true}, nil},

		{"nothing but errors", counts{own: 50, anonymous: 50, failing: 50}, []hint.Hint{hint.Failing}},
		{"few errors", counts{own: 49, anonymous: 49, failing: 49}, nil},
		{"errors and a page", counts{own: 501, anonymous: 501, failing: 500, pages: 1, networks: 1}, nil},

		{"all is private", counts{own: 20, anonymous: 20, private: 20}, []hint.Hint{hint.Private}},
		{"little is private", counts{own: 19, anonymous: 19, private: 19}, nil},
		{"all but one are private", counts{own: 500, anonymous: 500, private: 499, pages: 1}, nil},
		{"all is outside of the folder", counts{own: 20, outside: 20}, []hint.Hint{hint.Folder}},
		{"little is outside of the folder", counts{own: 19, outside: 19}, nil},
		{"a site beside the folder", counts{own: 500, anonymous: 100, inside: 100, outside: 400, pages: 100}, nil},
		{"a site beside the folder, of which members see most", counts{own: 500, anonymous: 5, inside: 100, outside: 400, pages: 5}, nil},
		{"pages that are in the folder by accident", counts{own: 52, anonymous: 5, inside: 5, outside: 47, pages: 5}, []hint.Hint{hint.Folder}},
		{"many more outside of the folder", counts{own: 900, anonymous: 100, inside: 100, outside: 800, pages: 100}, nil},
		{"nearly all is outside of the folder", counts{own: 901, anonymous: 100, inside: 100, outside: 801, pages: 100}, []hint.Hint{hint.Folder}},
		{"no page in the folder", counts{own: 500, anonymous: 100, inside: 100, outside: 400}, []hint.Hint{hint.Folder}},

		{"the folder without its slash", counts{own: 10, anonymous: 7, outside: 3, bare: 3, pages: 7}, []hint.Hint{hint.Slash}},
		{"and rarely so", counts{own: 10, anonymous: 8, outside: 2, bare: 2, pages: 8}, nil},
		{"and with it too", counts{own: 10, anonymous: 7, outside: 3, bare: 3, pages: 7, home: 1}, nil},

		{"all is empty", counts{own: 20, anonymous: 20, notHTML: 20, empty: 1}, []hint.Hint{hint.Empty}},
		{"little is empty", counts{own: 19, anonymous: 19, notHTML: 19, empty: 19}, nil},
		{"an entry is empty for some", counts{own: 30, anonymous: 30, notHTML: 29, empty: 9, pages: 1, networks: 1}, nil},
		{"nothing is HTML", counts{own: 20, anonymous: 20, notHTML: 20, other: 1}, []hint.Hint{hint.NotHTML}},
		{"little is no HTML", counts{own: 19, anonymous: 19, notHTML: 19, other: 19}, nil},
		{"what is not an entry is no HTML", counts{own: 900, anonymous: 900, notHTML: 900}, nil},
		{"nothing is HTML but one page", counts{own: 900, anonymous: 900, notHTML: 899, other: 9, pages: 1, networks: 1}, nil},
		{"nothing is HTML, or it is empty", counts{own: 30, anonymous: 30, notHTML: 30, other: 5, empty: 5}, []hint.Hint{hint.NotHTML}},

		{"no page can be read", counts{own: 5, anonymous: 5, pages: 5, networks: 5, unreadable: 5}, []hint.Hint{hint.Encoding}},
		{"few pages that cannot be read", counts{own: 4, anonymous: 4, pages: 4, networks: 4, unreadable: 4}, nil},
		{"a page that can be read", counts{own: 51, anonymous: 51, pages: 51, networks: 51, unreadable: 50}, nil},

		{"no network is known", counts{own: 50, anonymous: 50, pages: 50, remote: 50}, []hint.Hint{hint.Proxy}},
		{"no network of few", counts{own: 49, anonymous: 49, pages: 49, remote: 49}, nil},
		{"visitors on the machine itself", counts{own: 500, anonymous: 500, pages: 500}, nil},
		{"one network is known", counts{own: 500, anonymous: 500, pages: 500, remote: 500, networks: 1}, nil},
		{"the owner knows no network", counts{own: 50, anonymous: 50, pages: 50, remote: 50, networksGiven: true}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := causes(tt.counts); !slices.Equal(got, tt.want) {
				t.Errorf("causes = %q, want %q", said(got), said(tt.want))
			}
		})
	}
}

func said(hints []hint.Hint) []string {
	all := make([]string, len(hints))
	for i, h := range hints {
		all[i] = texts.Hint(h)
	}
	return all
}

func TestHints(t *testing.T) {
	plain := func(req *http.Request) *http.Request { return req }
	private := func(req *http.Request) *http.Request {
		req.RemoteAddr = "10.0.0.5:1234"
		return req
	}
	local := func(req *http.Request) *http.Request {
		req.RemoteAddr = "[::1]:1234"
		return req
	}
	root := func(*http.Request) *http.Request { return get("/") }
	header := func(name, value string) func(*http.Request) *http.Request {
		return func(req *http.Request) *http.Request { return with(req, name, value) }
	}
	for _, tt := range []struct {
		name   string
		change func(*http.Request) *http.Request
		next   http.HandlerFunc
		want   []hint.Hint
	}{
		{"pages", plain, page200, nil},
		{"pages that are compressed", plain, coded("text/html", "gzip", gzipped(html)), nil},
		{"pages that are compressed further out", plain, coded("text/html", "zip", []byte(html)), nil},
		{"pages in an unknown coding", plain, coded("text/html", "zip", []byte("\x00\x01\x02")), []hint.Hint{hint.Encoding}},
		{"another host", func(req *http.Request) *http.Request { req.Host = "secret.example.net"; return req }, page200, []hint.Hint{hint.Host}},
		{"led to another host", plain, func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "https://www.example.com"+req.RequestURI, http.StatusMovedPermanently)
		}, nil},
		{"session", header("Cookie", "session=secret"), page200, []hint.Hint{hint.Cookies}},
		{"benign cookie", header("Cookie", "_ga=1"), page200, nil},
		{"credentials", header("Authorization", "Basic secret"), page200, []hint.Hint{hint.Authorization}},
		{"user", header("X-Forwarded-User", "secret"), page200, []hint.Hint{hint.Identity}},
		{"certificate", header("X-Client-Cert", "secret"), page200, []hint.Hint{hint.Identity}},
		{"private address", private, page200, []hint.Hint{hint.Proxy}},
		{"the machine itself", local, page200, nil},
		{"a proxy on the machine itself", func(req *http.Request) *http.Request { return with(local(req), "X-Forwarded-For", "8.8.8.8") }, page200, []hint.Hint{hint.Proxy}},
		{"forwarded", header("X-Forwarded-For", "8.8.8.8"), page200, []hint.Hint{hint.Proxy}},
		{"500", plain, answer(http.StatusInternalServerError), []hint.Hint{hint.Failing}},
		{"429", plain, answer(http.StatusTooManyRequests), []hint.Hint{hint.Failing}},
		{"404", plain, http.NotFound, nil},
		{"400", plain, answer(http.StatusBadRequest), nil},
		{"not HTML", plain, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }, nil},
		{"an entry that is not HTML", root, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }, []hint.Hint{hint.NotHTML}},
		{"an entry that is written elsewhere", root, func(http.ResponseWriter, *http.Request) {}, []hint.Hint{hint.Empty}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t)
			for i := range 60 {
				r.watches(tt.change(get(fmt.Sprintf("/secret/%d", i))), tt.next)
			}
			if got := r.cfg.Hints.Given(); !slices.Equal(got, tt.want) {
				t.Errorf("hints = %q, want %q", said(got), said(tt.want))
			}
			log := r.log.String()
			if n := strings.Count(log, "level=WARN"); n != len(tt.want) {
				t.Errorf("%d hints were logged, want each once:\n%s", n, log)
			}
			if strings.Contains(log, "secret") || len(tt.want) > 0 && !strings.Contains(log, "origin=https://example.com") {
				t.Errorf("the log names more than the origin, or not that:\n%s", log)
			}
		})
	}
}

// The hint on networks is for who has not said what the client's address is.
func TestTheOwnerWhoGivesAddressesNeedsNoHint(t *testing.T) {
	r := start(t, func(c *Config) { c.ClientIP = func(*http.Request) netip.Addr { return netip.Addr{} } })
	for i := range 60 {
		r.watches(get(fmt.Sprintf("/%d", i)), page200)
	}
	if got := r.cfg.Hints.Given(); len(got) != 0 {
		t.Errorf("hints = %q, want none", said(got))
	}
}

func TestTheOriginThatLeadsToAnotherHost(t *testing.T) {
	r := start(t)
	for i := range 20 {
		r.watches(get("/"), func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "https://www.example.com/", http.StatusMovedPermanently)
		})
		r.watches(get(fmt.Sprintf("http://www.example.com/%d", i)), page200)
	}
	if got := r.cfg.Hints.Given(); !slices.Equal(got, []hint.Hint{hint.Host}) {
		t.Errorf("hints = %q, want that on the host", said(got))
	}
}

func TestAnonymousVisitorsAmongMembers(t *testing.T) {
	r := start(t)
	for i := range 100 {
		r.watches(with(get(fmt.Sprintf("/%d", i)), "Cookie", "session=1"), page200)
		if i%10 == 0 {
			r.watches(get(fmt.Sprintf("/%d", i)), page200)
		}
	}
	if got := r.cfg.Hints.Given(); len(got) != 0 {
		t.Errorf("hints = %q, want none", said(got))
	}
}

// Junk never keeps quiet for long, so the first requests for another host must
// not be taken for all.
func TestAForeignHostNowAndThenIsNoCause(t *testing.T) {
	r := start(t)
	for i := range 100 {
		r.watches(get(fmt.Sprintf("/%d", i)), page200)
		r.watches(get(fmt.Sprintf("http://junk.example.net/%d", i)), page200)
	}
	if got := r.cfg.Hints.Given(); len(got) != 0 {
		t.Errorf("hints = %q, want none", said(got))
	}
}

func TestWithoutHints(t *testing.T) {
	r := start(t, func(c *Config) { c.Hints = nil })
	for range 60 {
		r.watches(get("http://junk.example.net/"), page200)
	}
	if got := r.Counts()["host"]; got != 60 {
		t.Errorf("%d requests were counted, want 60", got)
	}
}

func TestMostIsOutsideOfTheFolder(t *testing.T) {
	for _, tt := range []struct {
		name    string
		inside  int
		outside string // how their locations end
		want    []hint.Hint
	}{
		{"with pages in it by accident", 5, "", []hint.Hint{hint.Folder}},
		{"with many pages in it", 10, "", nil},
		{"as the assets of its pages are", 5, ".png", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, func(c *Config) {
				origin, err := location.ParseOrigin("https://example.com/blog")
				if err == nil {
					c.Normalizer, err = location.New(origin, location.Config{})
				}
				if err != nil {
					t.Fatal(err)
				}
			})
			for i := range tt.inside {
				r.watches(get(fmt.Sprintf("/blog/%d", i)), page200)
			}
			for i := range 60 {
				r.watches(get(fmt.Sprintf("/%d%s?v=1", i, tt.outside)), page200)
			}
			if got := r.cfg.Hints.Given(); !slices.Equal(got, tt.want) {
				t.Errorf("hints = %q, want %q", said(got), said(tt.want))
			}
		})
	}
}

func TestTheFolderWithoutItsSlash(t *testing.T) {
	for _, tt := range []struct {
		name, prefix string
		home, beside string // where the folder's page and another one are, as requests arrive
		want         []hint.Hint
	}{
		{"served there", "", "/blog", "/blog/a", []hint.Hint{hint.Slash}},
		{"behind a proxy", "/app", "/blog", "/blog/a", []hint.Hint{hint.Slash}},
		{"with the slash", "", "/blog/", "/blog/a", nil},
		{"a neighbour of the folder", "", "/blogs", "/blog/a", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, func(c *Config) {
				origin, err := location.ParseOrigin("https://example.com" + tt.prefix + "/blog")
				if err == nil {
					c.StrippedPrefix = tt.prefix
					c.Normalizer, err = location.New(origin, location.Config{StrippedPrefix: tt.prefix})
				}
				if err != nil {
					t.Fatal(err)
				}
			})
			for i := range 10 {
				r.watches(get(fmt.Sprintf("%s?utm_source=%d", tt.home, i)), page200)
				r.watches(get(fmt.Sprintf("%s-%d", tt.beside, i)), page200)
			}
			if got := r.cfg.Hints.Given(); !slices.Equal(got, tt.want) {
				t.Errorf("hints = %q, want %q", said(got), said(tt.want))
			}
		})
	}
}
