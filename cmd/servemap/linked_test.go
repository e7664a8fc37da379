package main

import (
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestCheckWithACrawlTellsBrokenLinks(t *testing.T) {
	site := siteOf(t, map[string]string{
		"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/"), "/": strings.Replace(aPage, "</main>",
			"<a href=/gone>gone</a></main>", 1),
	})
	wantOut(t, codeDone, "1 dead address is linked", "check", "-crawl", site)
	wantOut(t, codeDone, "links to "+site+"/gone, which is answered with 404 Not Found\n", "check", "-crawl", site)
	wantOut(t, codeDone, "A crawl found 1 public page; not listed: none. Listed, without a link that engines follow: none.\n", "check",
		"-crawl", site)
}

// TestCheckAndCrawlTellTheSame has a site with what its own sitemap does not list: a page links to all.
func TestCheckAndCrawlTellTheSame(t *testing.T) {
	const fatal = "<!doctype html><b>Fatal error</b>: Uncaught Error: x in /a.php:3 thrown in <b>/a.php</b> on line <b>3</b> " +
		"<a href=/behind>b</a>"
	own := func(name string) string { return strings.Replace(ownPage, "<main>", "<main><p>"+name, 1) }
	files := map[string]string{"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/", "/a", "/b", "/c"), "/a": own("One"), "/b": own("Two"),
		"/.env": "KEY=1", "/ca.pem": "-----BEGIN CERTIFICATE-----", "/data.sql": "create", "/loop": "HTTP 301 Location: /pool", "/pool": "HTTP 301 Location: /loop", "/into": "HTTP 302 Location: /pool",
		"/self": "HTTP 301 Location: /self", "/fatal": fatal, "/behind": own("Three"), "/none": "<!doctype html><title>Page not found</title><p>Nothing.",
		"/c": strings.Replace(own("Four"), "<main>", "<link rel=canonical href=/no-canon><main>", 1)}
	site := ""
	for path := range files {
		site += "<a href=" + path + ">x</a>"
	}
	files["/"] = aPage + site + "<a href=/gone?token=abcdefgh>x</a><a href=/gone>x</a>"
	site = siteOf(t, files)
	to := filepath.Join(t.TempDir(), "sitemap.xml")
	_, out, _ := call(t, "check", "-crawl", "-all", site)
	_, says, errs := call(t, "crawl", site, "-all", "-out", to, "-fail", "fault,error")
	text, err := os.ReadFile(to)
	base.Check(t, err)
	for _, want := range []string{"fault   1 address shows anybody a secret", site + "/.env has a name of what only an owner should see",
		site + "/data.sql has a name as a copy or a dump has", "links to " + site + "/loop, which redirects (301) to " + site + "/pool, in a loop", "/into, which redirects (302) to",
		"/fatal, which is answered with 200, and shows an error", "/none, which says that there is no page", "advice  7 dead addresses"} {
		if !strings.Contains(out, want) {
			t.Errorf("check does not say %q: %s", want, out)
		}
	}
	for _, want := range []string{"listed · 7 broken links · ", "Secrets that anybody can read\n     1  address shows anybody",
		"/.env has a name of what only an owner should see, and answers anybody with a file, linked from", site + "/self  redirects (301) to " +
			site + "/self, in a loop", "/fatal  is answered with 200, and shows", "; it is listed, and -never keeps it out\n", "/no-canon, which is named by " + site + "/c\n"} {
		if !strings.Contains(says, want) {
			t.Errorf("crawl does not say %q: %s", want, says)
		}
	}
	for _, path := range []string{"/fatal", "/none"} {
		if strings.Contains(out, site+path+" is linked from") || !strings.Contains(string(text), path+"<") {
			t.Errorf("words alone take %s out, or it is missed: %s%s", path, text, out)
		}
	}
	if !strings.Contains(string(text), "/behind") || strings.Contains(says+out, "abcdefgh") ||
		!strings.Contains(errs, "-fail fault,error found secret (1), error (3), soft-404 (1)\n") {
		t.Errorf("not the page behind an error, or a secret, or not counted: %s%s%s", errs, text, says)
	}
}

// TestSeriesWithoutEndIsNotMissing has a calendar, in which each day leads to the next.
func TestSeriesWithoutEndIsNotMissing(t *testing.T) {
	files := map[string]string{"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/"), "/": aPage + "<a href=/cal/1>c</a><a href=/more/1>x</a>" +
		"<a href=/cal/300>x</a>", "/more/1": ownPage, "/cal/300": strings.Replace(ownPage, "<main>", "<main><p>A concert.", 1)}
	for n := range 99 {
		files[fmt.Sprintf("/cal/%d", n)] = fmt.Sprintf("<!doctype html><title>Day %d</title><main><p>Day %d: no events.</p><a href=/cal/%d>next</a>", n, n, n+1)
	}
	out := must(t, "check", "-crawl", siteOf(t, files))
	if !strings.Contains(out, "The crawl gave up a series of addresses") || !strings.Contains(out, "not listed: 44.") ||
		!strings.Contains(out, "/more/1 is linked from") || !strings.Contains(out, "/cal/300 is linked from") ||
		!strings.Contains(out, "42 of its pages are not listed, repeat") || strings.Contains(out, "/cal/1 is") {
		t.Error(out)
	}
}

