package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

// foreign is a site that knows nothing of servemap. It notes who asks for what.
type foreign struct {
	mu    sync.Mutex
	asked map[string]string // by path, the User-Agent
}

func (f *foreign) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked[r.URL.Path] = r.Header.Get("User-Agent")
	f.mu.Unlock()
	if len(r.Header["Servemap-Visit"])+len(r.Header["X-Forwarded-For"])+len(r.Header["Cookie"]) > 0 {
		panic("the site gets what no stranger sends")
	}
	switch r.URL.Path {
	case "/robots.txt":
		fmt.Fprint(w, "User-agent: servemap-explore\nDisallow: /article-3\n")
	case "/article-1":
		w.WriteHeader(http.StatusUnauthorized)
	default:
		r.Header.Set("X-Forwarded-Proto", "http")
		blog(w, r)
	}
}

func newForeign(t *testing.T) (*foreign, string) {
	t.Helper()
	f := &foreign{asked: map[string]string{}}
	site := httptest.NewServer(f)
	t.Cleanup(site.Close)
	return f, site.URL
}

func TestCrawlWritesTheSitemapOfAForeignSite(t *testing.T) {
	f, site := newForeign(t)
	out := filepath.Join(t.TempDir(), "sitemap.xml")
	says := must(t, "crawl", site, "-out", out)
	text, err := os.ReadFile(out)
	base.Check(t, err)
	if n := strings.Count(string(text), "<loc>"+site+"/"); n != 19 || strings.Contains(string(text), "article-3<") ||
		strings.Contains(string(text), "article-1<") {
		t.Errorf("%d pages are listed: %s", n, text)
	}
	for _, want := range []string{"19 listed · 0 broken links · ", "1  page is disallowed by the site's robots.txt",
		"1  linked address may change something", "/articles/1/delete", "1  page is refused (401)", "- " + site +
			"/article-1\n"} {
		if !strings.Contains(says, want) {
			t.Errorf("it does not say %q: %s", want, says)
		}
	}
	for path, agent := range f.asked {
		if !strings.HasPrefix(agent, "servemap-explore (+https://") || path == "/article-3" || path == "/articles/1/delete" {
			t.Errorf("%q asked for %s", agent, path)
		}
	}
	if again := must(t, "crawl", site, "-out", "-"); !strings.HasPrefix(again, "<?xml") {
		t.Errorf("to the standard output: %s", again)
	}
}

func TestCrawlThatListsNothingSaysWhatHelps(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		switch r.URL.Path {
		case "/sitemap.xml":
			fmt.Fprintf(w, "<urlset "+
				"xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://%s/article-2</loc></url><url><loc>http://%[1]s/alone</loc></url><url><loc>http://%[1]s/gone</loc></url></urlset>", r.Host)
		case "/gone":
			http.NotFound(w, r)
		case "/alone":
			fmt.Fprint(w, "<!doctype html><title>Alone</title><p>No link leads here.")
		default:
			r.Header.Set("X-Forwarded-Proto", "http")
			blog(w, r)
		}
	}))
	t.Cleanup(site.Close)
	cure := "If these pages are public: servemap crawl " + site.URL + " -public /"
	for _, tt := range []struct {
		name  string
		args  []string
		code  int
		wants []string
		not   string
	}{
		{"crawl", []string{"crawl", site.URL, "-out", filepath.Join(t.TempDir(), "sitemap.xml")}, codeNo,
			[]string{"\n0 listed · ", cure + "\n", "is not written, as no page is listed. " + site.URL +
				"/: it is sent as not to be stored"}, "inspector"},
		{"check, which publishes nothing", []string{"check", site.URL, "-crawl"}, codeNo,
			[]string{"A crawl found 22 public pages; not listed: 20. Listed, without a link that engines follow: 1.",
				"/alone is listed, and no listed page links there"}, "-public"},
		{"crawl with such a flag", []string{"crawl", site.URL, "-public", "/article-2", "-out",
			filepath.Join(t.TempDir(), "sitemap.xml")}, codeDone, []string{
			"If these pages are public, add -public /\n"}, "public: servemap"},
		{"crawl as it says", []string{"crawl", site.URL, "-public", "/", "-out", filepath.Join(t.TempDir(), "sitemap.xml")},
			codeDone, []string{"\n22 listed · ", "1  page of the site's own sitemap leads to an error, or elsewhere. Mend it, or",
				"- " + site.URL + "/gone is answered with 404 Not Found\n"}, "If these pages"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, out, errs := call(t, tt.args...)
			says := strings.Join(strings.Fields(out+errs), " ")
			for _, want := range tt.wants {
				if !strings.Contains(out+errs, want) && !strings.Contains(says, want) {
					t.Errorf("it does not say %q: %s%s", want, out, errs)
				}
			}
			if code != tt.code || strings.Contains(says, tt.not) {
				t.Errorf("code %d, or it says %q: %s%s", code, tt.not, out, errs)
			}
		})
	}
}

// faulty is a site whose start page is at /en/, with a bit of all that goes wrong.
func faulty(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	text, at := "", "http://"+r.Host
	switch r.URL.RequestURI() {
	case "/":
		http.Redirect(w, r, "/en/", http.StatusMovedPermanently)
	case "/robots.txt":
		w.Header().Set("Content-Type", "text/plain")
		text = "User-agent: *\nDisallow: /admin/\nSitemap: /sitemap.xml\nSitemap: /wall/map.xml\nSitemap: /admin/map.xml\n"
	case "/sitemap.xml":
		text = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"
		for _, path := range []string{"/en/", "/a.pdf", "/b.pdf", "/wall/1", "/broken", "/stale", "/admin/report", "/old",
			"/circle", "/leads",
			"/member", "/data", "/plain.txt"} {
			text += "<url><loc>" + at + path + "</loc></url>"
		}
		text += "</urlset>"
	case "/en/":
		text = "<title>Teas</title><p>All teas that we sell."
		for _, path := range strings.Fields(
			"/soft /scheme /admin/report /wall/1 /copy-1 /copy-2 /view?sort=a /cal?x=1 /off /empty /a.pdf " +
				"/broken /moved /stub /login-only /drop /items/5/delete /items/6/delete") {
			text += " <a href='" + path + "'>more</a>"
		}
		text += " <a href='" + at + "/admin/report'>the same</a>"
	case "/soft":
		text = "<title>Page not found</title><p>There is nothing here. Try the list of our teas."
	case "/scheme":
		text = "<link rel=canonical href='https://" + r.Host +
			"/scheme'><title>Gifts</title><p>Our gifts, and how we pack them."
	case "/wall/1", "/wall/map.xml":
		w.Header().Set("Cf-Mitigated", "challenge")
		w.WriteHeader(http.StatusServiceUnavailable)
	case "/copy-1", "/copy-2":
		text = "<link rel=canonical href='/en/'><title>A copy</title><p>The text of a copy."
	case "/view?sort=a":
		text = "<title>A list</title><p>Sorted somehow."
	case "/off":
		http.Redirect(w, r, "http://shop.example/", http.StatusFound)
	case "/moved", "/old":
		http.Redirect(w, r, "/en/", http.StatusMovedPermanently)
	case "/circle":
		http.Redirect(w, r, "/circle", http.StatusFound)
	case "/login-only", "/member":
		http.Redirect(w, r, "/login", http.StatusFound)
	case "/stub", "/leads":
		text = "<meta http-equiv=refresh content='0;url=/en/'><title>On</title>"
	case "/data", "/plain.txt":
		w.Header().Set("Content-Type", "text/plain")
		text = "some numbers"
	case "/a.pdf", "/b.pdf":
		w.Header().Set("Content-Type", "application/pdf")
		text = "%PDF"
	case "/empty":
	case "/drop":
		panic(http.ErrAbortHandler)
	default:
		http.NotFound(w, r)
	}
	_, _ = io.WriteString(w, text)
}

