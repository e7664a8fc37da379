package observe

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestCountsGiveTheHintsOfTheirCauses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		counts counts
		want   []messages.Hint
	}{
		{"nothing was seen", counts{}, nil},
		{"a site that is learned", counts{nOwn: 900, nAnonymous: 800, nCookie: 90, nPages: 700, nNetworks: 600, nForeign: 300, nFailing: 50}, nil},

		{"only foreign hosts", counts{nForeign: 20}, []messages.Hint{messages.OtherOrigin}},
		{"few foreign hosts", counts{nForeign: 19}, nil},
		{"a scan for other hosts on a small site", counts{nOwn: 100, nForeign: 1000}, nil},
		{"the origin leads to another host", counts{nOwn: 40, nRedirects: 40, nForeign: 20}, []messages.Hint{messages.OtherOrigin}},

		{"all have a cookie", counts{nOwn: 50, nCookie: 50}, []messages.Hint{messages.Cookies}},
		{"more are anonymous", counts{nOwn: 101, nCookie: 99, nAnonymous: 2}, nil},
		{"all have credentials", counts{nOwn: 50, nAuthorization: 50}, []messages.Hint{messages.Credentials}},
		{"all are named, or have cookies", counts{nOwn: 100, nIdentity: 50, nCookie: 50}, []messages.Hint{messages.Credentials, messages.Cookies}},

		{"all are given a cookie, and most pages wait", counts{nOwn: 21, nCookie: 20, nAnonymous: 1, nPages: 1, nSetting: 1, nStarved: 1}, []messages.Hint{messages.Cookies}},
		{"not all are given it", counts{nOwn: 42, nCookie: 40, nAnonymous: 2, nPages: 2, nSetting: 1, nStarved: 1}, nil},
		{"all are given it, and crawlers come without", counts{nOwn: 100, nCookie: 60, nAnonymous: 40, nPages: 40, nSetting: 40, nStarved: 1}, nil},
		{"members with cookies, and most pages wait", counts{nOwn: 60, nCookie: 40, nAnonymous: 20, nPages: 20, nStarved: 1}, nil},

		{"nothing but errors", counts{nOwn: 50, nAnonymous: 50, nFailing: 50}, []messages.Hint{messages.NoPageYet}},
		{"errors and a page", counts{nOwn: 501, nAnonymous: 501, nFailing: 500, nPages: 1, nNetworks: 1}, nil},

		{"all is private", counts{nOwn: 20, nAnonymous: 20, nPrivate: 20}, []messages.Hint{messages.ForOne}},
		{"all is outside of the folder", counts{nOwn: 20, nOutside: 20}, []messages.Hint{messages.OtherFolder}},
		{"a site beside the folder, of which members see most", counts{nOwn: 500, nAnonymous: 5, nInside: 100, nOutside: 400, nPages: 5}, nil},
		{"many more outside of the folder", counts{nOwn: 900, nAnonymous: 100, nInside: 100, nOutside: 800, nPages: 100}, nil},
		{"nearly all is outside of the folder", counts{nOwn: 901, nAnonymous: 100, nInside: 100, nOutside: 801, nPages: 100}, []messages.Hint{messages.OtherFolder}},

		{"the folder without its slash", counts{nOwn: 10, nAnonymous: 7, nOutside: 3, nBare: 3, nPages: 7}, []messages.Hint{messages.OtherFolder}},
		{"and rarely so", counts{nOwn: 10, nAnonymous: 8, nOutside: 2, nBare: 2, nPages: 8}, nil},
		{"and with it too", counts{nOwn: 10, nAnonymous: 7, nOutside: 3, nBare: 3, nPages: 7, nHome: 1}, nil},

		{"nothing is HTML", counts{nOwn: 20, nAnonymous: 20, nNotHTML: 20, nOdd: 1}, []messages.Hint{messages.NoPages}},
		{"what is not an entry is no HTML", counts{nOwn: 900, nAnonymous: 900, nNotHTML: 900}, nil},
		{"nothing is HTML but one page", counts{nOwn: 900, nAnonymous: 900, nNotHTML: 899, nOdd: 9, nPages: 1, nNetworks: 1}, nil},

		{"no page can be read", counts{nOwn: 20, nAnonymous: 20, nPages: 20, nNetworks: 20, nUnreadable: 20}, []messages.Hint{messages.NoPages}},
		{"a page that can be read", counts{nOwn: 51, nAnonymous: 51, nPages: 51, nNetworks: 51, nUnreadable: 50}, nil},

		{"parts of pages for scripts, and most pages wait", counts{nOwn: 66, nAnonymous: 66, nPart: 63, nPages: 3, nNetworks: 3, nStarved: 1}, []messages.Hint{messages.NoPages}},
		{"pages with many parts", counts{nOwn: 66, nAnonymous: 66, nPart: 63, nPages: 3, nNetworks: 3}, nil},

		{"no network is known", counts{nOwn: 50, nAnonymous: 50, nPages: 50, nRemote: 50}, []messages.Hint{messages.NoNetworks}},
		{"one network is known", counts{nOwn: 500, nAnonymous: 500, nPages: 500, nRemote: 500, nNetworks: 1}, nil},
		{"the owner knows no network", counts{nOwn: 50, nAnonymous: 50, nPages: 50, nRemote: 50, nNetworksGiven: 1}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := causes(tt.counts); !slices.Equal(got, tt.want) {
				t.Errorf("causes = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRequestsThatAreNotLearnedGetAHint(t *testing.T) {
	plain := func(req *http.Request) *http.Request { return req }
	local := func(req *http.Request) *http.Request {
		req.RemoteAddr = "[::1]:1234"
		return req
	}
	root := func(req *http.Request) *http.Request { req.RequestURI, req.URL.Path = "/", "/"; return req }
	header := func(name, value string) func(*http.Request) *http.Request {
		return func(req *http.Request) *http.Request { return with(req, name, value) }
	}
	for _, tt := range []struct {
		name   string
		change func(*http.Request) *http.Request
		next   http.HandlerFunc
		want   []messages.Hint
	}{
		{"pages", plain, page200, nil},
		{"pages that are compressed further out", plain, coded("text/html", "zip", []byte(pageHTML)), nil},
		{"pages in an unknown coding", plain, coded("text/html", "zip", []byte("\x00\x01\x02")), []messages.Hint{messages.NoPages}},
		{"another host", func(req *http.Request) *http.Request { req.Host = "www.example.net"; return req }, page200, []messages.Hint{messages.OtherOrigin}},
		{"another host that is long", func(req *http.Request) *http.Request { req.Host = strings.Repeat("secret.", 9) + "net"; return req }, page200, []messages.Hint{messages.OtherOrigin}},
		{"led to another host", plain, func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "https://www.example.com"+req.RequestURI, http.StatusMovedPermanently)
		}, nil},
		{"session", header("Cookie", "session=secret"), page200, []messages.Hint{messages.Cookies}},
		{"credentials", header("Authorization", "Basic secret"), page200, []messages.Hint{messages.Credentials}},
		{"a proxy on the machine itself", func(req *http.Request) *http.Request { return with(local(req), "X-Forwarded-For", "8.8.8.8") }, page200, []messages.Hint{messages.NoNetworks}},
		{"500", plain, answer(http.StatusInternalServerError), []messages.Hint{messages.NoPageYet}},
		{"an entry that is not HTML", root, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }, []messages.Hint{messages.NoPages}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t)
			for i := range 60 {
				r.watches(tt.change(from(i, fmt.Sprintf("/secret/%d", i))), tt.next)
			}
			if got := r.cfg.Hints.Given(); !slices.Equal(got, tt.want) {
				t.Errorf("hints = %q, want %q", got, tt.want)
			}
			log := r.log.String()
			if n := strings.Count(log, "level=WARN"); n != len(tt.want) {
				t.Errorf("%d hints were logged, want each once:\n%s", n, log)
			}
			if names := strings.Contains(log, `Most had: \"www.example.net\".`); names != (tt.name == "another host") {
				t.Errorf("the log names the host: %v\n%s", names, log)
			}
			if strings.Contains(log, "secret") || len(tt.want) > 0 && !strings.Contains(log, "origin=https://example.com") {
				t.Errorf("the log names more than the origin, or not that:\n%s", log)
			}
		})
	}
}