func TestCheckWithACrawlSaysWhatASitemapWouldHave(t *testing.T) {
	site := siteOf(t, map[string]string{"/robots.txt": "User-agent: *\n", "/": aPage +
		"<a href=/a>a</a><a href=/old>b</a>",
		"/a": ownPage, "/old": "HTTP 301 Location: /new/", "/new/": "<!doctype html><title>New</title><p>Only a redirect leads here."})
	code, out, errs := call(t, "check", "-crawl", site)
	for _, want := range []string{"A crawl found 3 public pages, which servemap crawl would list.\n",
		"fault   The site has no sitemap\n", "advice  3 public pages are missing from the sitemap", site +
			"/a is linked from",
		"- " + site + "/new/ is public, and not listed\n"} {
		if code != codeNo || errs != "servemap check: exit code 3: 1 fault\n" || !strings.Contains(out, want) {
			t.Errorf("code %d, without %q: %s%s", code, want, out, errs)
		}
	}
}

func TestCheckFollowsTheLinksOfPagesThatAreOnlyListed(t *testing.T) {
	links := func(text, to string) string {
		return "<!doctype html><main><p>" + text + "<a href=" + to + ">on</a></main>"
	}
	site := siteOf(t, map[string]string{
		"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/", "/a", "/alone", "/hidden", "/p/x7k2m9q4w1",
			"/linked.pdf", "/alone.pdf", "/shop?id=1", "/shop?id=2", "/private/a", "/private/b", "/copy"),
		"/": links("The home page.", "/a><a href=/linked.pdf></a><a href=/shop?id=1></a><a href=/private/a></a>"+
			"<a rel=nofollow href=/alone.pdf></a><a href=/hidden></a><a href=/lone?x=1></a><a href=/copied"),
		"/linked.pdf": "%PDF", "/alone.pdf": "%PDF", "/shop?id=1": links("The first.", "/a"),
		"/shop?id=2": links("The second.", "/a"), "/copy": links("It is there twice.", "/a"),
		"/copied": links("It is there twice.", "/a"),
		"/a":      aPage, "/alone": links("It stands alone.", "/below"), "/below": links("It has one link.", "/gone"),
		"/hidden": "HTTP 301 Location: /a", "/p/x7k2m9q4w1": ownPage,
	})
	code, out, errs := call(t, "check", "-crawl", "-all", site)
	for _, want := range []string{
		"A crawl found 7 public pages; not listed: 2. Listed, without a link that engines follow: 3.\n",
		"2 public pages are missing from the sitemap", "- " + site + "/below is linked from " + site +
			"/alone, and not listed\n",
		"3 listed pages have no link that engines follow",
		"- " + site + "/alone is listed, and no listed page links there (line 1",
		"- " + site + "/p/x7k2… has what looks like a secret in its address, and no page links there (line 1",
		"- " + site + "/alone.pdf is listed, and linked with nofollow alone, from " + site + "/ (line 1",
		"- " + site + "/ links to " + site + "/hidden, which redirects (301) to " + site + "/a\n",
		"did not ask for 1 link with a parameter, the name of a file, or a word that may act: " + site +
			"/lone?x=1. Whether",
		"- " + site + "/shop?id=2 is listed, and no listed page links there (line 1",
		"- " + site + "/below links to " + site + "/gone, which is answered with 404 Not Found\n",
	} {
		if code != codeNo || !strings.Contains(out, want) {
			t.Errorf("code %d, without %q: %s%s", code, want, out, errs)
		}
	}
}