func TestCrawlTellsEachAddressOnceWithItsCause(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(faulty))
	defer site.Close()
	out, data := filepath.Join(t.TempDir(), "sitemap.xml"), t.TempDir()
	code, says, errs := call(t, "crawl", site.URL, "-out", out, "-data", data, "-all")
	if code != codeDone || strings.Contains(errs, "not whole") { // no file had the lost pages
		t.Errorf("code %d: %s", code, errs)
	}
	at := "- " + site.URL
	for _, want := range []string{
		"  " + site.URL + "/soft  says that there is no page: \"Page not found\", linked from",
		"servemap check says\n     1  page", at + "/scheme names https",
		"1  page names itself by another scheme as canonical. The sitemap is right",
		"2  pages name another page as canonical. Have those",
		"1  page redirects (301). No link leads here, so nothing needs to be done about that.\n        " + at + "/ → " +
			site.URL +
			"/en/\n",
		"1  page redirects (301). Link to the address where it leads.\n        " + at + "/moved → " + site.URL +
			"/en/, linked from " + site.URL + "/en/\n",
		"1  link redirects to another host. Is that this site too, such as www? Give the host where visitors end as the origin.\n        " + at +
			"/off → http://shop.example/, linked from " + site.URL + "/en/\n",
		"1  page is kept from the crawl by a bot wall (Cloudflare, 503). Allow the User-Agent servemap-explore",
		"1  page is disallowed by", "1  page is empty. ",
		"1  link leads to a file that is not HTML. Only pages of HTML are listed. List PDFs and other files in a sitemap of your own, " +
			"such as /files.xml, and name it in robots.txt too.\n        " + at + "/a.pdf\n",
		at + "/stub leads on to " + site.URL + "/en/ by itself", "1  page sends visitors to log in. ",
		at + "/drop does not answer: the connection is closed without an answer\n",
		"2  linked addresses may change something, so they were not asked for. If they are pages, add -always for them.\n        " + at +
			"/items/5/delete\n        " + at + "/items/6/delete\n",
		"Besides, and not counted above\n     5  ", at + "/b.pdf\n", "5  pages of the site's own sitemap lead to an error, or elsewhere. ",
		at + "/stale is answered with 404", at + "/old → " + site.URL + "/en/\n", at +
			"/circle redirects to itself (302)", at + "/member → " + site.URL + "/login is answered with 404",
		at + "/leads leads on to " + site.URL + "/en/ by itself (refresh)", at + "/data\n", at + "/plain.txt\n",
		"1  sitemap of the site could not be read. ", at + "/wall/map.xml is answered with 503 by Cloudflare",
		at + "/admin/map.xml\n",
	} {
		if !strings.Contains(says, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	left, n := 0, 0
	pages, _, _ := strings.Cut(says[strings.Index(says, "\nLeft out\n"):], "\nBesides")
	for line := range strings.Lines(pages) {
		if _, err := fmt.Sscanf(line, "%d ", &n); err == nil {
			left += n
		}
	}
	var st struct {
		NotListed int `json:"not_listed"`
	}
	base.Check(t, json.Unmarshal([]byte(must(t, "status", "-data", data, "-json")), &st))
	if want := fmt.Sprintf("3 listed · 2 broken links · %d left out", left); !strings.Contains(says, want) ||
		left != st.NotListed-1 {
		t.Errorf("it does not say %q, or status has %d", want, st.NotListed)
	}
	told := map[string]bool{}
	for _, u := range regexp.MustCompile(`(?m)^ +(?:- )?(http\S+)`).FindAllStringSubmatch(says, -1) {
		if told[u[1]] {
			t.Errorf("%s is told twice", u[1])
		}
		told[u[1]] = true
	}
	if t.Failed() {
		t.Log(says)
	}
}

func TestCrawlOfAPageSaysWhatItTakes(t *testing.T) {
	const page = "<!doctype html><title>A page</title><p>Hello."
	site := siteOf(t, map[string]string{"/": page, "/page": page, "/blog": page, "/blog/": page,
		"/slashed/": "HTTP 301 Location: /slashed", "/slashed": page})
	isPage := " is a page; crawl takes a site or a folder, such as " + site
	for _, tt := range []struct {
		path string
		code int
		want string
	}{
		{"/page", codeUsage, site + "/page" + isPage}, {"/slashed", codeUsage, site + "/slashed" + isPage},
		{"/blog", codeDone, "\n1 listed · 0 broken links · 0 left out → "},
		{"/none", codeNo, "- " + site + "/none/\n"},
	} {
		out := filepath.Join(t.TempDir(), "s.xml")
		code, says, errs := call(t, "crawl", site+tt.path, "-out", out)
		if _, err := os.Stat(out); code != tt.code || !strings.Contains(says+errs, tt.want) ||
			(err == nil) != (code == codeDone) {
			t.Errorf("%s: code %d, %s%s, %v", tt.path, code, says, errs, err)
		}
	}
}

func TestEachCrawlOfALargeSiteWritesTheSameWholeFile(t *testing.T) {
	base.OneByOne(t)
	const pages = 1000
	filler := strings.Repeat("<p>These words are on each page of the site, which is long for that reason.", 2700)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := 0
		if r.URL.Path != "/" && (!scanned(r.URL.Path, "/story-%d", &n) || n < 1 || n >= pages) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		words := strings.Fields("oak willow maple cherry spruce river meadow castle harbour violin")
		fmt.Fprintf(w, "<!doctype html><title>Story %d</title><p>A story of the %s, the %s and the %s.", n, words[n%10],
			words[n/10%10], words[n/100%10])
		for i := 10 * n; i < 10*n+10; i++ {
			fmt.Fprintf(w, "<a href=/story-%d>%[1]d</a> ", 1+i%(pages-1))
		}
		io.WriteString(w, filler[:5_000+n%10/9*195_000]) // one of ten is long
	}))
	t.Cleanup(site.Close)
	first := ""
	for i := range 2 {
		file := must(t, "crawl", site.URL, "-out", "-")
		if n := strings.Count(file, "<loc>"); n != pages || i > 0 && file != first {
			t.Fatalf("crawl %d wrote %d of %d pages", i, n, pages)
		}
		first = file
	}
}

