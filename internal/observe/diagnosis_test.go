package observe

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestRequestsThatAreNotLearnedGetAHint(t *testing.T) {
	plain := func(req *http.Request) *http.Request { return req }
	asksFor := func(host string) func(*http.Request) *http.Request {
		return func(req *http.Request) *http.Request { req.Host = host; return req }
	}
	header := func(name, value string) func(*http.Request) *http.Request {
		return func(req *http.Request) *http.Request { return with(req, name, value) }
	}
	const blog = "https://example.com/secret/blog"
	for _, tt := range []struct {
		name   string
		origin string // if it is not the host
		change func(*http.Request) *http.Request
		next   http.HandlerFunc
		want   []messages.Hint
		most   string // what the log names
	}{
		{"pages", "", plain, page200, nil, ""},
		{"pages that are compressed further out", "", plain, coded("text/html", "zip", []byte(pageHTML)), nil, ""},
		{"pages in an unknown coding", "", plain, coded("text/html", "zip", []byte("\x00\x01\x02")),
			[]messages.Hint{messages.NoPages}, ""},
		{"another host", "", asksFor("www.example.net"), page200, []messages.Hint{messages.OtherOrigin},
			`came to \"www.example.net\", and the origin is https://example.com.`},
		{"another host that is long", "", asksFor(strings.Repeat("secret.", 9) + "net"), page200,
			[]messages.Hint{messages.OtherOrigin}, ""},
		{"led to another host", "", plain, func(w http.ResponseWriter, req *http.Request) {
			http.Redirect(w, req, "https://www.example.com"+req.RequestURI, http.StatusMovedPermanently)
		}, nil, ""},
		{"outside of the folder", blog, plain, page200, []messages.Hint{messages.OtherFolder},
			"sites have the whole host: then write https://example.com."},
		{"a session", "", header("Cookie", "shopId=secret1; visit_2b5f67c1=secret2; _ga=1"), page200,
			[]messages.Hint{messages.Cookies}, "had: shopId."},
		{"credentials", "", header("Authorization", "Basic secret"), page200, []messages.Hint{messages.Credentials}, ""},
		{"a header", "", header("X-Shop-Account", "secret"), page200, []messages.Hint{messages.Credentials},
			"had: X-Shop-Account."},
		{"for one visitor", "", plain, sent("Cache-Control", "private"), []messages.Hint{messages.ForOne}, ""},
		{"less than was declared", "", plain, sent("Content-Length", "100000"), []messages.Hint{messages.Incomplete}, ""},
		{"errors", "", plain, answer(http.StatusInternalServerError), []messages.Hint{messages.NoPageYet}, ""},
		{"no HTML", "", plain, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{}") },
			[]messages.Hint{messages.NoPages}, ""},
		{"parts for scripts", "", header("Hx-Request", "true"), page200, []messages.Hint{messages.NoPages}, ""},
		{"parts for scripts that follow links", "", header("Hx-Boosted", "true"),
			func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				io.WriteString(w, "<title>t</title><main><p>A page.</p></main>")
			}, []messages.Hint{messages.NoPages}, ""},
		{"pages for scripts that follow links", "", header("Hx-Boosted", "true"), page200, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t)
			if tt.origin != "" {
				r = start(t, at(t, tt.origin, ""))
			}
			for i := range 60 {
				r.watches(tt.change(get(fmt.Sprintf("/secret/%d", i))), tt.next)
			}
			base.EqualLists(t, r.cfg.Hints.Given(), tt.want, "hints")
			log := r.log.String()
			if n := strings.Count(log, "level=WARN"); n != len(tt.want) {
				t.Errorf("%d hints were logged, want each once:\n%s", n, log)
			}
			if _, names, is := strings.Cut(log, "Most "); is != (tt.most != "") || !strings.HasPrefix(names, tt.most) {
				t.Errorf("want %s to be named:\n%s", tt.most, log)
			}
			log = strings.ReplaceAll(log, blog, "https://example.com")
			if strings.Contains(log, "secret") || strings.Contains(log, "_ga") ||
				len(tt.want) > 0 && !strings.Contains(log, "origin=https://example.com") {
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

// A site that learns pages gets no hint from its counts, unless most pages that it links to were got by no
// anonymous visitor, or hardly any visitor is anonymous.
func TestHintDependsOnWhetherPagesAreLearned(t *testing.T) {
	links := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, pageHTML)
		for i := range 20 {
			fmt.Fprintf(w, `<a href="/linked/%d">x</a>`, i)
		}
	}
	for _, tt := range []struct {
		name    string
		home    http.HandlerFunc
		pages   int
		cookies int
		want    []messages.Hint
	}{
		{"hardly any visitor is anonymous", page200, 0, 60, []messages.Hint{messages.Cookies}},
		{"some are", page200, 1, 60, nil},
		{"hardly any linked page was seen", links, 0, 60, []messages.Hint{messages.Cookies}},
		{"too few have the cookie", links, 12, 20, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t)
			r.watches(get("/"), tt.home)
			r.page("/")
			for i := range tt.pages {
				r.watches(get(fmt.Sprintf("/other/%d", i)), page200)
			}
			for i := range tt.cookies {
				r.watches(with(get(fmt.Sprintf("/%d", i)), "Cookie", "session=1"), page200)
			}
			base.EqualLists(t, r.cfg.Hints.Given(), tt.want, "hints")
		})
	}
}

