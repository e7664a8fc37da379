package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
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
	"strings"
	"testing"
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
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := visitor.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
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
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n", target)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := io.ReadAll(resp.Body)
		conn.Close()
		if string(got) != target {
			t.Errorf("%s arrives as %s", target, got)
		}
	}
}

func TestTrustedProxies(t *testing.T) {
	trusted, err := parseTrusted("10.0.0.0/8, 192.0.2.7,private")
	if err != nil {
		t.Fatal(err)
	}
	for addr, want := range map[string]bool{
		"10.1.2.3": true, "192.0.2.7": true, "192.168.1.1": true, "::1": true,
		"192.0.2.8": false, "198.51.100.1": false, "2001:db8::1": false,
	} {
		if got := trusted.Has(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s is trusted: %v, want %v", addr, got, want)
		}
	}
}

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
	if err != nil {
		t.Fatal(err)
	}
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
	if err != nil {
		t.Fatal(err)
	}
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

func TestDeadUpstreamIsA502AndTheSitemapStays(t *testing.T) {
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
}

func TestAnswerThatBreaksOffIsNoShortPage(t *testing.T) {
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

func TestUpstreamBehindASocketAndAPath(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
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

func TestInspectorSpeaksByFlags(t *testing.T) {
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

func TestWhereBrowsersInspect(t *testing.T) {
	for _, tt := range []struct{ listener, want string }{
		{"127.0.0.1:9090", "http://127.0.0.1:9090/inspect/"}, {"[::1]:9090", "http://[::1]:9090/inspect/"},
		{"[::]:9090", "http://localhost:9090/inspect/"}, {"0.0.0.0:9090", "http://localhost:9090/inspect/"}, {"192.0.2.1:9090", ""},
	} {
		if got := inspectorAt(tt.listener); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.listener, got, tt.want)
		}
	}
}