func TestCrawlOfAFolderWritesItsSitemap(t *testing.T) {
	site := siteOf(t, map[string]string{"*": aPage})
	if text := must(t, "crawl", site+"/blog/", "-out", "-"); !strings.Contains(text, "<loc>"+site+"/blog/</loc>") {
		t.Error(text)
	}
}

func TestInspectorOfACrawlFetchesPages(t *testing.T) {
	_, site := newForeign(t)
	ctx, cancel := context.WithCancel(t.Context())
	s, ended := &server{t: t, log: new(base.Log)}, make(chan int)
	args := []string{"crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"), "-admin", "127.0.0.1:0",
		"-admin-password", "secret"}
	go func() { ended <- run(ctx, args, streams{out: io.Discard, err: s.log}) }()
	s.log.Await(t, "until you end it")
	r, err := http.NewRequest(http.MethodPost, strings.TrimSpace(linkOf(t, s))+"try", strings.NewReader("u=/article-4"))
	base.Check(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth("admin", "secret")
	if resp, body := do(t, r); !strings.Contains(body, "It would be listed") {
		t.Errorf("%s: %s", resp.Status, body)
	}
	cancel()
	if code := <-ended; code != codeDone {
		t.Errorf("code %d: %s", code, s.log)
	}
}

func TestInspectorOfACrawlThatEndsWithNo(t *testing.T) {
	for _, tt := range []struct {
		name, says string
		args       []string
	}{
		{"cut", "the crawl was cut after 5 requests", []string{"-max", "5"}},
		{"-fail", "until you end it", []string{"-fail", "broken-link"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			home := aPage + "<a href=/gone>gone</a>"
			for i := range 9 {
				home += fmt.Sprintf("<a href=/gone-%d>gone</a>", i)
			}
			site := siteOf(t, map[string]string{"/": home})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			log, ended := new(base.Log), make(chan int, 1)
			args := append([]string{"crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"), "-admin",
				"127.0.0.1:0"}, tt.args...)
			go func() { ended <- run(ctx, args, streams{out: io.Discard, err: log}) }()
			log.Await(t, "until you end it")
			if !strings.Contains(log.String(), tt.says) {
				t.Errorf("it does not say %q: %s", tt.says, log)
			}
			cancel()
			if code := <-ended; code != codeNo {
				t.Errorf("code %d: %s", code, log)
			}
		})
	}
}

func TestCrawlListsPagesThatOnlyResembleAWallOrNone(t *testing.T) {
	site := siteOf(t, map[string]string{
		"/": "<!doctype html><title>Home</title><p>What there is. <a href=/contact>contact</a> <a href=/glossary/404>404</a> " +
			"<a href=/waiting>waiting</a> <a href=/glossary/soft>none</a> <a href=/lost>lost</a> <a href=/blog>blog</a>",
		"/blog": "<!doctype html><title>Blog</title><h1>Blog</h1><h2><a href=/post>How to fix the error 404: page not found</a></h2>",
		"/post": "<!doctype html><title>How to</title><p>Correct the link.",
		"/lost": "<!doctype html><title>404 | Acme</title><h1>Oops</h1><p>Something went wrong here, so try the search, or " +
			"go to the start and look there.",
		"/contact":       "<!doctype html><title>Contact</title><p>Write to us, and tick that you are not a robot.",
		"/glossary/404":  "<!doctype html><title>404 | Glossary</title><p>A number that servers send.",
		"/glossary/soft": "<!doctype html><title>Not found | Glossary</title><p>What servers say.",
		"/waiting":       "<!doctype html><title>A wait</title><p>Enable JavaScript and cookies to continue.",
	})
	for _, tt := range []struct {
		name  string
		flags []string
		pages []string
	}{
		{"by itself", nil, []string{"/", "/blog", "/contact", "/glossary/404", "/glossary/soft", "/lost", "/post"}},
		{"the owner names it", []string{"-always", "/waiting"},
			[]string{"/", "/blog", "/contact", "/glossary/404", "/glossary/soft", "/lost", "/post", "/waiting"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "sitemap.xml")
			says := must(t, append([]string{"crawl", site, "-out", out}, tt.flags...)...)
			text, err := os.ReadFile(out)
			base.Check(t, err)
			var got []string
			for _, m := range regexp.MustCompile(`<loc>http://[^/]+(.*?)</loc>`).FindAllStringSubmatch(string(text), -1) {
				got = append(got, m[1])
			}
			if slices.Sort(got); !slices.Equal(got, tt.pages) || strings.Contains(says, "bot wall") == (tt.flags != nil) {
				t.Errorf("it lists %v, want %v: %s", got, tt.pages, says)
			}
		})
	}
}

func TestLaterCrawlsDateWhatChanged(t *testing.T) {
	t.Setenv("SERVEMAP_DATABASE", "postgres://localhost:1/x") // it is for what serves
	t.Setenv("SERVEMAP_ADMIN_PASSWORD", "a password")
	texts := map[string]string{}
	for i := range 12 {
		texts[fmt.Sprintf("/%d", i)] = fmt.Sprintf(
			"Our offer number %d has %d parts, and costs %d. It is made of wood, and keeps for years.", i, i+3, i*7)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			for p := range texts {
				fmt.Fprintf(w, "<a href=%s>offer</a> ", p)
			}
		} else if texts[r.URL.Path] == "" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "<!doctype html><title>Offer %s</title><p>%s", r.URL.Path, texts[r.URL.Path])
	}))
	defer site.Close()
	dir := t.TempDir()
	crawl := func() map[string]string {
		t.Helper()
		must(t, "crawl", site.URL, "-out", filepath.Join(dir, "sitemap.xml"), "-data", filepath.Join(dir, "data"))
		dated := map[string]string{}
		for line := range strings.Lines(must(t, "list", "-data", filepath.Join(dir, "data"))) {
			if f := strings.Split(line, "\t"); f[1] != "" { // the others have a changefreq only
				dated[strings.TrimPrefix(f[0], site.URL)] = f[1]
			}
		}
		return dated
	}
	if dated := crawl(); len(dated) > 0 {
		t.Errorf("after the first crawl %v are dated", dated)
	}
	texts["/3"] = "It is sold out. The next ones come in spring, from another maker, and will be of steel and glass, in " +
		"four colours. " +
		"We went to see him in his workshop by the lake, where he showed us how the frames are bent, and why they last " +
		"longer than those that we sold so far. Orders begin in May."
	dated := crawl()
	if len(dated) != 1 || dated["/3"] == "" {
		t.Errorf("after the change %v are dated", dated)
	}
	wantOut(t, codeDone, dated["/3"], "explain", "-data", filepath.Join(dir, "data"), "/3")
}

