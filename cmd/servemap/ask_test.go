package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestAnswersAreTheSameWhetherAProcessRunsOrNot(t *testing.T) {
	site, data := writeSite(t), t.TempDir()
	answers := func() (all []string) {
		for _, args := range [][]string{{"explain", "/"}, {"explain", "/a.html"}, {"explain", "/alone.html"}, {"list"}, {"changes"}} {
			for _, format := range []string{"-json", "-json=false"} {
				code, out, errs := call(t, append(args, "-data", data, format)...)
				all = append(all, fmt.Sprint(args, code, out, errs))
			}
		}
		return all
	}
	s, c := start(t, data, "files", site, "-origin", origin)
	s.log.await(t, "msg=explored")
	living := answers()
	base.Check(t, c.Process.Kill())
	s.stop()
	if _, err := os.Stat(control.Socket(data)); err != nil {
		t.Errorf("the killed process left no socket, so that this test shows nothing: %v", err)
	}
	for what, got := range map[string][]string{"killed": answers(), "opened once more": answers()} {
		if !slices.Equal(got, living) {
			t.Errorf("%s: %q\nrunning: %q", what, got, living)
		}
	}
	again := files(t, site, data)
	if _, body := get(t, again.at+"/sitemap.xml"); !strings.Contains(body, origin+"/a.html") {
		t.Errorf("after the restart: %s", body)
	}
	living = answers()
	if code := again.stop(); code != codeDone {
		t.Errorf("it stops with code %d", code)
	}
	if got := answers(); !slices.Equal(got, living) {
		t.Errorf("stopped: %q\nrunning: %q", got, living)
	}
}

func TestRulesHoldForCommandsWithoutAProcess(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir(), "-never", "/a", "-always", "/alone.html")
	s.stop()
	sameStrings(t, "listed", listed(t, s.data), "/", "/alone.html", "/delete.html")
	if code, out, _ := call(t, "explain", "-data", s.data, "/a.html"); code != codeNo || !strings.Contains(out, "rule-never") {
		t.Errorf("%d %s", code, out)
	}
}

// This test may gain fields, but must not lose any.
func TestJSONHasTheFieldsThatProgramsRelyOn(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"explain", "/a.html"}, "changes dates element evidence first_seen last_seen reason status text url verdict"},
		{[]string{"explain", "/nix"}, "changes dates reason text url verdict"},
		{[]string{"list", "-prefix", "/a"}, "changes first_seen last_seen url"},
		{[]string{"changes"}, "at kind listed url"},
		{[]string{"stats"}, "crawlers not_counted not_listed origin reasons responses serving state stats week"},
		{[]string{"health"}, "listen origin pid ready version"},
		{[]string{"explore"}, "done pages requests waiting"},
		{[]string{"forget", "/a.html"}, "forgotten known"},
	} {
		_, out, errs := call(t, append(tt.args, "-data", s.data, "-json")...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var fields map[string]any
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &fields); err != nil {
			t.Errorf("%q: %v in %s%s", tt.args, err, out, errs)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(fields)), " "); got != tt.want {
			t.Errorf("%q: fields %s, want %s", tt.args, got, tt.want)
		}
	}
}

func TestListGivesWhatTheSitemapHas(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	if out := must(t, "list", "-data", s.data, "-prefix", "/a"); out != origin+"/a.html\t\t\n" {
		t.Errorf("list: %q", out)
	}
	_, sitemap := get(t, s.at+"/sitemap.xml")
	dir := filepath.Join(t.TempDir(), "made")
	must(t, "list", "-data", s.data, "-xml", dir)
	if b, err := os.ReadFile(filepath.Join(dir, "sitemap.xml")); string(b) != sitemap {
		t.Errorf("file: %s, %v", b, err)
	}
	if out := must(t, "stats", "-data", s.data); !strings.Contains(out, "  listed       3\n") || !strings.Contains(out, "reason       entry") {
		t.Errorf("stats: %s", out)
	}
	if out := must(t, "changes", "-data", s.data); strings.Count(out, "\tadded\t") != 3 {
		t.Errorf("changes: %s", out)
	}
	if code, _, errs := call(t, "explain", "-data", s.data, "https://other.example/"); code != codeFailed || !strings.Contains(errs, "other.example") {
		t.Errorf("another host: %d %s", code, errs)
	}
}

func TestForgottenPageStaysOut(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	const stays = ", and stays out until -always or -undo names it\n"
	for page, want := range map[string]string{"/typo.html": " was not known" + stays, origin + "/a.html": " is no longer listed or known" + stays} {
		if out := must(t, "forget", "-data", s.data, page); out != page+want {
			t.Errorf("%q", out)
		}
	}
	if code, out, _ := call(t, "explain", "-data", s.data, "/a.html"); code != codeNo || !strings.Contains(out, "forgotten") {
		t.Errorf("%d %s", code, out)
	}
	if out := must(t, "forget", "-undo", "-data", s.data, "/a.html"); !strings.Contains(out, "may be listed again") {
		t.Errorf("undoing it: %q", out)
	}
	if out := must(t, "forget", "-undo", "-data", s.data, "/delete.html"); out != "/delete.html was not forgotten\n" {
		t.Errorf("undoing what was not done: %q", out)
	}
	get(t, s.at+"/a.html")
	s.stop()
	must(t, "forget", "-data", s.data, "/delete.html") // no process runs
	sameStrings(t, "listed", listed(t, s.data), "/", "/a.html")
}

// listed returns the paths that "list" prints.
func listed(t *testing.T, data string) (paths []string) {
	t.Helper()
	for line := range strings.Lines(must(t, "list", "-data", data)) {
		u, _, _ := strings.Cut(line, "\t")
		paths = append(paths, pathOf(u))
	}
	return paths
}
