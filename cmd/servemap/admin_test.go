package main

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// A balancer must go on sending visitors to a process that has no sitemap yet: it learns from them. So only its
// answer says that.
func TestHealthSaysWhetherVisitorsAndTheSitemapAreServed(t *testing.T) {
	s := before(t, blog)
	s.log.Await(t, "commands are answered")
	for _, ready := range []bool{false, true} {
		var h health
		if err := json.Unmarshal([]byte(must(t, "health", "-json", "-data", s.data)), &h); err != nil || !h.Serves ||
			h.Ready != ready ||
			h.PID == 0 || h.Origin != origin || h.Version == "" || "http://"+h.Listen != s.at {
			t.Errorf("want ready %t: %+v, %v", ready, h, err)
		}
		must(t, "explore", "-data", s.data, "-inside")
	}
	if out := must(t, "status", "-data", s.data); !strings.Contains(out, "21 pages in the sitemap\nServed since ") {
		t.Error(out)
	}
	s.stop()
	wantOut(t, codeNo, "not served", "health", "-data", s.data)
	if out := must(t, "status", "-data", s.data); strings.Contains(out, "Served since") ||
		!strings.HasPrefix(out, origin+": 21 pages listed; no process serves the site, and this is what is stored\n") {
		t.Errorf("after the end: %s", out)
	}
}

func TestWhatListensIsNamedByAnAddressThatABrowserOpens(t *testing.T) {
	for listener, want := range map[string]string{
		"127.0.0.1:9090": "http://127.0.0.1:9090", "127.0.0.2:9090": "http://127.0.0.2:9090",
		"[::1]:9090":   "http://[::1]:9090",
		"0.0.0.0:9090": "http://localhost:9090", "[::]:9090": "http://localhost:9090",
		"192.0.2.1:9090": "http://192.0.2.1:9090",
	} {
		base.Equal(t, opensAt(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(listener))), want, "%s", listener)
	}
}

// linkOf returns the link to the inspector that the log has.
func linkOf(t *testing.T, s *server) string {
	t.Helper()
	found := regexp.MustCompile(`inspector="?(http[^ "]*)`).FindStringSubmatch(s.log.String())
	if found == nil {
		t.Fatalf("the log has no link: %s", s.log)
	}
	return found[1]
}

func TestAdminAnswersAtItsAddressAndTheInspectorByItsLink(t *testing.T) {
	s := before(t, blog, "-admin", "127.0.0.1:0")
	s.log.Await(t, "commands are answered")
	link := linkOf(t, s)
	at, key, _ := strings.Cut(link, "inspect/?key=")
	for _, path := range []string{"healthz", "metrics", "inspect/", "inspect/?key=" + key} {
		wantStatus(t, http.StatusNotFound, s.at+"/"+path)
		r, err := http.NewRequest(http.MethodGet, at+path, nil)
		base.Check(t, err)
		r.Host = "evil.example"
		resp, err := visitor.Do(r)
		base.Check(t, err)
		resp.Body.Close()
		base.Equal(t, resp.StatusCode, http.StatusMisdirectedRequest, "/%s for a foreign name", path)
		want := map[string]int{"healthz": 200, "metrics": 200, "inspect/": 404, "inspect/?key=" + key: 303}[path]
		wantStatus(t, want, at+path)
	}
	_, numbers := get(t, at+"metrics")
	for _, name := range []string{"servemap_build_info{", "servemap_folder_bytes{", "servemap_folder_free_bytes{",
		"servemap_upstream_errors_total{site=\"https://example.com\",code=\"502\"} 0", "go_goroutines{"} {
		if !strings.Contains(numbers, "\n"+name) {
			t.Errorf("/metrics has no %s: %s", name, numbers)
		}
	}
	if out := must(t, "link", "-data", s.data); out != link+"\n" {
		t.Errorf("the command prints %q, want %s", out, link)
	}
	s.log.Want(t, 1, key)
	s.stop()
	wantErrs(t, codeFailed, "no process with an inspector", "link", "-data", s.data)
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
	s.log.Await(t, "could not be listed")
	if resp, _ := get(t, strings.TrimSuffix(at, "inspect/")); resp.StatusCode != http.StatusFound ||
		resp.Header.Get("Location") != "/inspect/" {
		t.Errorf("the first page of -admin: %s to %q", resp.Status, resp.Header.Get("Location"))
	}
	library := regexp.MustCompile(`Options\.|Rule\.|Limits\.|Site\.[A-Z]|\bAlways\b|\bNever\b|middleware`)
	for view, want := range map[string]string{"": "-public", "page?u=/": "-public", "pages?reason=private": "-public",
		"crawlers": "Set -crawlers", "files": "-robots adds it", "stats.json": "-public"} {
		if resp, body := get(t, at+view, "Cookie", cookie); !strings.Contains(body, want) || library.MatchString(body) {
			t.Errorf("%s: %s names %q: %s", view, resp.Status, library.FindString(body), body)
		}
	}
}