func TestCrawlOfALargeSiteWritesAnIndexWithItsParts(t *testing.T) {
	_, site := newForeign(t)
	dir := t.TempDir()
	must(t, "crawl", site, "-out", filepath.Join(dir, "map.xml"), "-part-pages", "10")
	index, err := os.ReadFile(filepath.Join(dir, "map.xml"))
	base.Check(t, err)
	if !strings.Contains(string(index), "<loc>"+site+"/map-1.xml</loc>") {
		t.Errorf("the index: %s", index)
	}
	parts, err := filepath.Glob(filepath.Join(dir, "map-*.xml"))
	base.Check(t, err)
	pages := 0
	for _, part := range parts {
		text, err := os.ReadFile(part)
		base.Check(t, err)
		pages += strings.Count(string(text), "<loc>")
	}
	if len(parts) != strings.Count(string(index), "<loc>") || pages != 19 {
		t.Errorf("%d parts with %d pages", len(parts), pages)
	}
}

func TestCrawlOfASiteOfScriptsSaysSo(t *testing.T) {
	site := siteOf(t, map[string]string{
		"*": `<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>`})
	code, out, errs := call(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"))
	if code != codeDone || !strings.Contains(out, "Its pages are empty without scripts") ||
		strings.Contains(out+errs, "link to no page") {
		t.Errorf("code %d: %s%s", code, out, errs)
	}
}

func TestCrawlNamesListedPagesThatSayNothingWithoutScripts(t *testing.T) {
	site := siteOf(t, map[string]string{"/": aPage + "<a href=/a>a</a><a href=/app>b</a>", "/a": ownPage,
		"/app": `<!doctype html><title>App</title><div id="root"></div><script src="/app.js"></script>`})
	says := must(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"), "-fail", "fault")
	if !strings.Contains(says, "     1  page says nothing without scripts. Render the text on the server: ") ||
		!strings.Contains(says, "- "+site+"/app says nothing without scripts\n") {
		t.Error(says)
	}
}

func TestCrawlThatBeginsAtAnErrorSaysWhatWasAnswered(t *testing.T) {
	for _, status := range []string{"404", "500"} {
		site := siteOf(t, map[string]string{"/robots.txt": "User-agent: *\n", "/": "HTTP " + status + " "})
		code, out, errs := call(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"))
		if code != codeNo || !strings.Contains(out, "\n0 listed · 0 broken links · 1 left out\n") ||
			!strings.Contains(out, "1  page is answered with an error ("+status+").") ||
			!strings.Contains(out, "- "+site+"/\n") {
			t.Errorf("code %d: %s%s", code, out, errs)
		}
	}
}

func TestCrawlRefusesWhatItMustNotTake(t *testing.T) {
	_, one := newForeign(t)
	_, other := newForeign(t)
	dir := t.TempDir()
	must(t, "crawl", one, "-out", "-", "-data", filepath.Join(dir, "data"))
	for _, tt := range []struct {
		name, want string
		args       []string
	}{
		{"the folder of another site", "has what was learned of " + one, []string{other, "-out", "-", "-data",
			filepath.Join(dir, "data")}},
		{"a password", "the address has a user", []string{strings.Replace(other, "://", "://me:secret@", 1), "-out", "-"}},
	} {
		code, out, errs := call(t, append([]string{"crawl"}, tt.args...)...)
		if code != codeUsage || !strings.Contains(errs, tt.want) || strings.Contains(out+errs, "secret") {
			t.Errorf("%s: code %d, %s%s", tt.name, code, out, errs)
		}
	}
}

func TestCrawlThatFailsLeavesTheFile(t *testing.T) {
	empty, failing := siteOf(t, nil), siteOf(t, map[string]string{"*": "HTTP 500 "})
	const none = "is not written, as no page is listed. "
	hidden := strings.Replace(aPage, "<main>", "<meta name=robots content=noindex><main>", 1)
	noIndex := siteOf(t, map[string]string{"/": hidden})
	led := siteOf(t, map[string]string{"/": "HTTP 302 Location: /de/", "/de/": hidden})
	ledNowhere := siteOf(t, map[string]string{"/": "HTTP 302 Location: /de/"})
	down, closed := siteOf(t, map[string]string{"*": "HTTP 502 "}), siteOf(t, map[string]string{"*": "HTTP 401 "})
	moved := siteOf(t, map[string]string{"/robots.txt": "HTTP 302 Location: http://other.example/robots.txt",
		"*": "HTTP 302 Location: http://other.example/"})
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	out := filepath.Join(t.TempDir(), "sitemap.xml")
	base.Check(t, os.WriteFile(out, []byte("<urlset>old"), 0o600))
	for _, tt := range []struct {
		name, site string
		code       int
		want       string
	}{
		{"nothing is listed", empty, codeNo, "is not written, as no page is listed. " + empty +
			"/ is answered with 404 Not Found. Crawl it again once " +
			"strangers get a page there, or give -entry with one that they get.\n"},
		{"the proxy of a site that does not run", down, codeFailed,
			"servemap crawl: robots.txt was answered with 502, as by a proxy whose site does " +
				"not run; nothing may be asked for until it does; " + out + " is not written, and nothing is kept without -data\n"},
		{"a log-in before all", closed, codeNo, none + closed + "/ is answered with 401 Unauthorized. Crawl"},
		{"noindex", noIndex, codeNo, none + noIndex + "/: the page says noindex.\n"},
		{"noindex where it leads", led, codeNo, none + led + "/ redirects to " + led + "/de/. " + led +
			"/de/: the page says noindex.\n"},
		{"nothing where it leads", ledNowhere, codeNo, ledNowhere + "/de/ is answered with 404 Not Found. Crawl it again"},
		{"robots.txt is elsewhere", moved, codeFailed, "servemap crawl: " + moved +
			" redirects to http://other.example; if visitors go there, crawl http://other.example; " + out + " is not written"},
		{"robots.txt fails", failing, codeFailed, "servemap crawl: robots.txt was answered with 500; nothing may be"},
		{"nobody answers", gone.URL, codeFailed, "servemap crawl: " + gone.URL +
			"/ does not answer: the connection is refused\n"},
		{"an address without a scheme that speaks no https", strings.TrimPrefix(empty, "http://"), codeFailed,
			"it speaks plain http; give " + empty},
		{"a name that leads nowhere, which no scheme mends", "a.invalid", codeFailed,
			"https://a.invalid/ does not answer: there is no such host\n"},
		{"no address", "ftp://example.com", codeUsage, "does not begin with http:// or https://"},
		{"a file", out, codeUsage, out + " is a file or a folder; give the URL of a site"},
		{"no colon", "http//a.example", codeUsage, "http//a.example is no URL; did you mean http://a.example?"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if code, _, errs := call(t, "crawl", tt.site, "-out", out); code != tt.code || !strings.Contains(errs, tt.want) {
				t.Errorf("code %d, %s; want %d and %q", code, errs, tt.code, tt.want)
			}
		})
	}
	abroad := siteOf(t, map[string]string{"/": strings.Replace(aPage, "<main>",
		"<link rel=canonical href=https://prod.example/><main>", 1)})
	wantOut(t, codeNo, " · 1 left out", "crawl", abroad, "-out", out) // and no page without an address
	wantErrs(t, codeNo, "servemap crawl: the sitemap is not written, as no page is listed. "+noIndex, "crawl", noIndex,
		"-out", "-")
	f := &slow{asked: make(chan string), release: make(chan struct{})}
	site := httptest.NewServer(http.HandlerFunc(f.serve))
	defer site.Close()
	defer close(f.release)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-f.asked; cancel() }()
	var errs strings.Builder
	if code := run(ctx, []string{"crawl", site.URL, "-out", out}, streams{out: io.Discard,
		err: &errs}); code != codeInterrupted || !strings.Contains(errs.String(), "servemap crawl: interrupted; "+out+
		" is not written, and nothing is kept without -data") {
		t.Errorf("interrupted: code %d, %s", code, errs.String())
	}
	if text, err := os.ReadFile(out); err != nil || string(text) != "<urlset>old" {
		t.Errorf("%s, %v", text, err)
	}
}

func TestCrawlThatIsCutSaysSoAndKeepsAFileThatHasMore(t *testing.T) {
	_, site := newForeign(t)
	out := filepath.Join(t.TempDir(), "sitemap.xml")
	const cut = "servemap crawl: the crawl was cut after 5 requests, by -max"
	for _, tt := range []struct {
		name, most, want string
		code             int
		pages            func(n int) bool
	}{
		{"there is no file", "5", cut + ", so the sitemap is not whole; give a greater -max\n", codeNo,
			func(n int) bool { return n > 0 && n <= 5 }},
		{"whole", "500", "", codeDone, func(n int) bool { return n == 19 }},
		{"the file has more", "5", cut + "; " + out + " is kept, since it has more pages. " +
			"Give a greater -max, or give another -out", codeNo, func(n int) bool { return n == 19 }},
	} {
		code, says, errs := call(t, "crawl", site, "-out", out, "-max", tt.most)
		text, err := os.ReadFile(out)
		base.Check(t, err)
		if n := strings.Count(string(text), "<loc>"); code != tt.code || !tt.pages(n) || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: code %d, %d pages, %s%s", tt.name, code, n, says, errs)
		}
	}
}