// TestNobodyIsToldToLinkToWhatIsForFew reads an old sitemap that lists what no page links to.
func TestNobodyIsToldToLinkToWhatIsForFew(t *testing.T) {
	const own, file = "has a name of what only an owner should see, and no page", "has a name of what only an owner should see, and answers"
	const dump = "has a name as a copy or a dump has, and answers anybody with a file"
	const logout, orphan = "has a word for something to do (logout)", "is listed, and no listed page links there"
	files, paths := map[string]string{"/robots.txt": robotsTxt, "/": aPage + "<a href=/staff>x</a>"}, []string{"/",
		"/staff"}
	table := []struct {
		at, check string
		listed    bool // by crawl
	}{
		{"/admin", own, true}, {"/backend", own, true}, {"/debug/tips", own, true}, {"/debug/pprof/", own, true},
		{"/.env", file, false}, {"/backup.sql", dump, false},
		{"/logout", logout, false}, {"/how-to-delete", orphan, true}, {"/account", orphan, true}, {"/switch/12", orphan,
			false},
		{"/docs/admin/users", orphan, true}, {"/customers/acme", orphan, true}, {"/tags/.net/", orphan, true},
		{"/uploads/brochure.pdf", orphan, false}, {"/staff", "", true},
		{"/admin-dashboard-course", orphan, true},
	}
	for _, tt := range table {
		if files[tt.at] = ownPage + tt.at; path.Ext(tt.at) != "" {
			files[tt.at] = tt.at
		}
		paths = append(paths, tt.at)
	}
	files["/maps/sitemap.xml"] = set(paths...)
	site, to := siteOf(t, files), filepath.Join(t.TempDir(), "sitemap.xml")
	_, out, _ := call(t, "check", "-crawl", "-all", site)
	says := must(t, "crawl", site, "-all", "-out", to)
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range table {
		if strings.Contains(string(text), tt.at+"<") != tt.listed ||
			strings.Contains(strings.ReplaceAll(says, " has a name", "\n"), "- "+site+tt.at+"\n") != (tt.at != "/staff") {
			t.Errorf("%s is listed, or not named: %s%s", tt.at, text, says)
		}
		if tt.check != "" && !strings.Contains(out, "- "+site+tt.at+" "+tt.check) {
			t.Errorf("%s: without %q: %s", tt.at, tt.check, out)
		}
	}
	if strings.Count(says, "ask for a password there") != 1 || !strings.Contains(says, "\nSecrets that anybody can read\n     1  ") {
		t.Error(says)
	}
	if says := must(t, "crawl", site, "-out", to, "-always", "/admin"); strings.Contains(says, site+"/admin\n") {
		t.Errorf("the owner's word does not count: %s", says)
	}
}

// TestAddressesThatLookLikeSecretsAreTold has pages whose addresses look like secrets beside ten that do not.
func TestAddressesThatLookLikeSecretsAreTold(t *testing.T) {
	uuid := func(folder string, n int) (all []string) {
		for i := range n {
			all = append(all, fmt.Sprintf("/%s/0d1ed96f-7ede-817d-1337-37d622cb7c%02d", folder, i))
		}
		return all
	}
	for _, tt := range []struct {
		name           string
		linked, listed []string // besides
		noindex        bool     // the linked ones
		says           string
		not            string
	}{
		{"many are linked and missing", uuid("shop", 9), nil, false, "A crawl found 20 public pages; not listed: 9.", "Not compared"},
		{"many are linked and listed", uuid("shop", 9), uuid("shop", 9), false, "A crawl found 20 public pages; not listed: none.", "Not compared"},
		{"one of many is missing", uuid("shop", 9), uuid("shop", 8), false, "not listed: 1.", "Not compared"},
		{"few are linked and missing", uuid("share", 2), nil, false,
			"not listed: none. Not compared: 2 linked pages whose addresses look like secrets, such as HOST/share/0d1e….", "7ede"},
		{"few are linked, and say noindex", uuid("share", 2), nil, true, "not listed: none. Listed", "Not compared"},
		{"few are listed alone", nil, uuid("share", 2), false, "advice  2 listed pages look private", "have no link that"},
		{"few are listed alone, and others are products", uuid("shop", 9), append(uuid("shop", 9), "/r?token=0d1ed96f7ede817d133737d6"), false,
			"/r?token=0d1e… has what looks like a secret", "has no link that"},
		{"one of the products is listed alone", uuid("shop", 8), uuid("shop", 9), false, "advice  1 listed page has no link", "looks private"},
		{"most are listed alone", nil, uuid("shop", 9), false, "advice  9 listed pages have no link", "look private"},
	} {
		files, plain := map[string]string{"/robots.txt": robotsTxt, "/": aPage}, []string{"/"}
		for n := range 10 {
			plain = append(plain, fmt.Sprint("/", n))
		}
		for _, u := range slices.Concat(plain[1:], tt.linked) {
			files["/"] += "<a href=" + u + ">x</a>"
		}
		for _, u := range slices.Concat(plain[1:], tt.listed, tt.linked) {
			if files[u] = ownPage + u; tt.noindex && slices.Contains(tt.linked, u) {
				files[u] = strings.Replace(files[u], "<main>", "<meta name=robots content=noindex><main>", 1)
			}
		}
		files["/maps/sitemap.xml"] = set(append(plain, tt.listed...)...)
		site := siteOf(t, files)
		out := must(t, "check", "-crawl", "-all", site)
		if !strings.Contains(out, strings.ReplaceAll(tt.says, "HOST", site)) || strings.Contains(out, tt.not) {
			t.Errorf("%s: without %q, or with %q: %s", tt.name, tt.says, tt.not, out)
		}
	}
}

