package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/internal/testkit/base"
)

// TestFileServesSeveralSitesAndIsReadAnew has three sites at one address, and changes one of them.
func TestFileServesSeveralSitesAndIsReadAnew(t *testing.T) {
	a, b, dir := writeSite(t), writeSite(t), t.TempDir()
	behind := base.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<!doctype html><title>Shop</title><p>This is the page of %s.", r.URL.Path)
	})
	text := func(never string) string {
		return strings.NewReplacer("DIR", dir, "FOLDER-A", a, "FOLDER-B", b, "BEHIND", behind, "NEVER", never).Replace(`
inside = true
listen = "127.0.0.1:0"
admin = "127.0.0.1:0"
[[site]]
origin = "https://a.example"
folder = "FOLDER-A"
data = "DIR/a"
[[site]]
origin = "https://a.example/shop"
to = "BEHIND"
data = "DIR/shop"
explore = true
[[site]]
origin = "https://b.example"
folder = "FOLDER-B"
data = "DIR/b"
never = [NEVER]
`)
	}
	file := write(t, text(""))
	s := start(t, dir+"/a", "run", "-config", file)
	for range 3 {
		s.log.Await(t, "msg=explored")
	}
	for _, origin := range []string{"https://a.example", "https://a.example/shop", "https://b.example"} {
		if !strings.Contains(s.log.String(), "sitemap="+origin+"/sitemap.xml") {
			t.Errorf("the log does not name the sitemap of %s", origin)
		}
	}
	ask := func(host, path string) (int, string) {
		t.Helper()
		r, err := http.NewRequest(http.MethodGet, s.at+path, nil)
		base.Check(t, err)
		r.Host = host
		resp, body := do(t, r)
		return resp.StatusCode, body
	}
	for _, tt := range []struct {
		host, path string
		code       int
		want       string
	}{
		{"a.example", "/sitemap.xml", 200, "https://a.example/a.html"},
		{"a.example:80", "/a.html", 200, "first page"},
		{"a.example", "/shop/tea", 200, "This is the page of /shop/tea."},
		{"a.example", "/shop/sitemap.xml", 200, "https://a.example/shop/"},
		{"b.example", "/sitemap.xml", 200, "https://b.example/a.html"},
		{"c.example", "/", http.StatusMisdirectedRequest, "No site"},
	} {
		if code, body := ask(tt.host, tt.path); code != tt.code || !strings.Contains(body, tt.want) {
			t.Errorf("%s%s: %d %s", tt.host, tt.path, code, body)
		}
	}
	link := must(t, "link", "-data", dir+"/b")
	sameStrings(t, "listed", listed(t, dir+"/a"), "/", "/a.html", "/delete.html")

	again := func(text string) {
		base.Check(t, os.WriteFile(file, []byte(text), 0o600))
		s.signal(syscall.SIGHUP)
	}
	again("nonsense")
	s.log.Await(t, "the new settings cannot be used")
	again(text("") + "origin = 3")
	s.log.Await(t, "the new settings cannot be used")
	again(text("") + "[[site]]\norigin = \"http://b.example\"\nfolder = \"" + b + "\"\ndata = \"" + dir + "/c\"")
	s.log.Await(t, "the new settings cannot be used")
	if code, _ := ask("a.example", "/a.html"); code != 200 {
		t.Errorf("with a bad file a site answers %d", code)
	}
	again(text(`"/a.html"`))
	s.log.Await(t, "the settings were read anew")
	for range 3 {
		s.log.Await(t, "commands are answered")
	}
	base.Equal(t, must(t, "link", "-data", dir+"/b"), link, "the link after a new reading of the settings")
	wantOut(t, codeNo, "`never` names it", "explain", "-data", dir+"/b", "/a.html")
	if out := must(t, "status", "-data", dir+"/b"); !strings.Contains(out, "is named by `never`.") ||
		strings.Contains(out, " -never") {
		t.Errorf("the owner of a file is told of flags: %s", out)
	}
	sameStrings(t, "listed with the new settings", listed(t, dir+"/b"), "/", "/delete.html")
	if text := s.log.String(); strings.Contains(text, "badgerstore: cannot be used") {
		t.Errorf("reading the file anew logs what passes: %s", text)
	}
	s.signal(syscall.SIGTERM)
	s.ends()
	wantOut(t, codeNo, "`never` names it", "explain", "-data", dir+"/b", "/a.html")
	if _, err := os.Stat(control.Socket(s.data)); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// A server in front cuts the folder off the path, so it is not there to tell the sites of a host apart.
func TestSiteWhoseFolderIsCutOffIsFound(t *testing.T) {
	site, dir := writeSite(t), t.TempDir()
	text := "inside = true\nlisten = '127.0.0.1:0'\nfolder = '" + site + "'\n" +
		"[[site]]\norigin = 'https://a.example'\ndata = '" + dir +
		"/a'\n[[site]]\norigin = 'https://HOST/shop'\nstripped = '/shop/'\ndata = '" + dir + "/b'\n"
	s := serve(t, dir+"/a", "run", "-config", write(t, strings.ReplaceAll(text, "HOST", "b.example")))
	r, err := http.NewRequest(http.MethodGet, s.at+"/a.html", nil)
	base.Check(t, err)
	r.Host = "b.example"
	if resp, body := do(t, r); resp.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", resp.Status, body)
	}
	s.stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // what is served ends at once
	log := new(base.Log)
	if run(ctx, []string{"run", "-config", write(t, strings.ReplaceAll(text, "HOST", "a.example"))},
		streams{out: io.Discard, err: log}); !strings.Contains(log.String(),
		"as requests for them arrive, as site 1, https://a.example; give each its own") {
		t.Errorf("two sites that arrive alike: %s", log)
	}
}

func TestSitesWhoseFoldersAndReservesLookAlikeAreKeptApart(t *testing.T) {
	site, dir := writeSite(t), t.TempDir()
	s := start(t, dir+"/a", "run", "-config", write(t, "inside = true\nlisten = '127.0.0.1:0'\nfolder = '"+site+"'\n"+
		"[[site]]\norigin = 'https://a.example'\ndata = '"+dir+
		"/a'\nreserve = 12\n[[site]]\norigin = 'https://b.example'\ndata = '"+dir+"/a1'\nreserve = 2\n"))
	for range 2 {
		s.log.Await(t, "commands are answered")
	}
	s.signal(syscall.SIGTERM)
	s.ends()
}

func TestPasswordOpensTheInspectorFromElsewhere(t *testing.T) {
	s := before(t, blog, "-admin", "127.0.0.1:0", "-admin-password", "a long password")
	s.log.Await(t, "commands are answered")
	at := strings.TrimSuffix(linkOf(t, s), "inspect/")
	for _, tt := range []struct {
		name, path, password string
		want                 int
	}{
		{"the owner", "inspect/", "a long password", 200},
		{"a stranger", "inspect/", "", 401},
		{"a guess", "inspect/", "a short password", 401},
		{"metrics of the owner", "metrics", "a long password", 200},
		{"metrics of a stranger", "metrics", "", 401},
		{"health", "healthz", "", 200},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequest(http.MethodGet, at+tt.path, nil)
			base.Check(t, err)
			r.Host = "nas.example:9090" // a container does not know its name
			if tt.password != "" {
				r.SetBasicAuth("admin", tt.password)
			}
			if resp, _ := do(t, r); resp.StatusCode != tt.want {
				t.Errorf("%s, want %d", resp.Status, tt.want)
			}
		})
	}
	if strings.Contains(s.log.String(), "a long password") {
		t.Error("the log has the password")
	}
}