func TestCrawlThatIsCutKeepsAnIndex(t *testing.T) {
	_, site := newForeign(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "map.xml")
	read := func() (all string) {
		files, err := filepath.Glob(filepath.Join(dir, "*.xml"))
		base.Check(t, err)
		for _, file := range files {
			text, err := os.ReadFile(file)
			base.Check(t, err)
			all += string(text)
		}
		return all
	}
	must(t, "crawl", site, "-out", out, "-part-pages", "10")
	whole := read()
	for _, tt := range []struct{ name, most, part string }{{"as many parts", "6", "3"}, {"no index", "6", "10"}} {
		code, says, errs := call(t, "crawl", site, "-out", out, "-part-pages", tt.part, "-max", tt.most)
		if read() != whole || code != codeNo || !strings.Contains(errs, out+" is kept, since it has more pages.") {
			t.Errorf("%s: code %d, %s%s", tt.name, code, says, errs)
		}
	}
}

func TestCrawlThatLostPagesSaysSoAndKeepsAFileThatHasMore(t *testing.T) {
	var refused atomic.Pointer[string]
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/":
			fmt.Fprint(w, "<!doctype html><title>Home</title><p>What there is.<a href=/a>a</a><a href=/b>b</a>")
		case r.URL.Path != "/a" && r.URL.Path != "/b":
			http.NotFound(w, r)
		case strings.Contains(*refused.Load(), r.URL.Path):
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			fmt.Fprintf(w, "<!doctype html><title>%s</title><p>A text that only the page %[1]s has.", r.URL.Path)
		}
	}))
	defer site.Close()
	out := filepath.Join(t.TempDir(), "sitemap.xml")
	const lost, kept = "servemap crawl: the site refused ", ", or did not answer; %s is kept, since it has more pages. " +
		"Crawl it again later, or give another -out"
	for _, tt := range []struct {
		name, want, refuses string
		code, n             int
	}{
		{"there is no file", "", "/b", codeDone, 2},
		{"the page failed before too", "", "/b", codeDone, 2},
		{"whole", "", "", codeDone, 3},
		{"the file has more", lost + "2 pages" + fmt.Sprintf(kept, out), "/a /b", codeNo, 3},
		{"one page, which may lead to all others", lost + "1 page" + fmt.Sprintf(kept, out), "/b", codeNo, 3},
	} {
		refused.Store(&tt.refuses)
		code, says, errs := call(t, "crawl", site.URL, "-out", out)
		text, err := os.ReadFile(out)
		base.Check(t, err)
		if n := strings.Count(string(text), "<loc>"); code != tt.code || n != tt.n || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: code %d, %d pages, %s%s", tt.name, code, n, says, errs)
		}
	}
}

// A crawl by night meets a log-in, a maintenance page or a menu that scripts make now.
func TestCrawlOfASiteThatLostHalfOfItsPagesKeepsTheFile(t *testing.T) {
	var links atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<!doctype html><title>%s</title><p>A text that only the page %[1]s has.", r.URL.Path)
		for n := range links.Load() {
			fmt.Fprintf(w, "<a href=/p%d>x</a>", n)
		}
	}))
	defer site.Close()
	out := filepath.Join(t.TempDir(), "sitemap.xml")
	for _, tt := range []struct {
		name        string
		links       int64
		never       string
		code, pages int
	}{
		{"whole", 7, "/none", codeDone, 8},
		{"a third", 2, "/none", codeNo, 8},
		{"half", 3, "/none", codeDone, 4},
		{"it grows", 9, "/none", codeDone, 10},
		{"a third, and the owner forbids one page", 2, "/p8", codeNo, 10},
		{"the owner forbids all but one", 9, "/p", codeDone, 1},
	} {
		links.Store(tt.links)
		code, says, errs := call(t, "crawl", site.URL, "-out", out, "-never", tt.never)
		text, err := os.ReadFile(out)
		base.Check(t, err)
		if n := strings.Count(string(text), "<loc>"); code != tt.code || n != tt.pages ||
			(code == codeNo) != strings.Contains(errs,
				"the crawl found less than half of the pages that the file has; "+out+" is kept, since it has more pages. If that is right, "+
					"remove the file, or give another -out") {
			t.Errorf("%s: code %d, %d pages, %s%s", tt.name, code, n, says, errs)
		}
	}
	if _, says, _ := call(t, "crawl", site.URL, "-out", out, "-never", "/"); strings.Count(says, "named by -never.") != 1 {
		t.Errorf("that the owner forbids all pages it does not say once: %s", says)
	}
}

