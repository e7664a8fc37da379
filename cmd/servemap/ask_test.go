package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/internal/testkit/base"
)

// This test may gain fields, but must not lose any.
func TestJSONHasTheFieldsThatProgramsRelyOn(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"explain", "/a.html"}, "changes dates element evidence first_seen last_seen linked_from reason status " +
			"text url verdict"},
		{[]string{"explain", "/nix"}, "changes dates reason text url verdict"},
		{[]string{"list"}, "changes first_seen last_seen url"},
		{[]string{"status"}, "crawlers history look_into not_counted not_listed origin reasons responses serving state stats"},
		{[]string{"health"}, "listen origin pid ready serves version"},
		{[]string{"explore"}, "done pages requests waiting"},
		{[]string{"forget", "/a.html"}, "forgotten known"},
	} {
		_, out, errs := call(t, append(tt.args, "-data", s.data, "-json")...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		var fields map[string]any
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &fields); err != nil {
			t.Errorf("%q: %v in %s%s", tt.args, err, out, errs)
		}
		base.Equal(t, strings.Join(slices.Sorted(maps.Keys(fields)), " "), tt.want, "%q: fields", tt.args)
	}
}

func TestListGivesWhatTheSitemapHas(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	if out := must(t, "list", "-data", s.data); !strings.Contains(out, origin+"/a.html\t\t\n") {
		t.Errorf("list: %q", out)
	}
	if out := must(t, "status", "-data", s.data); !strings.HasPrefix(out,
		origin+": 3 pages in the sitemap\nServed since ") ||
		!strings.Contains(out, "\nIn the sitemap\n") || !strings.Contains(out, "\n     1  entry page.") {
		t.Errorf("status: %s", out)
	}
	if out := must(t, "status", "-data", s.data); !strings.Contains(out,
		"\nTo do\n        robots.txt does not name the sitemap") ||
		!strings.Contains(out, "Add to it: Sitemap: "+origin+"/sitemap.xml") ||
		regexp.MustCompile(`\bview\b`).MatchString(out) {
		t.Errorf("status has nothing to look into, or where the inspector shows it: %s", out)
	}
	wantErrs(t, codeFailed, "other.example", "explain", "-data", s.data, "https://other.example/")
}

// Exploring asks for some pages with a parameter, and leaves the others. They are told together, with what to do.
func TestStatusTellsEachThingOnce(t *testing.T) {
	s := before(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gone":
			http.NotFound(w, r)
			return
		case "/prices.pdf":
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = io.WriteString(w, "%PDF")
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><main><p>a page of the shop", r.RequestURI)
		for i := range 9 {
			fmt.Fprintf(w, `<a href="/view?id=%d">more</a>`, i)
		}
		_, _ = io.WriteString(w, `<a href="/logout">leave</a><a href="/gone">old</a><a href="/prices.pdf">prices</a>`)
	}, "-admin", "127.0.0.1:0", "-admin-password", "a long secret")
	s.log.Await(t, "commands are answered")
	must(t, "explore", "-data", s.data, "-inside")
	out := must(t, "status", "-data", s.data)
	if strings.Count(out, "/view?id=") != 1 || strings.Count(out, "/logout\n") != 1 ||
		strings.Contains(out, "has got it yet") ||
		!strings.Contains(out, "     9  linked addresses have a parameter that -query does not name") ||
		!strings.Contains(out, "9 linked pages of /view with id.") {
		t.Error(out)
	}
	if strings.Count(out, "/gone") != 1 || strings.Count(out, "/prices.pdf") != 1 ||
		strings.Contains(out, "private window") {
		t.Errorf("a broken link, or a file, is told as something else too: %s", out)
	}
	if !strings.Contains(out, "\nVisits that did not count\n     1  answer was not HTML, or had no Content-Type.\n") {
		t.Errorf("a count stands before a sentence: %s", out)
	}
	r, err := http.NewRequest(http.MethodGet, strings.TrimSpace(linkOf(t, s)), nil)
	base.Check(t, err)
	r.SetBasicAuth("admin", "a long secret")
	if _, page := do(t, r); strings.Count(page, "/logout") != 1 || strings.Contains(page, "reason=acting") {
		t.Errorf("the inspector tells a link that was not followed as a page too: %s", page)
	}
	s.stop()
	out = must(t, "status", "-data", s.data)
	todo, left, _ := strings.Cut(out, "Left out, most likely as it should be")
	if strings.Contains(out, "private window") || !strings.Contains(todo, "have parameters of their own") ||
		strings.Contains(left, "parameter") {
		t.Errorf("while nothing is served: %s", out)
	}
}