// TestOneCauseIsToldOnce has pages that name each other for languages, below a start page that redirects.
func TestOneCauseIsToldOnce(t *testing.T) {
	const alternates = "<link rel=alternate hreflang=en href=http://HOST/en/><link rel=alternate hreflang=de href=http://HOST/de/>"
	for _, tt := range []struct{ name, head, listed, says, not string }{
		{"the versions say noindex", alternates + "<meta name=robots content=noindex>", "", "/ redirects to HOST/en/. HOST/en/ says noindex",
			"links to other languages"},
		{"they name https as canonical", alternates + "<link rel=canonical href=https://HOST/PATH>", "", "2 pages name themselves by another scheme", "links to other languages"},
		{"a secret names another page", "", "/reset?token=0d1ed96f7ede817d133737d6", "/reset?token=0d1e… has what looks like a secret",
			"name its own address"},
		{"a page that links to itself first", "", "", "/aa is linked from HOST/de/ and 2 more", "is linked from HOST/aa"},
	} {
		at := func(path, text string) string {
			return strings.Replace(ownPage+text, "<title>", strings.ReplaceAll(tt.head, "PATH", path)+"<title>", 1)
		}
		files := map[string]string{"/robots.txt": robotsTxt, "/": "HTTP 301 Location: /en/", "/en/": at("en/", "<a href=/de/>d</a><a href=/aa>x</a>"),
			"/de/": at("de/", "<p>ja<a href=/aa>x</a>"), "/aa": at("aa", "<p>a<a href=/aa>x</a>"),
			"/reset": strings.Replace(ownPage, "<title>", "<link rel=canonical href=/other><title>", 1), "/other": ownPage + "<p>o<input type=password>"}
		files["/reset?token=0d1ed96f7ede817d133737d6"] = files["/reset"]
		locs := []string{"/en/", "/de/"}
		if tt.listed != "" {
			locs = append(locs, tt.listed)
		}
		files["/maps/sitemap.xml"] = set(locs...)
		site := siteOf(t, files)
		_, out, _ := call(t, "check", "-crawl", "-all", site)
		if !strings.Contains(out, strings.ReplaceAll(tt.says, "HOST", site)) || strings.Contains(out, strings.ReplaceAll(tt.not, "HOST", site)) {
			t.Errorf("%s: without %q, or with %q: %s", tt.name, tt.says, tt.not, out)
		}
	}
}

func TestCheckTakesAnAddressThatIsWrittenWronglyForThePageThatIsMeant(t *testing.T) {
	pages := map[string]string{"/": aPage, "/a": ownPage + "<p>a", "/b": ownPage + "<p>b", "/%C3%BC": ownPage + "<p>u",
		"/c%20d": ownPage + "<p>cd", "/robots.txt": "User-agent: *\nSitemap: http://HOST/sitemap.xml", "/sitemap.xml": ""}
	for at := range pages {
		pages["/"] += "<a href=" + at + ">x</a>"
	}
	site := siteOf(t, pages)
	other := strings.Replace(site, "127.0.0.1", "localhost", 1)
	moved := siteOf(t, map[string]string{"/robots.txt": "HTTP 301 Location: " + other + "/robots.txt",
		"/": "HTTP 301 Location: " + other + "/"})
	for _, tt := range []struct {
		name, says string
		locs       []string
	}{
		{"another host", "sitemap.xml has 5 of 5 addresses on " + other + ", and the site is " + site + "\n",
			[]string{other + "/", other + "/a", other + "/b", other + "/%C3%BC", other + "/c%20d"}},
		{"another scheme", "fault   1 page has another scheme", []string{site + "/", "https" + site[len("http"):] + "/a",
			site + "/b", site + "/%C3%BC", site + "/c%20d"}},
		{"no host, no scheme, no escapes", "fault   4 addresses are no URLs", []string{site + "/", "/a",
			site[len("http://"):] + "/b", site + "/ü", site + "/c d"}},
	} {
		pages["/sitemap.xml"] = `<urlset xmlns="` + namespace + `"><url><loc>` +
			strings.Join(tt.locs, "</loc></url><url><loc>") +
			"</loc></url></urlset>"
		_, out, errs := call(t, "check", "-crawl", site)
		for _, want := range []string{tt.says, "All 5 listed pages were asked for: 5 answered with a page.\n",
			"not listed: none. Listed, without a link that engines follow: none.\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: without %q: %s%s", tt.name, want, out, errs)
			}
		}
	}
	wantErrs(t, codeFailed, moved+" redirects to "+other+"/; check that", "check", moved)
}