// A compressor's header that stands before a plain page, as some caches send it, makes browsers show an error.
func TestCrawlListsNoPageThatNoBrowserReads(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := strings.Replace(aPage, "</main>", r.URL.Path+"<a href=/plain>p</a><a href=/packed>q</a></main>", 1)
		switch r.URL.Path {
		case "/plain", "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			if r.URL.Path == "/plain" {
				break
			}
			var packed strings.Builder
			z := gzip.NewWriter(&packed)
			_, _ = io.WriteString(z, text)
			base.Check(t, z.Close())
			w.Header().Set("Content-Type", "text/html")
			text = packed.String()
		case "/sitemap.xml":
			text = strings.ReplaceAll(set("/", "/plain", "/packed"), "HOST", r.Host)
		case "/":
		default:
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, text)
	}))
	defer site.Close()
	out := filepath.Join(t.TempDir(), "sitemap.xml")
	says := must(t, "crawl", site.URL, "-out", out)
	text, err := os.ReadFile(out)
	if err != nil || strings.Contains(string(text), "/plain") || !strings.Contains(string(text), "/packed<") ||
		!strings.Contains(says, "/plain  has the Content-Encoding gzip, and is not coded so") {
		t.Errorf("%s, %s%v", text, says, err)
	}
	wantOut(t, codeNo, "fault   1 page is not coded as its Content-Encoding says", "check", site.URL)
	wantOut(t, codeNo, "- "+site.URL+"/plain has the Content-Encoding gzip, and is not coded so (line 1", "check",
		site.URL)
}

// What crawl lists, check has nothing against: what a log-in is, and a stub, one law says for both.
func TestCheckFindsNoFaultInWhatCrawlWrites(t *testing.T) {
	const field = "<form><input type=password></form>"
	page := func(about, more string) string {
		return "<!doctype html><title>Shop</title><main><p>A text about " + about + ".</main>" + more
	}
	links := func(to ...string) string { return "<a href=" + strings.Join(to, ">x</a><a href=") + ">x</a>" }
	us := strings.Repeat("who we are and what we do ", 20)
	for _, tt := range []struct {
		name  string
		pages map[string]string
		args  []string
		want  string // the paths that crawl lists
	}{
		{"a box to log in on each page", map[string]string{"/": page("all", field+links("/a", "/b", "/login", "/us")),
			"/a": page("a", field), "/b": page("b", field+links("/c")), "/c": page("c", field), "/login": page("log-ins", field),
			"/us": page(us, field)}, nil, "/ /a /b /c /us"},
		{"where the start page leads too", map[string]string{"/": "HTTP 302 Location: /en/", "/en/": page("all",
			field+links("/en/a", "/en/us")), "/en/a": page("a", field), "/en/us": page(us, field)}, nil, "/en/ /en/a /en/us"},
		{"in Chinese", map[string]string{"/": page("all", field+links("/a", "/us")), "/a": page("a", field),
			"/us": page(strings.Repeat("我们是一家销售茶叶的公司", 10), field)}, nil, "/ /a /us"},
		{"on the start page, which leads to log-ins", map[string]string{"/": page(us,
			field+links("/us", "/account", "/admin")),
			"/us": page("us, "+us, ""), "/account": page("your account", field), "/admin": page("all users",
				field)}, nil, "/ /us"},
		{"on each page, and a form in an account", map[string]string{"/": page("all", field+links("/us", "/a", "/account")),
			"/us": page(us, field), "/a": page("a", field), "/account": page("your account", field+field)}, nil, "/ /a /us"},
		{"a log-in for members, and none to become one", map[string]string{"/": page("all", links("/a", "/members", "/join")),
			"/a": page("a", ""), "/members": page("members", field),
			"/join": page("joining", "<input type=password autocomplete=new-password>")}, nil, "/ /a /join"},
		{"a log-in in place of all pages", map[string]string{"/": page("log-ins", field+links("/a", "/b")),
			"*": page("log-ins", field+links("/a", "/b"))}, nil, "/"},
		{"a log-in that names each page", map[string]string{"/": page("log-ins", field+links("/a", "/b")),
			"/a": page("log-ins", field+"<input type=hidden value=/a>"), "/b": page("log-ins",
				field+"<title>b</title>")}, nil, "/"},
		{"stubs", map[string]string{"/": page("all", links("/a", "/by-script", "/to-log-in", "/at-once", "/late",
			"/download", "/app")),
			"/a": page("a", ""), "/by-script": "<!doctype html><script>location = '/a'</script>",
			"/to-log-in": "<!doctype html><script>location.replace('/login')</script>",
			"/at-once":   page("one", "<meta http-equiv=refresh content='0; url=/a'>"),
			"/late":      page("two", "<meta http-equiv=refresh content='4; url=/a'>"),
			"/download":  page("files", "<meta http-equiv=refresh content='4; url=https://a.example/file'>"),
			"/app":       "<!doctype html><div id=root></div><script src=/app.js></script>"}, nil, "/ /a /app /download"},
		{"an id in each address", map[string]string{"/": page("all",
			links("/view.php?id=1", "/view.php?id=2", "/view.php?id=9")),
			"/view.php?id=1": page("one", field), "/view.php?id=2": page("two", "")}, []string{"-query", "id"},
			"/ /view.php?id=2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "sitemap.xml")
			pages := pagesOf(tt.pages)
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				text, err := os.ReadFile(out)
				switch r.URL.Path {
				case "/robots.txt":
					fmt.Fprintf(w, "Sitemap: http://%s/sitemap.xml", r.Host)
				case "/sitemap.xml":
					if err != nil {
						w.WriteHeader(http.StatusNotFound)
					}
					w.Header().Set("Content-Type", "application/xml")
					_, _ = w.Write(text)
				default:
					pages.ServeHTTP(w, r)
				}
			}))
			defer site.Close()
			says := must(t, append([]string{"crawl", site.URL, "-out", out}, tt.args...)...)
			text, err := os.ReadFile(out)
			base.Check(t, err)
			var got []string
			for _, part := range strings.Split(string(text), "<loc>"+site.URL)[1:] {
				path, _, _ := strings.Cut(part, "<")
				got = append(got, path)
			}
			base.EqualLists(t, got, strings.Fields(tt.want), says)
			code, says, errs := call(t, "check", site.URL)
			if !strings.Contains(says, " 0 faults") && tt.want != "/" { // a log-in before all pages is the fault of the site
				t.Errorf("check: code %d, %s%s", code, says, errs)
			}
		})
	}
}