// TestStatusNamesEachPageUnderItsReasonEachTime has a site whose pages leave in two ways, and links to print them.
func TestStatusNamesEachPageUnderItsReasonEachTime(t *testing.T) {
	var later atomic.Bool
	s := explored(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case later.Load() && r.URL.Path == "/deleted":
			w.WriteHeader(http.StatusGone)
			return
		case later.Load() && r.URL.Path == "/moved":
			http.Redirect(w, r, "/stays", http.StatusMovedPermanently)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><main><p>a page of the shop", r.RequestURI)
		for i := range 9 {
			fmt.Fprintf(w, `<a href="/view?id=%d">more</a><a href="/view?id=%d&print=1">print</a>`, i, i)
		}
		_, _ = io.WriteString(w, `<a href="/deleted">a</a><a href="/moved">b</a><a href="/stays">c</a>`)
	}, "-query", "id")
	later.Store(true)
	must(t, "explore", "-data", s.data)
	check := func(when string) {
		t.Helper()
		out := must(t, "status", "-data", s.data)
		_, gone, _ := strings.Cut(out, "page was answered with 410.\n")
		if gone, _, _ = strings.Cut(gone, "     1  "); strings.Contains(gone, "/moved") ||
			!strings.Contains(out, "has moved") {
			t.Errorf("%s: pages that left for another reason are named: %s", when, out)
		}
		_, intended, _ := strings.Cut(out, "Left out, most likely as it should be")
		if !strings.Contains(intended, "  linked addresses have a parameter") {
			t.Errorf("%s: links to print are no longer left out as they should be: %s", when, out)
		}
		if strings.Contains(strings.Join(strings.Fields(out), " "),
			"has its addresses here again") != (when == "after a restart") {
			t.Errorf("%s: does it say when addresses are named? %s", when, out)
		}
	}
	check("after exploring")
	s = s.again()
	s.log.Await(t, "commands are answered")
	check("after a restart")
}

func TestStatusTellsOfPagesOrOfVisitsAndNotOfBoth(t *testing.T) {
	s := explored(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = io.WriteString(w, "<title>t</title>as each page with a session")
	})
	if out := must(t, "status", "-data", s.data); strings.Count(out, "no-store") != 1 {
		t.Error(out)
	}
	s = s.again("-public", "/")
	s.log.Await(t, "commands are answered")
	if out := must(t, "status", "-data", s.data); !strings.Contains(out, "It counts at its next visit if -public names it.") {
		t.Errorf("once a rule may list it: %s", out)
	}
}

func TestStatusOfACrawlThatListedNothingHasNoEmptyPart(t *testing.T) {
	site := base.Serve(t, http.NotFound)
	data := t.TempDir()
	call(t, "crawl", site, "-data", data, "-out", filepath.Join(t.TempDir(), "sitemap.xml"))
	wantErrs(t, codeDone, "No page is listed; \"servemap status -data "+data+"\" says why.\n", "list", "-data", data)
	out := must(t, "status", "-data", data)
	if strings.Contains(out, "\n\n\n") || strings.Contains(out, "as it should be") || !strings.Contains(out, "404") {
		t.Error(out)
	}
}