func TestOneMistakeIsToldOnce(t *testing.T) {
	at := func(site, path string) string { return "<url><loc>" + site + path + "</loc>" }
	link := func(lang, to string) string {
		return `<link xmlns="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="` + lang + `" href="` + to + `"/>`
	}
	const www, here = "https://www.example.com", "https://example.com"
	for _, tt := range []struct {
		name, end, canonical string // of the output
		loc, links           string // where these are
	}{
		{"all with www", "3 checked: 1 fault\n", "", www, www},
		{"all with www, and not the links to other languages", "3 checked: 1 fault\n", "", www, here},
		{"all with www, as the pages say", "3 checked: 1 fault\n", www, www, www},
		{"all by http", "3 checked: 3 faults\n", "", "http://example.com", "http://example.com"},
		{"another site", ": 1 fault\n", "", "https://other.invalid", "https://other.invalid"},
		{"relative", "3 checked: 3 faults\n", "", "", here},
	} {
		files := map[string]string{"/robots.txt": "Sitemap: " + here + "/sitemap.xml", "/sitemap.xml": `<urlset xmlns="` +
			namespace + `">`,
			"/": ownPage + "<a href=/de>de</a><a href=/en>en</a>", "/de": strings.Replace(aPage, "text", "word",
				1), "/en": aPage}
		for _, path := range []string{"/", "/de", "/en"} {
			files["/sitemap.xml"] += at(tt.loc, path)
			if path != "/" {
				files["/sitemap.xml"] += link("de", tt.links+"/de") + link("en", tt.links+"/en")
			}
			files["/sitemap.xml"] += "</url>"
			if tt.canonical != "" && path != "/" {
				files[path] = strings.Replace(files[path], "<title>", "<link rel=canonical href="+tt.canonical+path+"><title>", 1)
			}
		}
		files["/sitemap.xml"] += "</urlset>"
		if _, out, errs := call(t, "check", "-crawl", "-origin", here, siteOf(t, files)); !strings.HasSuffix(out, tt.end) {
			t.Errorf("%s: %s%s", tt.name, out, errs)
		}
	}
}

// TestAddressWithAnOddParameterDoesNotEndTheCrawl lists addresses whose parameters have escapes, or no name.
func TestAddressWithAnOddParameterDoesNotEndTheCrawl(t *testing.T) {
	site := siteOf(t, map[string]string{"/robots.txt": robotsTxt, "/": aPage + "<a href=/missing>m</a>",
		"/missing":          ownPage,
		"/maps/sitemap.xml": set("/", "/a?filter%5Bcolor%5D=red", "/b?a+b=1", "/c?x%2Ay=1", "/d?%zz=1", "/e?=5")})
	_, out, errs := call(t, "check", "-crawl", site)
	if strings.Contains(out, "the crawl was not made") || !strings.Contains(out, "/missing is linked from ") {
		t.Errorf("the crawl ended: %s%s", out, errs)
	}
}

// TestCheckFindsNothingInTheDatesThatACrawlWrote crawls pages whose server and text give different dates.
func TestCheckFindsNothingInTheDatesThatACrawlWrote(t *testing.T) {
	for name, dates := range map[string][][2]string{ // of Last-Modified and of the page itself
		"the page is later":   {{"2024-05-01", "2024-06-10"}},
		"the page is earlier": {{"2024-05-01", "2024-03-10"}},
		"each has one":        {{"2024-05-01", ""}, {"", "2024-03-10T08:00:00+02:00"}},
		"a template dates all, and two pages are later": {{"2024-05-01", "2024-06-10"}, {"2024-05-01", "2024-07-10"},
			{"2024-05-01", "2024-03-10"}, {"2024-05-01", "2024-02-10"}, {"2024-05-01", "2023-02-10"}},
	} {
		t.Run(name, func(t *testing.T) {
			written, home := []byte(nil), aPage
			for n := range dates {
				home += fmt.Sprintf("<a href=/%d>x</a>", n)
			}
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n, err := strconv.Atoi(r.URL.Path[1:])
				switch {
				case r.URL.Path == "/":
					fmt.Fprint(w, home)
				case r.URL.Path == "/sitemap.xml" && written != nil:
					_, _ = w.Write(written)
				case err != nil || n >= len(dates):
					http.NotFound(w, r)
				default:
					if at, err := time.Parse(time.DateOnly, dates[n][0]); err == nil {
						w.Header().Set("Last-Modified", at.Format(http.TimeFormat))
					}
					fmt.Fprintf(w, "<!doctype html><title>%d</title><meta property=article:modified_time content=%q><p>This is page %[1]d.",
						n, dates[n][1])
				}
			}))
			defer site.Close()
			out := filepath.Join(t.TempDir(), "sitemap.xml")
			must(t, "crawl", site.URL, "-out", out)
			text, err := os.ReadFile(out)
			if written = text; err != nil || strings.Count(string(text), "<lastmod>") != len(dates) {
				t.Fatalf("not each page has a date: %s, %v", text, err)
			}
			if code, out, errs := call(t, "check", site.URL); code != codeDone || strings.Contains(out, "Dates that mislead") {
				t.Errorf("code %d: %s%s\n%s", code, out, errs, text)
			}
		})
	}
}