// at changes the observer's origin.
func at(t *testing.T, url, stripped string) func(*Config) {
	return func(c *Config) {
		origin, err := location.ParseOrigin(url)
		if err == nil {
			c.StrippedPrefix = stripped
			c.Normalizer, err = location.New(origin, location.Config{StrippedPrefix: stripped})
		}
		base.Check(t, err)
	}
}

// Hints that depend on how often each kind of request came.
func TestHintDependsOnHowOftenEachRequestCame(t *testing.T) {
	// visits asks n times for target, with the visit's number in place of a star.
	visits := func(r *rig, n int, target string) {
		for i := range n {
			r.watches(from(i, strings.Replace(target, "*", strconv.Itoa(i), 1)), page200)
		}
	}
	const blog, app = "https://example.com/blog", "https://example.com/app/blog"
	for _, tt := range []struct {
		name  string
		cfg   func(*Config)
		visit func(*rig)
		want  []messages.Hint
	}{
		{"an owner who gives addresses", func(c *Config) { c.ClientIP = func(*http.Request) netip.Addr { return netip.Addr{} } },
			func(r *rig) { visits(r, 60, "/*") }, nil},
		{"most outside of the folder, pages in it by accident", at(t, blog, ""),
			func(r *rig) { visits(r, 5, "/blog/*"); visits(r, 60, "/*?v=1") }, []messages.Hint{messages.OtherFolder}},
		{"the folder without its slash", at(t, blog, ""),
			func(r *rig) { visits(r, 10, "/blog?utm_source=*"); visits(r, 10, "/blog/a-*") }, []messages.Hint{messages.OtherFolder}},
		{"the folder without its slash, behind a proxy", at(t, app, "/app"),
			func(r *rig) { visits(r, 10, "/blog?utm_source=*"); visits(r, 10, "/blog/a-*") }, []messages.Hint{messages.OtherFolder}},
		{"a neighbour of the folder", at(t, blog, ""), func(r *rig) { visits(r, 10, "/blogs?utm_source=*"); visits(r, 10, "/blog/a-*") }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, func(c *Config) {
				if tt.cfg != nil {
					tt.cfg(c)
				}
			})
			tt.visit(r)
			if got := r.cfg.Hints.Given(); !slices.Equal(got, tt.want) {
				t.Errorf("hints = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHintEndsOnceItsCauseHasGone(t *testing.T) {
	r := start(t)
	ask := func(n int, next http.HandlerFunc) {
		for i := range n {
			r.watches(from(i, fmt.Sprintf("/%d", i)), next)
		}
	}
	ask(60, answer(http.StatusInternalServerError))
	if got := r.cfg.Hints.Given(); !slices.Equal(got, []messages.Hint{messages.NoPageYet}) {
		t.Errorf("while the site fails there are %q", got)
	}
	if ask(20, page200); len(r.cfg.Hints.Given()) != 0 {
		t.Errorf("once it has pages there are %q", r.cfg.Hints.Texts())
	}
}

func TestHintNamesTheCookies(t *testing.T) {
	r := start(t)
	for i := range 60 {
		cookie := fmt.Sprintf("shopId=secret1; visit_%08x=secret2; _ga=1", 1+i*77_777_777)
		if i%10 == 0 {
			cookie += "; rare=secret3"
		}
		r.watches(with(from(i, fmt.Sprintf("/%d", i)), "Cookie", cookie), page200)
	}
	if got := r.cfg.Hints.Given(); !slices.Equal(got, []messages.Hint{messages.Cookies}) {
		t.Fatalf("hints = %q", got)
	}
	told := strings.Join(r.cfg.Hints.Texts(), "") + r.log.String()
	if strings.Count(told, "Most had: shopId.") != 2 {
		t.Errorf("the hint and the log say %s", told)
	}
	for _, never := range []string{"secret", "rare", "_ga"} {
		if strings.Contains(told, never) {
			t.Errorf("the hint or the log says %q: %s", never, told)
		}
	}
}

// One client must not make the owner believe that its cookie is no log-in, that the site has another
// name, or that nothing works.
func TestHintIsNotSteeredByOneClient(t *testing.T) {
	base.OneByOne(t)
	asks := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, tt := range []struct {
		name   string
		change func(*http.Request)
		next   http.HandlerFunc
	}{
		{"a cookie", asks("Cookie", "session=secret"), page200},
		{"credentials", asks("Authorization", "Basic secret"), page200},
		{"a header", asks("X-Shop-Account", "secret"), page200},
		{"another host", func(r *http.Request) { r.Host = "evil.example.net" }, page200},
		{"errors", asks("X-Forwarded-Proto", "gopher"), answer(http.StatusInternalServerError)},
		{"no HTML", asks("Accept", "application/json"), func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") }},
		{"a coding of his own", asks("Accept-Encoding", "zip"), coded("text/html", "zip", []byte("\x00\x01\x02"))},
	} {
		for _, addrs := range []string{"198.18.0.%d:1", "[2001:db8:0:%x::1]:1"} {
			for _, others := range []int{0, 10} {
				for _, through := range []string{"", "10.0.0.1"} { // he may say that he came through a proxy
					t.Run(fmt.Sprintf("%s from %s beside %d, through %q", tt.name, addrs, others, through), func(t *testing.T) {
						r := start(t)
						for i := range others {
							r.watches(from(i, fmt.Sprintf("/%d", i)), page200)
						}
						for i := range 1000 {
							req := get(fmt.Sprintf("/?page=%d", i))
							req.RemoteAddr = fmt.Sprintf(addrs, i%250)
							if tt.change(req); through != "" {
								req.Header.Set("X-Forwarded-For", through)
							}
							r.watches(req, tt.next)
						}
						if got := r.cfg.Hints.Given(); len(got) != 0 {
							t.Errorf("hints = %q: %s", got, r.cfg.Hints.Texts())
						}
					})
				}
			}
		}
	}
}

// from returns a request from the network with that number.
func from(n int, target string) *http.Request {
	req := get(target)
	req.RemoteAddr = fmt.Sprintf("8.8.%d.8:1234", n%256)
	return req
}

func TestHintNamesTheHeaders(t *testing.T) {
	r := start(t)
	for i := range 60 {
		req := with(from(i, fmt.Sprintf("/%d", i)), "X-Shop-Account", "secret")
		r.watches(with(req, "X-SSL-Client-Verify", "NONE"), page200)
	}
	told := strings.Join(r.cfg.Hints.Texts(), "") + r.log.String()
	if strings.Count(told, "Most had: X-Shop-Account.") != 2 || strings.Contains(told, "secret") {
		t.Errorf("the hint and the log say %s", told)
	}
}
