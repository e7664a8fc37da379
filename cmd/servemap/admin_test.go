package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

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

func TestInspectorIsNamedByAnAddressThatAnswers(t *testing.T) {
	for listener, want := range map[string]string{
		"127.0.0.1:9090": "http://127.0.0.1:9090/inspect/", "127.0.0.2:9090": "http://127.0.0.2:9090/inspect/", "[::1]:9090": "http://[::1]:9090/inspect/",
		"0.0.0.0:9090": "http://localhost:9090/inspect/", "[::]:9090": "http://localhost:9090/inspect/", "192.0.2.1:9090": "http://192.0.2.1:9090/inspect/",
	} {
		if got := inspectorAt(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(listener))); got != want {
			t.Errorf("%s: %q, want %q", listener, got, want)
		}
	}
}

// linkOf returns the link to the inspector that the log has.
func linkOf(t *testing.T, s *server) string {
	t.Helper()
	found := regexp.MustCompile(`link="(http[^"]*)"`).FindStringSubmatch(s.log.String())
	if found == nil {
		t.Fatalf("the log has no link: %s", s.log)
	}
	return found[1]
}

func TestOnlyTheLinkOpensTheInspector(t *testing.T) {
	s := before(t, blog, "-admin", "127.0.0.1:0")
	s.log.await(t, "commands are answered")
	link := linkOf(t, s)
	at, key, _ := strings.Cut(link, "?key=")
	for what, lines := range map[string][]string{"nothing": nil, "an address of this machine": {"X-Forwarded-For", "127.0.0.1"}, "the key as a header": {"Authorization", "Bearer " + key}} {
		if resp, _ := get(t, at, lines...); resp.StatusCode != http.StatusNotFound {
			t.Errorf("with %s: %s", what, resp.Status)
		}
	}
	if resp, _ := get(t, link); resp.StatusCode != http.StatusSeeOther || resp.Header.Get("Location") != "./" {
		t.Errorf("the link: %s to %q", resp.Status, resp.Header.Get("Location"))
	}
	if resp, _ := get(t, s.at+"/inspect/?key="+key); resp.StatusCode == http.StatusSeeOther {
		t.Errorf("the public port knows the key: %s", resp.Status)
	}
	if out := must(t, "link", "-data", s.data); out != link+"\n" {
		t.Errorf("the command prints %q, want %s", out, link)
	}
	if n := strings.Count(s.log.String(), key); n != 1 {
		t.Errorf("the key is %d times in the log: %s", n, s.log)
	}
	s.stop()
	if code, _, errs := call(t, "link", "-data", s.data); code != codeFailed || !strings.Contains(errs, "no process with an inspector") {
		t.Errorf("after the end: %d %s", code, errs)
	}
}

func TestAdminAddressAnswersForNoForeignName(t *testing.T) {
	s := before(t, blog, "-admin", "127.0.0.1:0")
	at, _, _ := strings.Cut(linkOf(t, s), "inspect/")
	for _, path := range []string{"healthz", "metrics", "inspect/", ""} {
		r, err := http.NewRequest(http.MethodGet, at+path, nil)
		base.Check(t, err)
		r.Host = "evil.example"
		resp, err := visitor.Do(r)
		base.Check(t, err)
		resp.Body.Close()
		if resp.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("/%s: %s", path, resp.Status)
		}
	}
	for _, path := range []string{"healthz", "metrics"} {
		if resp, _ := get(t, at+path); resp.StatusCode != http.StatusOK {
			t.Errorf("/%s by its address: %s", path, resp.Status)
		}
	}
}

func TestInspectorNamesFlags(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "private")
		blog(w, r)
	}, "-admin", "127.0.0.1:0", "-explore")
	link := linkOf(t, s)
	at, _, _ := strings.Cut(link, "?")
	entered, _ := get(t, link)
	cookie, _, _ := strings.Cut(entered.Header.Get("Set-Cookie"), ";")
	s.log.await(t, "nothing is listed")
	if resp, _ := get(t, strings.TrimSuffix(at, "inspect/")); resp.StatusCode != http.StatusFound || resp.Header.Get("Location") != "/inspect/" {
		t.Errorf("the first page of -admin: %s to %q", resp.Status, resp.Header.Get("Location"))
	}
	library := regexp.MustCompile(`Options\.|Rule\.|Limits\.|Site\.[A-Z]|\bAlways\b|\bNever\b|middleware`)
	for _, tt := range []struct{ view, want string }{
		{"", "-public"}, {"page?u=/", "-public"}, {"help", "add -always"}, {"crawlers", "Set -crawlers"},
		{"files", "-robots adds it."}, {"forget?u=/", "-always"}, {"page?u=https://other.example/", ""},
		{"stats.json", "-public"}, {"page.json?u=/", "-public"}, {"help.json", `\"servemap forget\"`},
	} {
		resp, body := get(t, at+tt.view, "Cookie", cookie)
		if !strings.Contains(body, tt.want) || library.MatchString(body) {
			t.Errorf("%s: %s names %q: %s", tt.view, resp.Status, library.FindString(body), body)
		}
		if strings.Contains(tt.view, ".json") && !json.Valid([]byte(body)) {
			t.Errorf("%s is no JSON: %s", tt.view, body)
		}
	}
}