func TestWhatShowsTheTextOfAMadeUpAddressIsNoPage(t *testing.T) {
	link := func(to string) string { return strings.Replace(aPage, "</main>", "<a href="+to+">on</a></main>", 1) }
	for _, tt := range []struct{ name, home, none, crawl, check string }{
		{"that of the page to which the start page redirects", "HTTP 302 Location: /en/",
			link("/a><a href=/en/><a href=/none"),
			"2 listed · 0 broken links ·", ""},
		{"another text", link("/a><a href=/none"), aPage + "Oops", "2 listed · 1 broken link ·",
			"/none, which shows what a made-up"},
		{"that of the start page", link("/a><a href=/none"), link("/a><a href=/none"), "2 listed · 1 broken link ·",
			"A crawl found 2 public pages; not listed: none."},
	} {
		site := siteOf(t, map[string]string{"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/", "/a"), "/": tt.home,
			"/a": ownPage, "*": tt.none}) // also at /en/
		if says := must(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml")); !strings.Contains(says,
			tt.crawl) {
			t.Errorf("%s: without %q: %s", tt.name, tt.crawl, says)
		}
		if _, out, errs := call(t, "check", "-crawl", site); tt.check != "" && (!strings.Contains(out, tt.check) ||
			strings.Contains(out, "missing")) {
			t.Errorf("%s: without %q: %s%s", tt.name, tt.check, out, errs)
		}
	}
}

func TestNobodyIsToldToLinkToAPrivatePage(t *testing.T) {
	const order, share = "/orders/1", "/share/9f8a7c6d5e4f3a2b1c0d9e8f7a6b5c4d"
	named := func(name string) string { return strings.Replace(ownPage, "own", "own, "+name, 1) }
	all := map[string]string{"/": aPage + "<a href=/orders/2>on</a>", "/alone": ownPage, order: named("a"),
		"/orders/2": named("b"),
		share:       named("c"), "/robots.txt": robotsTxt}
	var listed []string
	for i := range 10 {
		at := fmt.Sprintf("/%d", i)
		all["/"], all[at], listed = all["/"]+"<a href="+at+">on</a>", named("page "+at), append(listed, at)
	}
	all["/maps/sitemap.xml"] = set(append(listed, "/", "/alone", order, share)...)
	of := pagesOf(all)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/orders/") {
			w.Header().Set("Cache-Control", "private, no-store")
		}
		of(w, r)
	}))
	defer site.Close()
	_, out, errs := call(t, "check", "-crawl", "-all", site.URL)
	for _, want := range []string{"advice  2 listed pages look private\n",
		"not listed: none. Listed, without a link that engines follow: 1.\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("without %q: %s%s", want, out, errs)
		}
	}
	if says := out + must(t, "crawl", "-out", filepath.Join(t.TempDir(), "sitemap.xml"), site.URL); strings.Contains(says,
		share) {
		t.Errorf("it has the secret: %s", says)
	}
}

func TestWhatIsNamedAndNotLinkedIsNoDeadLink(t *testing.T) {
	naming := func(to string) string {
		return strings.Replace(ownPage, "<main>", "<link rel=canonical href="+to+"><main>"+to, 1)
	}
	site := siteOf(t, map[string]string{
		"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/", "/a"), "/chain-2": "HTTP 301 Location: /",
		"/":  aPage + "<a href=/a>a</a><a href=/chain>c</a><a href=/hidden>h</a>",
		"/a": naming("/nowhere") + "<a href=/now>n</a>", "/chain": "HTTP 301 Location: /chain-2",
		"/hidden": naming("/void"),
	})
	_, out, errs := call(t, "check", "-crawl", site)
	for _, want := range []string{
		"/a names " + site + "/nowhere as canonical, which is answered with 404", "advice  2 dead addresses are linked\n",
		"/a refers to " + site + "/now, which is answered with 404 Not Found\n",
		"/hidden refers to " + site + "/void, which is answered with 404 Not Found\n",
		"/chain, which redirects (301) to " + site + "/chain-2, and its chain ends at " + site + "/\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("without %q: %s%s", want, out, errs)
		}
	}
}

