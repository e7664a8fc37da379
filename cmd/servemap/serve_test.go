package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// files serves a folder and waits until it is explored.
func files(t *testing.T, site, data string, args ...string) *server {
	t.Helper()
	s := serve(t, data, append([]string{"files", site, "-origin", origin}, args...)...)
	s.log.Await(t, "msg=explored")
	return s
}

func TestAddressThatThisMachineDoesNotHaveIsNoWrongUsage(t *testing.T) {
	for _, name := range []string{"-listen", "-admin"} {
		args := []string{"files", writeSite(t), "-origin", origin, "-data", t.TempDir(), "-listen", "127.0.0.1:0", name,
			"192.0.2.1:9090"}
		if code, _, errs := call(t, args...); code != codeFailed || !strings.Contains(errs, name+" 192.0.2.1:9090: ") ||
			strings.Contains(errs, "give an address") {
			t.Errorf("code %d, %s", code, errs)
		}
	}
}

func TestAddressOfThisProcessIsNotThatOfAnotherProgram(t *testing.T) {
	site := httptest.NewServer(http.NotFoundHandler()) // it takes a port, and lets it go
	site.Close()
	at := strings.TrimPrefix(site.URL, "http://")
	wantErrs(t, codeUsage, "-admin "+at+" is an address where this process listens already; give it one of its own",
		"files",
		writeSite(t), "-origin", origin, "-data", t.TempDir(), "-listen", at, "-admin", at)
	_, port, _ := strings.Cut(at, ":")
	if _, _, errs := call(t, "files", writeSite(t), "-origin", origin, "-data", t.TempDir(), "-listen", at, "-admin",
		"192.0.2.1:"+port); !strings.Contains(errs, "cannot assign") {
		t.Errorf("of an address of another machine: %s", errs)
	}
}

func TestQueryFlagAddsToTheDefault(t *testing.T) {
	s := explored(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>%s</title><p>This is %[1]s</p><a href="/?page=2">p</a><a href="/?id=3">i</a><a href="/?color=red">c</a>`, r.URL.RawQuery)
	}, "-query", "nr,id")
	sameStrings(t, "listed", listed(t, s.data), "/", "/?page=2", "/?id=3")
	wantOut(t, codeNo, "name it in -query", "explain", "-data", s.data, "/?color=red")
	wantOut(t, codeNo, "Its address has a parameter that -query does not name", "explain", "-data", s.data, "/?size=5")
}

func TestRobotsFlagNamesTheSitemap(t *testing.T) {
	for _, flag := range []string{"-robots=false", "-robots"} {
		site, on := writeSite(t), flag == "-robots"
		base.Check(t, os.WriteFile(filepath.Join(site, "robots.txt"), []byte("User-agent: *\n"), 0o600))
		s := files(t, site, t.TempDir(), flag)
		if _, body := get(t, s.at+"/robots.txt"); strings.Contains(body, "Sitemap: "+origin+"/sitemap.xml\n") != on ||
			!strings.Contains(body, "User-agent: *\n") {
			t.Errorf("%s: %q", flag, body)
		}
		if _, out, _ := call(t, "check", "-origin", origin, s.at+"/sitemap.xml"); strings.Contains(out,
			"is not named by robots.txt") == on {
			t.Errorf("%s: check says %s", flag, out)
		}
		if text := s.log.String(); strings.Contains(text, "add the line Sitemap: ") == on {
			t.Errorf("%s: the log says %s", flag, text)
		}
	}
}

func TestFolderOfAnotherOriginIsTold(t *testing.T) {
	site, data := writeSite(t), t.TempDir()
	files(t, site, data).stop()
	s := serve(t, data, "files", site, "-origin", "https://other.example", "-inside")
	s.log.Await(t, "commands are answered")
	s.stop()
	if want := "The store has pages of " + origin +
		" and none of https://other.example, which is learned anew. "; strings.Count(s.log.String(), want) != 1 {
		t.Errorf("it is not told once: %s", s.log)
	}
	s = s.again()
	if s.log.Await(t, "commands are answered"); strings.Contains(s.log.String(), "learned anew") {
		t.Errorf("it is told of the same origin: %s", s.log)
	}
}
