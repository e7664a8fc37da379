package main

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// files serves a folder and waits until it is explored.
func files(t *testing.T, site, data string, args ...string) *server {
	t.Helper()
	s := serve(t, data, append([]string{"files", site, "-origin", origin}, args...)...)
	s.log.await(t, "msg=explored")
	return s
}

func TestFolderIsListedFromItsStart(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	sameStrings(t, "listed", listed(t, s.data), "/", "/a.html", "/delete.html")
	for path, want := range map[string]int{"/": 200, "/a.html": 200, "/.git/config.html": 404, "/empty/": 404, "/nix": 404} {
		if resp, _ := get(t, s.at+path); resp.StatusCode != want {
			t.Errorf("%s is answered with %d, want %d", path, resp.StatusCode, want)
		}
	}
}

func TestAnswersAreTheSameWhetherAProcessRunsOrNot(t *testing.T) {
	site, data := writeSite(t), t.TempDir()
	answers := func() (all []string) {
		for _, args := range [][]string{{"explain", "/"}, {"explain", "/a.html"}, {"explain", "/alone.html"}, {"list"}, {"changes"}, {"export"}} {
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
	if _, err := os.Stat(socketFile(data)); err != nil {
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

func TestSecondProcessSaysWhoHoldsTheDataAndTakesOver(t *testing.T) {
	site, data := writeSite(t), t.TempDir()
	first := files(t, site, data)
	second := serve(t, data, "files", site, "-origin", origin)
	if text := second.log.String(); !strings.Contains(text, fmt.Sprint("another process holds the data; this one serves the pages, and the sitemap once that has ended\" pid=", os.Getpid())) {
		t.Error(text)
	}
	if resp, _ := get(t, second.at+"/a.html"); resp.StatusCode != 200 {
		t.Errorf("the page is answered with %d", resp.StatusCode)
	}
	if code, _, errs := call(t, "files", site, "-origin", origin, "-data", t.TempDir(), "-listen", strings.TrimPrefix(first.at, "http://")); code != codeFailed || !strings.Contains(errs, "give -listen another address") {
		t.Errorf("at an address in use: %d %s", code, errs)
	}
	first.stop()
	second.log.await(t, "msg=explored")
	if n := strings.Count(second.log.String(), "another process"); n != 1 {
		t.Errorf("%d warnings for one cause: %s", n, second.log)
	}
	if resp, body := get(t, second.at+"/sitemap.xml"); resp.StatusCode != 200 {
		t.Errorf("the sitemap is answered with %d: %s", resp.StatusCode, body)
	}
	var h health
	if err := json.Unmarshal([]byte(must(t, "health", "-json", "-data", data)), &h); err != nil || "http://"+h.Listen != second.at {
		t.Errorf("%+v, %v", h, err)
	}
}

func TestSilentProcessKeepsNobodyWaiting(t *testing.T) {
	site, data := writeSite(t), t.TempDir()
	files(t, site, data).stop() // makes what commands open
	silent, err := listenSocket(data)
	base.Check(t, err)
	defer silent.Close() // the system accepts for it, and it never answers
	var asked sync.WaitGroup
	for _, args := range [][]string{{"health"}, {"list"}, {"stats"}, {"explain", "/"}, {"explore"}, {"export"}} {
		asked.Go(func() {
			if code, _, errs := call(t, append(args, "-data", data)...); code != codeLocked || !strings.Contains(errs, "does not answer") {
				t.Errorf("%s: code %d, %s", args, code, errs)
			}
		})
	}
	asked.Wait()
	s := serve(t, data, "files", site, "-origin", origin)
	if text := s.log.String(); !strings.Contains(text, "does not answer; this one serves the pages") {
		t.Error(text)
	}
	if resp, _ := get(t, s.at+"/a.html"); resp.StatusCode != 200 {
		t.Errorf("the page is answered with %d", resp.StatusCode)
	}
}

func TestFolderOfAnotherUserIsNotOpened(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can open what belongs to another")
	}
	site, data := writeSite(t), t.TempDir()
	s := files(t, site, data)
	const other = 54321 // no user has it
	give := func() {
		for _, name := range []string{data, controlFolder(data), settingsFile(data)} {
			base.Check(t, os.Chown(name, other, other))
		}
	}
	give()
	must(t, "list", "-data", data) // the running process answers root
	s.stop()
	before := entries(t, data)
	if code, _, errs := call(t, "list", "-data", data); code != codeFailed || !strings.Contains(errs, "sudo -u '#54321' servemap list -data "+data) {
		t.Errorf("code %d, %s", code, errs)
	}
	sameStrings(t, "files after the refusal", entries(t, data), before...)
	base.Check(t, os.Chown(settingsFile(data), 0, 0))
	must(t, "list", "-data", data)
}

// entries returns the names in a folder.
func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	base.Check(t, err)
	for _, e := range all {
		names = append(names, e.Name())
	}
	return names
}

func TestFleetOnADatabaseNeedsAFolderForEachProcess(t *testing.T) {
	data := t.TempDir()
	files(t, writeSite(t), data)
	code, _, errs := call(t, "files", writeSite(t), "-origin", origin, "-data", data, "-database", "postgres://127.0.0.1:1/x", "-listen", "127.0.0.1:0")
	if code != codeLocked || !strings.Contains(errs, "folder of its own") {
		t.Errorf("code %d: %s", code, errs)
	}
}

func TestOnlyTheOwnerMayEnterTheControlFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes")
	}
	s := files(t, writeSite(t), t.TempDir())
	if info, err := os.Stat(controlFolder(s.data)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestForgottenPageStaysOut(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	must(t, "forget", "-data", s.data, origin+"/a.html")
	if code, out, _ := call(t, "explain", "-data", s.data, "/a.html"); code != codeNo || !strings.Contains(out, "forgotten") {
		t.Errorf("%d %s", code, out)
	}
	s.stop()
	must(t, "forget", "-data", s.data, "/delete.html") // no process runs
	sameStrings(t, "listed", listed(t, s.data), "/")
}

func TestForgettingWhatIsNotKnownSaysSo(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	if out := must(t, "forget", "-data", s.data, "/a.html"); out != "/a.html is no longer listed or known, and stays out until -always names it\n" {
		t.Errorf("a page: %q", out)
	}
	if out := must(t, "forget", "-data", s.data, "/typo.html"); out != "/typo.html was not known, and stays out until -always names it\n" {
		t.Errorf("no page: %q", out)
	}
}

func TestFolderOfAnotherOriginIsRefused(t *testing.T) {
	site, data := writeSite(t), t.TempDir()
	files(t, site, data).stop()
	code, _, errs := call(t, "files", site, "-origin", "https://other.example", "-data", data, "-listen", "127.0.0.1:0")
	if code != codeUsage || !strings.Contains(errs, "has what was learned of "+origin+"; give that as -origin, or another folder for https://other.example") {
		t.Errorf("code %d, %s", code, errs)
	}
	serve(t, data, "files", site, "-origin", "HTTPS://EXAMPLE.COM:443/") // the same origin, written in another way
}

func TestQueryFlagAddsToTheDefault(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>%s</title><p>This is %[1]s</p><a href="/?page=2">p</a><a href="/?id=3">i</a><a href="/?color=red">c</a>`, r.URL.RawQuery)
	}, "-query", "id", "-explore")
	s.log.await(t, "msg=explored")
	sameStrings(t, "listed", listed(t, s.data), "/", "/?page=2", "/?id=3")
	if code, out, _ := call(t, "explain", "-data", s.data, "/?color=red"); code != codeNo || !strings.Contains(out, "name it in -query") {
		t.Errorf("%d %s", code, out)
	}
}

func TestTextInPlaceOfTheSitemapNamesFlags(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "private")
		blog(w, &http.Request{URL: &url.URL{Path: "/"}})
	})
	for range 30 { // enough for a hint
		get(t, s.at+"/")
	}
	s.log.await(t, "msg=\"commands are answered\"")
	must(t, "stats", "-data", s.data)
	resp, body := get(t, s.at+"/sitemap.xml")
	if resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `ask "servemap explain" about any page`) || strings.Contains(body, "Site.") || strings.Contains(body, "Rule.") {
		t.Errorf("%s: %s", resp.Status, body)
	}
	if strings.Contains(s.log.String(), "Rule.") {
		t.Errorf("the log: %s", s.log)
	}
}

func TestPagesLeftByTheLimitOfAnExplorationAreAskedForLater(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(blog))
	defer site.Close()
	args := []string{"proxy", "-to", site.URL, "-origin", origin, "-explore", "-max", "12"}
	s := serve(t, t.TempDir(), args...)
	s.log.await(t, "msg=explored requests=12 pages=12 left=9 skipped.acting=1")
	s.log.await(t, "links=1")
	s.log.await(t, "-max was reached")
	s.stop()
	s = serve(t, s.data, args...)
	s.log.await(t, "exploring goes on where it ended")
	s.log.await(t, "msg=explored requests=9 pages=9 left=0")
	if n := len(listed(t, s.data)); n != 21 {
		t.Errorf("%d pages are listed", n)
	}
	s.stop()
	s = serve(t, s.data, args...) // a third start has nothing to explore
	must(t, "stats", "-data", s.data)
	if strings.Contains(s.log.String(), "explor") {
		t.Errorf("it explores again: %s", s.log)
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
		{[]string{"explain", "/a.html"}, "changes dates element evidence first_seen last_seen listed networks reason siblings status text url verdict"},
		{[]string{"explain", "/nix"}, "changes dates listed networks reason siblings text url verdict"},
		{[]string{"list", "-prefix", "/a"}, "changes first_seen last_seen url"},
		{[]string{"export", "-format", "json"}, "changes first_seen last_seen url"},
		{[]string{"changes"}, "at kind listed url"},
		{[]string{"stats"}, "crawlers damaged dropped followed ignored listed not_counted not_listed origin queued reasons responses serving sightings state verdicts waiting week"},
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

func TestListAndExportGiveWhatTheSitemapHas(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	if out := must(t, "list", "-data", s.data, "-prefix", "/a"); out != origin+"/a.html\t\t\n" {
		t.Errorf("list: %q", out)
	}
	_, sitemap := get(t, s.at+"/sitemap.xml")
	if out := must(t, "export", "-data", s.data); out != sitemap {
		t.Errorf("xml: %s", out)
	}
	if out := must(t, "export", "-data", s.data, "-format", "csv"); !strings.HasPrefix(out, "url,lastmod,") || strings.Count(out, "\n") != 4 {
		t.Errorf("csv: %s", out)
	}
	dir := t.TempDir()
	must(t, "export", "-data", s.data, "-to", dir)
	if b, err := os.ReadFile(filepath.Join(dir, "sitemap.xml")); string(b) != sitemap {
		t.Errorf("file: %s, %v", b, err)
	}
	if out := must(t, "stats", "-data", s.data); !strings.Contains(out, "3 pages are listed") || !strings.Contains(out, "listed entry") {
		t.Errorf("stats: %s", out)
	}
	if out := must(t, "changes", "-data", s.data); strings.Count(out, "\tadded\t") != 3 {
		t.Errorf("changes: %s", out)
	}
	if code, _, errs := call(t, "explain", "-data", s.data, "https://other.example/"); code != codeFailed || !strings.Contains(errs, "other.example") {
		t.Errorf("another host: %d %s", code, errs)
	}
}

// slow is a site whose pages wait for the test.
type slow struct {
	asked   chan string   // each requested page
	release chan struct{} // closed when pages need not wait any longer
	count   sync.Map
}

func (s *slow) serve(w http.ResponseWriter, r *http.Request) {
	n, _ := s.count.LoadOrStore(r.URL.Path, new(atomic.Int32))
	n.(*atomic.Int32).Add(1)
	if r.URL.Path == "/article-5" {
		select {
		case s.asked <- r.URL.Path:
		case <-s.release:
		}
		select {
		case <-s.release:
		case <-r.Context().Done():
			return
		}
	}
	blog(w, r)
}

func TestInterruptedExplorationGoesOnAtTheNextStart(t *testing.T) {
	site := &slow{asked: make(chan string), release: make(chan struct{})}
	up := httptest.NewServer(http.HandlerFunc(site.serve))
	defer up.Close()
	data := t.TempDir()
	args := []string{"proxy", "-to", up.URL, "-origin", origin, "-explore"}
	s := serve(t, data, args...)
	<-site.asked
	if code, _, errs := call(t, "explore", "-data", data); code != codeFailed || !strings.Contains(errs, "already") {
		t.Errorf("two at once: %d %s", code, errs)
	}
	if code := s.stop(); code != codeDone {
		t.Errorf("code %d", code)
	}
	if info, err := os.Stat(stateFile(data)); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("the state is not kept: %v %v", info, err)
	}
	close(site.release)
	s = serve(t, data, args...)
	s.log.await(t, "msg=explored")
	if n := len(listed(t, data)); n != 21 {
		t.Errorf("%d pages are listed", n)
	}
	again := 0
	site.count.Range(func(_, n any) bool { again += int(n.(*atomic.Int32).Load()) - 1; return true })
	if again > 3 { // robots.txt, and the requests that ran at the interruption
		t.Errorf("%d pages that were seen are asked for again", again)
	}
	s.stop()
	s = serve(t, data, args...) // a third start has nothing to explore
	must(t, "stats", "-data", data)
	if _, err := os.Stat(stateFile(data)); !os.IsNotExist(err) || strings.Contains(s.log.String(), "explored") {
		t.Errorf("it explores again: %s", s.log)
	}
}

func TestInterruptedCommandExitsWith130(t *testing.T) {
	site := &slow{asked: make(chan string), release: make(chan struct{})}
	s := before(t, site.serve)
	s.log.await(t, "msg=\"commands are answered\"")
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-site.asked; cancel() }()
	if code := run(ctx, []string{"explore", "-data", s.data}, streams{nil, io.Discard, io.Discard}); code != codeInterrupted {
		t.Errorf("code %d", code)
	}
	close(site.release)
	s.stop()
	out := must(t, "explore", "-data", s.data) // continues, without a process
	if !strings.Contains(out, "/articles/1/delete") && len(listed(t, s.data)) != 21 {
		t.Errorf("%s %q", out, listed(t, s.data))
	}
}

func TestImportAsksForWhatASitemapOrALogNames(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old.xml" {
			fmt.Fprintf(w, "<urlset><url><loc>%s/article-3</loc></url></urlset>", origin)
			return
		}
		if r.URL.Path != "/" { // which links to nothing here
			blog(w, r)
		}
	}, "-always", "/article")
	s.log.await(t, "msg=\"commands are answered\"")
	log := filepath.Join(t.TempDir(), "access.log")
	line := `192.0.2.1 - - [22/Nov/2026:10:00:00 +0000] "GET /article-7 HTTP/1.1" 200 12 "-" "curl"` + "\n"
	base.Check(t, os.WriteFile(log, []byte(line), 0o600))
	must(t, "import", "-data", s.data, log, origin+"/old.xml")
	sameStrings(t, "listed", listed(t, s.data), "/article-3", "/article-7")
	if code, _, errs := call(t, "import", "-data", s.data, filepath.Join(t.TempDir(), "nix")); code != codeFailed {
		t.Errorf("no file: %d %s", code, errs)
	}
}

const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

func TestCheckFindsWhatCrawlersObjectTo(t *testing.T) {
	entry := func(inner string) string { return "<url>" + inner + "</url>" }
	page := func(path string) string { return "<loc>http://HOST" + path + "</loc>" }
	set := func(entries ...string) string {
		return `<urlset xmlns="` + namespace + `">` + strings.Join(entries, "") + "</urlset>"
	}
	for _, tt := range []struct{ name, sitemap, want string }{
		{"nothing", set(entry(page("/ok"))), ""},
		{"a page that is gone", set(entry(page("/gone"))), "404"},
		{"a page that moved", set(entry(page("/moved"))), "301"},
		{"noindex", set(entry(page("/noindex"))), "noindex"},
		{"another canonical", set(entry(page("/copy"))), "canonical"},
		{"disallowed", set(entry(page("/private/x"))), "robots.txt"},
		{"twice", set(entry(page("/ok")), entry(page("/ok"))), "twice"},
		{"another host", set(entry("<loc>http://other.example/</loc>")), "host"},
		{"relative", set(entry("<loc>/ok</loc>")), "absolute"},
		{"no loc", set(entry("")), "without <loc>"},
		{"no date", set(entry(page("/ok") + "<lastmod>2026-02-30</lastmod>")), "lastmod"},
		{"the future", set(entry(page("/ok") + "<lastmod>2999-01-01</lastmod>")), "future"},
		{"changefreq", set(entry(page("/ok") + "<changefreq>often</changefreq>")), "changefreq"},
		{"priority", set(entry(page("/ok") + "<priority>2</priority>")), "priority"},
		{"empty", set(), "names nothing"},
		{"not well-formed", "<urlset xmlns=\"" + namespace + "\"><url>", "well-formed"},
		{"no namespace", "<urlset><url/></urlset>", "namespace"},
		{"HTML", "no xml", "no sitemap"},
		{"an index", `<sitemapindex xmlns="` + namespace + `"><sitemap>` + page("/part.xml") + "</sitemap></sitemapindex>", "changefreq"},
		{"an index of nothing", `<sitemapindex xmlns="` + namespace + `"><sitemap>` + page("/gone") + "</sitemap></sitemapindex>", "cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var site *httptest.Server
			site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				host := strings.TrimPrefix(site.URL, "http://")
				switch r.URL.Path {
				case "/sitemap.xml", "/part.xml":
					text := tt.sitemap
					if r.URL.Path == "/part.xml" {
						text = set(entry(page("/ok") + "<changefreq>often</changefreq>"))
					}
					w.Header().Set("Content-Type", "application/xml")
					fmt.Fprint(w, strings.ReplaceAll(text, "HOST", host))
				case "/robots.txt":
					fmt.Fprintf(w, "User-agent: *\nDisallow: /private/\nSitemap: %s/sitemap.xml\n", site.URL)
				case "/ok", "/private/x":
					fmt.Fprint(w, `<html><head><title>t</title><link rel="canonical" href="#top"></head>`)
				case "/noindex":
					fmt.Fprint(w, `<html><head><meta name="robots" content="noindex"></head>`)
				case "/copy":
					fmt.Fprint(w, `<html><head><link rel="canonical" href="/ok"></head>`)
				case "/moved":
					http.Redirect(w, r, "/ok", http.StatusMovedPermanently)
				default:
					http.NotFound(w, r)
				}
			}))
			defer site.Close()
			wantCode := codeNo
			if tt.want == "" {
				wantCode = codeDone
			}
			code, out, errs := call(t, "check", site.URL+"/sitemap.xml")
			if code != wantCode || !strings.Contains(out, tt.want) || strings.Count(out, "fault ") != min(wantCode, 1) || strings.Contains(out, "advice") {
				t.Errorf("code %d: %s%s", code, out, errs)
			}
		})
	}
}

func TestCheckReadsFilesAndSitemapsFromElsewhere(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	must(t, "check", "-origin", origin, s.at+"/sitemap.xml")
	must(t, "check", "-origin", origin, s.at+"/sitemap.xml.gz")
	if code, out, _ := call(t, "check", "-json", s.at+"/sitemap.xml"); code != codeNo || !strings.Contains(out, `"level":"fault"`) {
		t.Errorf("without -origin: %d %s", code, out)
	}
	if _, out, _ := call(t, "check", s.at+"/sitemap.xml"); strings.Count(out, "another host") != 2 || !strings.Contains(out, "2 more: each is on another host") || !strings.Contains(out, "3 pages, 3 faults") {
		t.Errorf("a flag that is missing is told for each page: %s", out)
	}
	dir := t.TempDir()
	must(t, "export", "-data", s.data, "-to", dir)
	must(t, "check", filepath.Join(dir, "sitemap.xml"))
	if code, _, _ := call(t, "check", filepath.Join(dir, "nix.xml")); code != codeFailed {
		t.Errorf("no file: %d", code)
	}
}

func TestCheckShowsWhyThereIsNoSitemap(t *testing.T) {
	s := before(t, blog)
	if code, _, errs := call(t, "check", s.at+"/sitemap.xml"); code != codeFailed || !strings.Contains(errs, "503 Service Unavailable and says: No page of "+origin+" is listed yet. ") {
		t.Errorf("%d %s", code, errs)
	}
}

func TestExplainKnowsTheFolder(t *testing.T) {
	site := writeSite(t)
	for name, text := range map[string]string{
		"index.html":     `<!doctype html><title>home</title><a href="sub/index.html">sub</a>`,
		"sub/index.html": "<!doctype html><title>sub</title>",
	} {
		base.Check(t, errors.Join(os.MkdirAll(filepath.Join(site, "sub"), 0o755), os.WriteFile(filepath.Join(site, name), []byte(text), 0o644)))
	}
	s := files(t, site, t.TempDir())
	for _, tt := range []struct{ path, want string }{
		{"/sub/index.html", "redirects to /sub/,"},
		{"/a.html?x=1", "Nothing is known"},
		{"/index.html", "redirects to /,"},
		{"/sub", "redirects to /sub/,"},
		{"/alone.html", "Link to it, or give -always"},
		{"/nix.html", "Nothing is known of this page"},
		{"/.git/config.html", "Nothing is known of this page"},
		{"/empty/x.txt", "Nothing is known of this page"},
	} {
		if code, out, _ := call(t, "explain", "-data", s.data, tt.path); code != codeNo || !strings.Contains(out, tt.want) {
			t.Errorf("%s: %d %s", tt.path, code, out)
		}
	}
}

func TestOriginThatSearchEnginesCannotReachIsWarnedAbout(t *testing.T) {
	for _, tt := range []struct {
		origin string
		want   bool
	}{
		{"https://localhost", true}, {"http://LOCALHOST:8080", true}, {"http://127.0.0.1", true}, {"http://[::1]:80", true}, {"http://10.1.2.3", true},
		{"http://[fd00::1]", true}, {"http://nas.local", true}, {"https://example.com", false}, {"https://localhost.example.com", false}, {"http://8.8.8.8", false},
	} {
		if got := hidden(tt.origin); got != tt.want {
			t.Errorf("%s: %v", tt.origin, got)
		}
	}
	s := serve(t, t.TempDir(), "files", writeSite(t), "-origin", "https://localhost")
	if !strings.Contains(s.log.String(), "search engines cannot reach -origin") {
		t.Error(s.log)
	}
}

func TestRobotsFlagNamesTheSitemap(t *testing.T) {
	const line = "Sitemap: " + origin + "/sitemap.xml\n"
	for _, tt := range []struct {
		name, file, want string
		flags            []string
	}{
		{"off", "User-agent: *\n", "User-agent: *\n", nil},
		{"a file", "User-agent: *\n", "# Added by servemap:\n" + line + "\nUser-agent: *\n", []string{"-robots"}},
		{"no file", "", "# Added by servemap:\n" + line, []string{"-robots"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := writeSite(t)
			if tt.file != "" {
				base.Check(t, os.WriteFile(filepath.Join(site, "robots.txt"), []byte(tt.file), 0o600))
			}
			s := files(t, site, t.TempDir(), tt.flags...)
			if resp, body := get(t, s.at+"/robots.txt"); resp.StatusCode != 200 || body != tt.want {
				t.Errorf("%s %q, want %q", resp.Status, body, tt.want)
			}
			_, out, _ := call(t, "check", "-origin", origin, s.at+"/sitemap.xml")
			if advised := strings.Contains(out, "robots.txt does not name it"); advised == (tt.flags != nil) {
				t.Errorf("check says %s", out)
			}
			if told := strings.Contains(s.log.String(), "robots.txt needs"); told == (tt.flags != nil) {
				t.Errorf("the log says %s", s.log.String())
			}
		})
	}
}

func TestStatsTellWhatCrawlersFetched(t *testing.T) {
	const duck = "DuckDuckBot/1.1; (+http://duckduckgo.com/duckduckbot.html)"
	site, data := writeSite(t), t.TempDir()
	s := files(t, site, data, "-crawlers")
	for _, path := range []string{"/sitemap.xml", "/a.html"} {
		if resp, _ := get(t, s.at+path, "User-Agent", duck); resp.StatusCode != 200 {
			t.Errorf("%s is answered with %s", path, resp.Status)
		}
	}
	s.stop()
	out := must(t, "stats", "-data", data)
	for _, want := range []string{
		"DuckDuckBot, by its own word", "  200  " + origin + "/sitemap.xml\n", "2 requests that claim to be of it\n", " it fetched 0 pages in the last day, 0 in the last week, and never ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	var st stats
	if err := json.Unmarshal([]byte(must(t, "stats", "-json", "-data", data)), &st); err != nil || len(st.Crawlers.Crawlers) != 1 || st.Crawlers.Crawlers[0].Days[0].Claimed != 2 {
		t.Errorf("%+v, %v", st.Crawlers.Crawlers, err)
	}
}

func TestServiceManagerIsToldOfReadyAndStopping(t *testing.T) {
	name := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Skip(err) // not on this system
	}
	defer conn.Close()
	t.Setenv("NOTIFY_SOCKET", name)
	s := files(t, writeSite(t), t.TempDir())
	s.stop()
	for _, want := range []string{"READY=1", "STOPPING=1"} {
		b := make([]byte, 64)
		if n, err := conn.Read(b); err != nil || string(b[:n]) != want {
			t.Errorf("%q, %v; want %s", b[:n], err, want)
		}
	}
}

func TestProcessesOnOneDatabaseShareWhatTheyLearned(t *testing.T) {
	address := cmp.Or(os.Getenv("DATABASE_URL"), "postgres://postgres@127.0.0.1:5432/test")
	db, err := sql.Open("pgx", address)
	base.Check(t, err)
	defer db.Close()
	schema := fmt.Sprintf("servemap_command_%d", os.Getpid())
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+schema); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("there is no PostgreSQL: ", err)
	}
	defer db.Exec("DROP SCHEMA " + schema + " CASCADE")
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	address += separator + "search_path=" + schema
	site := writeSite(t)
	one := files(t, site, t.TempDir(), "-database", address)
	one.stop()
	two := serve(t, t.TempDir(), "files", site, "-origin", origin, "-database", address)
	two.log.await(t, "commands are answered")
	sameStrings(t, "listed", listed(t, two.data), "/", "/a.html", "/delete.html")
	two.stop()
	if code, _, errs := call(t, "list", "-data", one.data); code != codeUsage || !strings.Contains(errs, "-database") {
		t.Errorf("without the database: %d %s", code, errs)
	}
	if out := must(t, "list", "-data", one.data, "-database", address); strings.Count(out, "\n") != 3 {
		t.Errorf("without a process: %s", out)
	}
}