func TestBrokenLinksFailWhereThatIsAskedFor(t *testing.T) {
	home := "<!doctype html><title>Home</title><p>What there is.<a href=/a>a</a><a href=/gone>gone</a>"
	for i := range 5 {
		home += fmt.Sprintf("<a rel=nofollow href=/shy-%d>shy</a>", i)
	}
	site := siteOf(t, map[string]string{"/": home, "/a": aPage, "/sitemap.xml": set("/", "/a")})
	out := filepath.Join(t.TempDir(), "sitemap.xml")
	for _, tt := range []struct {
		name, fail, want string
		code             int
	}{
		{"not asked for", "", "/gone", codeDone}, {"asked for", "orphan, broken-link", "/gone", codeNo},
		{"of another kind", "orphan", "/gone", codeDone}, {"all advice", "advice", "/gone", codeNo},
		{"misspelt", "broken-links", "-fail broken-links: there is no such kind of finding. Did you mean broken-link?",
			codeUsage},
	} {
		for _, args := range [][]string{{"crawl", site, "-out", out}, {"check", site, "-crawl"}} {
			if tt.fail != "" {
				args = append(args, "-fail", tt.fail)
			}
			if code, says, errs := call(t, args...); code != tt.code || !strings.Contains(says+errs, tt.want) {
				t.Errorf("%s: %s: code %d, want %d: %s%s", tt.name, args[0], code, tt.code, says, errs)
			}
		}
	}
	some, all := must(t, "crawl", site, "-out", out), must(t, "crawl", site, "-out", out, "-all")
	if !strings.Contains(some, "/shy-2\n        and 2 more; -all names them\n") || strings.Contains(some, "/shy-3") ||
		!strings.Contains(all, "/shy-4\n") || strings.Contains(all, " more") {
		t.Errorf("some: %s, and all: %s", some, all)
	}
}

func TestCrawlFailsForWhatItFinds(t *testing.T) {
	site := siteOf(t, map[string]string{"/": strings.Replace(aPage, "</main>", "<a href=/no></main>", 1),
		"/sitemap.xml": set("/alone"),
		"/no":          "<!doctype html><meta name=robots content=noindex>It is thanked here.",
		"/alone":       strings.Replace(ownPage, "<main>", "<link rel=alternate hreflang=en-UK href=http://HOST/alone><main>", 1)})
	for _, tt := range []struct {
		fail, want string
		code       int
	}{
		{"orphan", "Listed, but hard to find\n     1  page is in the site's own sitemap, and has no link that counts. Link to it, so", codeNo}, {"advice", "has no link that counts", codeNo},
		{"broken-link,canonical", "has no link that counts", codeDone},
		{"fault", "/alone has the hreflang \"en-UK\": there is no region UK", codeNo}, {"hreflang", "found hreflang (1)", codeNo},
		{"", "-fail is empty; give a value, or leave it out", codeUsage},
		{"broken-link,noindex", "exit code 3: -fail broken-link,noindex found noindex (1)\n", codeNo},
		{"missing", "-fail missing: only servemap check finds that. The kinds are broken-link, orphan, advice, fault,",
			codeUsage},
	} {
		code, says, errs := call(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"), "-fail", tt.fail)
		if code != tt.code || !strings.Contains(says+errs, tt.want) {
			t.Errorf("%s: code %d, want %d and %q: %s%s", tt.fail, code, tt.code, tt.want, says, errs)
		}
	}
}

func TestCrawlFailsForAVersionThatIsNotReturned(t *testing.T) {
	alternates := "<link rel=alternate hreflang=en href=http://HOST/><link rel=alternate hreflang=de href=http://HOST/de>"
	head := func(page string) string { return strings.Replace(page, "<main>", alternates+"<main>", 1) }
	for _, tt := range []struct {
		name, german, want string
		code               int
	}{
		{"it names none", ownPage, "exit code 3: -fail fault found hreflang-return (1)\n", codeNo},
		{"it names both", head(ownPage), "", codeDone},
	} {
		site := siteOf(t, map[string]string{"/": head(aPage) + "<a href=/de>de</a>", "/de": tt.german})
		code, says, errs := call(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"), "-fail", "fault")
		if code != tt.code || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: code %d, want %d and %q: %s%s", tt.name, code, tt.code, tt.want, says, errs)
		}
	}
}

func TestCrawlReplacesNothingButAFile(t *testing.T) {
	f, site := newForeign(t)
	dir := t.TempDir()
	link, folder := filepath.Join(dir, "link.xml"), filepath.Join(dir, "folder.xml")
	base.Check(t, os.Symlink("/dev/null", link))
	base.Check(t, os.Mkdir(folder, 0o700))
	pipe, other := filepath.Join(dir, "pipe.xml"), filepath.Join(dir, "pom.xml")
	base.Check(t, exec.Command("mkfifo", pipe, filepath.Join(dir, "large-2.xml")).Run())
	base.Check(t, os.WriteFile(other, []byte("<project/>"), 0o600))
	for _, out := range []string{link, folder, pipe, other, filepath.Join(dir, "missing", "sitemap.xml"), "/sys/sitemap.xml"} {
		if code, _, _ := call(t, "crawl", site, "-out", out); code == codeDone || f.asked["/"] != "" {
			t.Errorf("%s: code %d, and the site was asked: %v", out, code, f.asked)
		}
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link is %v, %v", info, err)
	}
	for range 2 { // the second one reads what the first one wrote
		out := filepath.Join(dir, "large.xml")
		if _, _, errs := call(t, "crawl", site, "-out", out, "-part-pages", "10"); !strings.Contains(errs, "large-2.xml is there already") {
			t.Errorf("a part is written over a pipe: %s", errs)
		}
		base.Check(t, os.WriteFile(out, []byte("<sitemapindex><sitemap><loc>"+site+"/large-2.xml</loc></sitemap></sitemapindex>"), 0o600))
	}
}

// challenge is what a bot wall shows in place of a page.
const challenge = "<!doctype html><title>Making sure you're not a bot!</title><p>Loading...<p>It takes some seconds."

func TestCrawlTellsABotWallAsWhatItIs(t *testing.T) {
	wall := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			if r.Header.Get("Accept-Encoding") == "" { // from check
				w.WriteHeader(status)
				io.WriteString(w, challenge)
				return
			}
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(status)
			to := gzip.NewWriter(w)
			io.WriteString(to, challenge)
			to.Close()
		}
	}
	some := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/article-1" {
			wall(http.StatusForbidden)(w, r)
			return
		}
		r.Header.Set("X-Forwarded-Proto", "http")
		blog(w, r)
	}
	const around = "Allow the User-Agent servemap-explore, or this machine's address, in its rules, and crawl again."
	for _, tt := range []struct {
		name    string
		site    http.HandlerFunc
		command string
		code    int
		want    string
	}{
		{"before each page", wall(http.StatusForbidden), "crawl", codeNo,
			" 1 page is kept from the crawl by a bot wall (Anubis, 403). "},
		{"that says 200", wall(http.StatusOK), "crawl", codeNo,
			" 1 page is kept from the crawl by a bot wall (Anubis, 200). "},
		{"before robots.txt", wall(http.StatusServiceUnavailable), "crawl", codeFailed, "robots.txt was answered with 503"},
		{"before one page", some, "crawl", codeDone, " 1 page is kept from the crawl by a bot wall (Anubis, 403). "},
		{"before a crawl of check", wall(http.StatusForbidden), "check", codeFailed,
			"0 pages listed, 0 checked: nothing could be checked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := httptest.NewServer(tt.site)
			defer site.Close()
			args := []string{"check", "-crawl", site.URL}
			if tt.command == "crawl" {
				args = []string{"crawl", site.URL, "-out", filepath.Join(t.TempDir(), "sitemap.xml")}
			}
			code, out, errs := call(t, args...)
			says := strings.Join(strings.Fields(out+errs), " ")
			if code != tt.code || !strings.Contains(says, tt.want) || strings.Count(says, strings.TrimSuffix(around, ".")) != 1 {
				t.Errorf("code %d: %s%s", code, out, errs)
			}
			if strings.Contains(says, "refused") || strings.Contains(says, "gave the crawl no page") ||
				strings.Contains(says, "with errors") {
				t.Errorf("it tells the wall as something else: %s%s", out, errs)
			}
		})
	}
}

