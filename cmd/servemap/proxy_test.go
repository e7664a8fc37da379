package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/cookiejar"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/internal/testkit/base"
)

const origin = "https://example.com"

// blog is a site that builds its canonical URLs from the Host and scheme in its requests.
func blog(w http.ResponseWriter, r *http.Request) {
	body := "<p>This is the page of " + r.URL.Path + "."
	switch r.URL.Path {
	case "/":
		for i := range 20 {
			body += fmt.Sprintf(` <a href="/article-%d">article %d</a>`, i, i)
		}
		body += ` <a href="/articles/1/delete">delete</a>`
	default:
		if n := 0; !scanned(r.URL.Path, "/article-%d", &n) || n >= 20 {
			http.NotFound(w, r)
			return
		}
	}
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(w, `<!doctype html><html><head><title>%s</title><link rel="canonical" href="%s://%s%[1]s"></head><body><main>%[4]s</main></body></html>`,
		r.URL.Path, r.Header.Get("X-Forwarded-Proto"), r.Host, body)
}

func scanned(s, format string, to ...any) bool {
	_, err := fmt.Sscanf(s, format, to...)
	return err == nil
}

// before runs the command in front of an upstream.
func before(t *testing.T, upstream http.HandlerFunc, args ...string) *server {
	t.Helper()
	return serve(t, t.TempDir(), append([]string{"proxy", "-to", base.Serve(t, upstream), "-origin", origin}, args...)...)
}

// explored is before, with all pages explored.
func explored(t *testing.T, upstream http.HandlerFunc, args ...string) *server {
	t.Helper()
	s := before(t, upstream, append(args, "-explore")...)
	s.log.Await(t, "msg=explored")
	return s
}

// visitor follows no redirect and unpacks nothing.
var visitor = &http.Client{
	Transport:     &http.Transport{DisableCompression: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func get(t *testing.T, u string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	base.Check(t, err)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return do(t, r)
}

func wantStatus(t *testing.T, want int, u string) {
	t.Helper()
	if resp, body := get(t, u); resp.StatusCode != want {
		t.Errorf("%s: %s %s, want %d", u, resp.Status, body, want)
	}
}

func do(t *testing.T, r *http.Request) (*http.Response, string) {
	t.Helper()
	return base.Do(t, visitor, r)
}

func TestSiteThatWritesItsCanonicalFromTheHostIsListed(t *testing.T) {
	s := explored(t, blog)
	if resp, body := get(t, s.at+"/sitemap.xml"); resp.StatusCode != 200 ||
		strings.Count(body, "<loc>"+origin+"/") != 21 || strings.Contains(body, "127.0.0.1") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestOnlyTrustedProxiesSayWhoAsks(t *testing.T) {
	evil := []string{"X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Prefix", "Forwarded",
		"X-Original-Url", "X-Rewrite-Url", "X-Real-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "X_forwarded_for",
		"X-Forwarded_for", "X.forwarded.for", "X!forwarded-For", "X_real_ip", "Remote_user", "Remote.user"}
	for _, tt := range []struct{ name, trusted, want string }{
		{"nobody is trusted", "", "127.0.0.1"},
		{"another is trusted", "192.0.2.1", "127.0.0.1"},
		{"a trusted proxy in front, which forwards what visitors send", "127.0.0.1", "6.6.6.6, 127.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := before(t, func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, r.Host)
				for _, name := range slices.Sorted(maps.Keys(r.Header)) {
					fmt.Fprintf(w, "|%s: %s", name, strings.Join(r.Header[name], "|"))
				}
			}, "-trusted-proxies", tt.trusted)
			header := []string{"User-Agent", "me", "X-Mine", "mine", "X-Forwarded-For", "6.6.6.6", "Connection",
				"X-Forwarded-For"}
			for _, name := range evil {
				header = append(header, name, "evil")
			}
			want := "example.com|User-Agent: me|X-Forwarded-For: " + tt.want +
				"|X-Forwarded-Host: example.com|X-Forwarded-Proto: https|X-Mine: mine"
			if _, got := get(t, s.at+"/", header...); got != want {
				t.Errorf("the site gets %s, want %s", got, want)
			}
		})
	}
}

func TestSiteThatIsThisProcessIsRefused(t *testing.T) {
	site := base.Serve(t, http.NotFound)
	wantErrs(t, codeUsage, "give the one where the site listens", "proxy", "-to", site, "-origin", origin, "-data",
		t.TempDir(), "-listen", strings.TrimPrefix(site, "http://"))
	for _, tt := range []struct {
		to, listen string
		want       bool
	}{
		{"http://localhost", "0.0.0.0:80", true}, {"http://127.0.0.1:8080", "[::]:8080", true},
		{"http://192.0.2.1:8080", "192.0.2.1:8080", true}, {"http://127.0.0.1:8080", "localhost:8080", true},
		{"http://localhost:8080", ":8080", true}, {"http://site:8080", "site:8080", false},
		{"http://localhost:3000", "127.0.0.1:8080", false}, {"http://127.0.0.1:8080", "192.0.2.1:8080", false},
		{"http://site:8080", "[::]:8080", false}, {"https://localhost", "0.0.0.0:80", false},
		{"unix:/run/site.sock", "127.0.0.1:80", false},
	} {
		v := &settings.Settings{}
		v.To, v.Listen = tt.to, tt.listen
		base.Equal(t, loops(v), tt.want, "%s, which listens at %s", tt.to, tt.listen)
	}
}

