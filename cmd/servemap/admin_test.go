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
		"0.0.0.0:9090": "http://localhost:9090/inspect/", "[::]:9090": "http://localhost:9090/inspect/", "192.0.2.1:9090": "",
	} {
		if got := inspectorAt(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(listener))); got != want {
			t.Errorf("%s: %q, want %q", listener, got, want)
		}
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
		{"", "-public"}, {"page?u=/", "-public"}, {"help", "add -always"}, {"crawlers", "Set -crawlers"},
		{"files", "-robots adds it."}, {"forget?u=/", "-always"}, {"page?u=https://other.example/", ""},
		{"stats.json", "-public"}, {"page.json?u=/", "-public"}, {"help.json", `\"servemap forget\"`},
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