// However long a cause was there, a few pages outweigh it. After the first few requests one page does.
func TestHintEndsOnceItsCauseHasGone(t *testing.T) {
	base.OneByOne(t)
	cookie := func(req *http.Request) *http.Request { return with(req, "Cookie", "session=1") }
	for _, tt := range []struct {
		name   string
		change func(*http.Request) *http.Request
		next   http.HandlerFunc
		want   messages.Hint
	}{
		{"errors", func(req *http.Request) *http.Request { return req }, answer(http.StatusInternalServerError),
			messages.NoPageYet},
		{"a cookie", cookie, page200, messages.Cookies},
		{"another host", func(req *http.Request) *http.Request { req.Host = "evil.example.net"; return req }, page200,
			messages.OtherOrigin},
	} {
		for n, pages := range map[int]int{few: 1, 60: 30, 5000: 30} {
			t.Run(fmt.Sprintf("%s, %d times", tt.name, n), func(t *testing.T) {
				r := start(t)
				for i := range n {
					r.watches(tt.change(get(fmt.Sprintf("/%d", i))), tt.next)
				}
				if got := r.cfg.Hints.Given(); !slices.Equal(got, []messages.Hint{tt.want}) {
					t.Errorf("while it is so there are %q", r.cfg.Hints.Texts())
				}
				for i := range pages {
					r.watches(get(fmt.Sprintf("/%d", i)), page200)
				}
				if got := r.cfg.Hints.Given(); len(got) > 0 {
					t.Errorf("once it has pages there are %q", r.cfg.Hints.Texts())
				}
			})
		}
	}
}

// However long a site was learned, a hint comes soon after hardly any visitor is anonymous any more.
func TestHintComesHoweverManyPagesWereSeenBefore(t *testing.T) {
	r := start(t)
	for i := range 3000 {
		r.watches(get(fmt.Sprintf("/%d", i)), page200)
	}
	for i := range 6000 {
		r.watches(with(get(fmt.Sprintf("/later/%d", i)), "Cookie", "session=1"), page200)
	}
	if got := r.cfg.Hints.Given(); !slices.Equal(got, []messages.Hint{messages.Cookies}) {
		t.Errorf("hints = %q", r.cfg.Hints.Texts())
	}
}

// While one request is counted, or the owner asks, no other request waits.
func TestRequestsDoNotWaitForEachOtherToBeCounted(t *testing.T) {
	r := start(t)
	r.diagnosis.causes[messages.Cookies].mu.Lock()
	r.watches(with(get("/"), "Cookie", "session=1"), page200)
	base.Equal(t, r.Counts()["cookie"], 1, "are counted")
}

// An odd client with a few requests gives no hint on a site that shows pages. Where nobody got one yet, the first few
// requests do.
func TestHintNeedsManyRequests(t *testing.T) {
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
		{"another host", func(r *http.Request) { r.Host = "evil.example.net" }, page200},
		{"errors", asks("X-Forwarded-Proto", "gopher"), answer(http.StatusInternalServerError)},
		{"no HTML", asks("Accept", "application/json"), func(w http.ResponseWriter,
			_ *http.Request) {
			io.WriteString(w, "{}")
		}},
		{"a coding of his own", asks("Accept-Encoding", "zip"), coded("text/html", "zip", []byte("\x00\x01\x02"))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, pages := range []int{0, 1} {
				r, requests := start(t), few
				if pages > 0 {
					r.watches(get("/"), page200)
					requests = enough - 1
				}
				for i := range requests {
					req := get(fmt.Sprintf("/?page=%d", i))
					tt.change(req)
					r.watches(req, tt.next)
				}
				if got := r.cfg.Hints.Given(); (len(got) == 0) != (pages > 0) {
					t.Errorf("after %d pages, hints = %q: %s", pages, got, r.cfg.Hints.Texts())
				}
			}
		})
	}
}