func TestCrawlTellsAPageOnceHoweverItIsLinked(t *testing.T) {
	site := siteOf(t, map[string]string{"/robots.txt": "User-agent: *\nDisallow: /private/\n",
		"/": aPage + "<a href=/private/a>a</a><a href=private/a>a</a><a href=http://HOST/private/a>a</a><a href=/gone>gone</a>"})
	says := must(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"))
	if !strings.Contains(says, "\n1 listed · 1 broken link · 1 left out") || strings.Count(says, "/gone") != 1 {
		t.Error(says)
	}
}

func TestPathThatOnlyQueriesLeadToIsNoBrokenLink(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" && r.URL.RawQuery == "" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, aPage, "Text of ", r.URL,
			"<a href=/a?id=1>1</a><a href=/a?id=2>2</a><a href=/a?id=3>3</a><a href=/a?id=4>4</a>")
	}))
	defer site.Close()
	says := must(t, "crawl", site.URL, "-out", filepath.Join(t.TempDir(), "sitemap.xml"))
	if !strings.Contains(says, "\n1 listed · 0 broken links") {
		t.Error(says)
	}
}

func TestCrawlCountsEachFileOnce(t *testing.T) {
	all := map[string]string{"/": aPage}
	for _, name := range []string{"/a.pdf", "/b.pdf", "/reset?token=8c1a2b3c4d5e6f708192a3b4c5d6e7f8"} {
		all["/"], all[name] = all["/"]+"<a href="+name+">on</a>", "a file"
	}
	for i := range 5 { // the crawl asks for some, and then knows what they are
		name := fmt.Sprintf("/more-%d.pdf", i)
		all["/"], all[name] = all["/"]+"<a href="+name+">on</a>", "a file"
	}
	says := must(t, "crawl", siteOf(t, all), "-out", filepath.Join(t.TempDir(), "sitemap.xml"))
	for _, want := range []string{" · 8 left out", "     7  links lead to files that are not HTML. ",
		"     1  address is not named here, "} {
		if !strings.Contains(says, want) {
			t.Errorf("without %q: %s", want, says)
		}
	}
}

func TestCrawlNamesNoSecretAndSaysSo(t *testing.T) {
	const secret = "9f86d081884c7d659a2feaa0c55ad015"
	site := siteOf(t, map[string]string{"/": aPage + "<a href='/adm?token=" + secret + "'>manage</a><a href=/invite/" +
		secret + ">in</a>"})
	if _, says, _ := call(t, "check", "-crawl", "-all", site); !strings.Contains(says, "did not ask for 2 links") ||
		!strings.Contains(says, "/invite/9f86…") || strings.Contains(says, secret) {
		t.Error(says)
	}
	says := must(t, "crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml"))
	if !strings.Contains(says, "1  address is not named here, as it looks like a secret, or was not asked for. What") ||
		!strings.Contains(says, " · 2 left out") || strings.Contains(says, secret) {
		t.Error(says)
	}
}

// The crawl saw all pages, so it knows which of the owner's words fit none.
func TestCrawlNamesTheRulesThatMatchNothing(t *testing.T) {
	site := siteOf(t, map[string]string{"/": aPage + "<a href=/calendar/1>c</a><a href=/list?sort=a>l</a>",
		"/list?sort=a": ownPage,
		"/sitemap.xml": set("/tea/1 <lastmod>2026-11-01</lastmod>"), "/tea/1": ownPage})
	for _, tt := range []struct {
		flags, want string
		code        int
	}{
		{"-never /calendar/ -never /tea/ -query sort -always /*ea", "", codeDone},
		{"-never /calender/ -never /tea/ -query sorted -always /none -public /away",
			"\nNo page matched -never /calender/, -always /none, " +
				"-public /away, -query sorted.\n", codeDone},
		{"-never /calender/ -max 1", "", codeNo},
		{"-never /", "is not written, as no page is listed. HOST/: -never names it.\n", codeNo},
	} {
		args := append([]string{"crawl", site, "-out", filepath.Join(t.TempDir(), "sitemap.xml")},
			strings.Fields(tt.flags)...)
		code, says, errs := call(t, args...)
		if want := strings.ReplaceAll(tt.want, "HOST", site); code != tt.code || !strings.Contains(says+errs, want) ||
			strings.Contains(says, "No page matched") != strings.Contains(want, "No page matched") ||
			strings.Contains(says, "this one") &&
				tt.flags == "-never /" { // for there is none
			t.Errorf("%s: code %d, %s%s", tt.flags, code, says, errs)
		}
	}
}
