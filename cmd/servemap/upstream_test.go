package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

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
	site := httptest.NewServer(upstream)
	t.Cleanup(site.Close)
	return serve(t, t.TempDir(), append([]string{"proxy", "-to", site.URL, "-origin", origin}, args...)...)
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
	resp, err := visitor.Do(r)
	base.Check(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	base.Check(t, err)
	return resp, string(body)
}

func TestSiteThatWritesItsCanonicalFromTheHostIsListed(t *testing.T) {
	s := before(t, blog, "-explore")
	s.log.await(t, "msg=explored")
	if resp, body := get(t, s.at+"/sitemap.xml"); resp.StatusCode != 200 || strings.Count(body, "<loc>"+origin+"/") != 21 || strings.Contains(body, "127.0.0.1") {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestUpstreamGetsHostAndForwardedFromTheOrigin(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s|%s|%s|%s|%s", r.Host, r.Header.Get("X-Forwarded-Proto"), r.Header.Get("X-Forwarded-Host"),
			strings.Join(r.Header["X-Forwarded-For"], ","), r.Header.Get("Forwarded"))
	}
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"nobody is trusted", nil, "example.com|https|example.com|127.0.0.1|"},
		{"a trusted proxy in front", []string{"-trusted-proxies", "127.0.0.1"}, "example.com|https|example.com|6.6.6.6, 127.0.0.1|"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := before(t, echo, tt.args...)
			_, got := get(t, s.at+"/", "X-Forwarded-For", "6.6.6.6", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "ftp",
				"Forwarded", "for=6.6.6.6", "Connection", "X-Forwarded-For")
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestOnlyTrustedProxiesSayWhoAsksAndForWhat(t *testing.T) {
	names := []string{"X-Forwarded-Port", "X-Forwarded-Prefix", "X-Forwarded-Scheme", "X-Forwarded-Ssl", "X-Original-Url", "X-Original-Host",
		"X-Rewrite-Url", "X-Host", "X-Real-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Fastly-Client-Ip", "X_forwarded_port", "X_real_ip"}
	for _, tt := range []struct {
		name string
		args []string
		want int
	}{
		{"nobody is trusted", nil, 0},
		{"another is trusted", []string{"-trusted-proxies", "192.0.2.1"}, 0},
		{"a trusted proxy in front", []string{"-trusted-proxies", "127.0.0.1"}, len(names)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := before(t, func(w http.ResponseWriter, r *http.Request) {
				for _, name := range names {
					for range r.Header[name] {
						fmt.Fprintln(w, name)
					}
				}
				if r.Header.Get("X-Forwarded-Proto") != "https" || r.Header.Get("X-Mine") != "mine" {
					t.Errorf("the site gets %v", r.Header)
				}
			}, tt.args...)
			header := []string{"X-Mine", "mine"}
			for _, name := range names {
				header = append(header, name, "evil")
			}
			if _, got := get(t, s.at+"/", header...); strings.Count(got, "\n") != tt.want {
				t.Errorf("the site gets %d of %d: %s", strings.Count(got, "\n"), len(names), got)
			}
		})
	}
}

func TestTargetsReachTheUpstreamAsTheyWereSent(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.RequestURI) })
	for _, target := range []string{"/a%2Fb", "/a;b?c;d", "//a//b", "/?a=%zz&b", "/?", "/a?b=c+d%20e", "/%E4"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.at, "http://"))
		base.Check(t, err)
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n", target)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		base.Check(t, err)
		got, _ := io.ReadAll(resp.Body)
		conn.Close()
		if string(got) != target {
			t.Errorf("%s arrives as %s", target, got)
		}
	}
}

func TestSiteThatIsThisProcessIsRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	listener.Close() // nobody has the port now
	code, _, errs := call(t, "proxy", "-to", "http://localhost:"+port, "-origin", origin, "-data", t.TempDir(), "-listen", "127.0.0.1:"+port)
	if code != codeUsage || !strings.Contains(errs, "give the one where the site listens") {
		t.Errorf("code %d, %s", code, errs)
	}
	at := func(address string) net.Listener { return place(netip.MustParseAddrPort(address)) }
	for _, tt := range []struct {
		to, listen string
		want       bool
	}{
		{"http://localhost", "0.0.0.0:80", true}, {"http://127.0.0.1:8080", "[::]:8080", true}, {"http://192.0.2.1:8080", "192.0.2.1:8080", true},
		{"http://localhost:3000", "127.0.0.1:8080", false}, {"http://127.0.0.1:8080", "192.0.2.1:8080", false},
		{"http://site:8080", "[::]:8080", false}, {"https://localhost", "0.0.0.0:80", false}, {"unix:/run/site.sock", "127.0.0.1:80", false},
	} {
		v := serving{settings: settings{To: tt.to}}
		if got := v.loops(at(tt.listen)); got != tt.want {
			t.Errorf("%s, which listens at %s: %v", tt.to, tt.listen, got)
		}
	}
}

// place is a listener of which only the address matters.
type place netip.AddrPort

func (p place) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (p place) Close() error              { return nil }
func (p place) Addr() net.Addr            { return net.TCPAddrFromAddrPort(netip.AddrPort(p)) }

func TestStreamsPassUnbuffered(t *testing.T) {
	next := make(chan struct{})
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
			<-next // the test has read the event
		}
	})
	resp, err := visitor.Get(s.at + "/events")
	base.Check(t, err)
	defer resp.Body.Close()
	events := bufio.NewReader(resp.Body)
	for i := range 3 {
		line, err := events.ReadString('\n')
		if want := fmt.Sprintf("data: %d\n", i); line != want || err != nil {
			t.Fatalf("%q, %v", line, err)
		}
		_, _ = events.ReadString('\n')
		next <- struct{}{}
	}
}

func TestUpgradedConnectionsPassBothWays(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprint(rw, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
		rw.Flush()
		for line, err := rw.ReadString('\n'); err == nil; line, err = rw.ReadString('\n') {
			fmt.Fprint(rw, "echo "+line)
			rw.Flush()
		}
	})
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.at, "http://"))
	base.Check(t, err)
	defer conn.Close()
	fmt.Fprint(conn, "GET /ws HTTP/1.1\r\nHost: example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
	in := bufio.NewReader(conn)
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v %v", resp, err)
	}
	for _, word := range []string{"hello\n", "again\n"} {
		fmt.Fprint(conn, word)
		if line, err := in.ReadString('\n'); line != "echo "+word || err != nil {
			t.Fatalf("%q, %v", line, err)
		}
	}
}

func TestTrailersAndPackedAnswersPassAsTheyAre(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte("<html><title>t</title>packed"))
	z.Close()
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/trailer" {
			w.Header().Set("Trailer", "Sum")
			fmt.Fprint(w, "body")
			w.(http.Flusher).Flush()
			w.Header().Set("Sum", "42")
			return
		}
		if r.Header.Get("Accept-Encoding") != "gzip, br" {
			t.Errorf("the upstream is asked for %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write(packed.Bytes())
	})
	if resp, body := get(t, s.at+"/trailer"); body != "body" || resp.Trailer.Get("Sum") != "42" {
		t.Errorf("%q %v", body, resp.Trailer)
	}
	if resp, body := get(t, s.at+"/", "Accept-Encoding", "gzip, br"); body != packed.String() || resp.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%q %v", body, resp.Header)
	}
}