// TestReportsOfASiteAreTheSame checks a site of which a crawl asks for some variants, those that it meets first.
func TestReportsOfASiteAreTheSame(t *testing.T) {
	for _, tt := range []struct{ name, head string }{
		{"which name their page as canonical", "<link rel=canonical href=%s>"}, {"which name nothing", ""},
	} {
		t.Run("variants "+tt.name, func(t *testing.T) {
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/p/"))
				switch {
				case path.Ext(r.URL.Path) == ".pdf":
					w.Header().Set("Content-Type", "application/pdf")
				case r.URL.Path == "/old":
					http.Redirect(w, r, "/", http.StatusMovedPermanently)
				case r.URL.Path == "/sitemap.xml":
					fmt.Fprintf(w, `<urlset xmlns="%s"><url><loc>http://%s/</loc></url></urlset>`, namespace, r.Host)
				case r.URL.Path != "/" && (err != nil || n > 25):
					http.NotFound(w, r)
				default:
					fmt.Fprintf(w, "<!doctype html><title>Page %s</title>"+strings.ReplaceAll(tt.head, "%s", r.URL.Path)+
						"<main><p>This page has the path %[1]s.<a href=/old></a><a href=/logout></a>", r.URL.Path)
					for i := range 25 {
						fmt.Fprintf(w, "<a href=/p/%d></a><a href=/p/%[1]d?ref=%d></a><a href=/f/%[1]d.pdf></a>", i, n)
					}
				}
			}))
			defer site.Close()
			first := ""
			for range 4 {
				_, out, errs := call(t, "check", "-crawl", "-json", site.URL)
				out = regexp.MustCompile(`"time":"[^"]*"`).ReplaceAllString(out, "")
				if first = cmp.Or(first, out); out != first {
					t.Errorf("once %s, and then %s%s", first, out, errs)
				}
			}
			for _, want := range []string{"; 26 pages link there",
				"did not ask for 1 link with a parameter, the name of a file, or a " +
					"word that may act: " + site.URL + "/logout.", "Of the addresses that look like " + site.URL +
					"/f/0.pdf, the crawl asked"} {
				if !strings.Contains(first, want) {
					t.Errorf("without %q: %s", want, first)
				}
			}
		})
	}
}

func TestCheckSaysOfEachDeadAddressWhoLinksThere(t *testing.T) {
	links := func(to ...string) string {
		all := "<p>" + strings.Join(to, " ") + "<a href=/gone>gone</a><a href=" + strings.Join(to, ">x</a><a href=") +
			">x</a>"
		return strings.Replace(aPage, "</main>", all+"</main>", 1)
	}
	site := siteOf(t, map[string]string{
		"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/a", "/b"),
		"/": links("/a", "/b"), "/a": links("/b"), "/b": links("/a"),
	})
	code, out, errs := call(t, "check", "-crawl", site)
	for _, want := range []string{
		"advice  1 dead address is linked\n",
		"- " + site + "/ links to " + site + "/gone, which is answered with 404 Not Found; 3 pages link there\n",
		"- " + site + "/ is the start page, and not listed\n",
	} {
		if code != codeDone || !strings.Contains(out, want) {
			t.Errorf("code %d, without %q: %s%s", code, want, out, errs)
		}
	}
	all := "404 Not Found; 3 pages link there: " + site + "/, " + site + "/a, " + site + "/b\n"
	if _, out, errs := call(t, "check", "-crawl", "-all", site); !strings.Contains(out, all) {
		t.Errorf("without %q: %s%s", all, out, errs)
	}
}