func TestDeadUpstreamGives502AndTheSitemapStays(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s") // unlike a port, nobody else takes it meanwhile
	start := func() *http.Server {
		listener, err := net.Listen("unix", socket)
		base.Check(t, err)
		site := &http.Server{Handler: http.HandlerFunc(blog)}
		go func() { _ = site.Serve(listener) }()
		return site
	}
	site := start()
	s := serve(t, t.TempDir(), "proxy", "-to", "unix:"+socket, "-origin", origin, "-explore", "-admin", "127.0.0.1:0")
	s.log.Await(t, "msg=explored")
	_, before := get(t, s.at+"/sitemap.xml")
	site.Close()
	const hint = "The site does not answer; visitors get 502"
	wantStatus(t, http.StatusBadGateway, s.at+"/robots.txt")
	if _, out, _ := call(t, "status", "-data", s.data); !strings.Contains(out, hint) {
		t.Errorf("after the first visit to which nobody answered, the status is\n%s", out)
	}
	wantOut(t, codeDone, "but the site behind it does not answer: visitors get 502", "health", "-data", s.data)
	jar, err := cookiejar.New(nil)
	base.Check(t, err)
	resp, err := (&http.Client{Jar: jar}).Get(linkOf(t, s))
	base.Check(t, err)
	overview, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	base.Check(t, err)
	if text := string(overview); !strings.Contains(text, `"dot look"></span>The site does not answer<`) ||
		strings.Contains(text, ">Serving<") {
		t.Errorf("while it does not answer, the overview is\n%s", text)
	}
	for range 2 {
		resp, body := get(t, s.at+"/article-1")
		if resp.StatusCode != http.StatusBadGateway || resp.Header.Get("Cache-Control") != "no-store" ||
			!strings.Contains(body, "does not answer") {
			t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
		}
	}
	if resp, after := get(t, s.at+"/sitemap.xml"); resp.StatusCode != 200 || after != before {
		t.Errorf("%d %s", resp.StatusCode, after)
	}
	if n := strings.Count(strings.ToLower(s.log.String()), "the site does not answer"); n != 1 {
		t.Errorf("it was logged %d times:\n%s", n, s.log)
	}
	if _, out, _ := call(t, "status", "-data", s.data); !strings.Contains(out, hint) ||
		!strings.Contains(out, "It is at unix:"+socket) {
		t.Errorf("while it does not answer, the status is\n%s", out)
	}
	defer start().Close()
	wantStatus(t, 200, s.at+"/article-1")
	s.log.Await(t, `msg="the site answers again" after=`)
	if _, out, _ := call(t, "status", "-data", s.data); strings.Contains(out, hint) {
		t.Errorf("once it answers again, the status is\n%s", out)
	}
}

func TestSiteThatIsDownAtTheStartIsToldOnce(t *testing.T) {
	hangsUp := base.HangsUp(t) // as php -S does with what is not http
	for to, want := range map[string]string{
		"unix:" + filepath.Join(t.TempDir(), "s"): "no such file",
		"https://" + hangsUp:                      "it seems to speak http; then write -to http://" + hangsUp,
	} {
		s := serve(t, t.TempDir(), "proxy", "-to", to, "-origin", origin, "-inside", "-explore", "-log-level", "debug")
		s.log.Await(t, "nothing may be asked for until it does")
		log := s.log.String()
		once := strings.Count(strings.ToLower(log), "the site does not answer") == 1 && !strings.Contains(log, "not explored")
		if !once || !strings.Contains(log, want) {
			t.Errorf("-to %s: %s", to, log)
		}
	}
}

func TestGatewayBeforePHPThatDoesNotReachItIsASiteThatDoesNotAnswer(t *testing.T) {
	var status atomic.Int64
	s := before(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) })
	for _, tt := range []struct {
		name   string
		status int
		down   bool
	}{
		{"it answers", 200, false}, {"two in a row", 502, true}, {"a third", 504, true},
		{"a page that is not there", 404, false}, {"a fault of one page", 500, false},
	} {
		status.Store(int64(tt.status))
		wantStatus(t, tt.status, s.at+"/")
		wantStatus(t, tt.status, s.at+"/")
		if _, out, _ := call(t, "status", "-data", s.data); strings.Contains(out, "The site does not answer") != tt.down {
			t.Errorf("%s: the status is\n%s", tt.name, out)
		}
	}
	s.log.Want(t, 1, "the site answers again")
}

func TestAnswerThatBreaksOffIsNotTakenForAPage(t *testing.T) {
	s := explored(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/broken" {
			blog(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><title>t</title><p>half of it")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}, "-entry", "/", "-entry", "/broken")
	resp, err := visitor.Get(s.at + "/broken")
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("reading it ends with %v", err)
	}
	if code, out, _ := call(t, "explain", "-data", s.data, "/broken"); code != codeNo {
		t.Errorf("the explorer took half a page for a page: %s", out)
	}
}

func TestUpstreamMayHaveAPathOrAHostOfItsOwn(t *testing.T) {
	site := base.Serve(t, func(w http.ResponseWriter,
		r *http.Request) {
		fmt.Fprint(w, r.Host, r.RequestURI)
	})
	for want, args := range map[string][]string{
		"example.com/app/a?b":                        {"-to", site + "/app"},
		strings.TrimPrefix(site, "http://") + "/a?b": {"-to", site, "-host", "upstream"},
	} {
		s := serve(t, t.TempDir(), append([]string{"proxy", "-origin", origin}, args...)...)
		if _, got := get(t, s.at+"/a?b"); got != want {
			t.Errorf("%q: got %s, want %s", args, got, want)
		}
	}
}