func TestDeadUpstreamGives502AndTheSitemapStays(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(blog))
	s := serve(t, t.TempDir(), "proxy", "-to", site.URL, "-origin", origin, "-explore")
	s.log.await(t, "msg=explored")
	_, before := get(t, s.at+"/sitemap.xml")
	site.Close()
	for range 2 {
		resp, body := get(t, s.at+"/article-1")
		if resp.StatusCode != http.StatusBadGateway || resp.Header.Get("Cache-Control") != "no-store" || !strings.Contains(body, "does not answer") {
			t.Errorf("%d %v %s", resp.StatusCode, resp.Header, body)
		}
	}
	if resp, after := get(t, s.at+"/sitemap.xml"); resp.StatusCode != 200 || after != before {
		t.Errorf("%d %s", resp.StatusCode, after)
	}
	if n := strings.Count(s.log.String(), "the site does not answer"); n != 1 {
		t.Errorf("it was logged %d times:\n%s", n, s.log)
	}
	listener, err := net.Listen("tcp", strings.TrimPrefix(site.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	back := httptest.NewUnstartedServer(http.HandlerFunc(blog))
	back.Listener = listener
	back.Start()
	defer back.Close()
	if resp, body := get(t, s.at+"/article-1"); resp.StatusCode != 200 {
		t.Errorf("the site is back: %s %s", resp.Status, body)
	}
	s.log.await(t, "the site answers again")
}

// Two processes have one folder, under load. One is killed, and the other takes over.
func TestNoRequestFailsWhereAProcessWithTheSameFolderIsKilled(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(blog))
	defer site.Close()
	data := t.TempDir()
	args := []string{"proxy", "-to", site.URL, "-origin", origin, "-explore"}
	first, process := start(t, data, args...)
	first.log.await(t, "msg=explored")
	_, before := get(t, first.at+"/sitemap.xml")
	second := serve(t, data, args...)

	var visitors sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var served, failed, last atomic.Int64 // last counts what the first answered
	for n := range 4 {
		at := []string{first.at, second.at}[n%2]
		visitors.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				status := statusOf(fmt.Sprintf("%s/article-%d", at, i%20))
				switch {
				case at == first.at && status != http.StatusOK:
					return // it was killed
				case at == first.at:
					last.Add(1)
				case status != http.StatusOK:
					failed.Add(1)
				default:
					served.Add(1)
				}
			}
		})
	}
	for served.Load() < 100 || last.Load() < 100 {
		runtime.Gosched()
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	first.stop()
	second.log.await(t, "commands are answered")
	for then := served.Load(); served.Load() < then+100; {
		runtime.Gosched()
	}
	stop()
	visitors.Wait()
	if failed.Load() > 0 {
		t.Errorf("%d requests failed, %d were served", failed.Load(), served.Load())
	}
	if resp, after := get(t, second.at+"/sitemap.xml"); resp.StatusCode != 200 || after != before {
		t.Errorf("%s: %s, before %s", resp.Status, after, before)
	}
}

// statusOf returns the status of an answer, 0 if there was none.
func statusOf(u string) int {
	resp, err := visitor.Get(u)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

func TestAnswerThatBreaksOffIsNotTakenForAPage(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/broken" {
			blog(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html><title>t</title><p>half of it")
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}, "-entry", "/", "-entry", "/broken", "-explore")
	s.log.await(t, "msg=explored")
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

func TestUpstreamMayBeAUnixSocketOrHaveAPath(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", name)
	base.Check(t, err)
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host, r.RequestURI) })
	behind := &http.Server{Handler: echo}
	go func() { _ = behind.Serve(l) }()
	defer behind.Close()
	site := httptest.NewServer(echo)
	defer site.Close()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-to", "unix:" + name}, "example.com/a?b"},
		{[]string{"-to", site.URL + "/app"}, "example.com/app/a?b"},
		{[]string{"-to", site.URL, "-host", "upstream"}, strings.TrimPrefix(site.URL, "http://") + "/a?b"},
	} {
		s := serve(t, t.TempDir(), append([]string{"proxy", "-origin", origin}, tt.args...)...)
		if _, got := get(t, s.at+"/a?b"); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.args, got, tt.want)
		}
	}
}

func TestHealthAndMetricsAreNotOnThePublicPort(t *testing.T) {
	s := before(t, blog, "-admin", "127.0.0.1:0")
	for _, path := range []string{"/healthz", "/metrics"} {
		if resp, _ := get(t, s.at+path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("the public port answers %s with %d", path, resp.StatusCode)
		}
	}
}

