package folder

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestNoLinkLeadsOutOfTheFolderOrToAHiddenFile(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root) // the path of a socket is short
	for _, name := range []string{"out/secret.html", "site/index.html", "site/a.html", "site/.env", "site/.git/config",
		"site/.well-known/x", "site/sub/b.html", "site/a.html~", "site/a.html.bak", "site/A.SWP", "site/#a.html#",
		"site/a.orig", "site/a.bak2", "site/blog.old/c.html", "site/index/index.html/x",
		"site/a.html.1", "site/a.html.rpmnew", "site/a.html (copy)", "site/~a.html", "site/a.html.de",
		"site/users.bak.csv", "site/db.bak.zip", "site/config.old.json", "site/x.tmp.txt", "site/admin.bak/users.csv",
		"site/core", "site/CNAME", "site/a.php", "site/a.php.dist", "site/a.php.txt", "site/a.php.html", "site/a.zip.part",
		"site/a.bak.html", "site/a.php.old.x.html", "site/the.old.man.html",
		"site/a.html.sh", "site/a.sql", "site/id.pem",
		"site/a.zip", "site/a.tar.gz", "site/a.wasm", "site/a.WOFF2", "site/jquery-3.7.1.min.js", "site/jquery.tmpl.min.js",
		"site/film.pl.vtt", "site/a.html.gz", "site/old/index.html"} {
		base.Check(t, os.MkdirAll(filepath.Dir(name), 0o755))
		base.Check(t, os.WriteFile(name, []byte(name), 0o600))
	}
	for _, name := range []string{"site/about", "site/über-uns", "site/release-1.2", "site/shown.php", "site/shown.old",
		"site/shown.html.1", "site/shown.html (copy)", "site/shown.php.dist"} {
		base.Check(t, os.WriteFile(name, []byte("<!DOCTYPE html><title>a</title>"), 0o600))
	}
	for name, target := range map[string]string{"inside.html": "a.html", "folder": "sub", "out.html": "../out/secret.html",
		"whole.html": filepath.Join(root, "out/secret.html"), "outside": "../out", "env.html": ".env", "git": ".git",
		"copy.html": "a.html~", "device.html": os.DevNull} {
		if err := os.Symlink(target, filepath.Join("site", name)); err != nil {
			base.Lacks(t, "this system makes no symbolic links: %v", err)
		}
	}
	socket, err := net.Listen("unix", "site/socket.html")
	base.Check(t, err)
	defer socket.Close()
	_ = exec.Command("mkfifo", "site/pipe.html").Run() // if there is none, it is not found either
	h, err := New("site")
	base.Check(t, err)
	for path, want := range map[string]int{
		"/": 200, "/a.html": 200, "/inside.html": 200, "/folder/b.html": 200, "/.well-known/x": 200, "/sub/": 404,
		"/index/": 404, "/index/index.html/": 404,
		"/out.html": 404, "/whole.html": 404, "/outside/secret.html": 404, "/../out/secret.html": 404, "/env.html": 404,
		"/git/config": 404,
		"/copy.html":  404, "/device.html": 404, "/socket.html": 404, "/pipe.html": 404, "/a.html/x": 404, "/%00": 404,
		"/a.html~": 404, "/a.html.bak": 404, "/A.SWP": 404, "/%23a.html%23": 404, "/a.orig": 404, "/a.bak2": 404,
		"/a.html.1": 404, "/a.html.rpmnew": 404, "/a.html%20(copy)": 404, "/~a.html": 404, "/a.html.de": 404,
		"/blog.old/c.html": 404,
		"/users.bak.csv":   404, "/db.bak.zip": 404, "/config.old.json": 404, "/x.tmp.txt": 404, "/admin.bak/users.csv": 404,
		"/core": 404, "/CNAME": 404, "/a.php": 404, "/a.php.dist": 404, "/a.php.txt": 404, "/a.php.html": 200,
		"/a.zip.part": 404, "/a.bak.html": 404, "/a.php.old.x.html": 404, "/the.old.man.html": 200,
		"/a.html.sh": 404, "/a.sql": 404, "/id.pem": 404,
		"/about": 200, "/%C3%BCber-uns": 200, "/release-1.2": 200, "/shown.php": 404, "/shown.old": 404, "/shown.html.1": 404,
		"/shown.html%20(copy)": 404, "/shown.php.dist": 404,
		"/a.zip": 200, "/a.tar.gz": 200, "/a.wasm": 200, "/a.WOFF2": 200, "/jquery-3.7.1.min.js": 200,
		"/jquery.tmpl.min.js": 200, "/film.pl.vtt": 200, "/a.html.gz": 200, "/old/": 200,
	} {
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil)); w.Code != want {
			t.Errorf("%s is answered with %d, want %d", path, w.Code, want)
		}
	}
}

func TestServes(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "site")
	base.Check(t, os.MkdirAll(filepath.Join(dir, "old"), 0o755))
	if err := os.Symlink(dir, filepath.Join(root, "link")); err != nil {
		base.Lacks(t, "this system makes no symbolic links: %v", err)
	}
	for _, tt := range []struct {
		name, other string
		want        bool
	}{
		{"itself", "site", true},
		{"a folder in it", "site/old", true},
		{"one that is not made yet", "site/new/data", true},
		{"by a link", "link/new", true},
		{"a hidden one", "site/.data", false},
		{"beside it", "data", false},
		{"a name that begins alike", "site-data", false},
		{"above it", ".", false},
	} {
		base.Equal(t, Serves(dir, filepath.Join(root, tt.other)), tt.want, "%s", tt.name)
	}
}

func TestFolderThatOnlyPHPCanServeIsRefused(t *testing.T) {
	for _, tt := range []struct {
		files   []string
		refused bool
	}{
		{[]string{"index.php"}, true},
		{[]string{"index.php", "index.html"}, false},
		{[]string{"contact.php"}, false},
	} {
		dir := t.TempDir()
		for _, name := range tt.files {
			base.Check(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		}
		if _, err := New(dir); (err != nil) != tt.refused || tt.refused && !strings.Contains(err.Error(), "servemap proxy") {
			t.Errorf("%v: %v", tt.files, err)
		}
	}
}