func TestHowManyPagesLinkToADeadAddressIsCounted(t *testing.T) {
	const pages = 125
	files, all := map[string]string{"/robots.txt": robotsTxt}, []string{"/"}
	for n := range pages - 1 {
		all = append(all, fmt.Sprintf("/%03d", n))
	}
	for _, at := range all {
		files[at] = aPage + at + "<a href=" + strings.Join(append(all, "/gone", "/new", "/old"), ">x</a><a href=") + ">x</a>"
	}
	files["/maps/sitemap.xml"], files["/new"], files["/old"] = set(all...), ownPage, "HTTP 301 Location: /new"
	site := siteOf(t, files)
	out := filepath.Join(t.TempDir(), "report.csv")
	wantOut(t, codeNo, "- "+site+"/ links to "+site+"/gone, which is answered with 404 Not Found; 125 pages link there\n",
		"check", "-crawl", site, "-out", out)
	text, err := os.ReadFile(out)
	if want := `crawlers and visitors meet it on every page.",` + site + "/gone\n"; !strings.Contains(string(text), want) {
		t.Errorf("without %q: %s, %v", want, text, err)
	}
	wantOut(t, codeNo, "- "+site+"/new is linked from "+site+"/ and 124 more, and not listed\n", "check", "-crawl", site)
	wantOut(t, codeNo, "- "+site+"/ links to "+site+"/old, which redirects (301) to "+site+"/new; 125 pages link there\n",
		"check", "-crawl", site)
	wantOut(t, codeNo, site+"/018\n", "check", "-crawl", "-all", site)
	says := must(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"))
	if want := site + "/gone  404, linked from " + site + "/ and 124 more\n"; !strings.Contains(says, want) {
		t.Errorf("without %q: %s", want, says)
	}
}

// TestCheckAsksForEachPageOnce checks and crawls a site of which some pages are read by the check.
func TestCheckAsksForEachPageOnce(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]int{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path]++
		mu.Unlock()
		list, at := "", "http://"+r.Host
		for n := range 50 {
			list += fmt.Sprintf("<url><loc>%s/p/%d</loc></url>", at, n)
		}
		switch {
		case r.URL.Path == "/sitemap.xml":
			fmt.Fprintf(w, `<?xml version="1.0"?><urlset xmlns="%s"><url><loc>%s/</loc></url>%s</urlset>`, namespace, at, list)
		case r.URL.Path == "/", strings.HasPrefix(r.URL.Path, "/p/"):
			fmt.Fprintf(w, "<!doctype html><main><p>Its name is %s.<a href=/>home</a></main>", r.URL.Path)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	_, out, errs := call(t, "check", "-crawl", "-pages", "30", site.URL)
	if want := "30 of 51 listed pages were asked for"; !strings.Contains(out, want) {
		t.Errorf("without %q: %s%s", want, out, errs)
	}
	for path, n := range asked {
		if n > 1 && (strings.HasPrefix(path, "/p/") || path == "/robots.txt") {
			t.Errorf("it asked for %s %d times", path, n)
		}
	}
	if len(asked) < 51 {
		t.Errorf("it asked for %d addresses alone", len(asked))
	}
}

func TestCheckReportsThatNoCrawlCouldBeMade(t *testing.T) {
	site := siteOf(t, map[string]string{"/robots.txt": "HTTP 503 ", "/sitemap.xml": set("/a"), "/a": aPage})
	file := filepath.Join(t.TempDir(), "report.md")
	code, out, errs := call(t, "check", "-crawl", "-out", file, "-out", file+".csv", site)
	written, err := os.ReadFile(file)
	if code != codeNo || errs != "The report is in "+file+".\nThe report is in "+file+".csv.\nservemap check: exit code 3: 1 fault\n" ||
		err != nil {
		t.Errorf("code %d, %s%v", code, errs, err)
	}
	for _, want := range []string{
		"robots.txt is answered with 503", "Limit: the crawl was not made: robots.txt was answered with 503",
		"1 page listed, 1 checked: 1 fault",
	} {
		if !strings.Contains(out, want) || !strings.Contains(string(written), want) {
			t.Errorf("code %d, without %q: %s%s\n%s%v", code, want, out, errs, written, err)
		}
	}
}

func TestLinkWithASessionInItsPathIsNoDeadLink(t *testing.T) {
	site := siteOf(t, map[string]string{"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/"),
		"/": strings.Replace(aPage, "</main>", "<a href='/js;jsessionid=0A1B2C3D'>on</a></main>",
			1), "/js;jsessionid=0A1B2C3D": ownPage})
	_, out, errs := call(t, "check", "-crawl", site)
	if strings.Contains(out, "/js, which") || !strings.Contains(out,
		"1 page links to addresses with a visitor's session\n") {
		t.Error(out, errs)
	}
	if says := must(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml")); !strings.Contains(says,
		"0 broken links") {
		t.Error(says)
	}
}

func TestNoCrawlIsMadeOfASiteThatDoesNotAnswer(t *testing.T) {
	const busy = "HTTP 503 Retry-After: 60"
	site := siteOf(t, map[string]string{"*": busy})
	_, _, alone := call(t, "check", site)
	if code, out, errs := call(t, "check", "-crawl", site); code != codeFailed || errs != alone {
		t.Errorf("code %d, %s%s, and without -crawl %s", code, out, errs, alone)
	}
	site = siteOf(t, map[string]string{"/robots.txt": "HTTP 403 ", "*": "HTTP 403 "})
	_, _, alone = call(t, "check", site)
	if code, out, errs := call(t, "check", "-crawl", site); code != codeFailed || errs != alone {
		t.Errorf("all is refused: code %d, %s%s, and without -crawl %s", code, out, errs, alone)
	}
	site = siteOf(t, map[string]string{"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/", "/a", "/b"), "*": busy})
	wantOut(t, codeNo, "Limit: no crawl was made, as no page answers.\n", "check", "-crawl", site)
}

func TestOneAddressIsNamedWhereAPageBreaksOff(t *testing.T) {
	of := pagesOf(map[string]string{"/robots.txt": robotsTxt, "/sitemap.xml": `<urlset xmlns="` + namespace +
		`"><url><loc>https://example.com/cut</loc></url></urlset>`})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/cut" {
			panic(http.ErrAbortHandler)
		}
		of(w, r)
	}))
	defer site.Close()
	_, out, errs := call(t, "check", "-origin", "https://example.com", site.URL+"/sitemap.xml")
	if !strings.Contains(out, "- https://example.com/cut does not answer: ") {
		t.Error(out, errs)
	}
}