func TestHealthzSaysReadyUntilTheEnd(t *testing.T) {
	s := serve(t, t.TempDir(), "files", writeSite(t), "-origin", origin)
	s.log.await(t, "msg=explored")
	var h health
	if err := json.Unmarshal([]byte(must(t, "health", "-json", "-data", s.data)), &h); err != nil || !h.Ready || h.PID == 0 || h.Origin != origin || h.Version == "" {
		t.Errorf("%+v, %v", h, err)
	}
	if u, err := url.Parse(s.at); err != nil || u.Host != h.Listen {
		t.Errorf("it listens at %s and says %s", s.at, h.Listen)
	}
	s.stop()
	if code, out, _ := call(t, "health", "-data", s.data); code != codeNo || !strings.Contains(out, "not served") {
		t.Errorf("after the end: %d %s", code, out)
	}
}

func TestInspectorNamesFlags(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private")
		blog(w, r)
	}, "-admin", "127.0.0.1:0", "-explore")
	_, rest, _ := strings.Cut(s.log.String(), "can inspect what is known\" at=") // before it says that it serves
	at, _, _ := strings.Cut(rest, "\n")
	s.log.await(t, "nothing is listed")
	if resp, _ := get(t, strings.TrimSuffix(at, "inspect/")); resp.StatusCode != http.StatusFound || resp.Header.Get("Location") != "/inspect/" {
		t.Errorf("the first page of -admin: %s to %q", resp.Status, resp.Header.Get("Location"))
	}
	library := regexp.MustCompile(`Options\.|Rule\.|Limits\.|Site\.[A-Z]|\bAlways\b|\bNever\b|middleware`)
	for _, tt := range []struct{ view, want string }{
		{"", "give -public"}, {"page?u=/", "give -public"}, {"help", "give -always"}, {"crawlers", "Give -crawlers"},
		{"files", "-robots serves it there"}, {"forget?u=/", "-always"}, {"page?u=https://other.example/", ""},
		{"stats.json", "give -public"}, {"page.json?u=/", "give -public"}, {"help.json", `\"servemap forget\"`},
	} {
		resp, body := get(t, at+tt.view)
		if !strings.Contains(body, tt.want) || library.MatchString(body) {
			t.Errorf("%s: %s names %q: %s", tt.view, resp.Status, library.FindString(body), body)
		}
		if strings.Contains(tt.view, ".json") && !json.Valid([]byte(body)) {
			t.Errorf("%s is no JSON: %s", tt.view, body)
		}
	}
}

func TestInspectorAddressIsOneThatABrowserCanOpen(t *testing.T) {
	for _, tt := range []struct{ listener, want string }{
		{"127.0.0.1:9090", "http://127.0.0.1:9090/inspect/"}, {"[::1]:9090", "http://[::1]:9090/inspect/"},
		{"[::]:9090", "http://localhost:9090/inspect/"}, {"0.0.0.0:9090", "http://localhost:9090/inspect/"}, {"192.0.2.1:9090", ""},
	} {
		if got := inspectorAt(tt.listener); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.listener, got, tt.want)
		}
	}
}

func TestSiteOfPHPSessionsIsListedWithItsFlags(t *testing.T) {
	php := func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie("PHPSESSID"); err != nil {
			http.SetCookie(w, &http.Cookie{Name: "PHPSESSID", Value: "8c1d9b0f7c2e4a6b", Path: "/"})
		}
		w.Header().Set("Expires", "Thu, 19 Nov 1981 08:52:00 GMT")
		w.Header().Set("Cache-Control", "no-store, no-cache, must-revalidate")
		w.Header().Set("Pragma", "no-cache")
		blog(w, r)
	}
	for _, tt := range []struct {
		name  string
		flags []string
		want  []string
	}{
		{"both flags", []string{"-public", "/", "-cookie", "PHPSESSID"}, []string{"/", "/article-3"}},
		{"only -public", []string{"-public", "/"}, []string{"/"}},
		{"only -cookie", []string{"-cookie", "PHPSESSID"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := before(t, php, tt.flags...)
			get(t, s.at+"/")
			get(t, s.at+"/article-3", "Cookie", "PHPSESSID=8c1d9b0f7c2e4a6b")
			if code := s.stop(); code != codeDone { // it stores what was seen
				t.Fatalf("code %d: %s", code, s.log)
			}
			sameStrings(t, "listed", listed(t, s.data), tt.want...)
		})
	}
}