func TestExplainIsShortWhereAMenuIsOnEachPage(t *testing.T) {
	dir, menu := t.TempDir(), ""
	for i := range 9 {
		menu += fmt.Sprintf(`<a href="/%d.html">%[1]d</a> `, i)
	}
	for i := range 9 {
		page := "<title>t</title>the page of " + strings.Repeat("more and ", i) + menu
		base.Check(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.html", i)), []byte(page), 0o600))
	}
	base.Check(t, os.WriteFile(filepath.Join(dir, "index.html"), []byte("<title>t</title>home "+menu), 0o600))
	s := files(t, dir, t.TempDir())
	out := must(t, "explain", "-data", s.data, "/3.html")
	if strings.Count(out, "\nlinked from ") != 6 || !strings.Contains(out, "\nlinked from    and 4 more\n") {
		t.Error(out)
	}
}

// An owner copies the address from the browser, or from the settings.
func TestPageIsExplainedByItsAddressOnThisMachine(t *testing.T) {
	up := base.Serve(t, blog)
	s := serve(t, t.TempDir(), "proxy", "-to", up, "-origin", origin+"/shop", "-stripped", "/shop", "-explore")
	s.log.Await(t, "commands are answered")
	port := s.at[strings.LastIndex(s.at, ":"):]
	for _, from := range []string{s.at, "http://localhost" + port, "http://[::1]" + port, up} {
		wantOut(t, codeNo, "\nurl            "+origin+"/shop/article-0?page=2\n", "explain", "-data", s.data,
			from+"/article-0?page=2")
	}
	for _, page := range []string{"https://other.example/", "http://localhost/", "http://other.example" + port + "/"} {
		wantErrs(t, codeFailed, "the host is not the site's", "explain", "-data", s.data, page)
	}
	wantErrs(t, codeUsage, "give its path, such as /about, or its URL", "explain", "-data", s.data, "localhost"+port+"/")
}

func TestAddressOfThePageBehindIsBelowItsFolder(t *testing.T) {
	c := &answers{Settings: new(settings.Settings)}
	c.Origin, c.To, c.Stripped = origin+"/shop", "http://localhost:9852/base", "/shop"
	for page, want := range map[string]string{
		"http://localhost:9852/base/x?id=1": "/shop/x?id=1", "http://localhost:9852/base": "/shop/",
		"http://localhost:9852/basement": "http://localhost:9852/basement", "/base/x": "/base/x",
		origin + "/base/x": origin + "/base/x", "http://localhost:9852/x": "http://localhost:9852/x",
	} {
		base.Equal(t, c.public(page), want, "%s", page)
	}
}

func TestForgottenPageStaysOut(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	const stays = " is no longer listed or known, and stays out until -always or -undo names it\n"
	if out := must(t, "forget", "-data", s.data, s.at+"/a.html"); out != s.at+"/a.html"+stays {
		t.Errorf("%q", out)
	}
	wantOut(t, codeNo, "/typo.html is not known, so nothing was changed; -never keeps out what is not known yet\n",
		"forget", "-data", s.data, "/typo.html")
	wantOut(t, codeNo, "unknown", "explain", "-data", s.data, "/typo.html")
	wantOut(t, codeNo, "forgotten", "explain", "-data", s.data, "/a.html")
	if out := must(t, "forget", "-undo", "-data", s.data, "/a.html"); !strings.Contains(out, "may be listed again") {
		t.Errorf("undoing it: %q", out)
	}
	wantOut(t, codeNo, "/delete.html was not forgotten, so nothing was changed\n", "forget", "-undo", "-data", s.data,
		"/delete.html")
	get(t, s.at+"/a.html")
	base.Await(t, "what a visit shows is learned", func() bool { return slices.Contains(listed(t, s.data), "/a.html") })
	sameStrings(t, "listed", listed(t, s.data), "/", "/a.html", "/delete.html")
	s.stop()
	base.Equal(t, must(t, "forget", "-data", s.data, "/delete.html"), "/delete.html"+stays, "while nothing is served")
	sameStrings(t, "listed while nothing is served", listed(t, s.data), "/", "/a.html")
	wantErrs(t, codeDone, "No process serves the site: this is what is stored.\n", "explain", "-data", s.data, "/a.html")
	wantErrs(t, codeFailed, "no process serves the site", "explore", "-data", s.data)
	if out := must(t, "status", "-data", s.data, "-json"); strings.Contains(out, "No request has passed") {
		t.Errorf("the owner of the command is told to write a program: %s", out)
	}
	program := t.TempDir()
	base.Check(t, os.Mkdir(filepath.Join(program, "badger"), 0o700))
	if code, _, errs := call(t, "explain", "-data", program, "/a.html"); code != codeFailed ||
		!strings.Contains(errs, "This is the folder of a Go program: ask its inspector, or site.Explain") {
		t.Errorf("a program's folder: %d %s", code, errs)
	}
	empty := t.TempDir()
	for data, says := range map[string]string{s.data + "x": "there is no folder ", empty: "nothing of servemap is in "} {
		wantErrs(t, codeUsage, "-data: "+says+data+"; give the folder that servemap proxy, files, run or crawl was started "+
			"with\n", "forget", "-data", data, "/a.html")
	}
}

// listed returns the paths that "list" prints.
func listed(t *testing.T, data string) (paths []string) {
	t.Helper()
	for line := range strings.Lines(must(t, "list", "-data", data)) {
		address, _, _ := strings.Cut(line, "\t")
		u, err := url.Parse(address)
		base.Check(t, err)
		paths = append(paths, u.RequestURI())
	}
	return paths
}
