package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
)

const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

func TestCheckThatIsInterruptedBlamesNoFile(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	var site *httptest.Server
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/part.xml" {
			interrupt()
			<-r.Context().Done()
			return
		}
		fmt.Fprintf(w, `<sitemapindex xmlns="%[1]s"><sitemap><loc>%[2]s/part.xml</loc></sitemap><sitemap><loc>%[2]s/b.xml</loc></sitemap></sitemapindex>`, namespace, site.URL)
	}))
	defer site.Close()
	var out, errs bytes.Buffer
	if run(ctx, []string{"check", site.URL + "/sitemap.xml"}, streams{out: &out, err: &errs}); out.String() != "" ||
		!strings.Contains(errs.String(), "interrupted") {
		t.Errorf("it says %q and %q", out.String(), errs.String())
	}
}

// siteOf serves the pages of pagesOf.
func siteOf(t *testing.T, files map[string]string) string {
	t.Helper()
	site := httptest.NewServer(pagesOf(files))
	t.Cleanup(site.Close)
	return site.URL
}

// pagesOf answers with files by path, in which HOST stands for the address; that of /a/* is at all other paths of a
// folder, and that of * at all others. What begins with "HTTP " is a status and a header, as in "HTTP 302 Location:
// /login".
func pagesOf(files map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		text, is := files[r.URL.RequestURI()]
		if !is {
			text, is = files[path.Dir(r.URL.Path)+"/*"]
		}
		if !is {
			text, is = files["*"]
		}
		var status int
		switch n, _ := fmt.Sscanf(text, "HTTP %d", &status); {
		case !is:
			http.NotFound(w, r)
			return
		case n == 1:
			if name, value, has := strings.Cut(text[len("HTTP 000 "):], ": "); has {
				w.Header().Set(name, value)
			}
			w.WriteHeader(status)
			return
		}
		w.Header().Set("Content-Type", map[string]string{".xml": "application/xml",
			".txt": "text/plain"}[path.Ext(r.URL.Path)])
		if strings.HasPrefix(text, aPage[:len("<!doctype")]) {
			w.Header().Set("Content-Type", "text/html")
		}
		fmt.Fprint(w, strings.ReplaceAll(text, "HOST", r.Host))
	}
}

// set is a sitemap of the pages at these paths, each with what follows a blank in its entry.
func set(pages ...string) string {
	text := `<urlset xmlns="` + namespace + `">`
	for _, p := range pages {
		at, more, _ := strings.Cut(p, " ")
		text += "<url><loc>http://HOST" + at + "</loc>" + more + "</url>"
	}
	return text + "</urlset>"
}

const (
	robotsTxt = "User-agent: *\nDisallow: /private/\nSitemap: http://HOST/maps/sitemap.xml\n"
	aPage     = "<!doctype html><title>A page</title><main><p>It has a text.</main>"
	ownPage   = "<!doctype html><title>Another</title><main><p>It has a text of its own.</main>"
)

func TestCheckSaysWhatItFound(t *testing.T) {
	index := func(parts ...string) string {
		text := `<sitemapindex xmlns="` + namespace + `">`
		for _, p := range parts {
			text += "<sitemap><loc>http://HOST" + p + "</loc></sitemap>"
		}
		return text + "</sitemapindex>"
	}
	const languages = "<!doctype html><title>A</title><link rel=alternate hreflang=en href=http://HOST/en><link rel=alternate hreflang=de href=http://HOST/de>"
	named := func(to string) string {
		return strings.Replace(ownPage, "<main>", "<link rel=canonical href="+to+"><main>", 1)
	}
	var ten []string
	for i := range 10 {
		ten = append(ten, fmt.Sprintf("/%d", i))
	}
	for _, tt := range []struct {
		name  string
		files map[string]string
		code  int
		want  []string
	}{
		{"nothing", map[string]string{"/maps/sitemap.xml": set("/a"), "/a": aPage}, codeDone,
			[]string{"1 page listed, 1 checked: 0 faults\n"}},
		{"a page that is gone", map[string]string{"/maps/sitemap.xml": set("/a", "/b"), "/a": aPage}, codeNo,
			[]string{"fault   1 page is answered with an error",
				"/b is answered with 404 Not Found (line 1 of /maps/sitemap.xml)\n",
				"2 pages listed, 2 checked: 1 fault\n"}},
		{"what robots.txt disallows", map[string]string{"/maps/sitemap.xml": set("/private/a"), "/private/a": "HTTP 500 "},
			codeNo, []string{"1 listed page is disallowed by robots.txt",
				"/private/a is disallowed by \"Disallow: /private/\" in robots.txt (line 1", "No page was read. Not asked for: 1 that robots.txt disallows."}},
		{"a site that robots.txt disallows", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /\n" +
			"Sitemap: http://HOST/maps/sitemap.xml", "/maps/sitemap.xml": set("/a"), "/a": aPage}, codeNo, []string{
			"fault   The site is disallowed by robots.txt\n", "1 page listed, 0 checked: 1 fault\n"}},
		{"what robots.txt disallows for Google alone", map[string]string{"/robots.txt": "User-agent: Googlebot\nDisallow: /b\n" +
			"User-agent: bingbot\nDisallow: /\nUser-agent: Yeti\nDisallow: /\nUser-agent: *\nDisallow:\nSitemap: http://HOST/maps/sitemap.xml",
			"/maps/sitemap.xml": set("/a", "/b"), "/a": aPage, "/b": ownPage}, codeNo, []string{"The site is disallowed for some search engines by robots.txt\n",
			"robots.txt disallows / for bingbot\n",
			"/b is disallowed for Googlebot by \"Disallow: /b\" in robots.txt (line 1", "2 pages listed, 2 checked: 2 faults"}},
		{"one engine that may fetch nothing, beside a line that excepts a page for others",
			map[string]string{"/robots.txt": "User-agent: *\n" +
				"Disallow: /wp-admin/\nAllow: /wp-admin/admin-ajax.php\n\nUser-agent: bingbot\nDisallow: /\nSitemap: http://HOST/maps/sitemap.xml",
				"/maps/sitemap.xml": set("/a", "/b"), "/a": aPage, "/b": ownPage}, codeNo, []string{"robots.txt disallows / for bingbot\n",
				"2 pages listed, 2 checked: 1 fault\n"}},
		{"one engine that alone may fetch", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\n" +
			"Disallow: /b\nSitemap: http://HOST/maps/sitemap.xml", "/maps/sitemap.xml": set("/a", "/b")}, codeNo, []string{
			"The site is disallowed for some search engines", "disallows / for all crawlers but Googlebot\n",
			"/b is disallowed for Googlebot by", "0 checked: 2 faults"}},
		{"two engines that may fetch nothing", map[string]string{"/robots.txt": "User-agent: Googlebot\nUser-agent: bingbot\nDisallow: /\n" +
			"Sitemap: http://HOST/maps/sitemap.xml", "/maps/sitemap.xml": set("/a"), "/a": aPage}, codeNo, []string{
			"disallows / for Googlebot and bingbot\n", "1 checked: 1 fault\n"}},
		{"a log-in in place of all pages", map[string]string{"/maps/sitemap.xml": set("/", "/a"),
			"/":  aPage + "<p>For members.<form><input type=password></form>",
			"/a": aPage + "<p>For members.<form><input type=password></form>"}, codeNo, []string{"2 pages ask visitors to log in"}},
		{"a site of which robots.txt allows a part", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /\n" +
			"Allow: /docs/\nAllow: /maps/\nSitemap: http://HOST/maps/sitemap.xml", "/maps/sitemap.xml": set("/docs/a"),
			"/docs/a": aPage}, codeDone, []string{"1 page listed, 1 checked: 0 faults\n"}},
		{"a site of which robots.txt allows a page, which is told once", map[string]string{"/robots.txt": "User-agent: *\n" +
			"Disallow: /\nAllow: /b$\nDisallow: /c/d\nSitemap: http://HOST/maps/sitemap.xml",
			"/maps/sitemap.xml": set("/", "/a", "/b", "/c", "/c/d"), "/b": aPage}, codeNo, []string{
			"fault   The site is disallowed by robots.txt\n",
			"disallows / for all crawlers; by that line 3 of 5 listed pages may not be fetched\n",
			"/c/d is disallowed by \"Disallow: /c/d\"", "5 pages listed, 1 checked: 2 faults of 2 kinds\n"}},
		{"a part of a part that robots.txt allows", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /\n" +
			"Allow: /docs/\nDisallow: /docs/private\nAllow: /maps/\nSitemap: http://HOST/maps/sitemap.xml",
			"/maps/sitemap.xml": set("/docs/a", "/docs/private/b"), "/docs/a": aPage}, codeNo, []string{
			"fault   1 listed page is disallowed by robots.txt\n", "2 pages listed, 1 checked: 1 fault\n"}},
		{"lines that begin as a made-up path may", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /n\n" +
			"Disallow: /*page\nSitemap: http://HOST/maps/sitemap.xml", "/maps/sitemap.xml": set("/a", "/no/b"), "/a": aPage},
			codeNo, []string{"/no/b is disallowed by \"Disallow: /n\"", "2 pages listed, 1 checked: 1 fault\n"}},
		{"a site that a star disallows", map[string]string{"/robots.txt": "User-agent: *\nDisallow: /* # all\n" +
			"Sitemap: http://HOST/maps/sitemap.xml", "/maps/sitemap.xml": set("/a")}, codeNo, []string{
			"disallows / for all crawlers\n", "1 page listed, 0 checked: 1 fault\n"}},
		{"a sitemap that robots.txt does not allow, of pages that it allows", map[string]string{"/robots.txt": "User-agent: *\n" +
			"Disallow: /\nAllow: /docs/\nSitemap: http://HOST/maps/sitemap.xml", "/maps/sitemap.xml": set("/docs/a"),
			"/docs/a": aPage}, codeNo, []string{"1 file of the sitemap is disallowed by robots.txt\n",
			"1 page listed, 1 checked: 1 fault\n"}},
		{"parts", map[string]string{"/maps/sitemap.xml": index("/1.xml", "/2.xml", "/gone.xml"), "/1.xml": set("/a"),
			"/2.xml": index("/3.xml"), "/a": aPage}, codeNo, []string{"index of 3 files", "1 file cannot be read",
			"/gone.xml is answered with 404 Not Found, which says: 404 page not found (/maps/sitemap.xml names it)", "1 index stands within an index"}},
		{"a sitemap that strangers are refused", map[string]string{"/maps/sitemap.xml": "HTTP 403 ", "/": aPage}, codeNo,
			[]string{"1 file cannot be read", "/maps/sitemap.xml is answered with 403 Forbidden (robots.txt names it)"}},
		{"a part that moved", map[string]string{"/maps/sitemap.xml": index("/1.xml"), "/1.xml": "HTTP 301 Location: /new.xml",
			"/new.xml": set("/a"), "/a": aPage}, codeDone, []string{"1 file of the sitemap redirects",
			"/1.xml redirects to http", "/new.xml", "0 faults, 1 piece of advice"}},
		{"a wall", map[string]string{"/maps/sitemap.xml": set("/a"), "/a": "HTTP 403 Cf-Mitigated: challenge"}, codeFailed,
			[]string{"is answered with 403 by Cloudflare", "The one listed page was asked for: 1 answered with a bot wall."}},
		{"a wall before the sitemap", map[string]string{"/maps/sitemap.xml": "HTTP 403 Cf-Mitigated: challenge"}, codeFailed,
			[]string{"1 file is kept from the checker by a bot wall", "No listed page was found.",
				"nothing could be checked, 1 piece of advice"}},
		{"nothing but 429", map[string]string{"/maps/sitemap.xml": set("/a"), "/a": "HTTP 429 "}, codeFailed,
			[]string{"1 page listed, 0 checked: nothing could be checked"}},
		{"pages of scripts", map[string]string{"/maps/sitemap.xml": set("/a", "/b", "/c"), "/a": aPage,
			"/b": "<!doctype html><div id=app></div><script>b()</script>", "/c": "<!doctype html><div id=app></div><script>c()</script>"},
			codeDone, []string{"advice  2 of 3 pages read say nothing without scripts\n"}},
		{"a language that a page names", map[string]string{"/maps/sitemap.xml": set("/a"),
			"/a": strings.Replace(aPage, "<title>",
				"<link rel=alternate hreflang=xx-YY1 href=http://HOST/a><title>", 1)}, codeNo,
			[]string{"/a has the hreflang \"xx-YY1\": it is no language with a region, such as de-AT (line 1"}},
		{"a language by three letters", map[string]string{"/maps/sitemap.xml": set("/a", "/b"), "/b": ownPage,
			"/a": strings.Replace(aPage,
				"<title>", "<link rel=alternate hreflang=ger href=http://HOST/b><link rel=alternate hreflang=fil href=http://HOST/a><title>", 1)}, codeNo,
			[]string{"1 link to another language is wrong", "has the hreflang \"ger\": write de, as ISO 639-1 has it (line 1",
				"1 fault\n"}},
		{"an empty page", map[string]string{"/maps/sitemap.xml": set("/a"), "/a": ""}, codeNo,
			[]string{"/a is answered with 200, and is empty", "1 answered with a redirect, an error or nothing"}},
		{"a relative address of a page that is gone, which are two mistakes",
			map[string]string{"/a": aPage, "/maps/sitemap.xml": strings.Replace(
				set("/a"), "</urlset>", "<url><loc>/gone</loc></url></urlset>", 1)}, codeNo, []string{
				"- /gone is no whole URL; write it", "/gone is answered with 404", "2 faults of 2 kinds"}},
		{"a relative address", map[string]string{"/a": aPage, "/b": ownPage, "/maps/sitemap.xml": strings.Replace(
			set("/a"), "</urlset>", "<url><loc>/b</loc></url></urlset>", 1)}, codeNo, []string{
			"- /b is no whole URL; write it", "2 pages listed, 2 checked: 1 fault\n"}},
		{"a session in an address", map[string]string{"/maps/sitemap.xml": set("/a?PHPSESSID=4f3a9c"),
			"/a?PHPSESSID=4f3a9c": aPage},
			codeDone, []string{"/a?PHPSESSID=… has the parameter PHPSESSID"}},
		{"what belongs to a page", map[string]string{"/maps/sitemap.xml": set("/a", "/logo"), "/a": aPage,
			"/logo": "\x89PNG\r\n\x1a\n"}, codeDone, []string{"advice  1 listed address is no page\n", "/logo is a picture (image/png)"}},
		{"a file", map[string]string{"/maps/sitemap.xml": set("/a.txt"), "/a.txt": "A text."}, codeDone,
			[]string{"1 answered with a file.\nThe documents have the Content-Type text/plain.\n"}},
		{"files that are no documents", map[string]string{"/maps/sitemap.xml": set("/a.txt", "/a.json", "/.env"),
			"/a.txt": "A text.", "/a.json": "HTTP 200 Content-Type: application/json", "/.env": "HTTP 200 Content-Type: text/x-env"},
			codeNo, []string{"The documents have the Content-Type text/plain.\n"}},
		{"a relative link to another language", map[string]string{"/maps/sitemap.xml": set("/en"),
			"/en": strings.Replace(aPage, "<title>", "<base href=/deep/><link rel=alternate hreflang=en href=../en><title>", 1)}, codeNo,
			[]string{`links for en to "../en", which is no whole URL; write it as http://`, "/en (line 1", ": 1 fault\n"}},
		{"a chain of redirects", map[string]string{"/maps/sitemap.xml": set("/a", "/c"), "/a": "HTTP 301 Location: /b",
			"/b": "HTTP 301 Location: /c", "/c": aPage}, codeNo, []string{"/b, and its chain ends at http",
			"/c, already listed: take this one out (line 1"}},
		{"a long chain of redirects", map[string]string{"/maps/sitemap.xml": set("/1"), "/1": "HTTP 301 Location: /2",
			"/2": "HTTP 301 Location: /3", "/3": "HTTP 301 Location: /4", "/4": "HTTP 301 Location: /5",
			"/5": "HTTP 301 Location: /6", "/6": "HTTP 301 Location: /7", "/7": aPage}, codeNo,
			[]string{"/2, and its chain ends at http", "/7 (line 1"}},
		{"a canonical address that is gone", map[string]string{"/maps/sitemap.xml": set("/a"),
			"/a": strings.Replace(aPage, "<title>", "<link rel=canonical href=/b><title>", 1)}, codeNo,
			[]string{"/b as canonical, which is answered with 404 Not Found: have the page name its own address (line 1"}},
		{"a sitemap for those who are logged in", map[string]string{"/maps/sitemap.xml": "HTTP 302 Location: /login?next=/",
			"/login?next=/": aPage}, codeNo, []string{"/maps/sitemap.xml sends who asks to log in, at http"}},
		{"a redirect to nothing", map[string]string{"/maps/sitemap.xml": set("/a"), "/a": "HTTP 301 Location: /b"}, codeNo,
			[]string{"/b, which is answered with 404 Not Found: do not list it (line 1"}},
		{"a redirect to what robots.txt disallows", map[string]string{"/maps/sitemap.xml": set("/a"),
			"/a": "HTTP 301 Location: /private/b"}, codeNo, []string{"/private/b, which robots.txt disallows: do not list it (line 1"}},
		{"canonical addresses that are none to index", map[string]string{"/maps/sitemap.xml": set("/a", "/b", "/c"),
			"/a": named("/d"),
			"/b": named("/private/b"), "/c": "HTTP 301 Location: /d", "/d": strings.Replace(aPage, "<title>",
				"<meta name=robots content=noindex><title>",
				1)}, codeNo, []string{"/d as canonical, which says noindex, in a meta element: have the page name its own address (line 1",
			"/private/b as canonical, which robots.txt disallows: have the page name", "/d, which says noindex, in a meta element: do not list it"}},
		{"a redirect to what is busy", map[string]string{"/maps/sitemap.xml": set("/a"), "/a": "HTTP 301 Location: /b",
			"/b": "HTTP 429 Retry-After: 3600"}, codeNo, []string{"/b (line 1"}},
		{"a redirect to what names it as canonical", map[string]string{"/maps/sitemap.xml": set("/a"),
			"/a":  "HTTP 301 Location: /a/",
			"/a/": named("/a")}, codeNo, []string{"/a as canonical: have that page name its own address (line 1"}},
		{"a loop", map[string]string{"/maps/sitemap.xml": set("/a"), "/a": "HTTP 301 Location: /b",
			"/b": "HTTP 301 Location: /a"}, codeNo, []string{"/b, in a loop: mend the loop, or do not list it (line 1"}},
		{"a log-in", map[string]string{"/maps/sitemap.xml": set("/a"), "/a": "HTTP 302 Location: /login?next=/a"}, codeNo,
			[]string{"1 page asks visitors to log in"}},
		{"one page in two entries", map[string]string{"/maps/sitemap.xml": set("/a", "/b", "/a"), "/a": aPage,
			"/b": aPage + "<p>Another."}, codeNo, []string{"sitemap.xml  3 entries, ",
			"1 duplicate URL\n", "2 pages listed, 2 checked"}},
		{"an element twice", map[string]string{"/a": aPage,
			"/maps/sitemap.xml": set("/a <lastmod>2026-11-01</lastmod><lastmod>2026-11-02</lastmod>")}, codeNo,
			[]string{"1 entry has an element twice", "1 page listed, 1 checked: 1 fault\n"}},
		{"an entry without an address", map[string]string{"/maps/sitemap.xml": strings.Replace(set("/a"), "</urlset>",
			"<url><lastmod>2026-11-01</lastmod></url><url><loc/></url></urlset>", 1), "/a": aPage}, codeNo,
			[]string{"fault   2 entries have no address", "1 page listed, 1 checked: 2 faults\n"}},
		{"a version in another language that is gone", map[string]string{"/maps/sitemap.xml": strings.Replace(set("/en"),
			"</loc>", `</loc><link xmlns="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="de" href="http://HOST/de"/>`+
				`<link xmlns="http://www.w3.org/1999/xhtml" rel="alternate" hreflang="en" href="http://HOST/en"/>`, 1),
			"/en": aPage}, codeNo, []string{"1 link to another language is wrong", "/de for de, which is answered with 404"}},
		{"a page at each address", map[string]string{"/maps/sitemap.xml": set("/a", "/b"), "/a": ownPage,
			"*": aPage}, codeNo, []string{"fault   The site answers made-up addresses with a page\n",
			"fault   1 page shows the same text as a made-up address", "/b shows what a made-up address shows too"}},
		{"a maintenance", map[string]string{"/maps/sitemap.xml": set("/", "/a", "/b", "/c", "/d"), "/d": ownPage,
			"*": strings.Replace(aPage, "It has a text.", "We'll be back soon!", 1)}, codeNo, []string{
			"fault   4 pages show one short text in place of their own\n",
			`/a shows "We'll be back soon!", and little else, as 4 of the 5 pages do that were read (line 1`, ": 4 faults\n"}},
		{"a page at each address, beside one in maintenance", map[string]string{"/maps/sitemap.xml": set("/", "/a", "/b"),
			"/": ownPage, "/a": "<!doctype html><title>Down for maintenance</title><h1>Down for maintenance</h1><p>Come back.",
			"/b": strings.Replace(ownPage, "own", "own, too", 1), "*": aPage}, codeNo, []string{
			"fault   The site answers made-up addresses with a page\n", "3 pages listed, 3 checked: 2 faults of 2 kinds"}},
		{"a glossary of errors, beside an error that a menu names otherwise", map[string]string{
			"/maps/sitemap.xml": set("/", "/502", "/shop"),
			"/":                 aPage + "<nav><a class=a href='/502'>502 <b>Bad Gateway</b></a> <a href=/shop>Shop</a></nav>",
			"/502":              "<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1><p>A proxy sends it.",
			"/shop":             "<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1><hr>nginx",
		}, codeNo, []string{"/shop is answered with 200, and shows an error", "3 pages listed, 3 checked: 1 fault\n"}},
		{"links to other languages without a scheme", map[string]string{"/maps/sitemap.xml": set("/en", "/de"),
			"/en": strings.Replace(aPage, "<title>", "<link rel=alternate hreflang=en href=//HOST/en>"+
				"<link rel=alternate hreflang=de href=//HOST/de><title>", 1),
			"/de": strings.Replace(ownPage, "<title>", "<link rel=alternate hreflang=en href=//HOST/en>"+
				"<link rel=alternate hreflang=de href=//HOST/de><title>", 1)}, codeDone, []string{
			"advice  1 page links to other languages without a scheme\n", "which has no scheme; write it as http://",
			"2 pages listed, 2 checked: 0 faults, 1 piece of advice\n"}},
		{"made-up addresses lead to the start page", map[string]string{"/maps/sitemap.xml": set("/", "/a"), "/": aPage,
			"/a": ownPage, "*": "HTTP 302 Location: /"}, codeDone, []string{"advice  The site redirects made-up addresses to its start page\n",
			" is made up, and leads to the start page, http", "2 pages listed, 2 checked: 0 faults, 1 piece of advice\n"}},
		{"made-up addresses of a folder lead to the start page, in its language",
			map[string]string{"/maps/sitemap.xml": set("/", "/blog/a"),
				"/": "HTTP 302 Location: /en/", "/en/": aPage, "/blog/a": ownPage, "/blog/*": "HTTP 301 Location: /"}, codeNo,
			[]string{"advice  The site redirects made-up addresses to its start page\n", "/blog/no-page-",
				"to the start page, http"}},
		{"a log-in at each address", map[string]string{"/maps/sitemap.xml": set("/a"), "/a": ownPage,
			"*": "HTTP 302 Location: /login", "/login": aPage + "<form><input type=password></form>"}, codeDone,
			[]string{"1 page listed, 1 checked: 0 faults\n"}},
		{"a version that does not return, and is not listed",
			map[string]string{"/maps/sitemap.xml": set("/en"), "/de": ownPage,
				"/en": `<!doctype html><title>A</title><link rel=alternate hreflang=en href=http://HOST/en><link rel=alternate hreflang=de href=http://HOST/de><main><p>English.</main>`},
			codeNo, []string{"1 link to another language is not returned", "/de for de, which does not link back",
				": 1 fault\n"}},
		{"a version that returns, and is not listed", map[string]string{"/maps/sitemap.xml": set("/en"), "/de": languages +
			"<main>Deutsch.</main>",
			"/en": languages + "<main><p>English.</main>"}, codeDone, []string{": 0 faults\n"}},
		{"dates of an index, which hide no page", map[string]string{"/maps/sitemap.xml": strings.ReplaceAll(index("/1.xml",
			"/2.xml", "/3.xml",
			"/4.xml"), "</loc>", "</loc><lastmod>2999-01-01</lastmod>"), "/1.xml": set("/a <lastmod>2999-02-02</lastmod>"),
			"/2.xml": set("/b <lastmod>2999-02-02</lastmod>"), "/3.xml": set("/a"), "/4.xml": set("/b"), "/a": aPage, "/b": ownPage}, codeNo,
			[]string{"3 lastmods are in the future", "/1.xml has the lastmod 1 Jan 2999, which lies in the future; perhaps others of this index have",
				"/a has the lastmod 2 Feb", "/b has the lastmod 2 Feb"}},
		{"canonicals", map[string]string{"/maps/sitemap.xml": set("/a", "/b", "/c"), "/a": named("/c") + "<p>a",
			"/b": named("http://localhost:3000/b"),
			"/c": strings.Replace(named("/c"), "<main>", "<link rel=canonical href=/d><main>",
				1)}, codeNo, []string{"3 pages name another page, or several, as canonical",
			"Have each page name its own address, or list the one that it names, if that is a page of this site.",
			"http://localhost:3000/b as canonical, on another host (", "/c names several addresses as canonical: have it name one (line 1"}},
		{"numbers that agree", map[string]string{"/maps/sitemap.xml": set(append(ten, "/a.txt <lastmod>2026-11-01</lastmod>",
			"/share/9f8a7c6d5e4f3a2b1c0d9e8f7a6b5c4d <lastmod>2026-10-01</lastmod>")...), "/a.txt": "A text.", "*": "HTTP 404 ",
			"/share/9f8a7c6d5e4f3a2b1c0d9e8f7a6b5c4d": aPage}, codeNo, []string{"1 answered with a page, 10 with a redirect, an error or nothing, " +
			"1 with a file", "2 of the 2 that were read have a valid lastmod"}},
		{"languages that pages name themselves", map[string]string{"/maps/sitemap.xml": set("/en", "/de"),
			"/de": aPage + "<p>Deutsch.", "/en": `<!doctype html><title>A</title><link rel=alternate hreflang=en-UK href=http://HOST/en><link rel=alternate hreflang=de href=http://HOST/de><main><p>English.</main>`}, codeNo,
			[]string{"1 link to another language is wrong", `/en has the hreflang "en-UK": there is no region UK`,
				"1 link to another language is not returned", "/de for de, which does not link back"}},
		{"a wall before robots.txt", map[string]string{"/robots.txt": "HTTP 503 Cf-Mitigated: challenge",
			"/sitemap.xml": set("/a"), "/a": aPage}, codeDone, []string{
			"/robots.txt is answered with 503 by Cloudflare, in place of the file",
			"1 page listed, 1 checked: 0 faults, 1 piece of advice\n"}},
		{"a robots.txt of HTML", map[string]string{"/robots.txt": "HTTP 200 Content-Type: text/html",
			"/sitemap.xml": set("/a"),
			"/a":           aPage}, codeDone, []string{"advice  The robots.txt is a page of HTML\n", "/robots.txt is a page of HTML, which crawlers take for an empty file\n"}},
		{"a page for every address", map[string]string{"/maps/sitemap.xml": "<!doctype html><title>App</title>"}, codeNo,
			[]string{"1 file is a page of HTML, and no sitemap"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.files["/robots.txt"] == "" {
				tt.files["/robots.txt"] = robotsTxt
			}
			site := siteOf(t, tt.files)
			code, out, errs := call(t, "check", site)
			for _, want := range tt.want {
				if code != tt.code || !strings.Contains(out, want) {
					t.Errorf("code %d, want %d and %q: %s%s", code, tt.code, want, out, errs)
				}
			}
			if strings.Contains(tt.files["/robots.txt"], "HTTP") {
				return // it names no sitemap
			}
			if code, again, _ := call(t, "check", site+"/maps/sitemap.xml"); code != tt.code || again != out {
				t.Errorf("by the URL of the sitemap: code %d, %s\nby that of the site: %s", code, again, out)
			}
		})
	}
}

// The address of a page stands for its site, and a part of an index that robots.txt names is named by it.
func TestCheckTakesWhatPeopleGive(t *testing.T) {
	site := siteOf(t, map[string]string{
		"/robots.txt": robotsTxt, "/maps/sitemap.xml": `<sitemapindex xmlns="` + namespace +
			`"><sitemap><loc>http://HOST/part.xml</loc></sitemap></sitemapindex>`,
		"/part.xml": set("/en/", "/en/gone"), "/en/": aPage,
	})
	for _, tt := range []struct{ at, want, not string }{
		{"/robots.txt", "/robots.txt says what crawlers may do, and no sitemap. So the sitemap of the site was checked.\n",
			"no sitemap\n"},
		{"/en/", "/en/ is a page, and no sitemap. So the sitemap of the site was checked.\n", "page of HTML"},
		{"/none", "/none is answered with 404 Not Found, and no sitemap. So the sitemap of the site was checked.\n",
			"cannot be read"},
		{"/part.xml", "2 pages listed, 2 checked: 1 fault\n", "not named by robots.txt"},
	} {
		if code, out, errs := call(t, "check", site+tt.at); code != codeNo || !strings.Contains(out, tt.want) ||
			strings.Contains(out, tt.not) {
			t.Errorf("%s: code %d, %s%s", tt.at, code, out, errs)
		}
	}
}

func TestCheckSaysWhatIsWrongWithACall(t *testing.T) {
	site := siteOf(t, map[string]string{"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/a"), "/a": aPage})
	other := siteOf(t, map[string]string{"/": aPage})
	data := filepath.Join(t.TempDir(), "data")
	must(t, "crawl", other, "-out", "-", "-data", data)
	for _, tt := range []struct {
		want string
		args []string
	}{
		{"99999 is not a port; the last one is 65535", []string{"http://127.0.0.1:99999"}},
		{"123456 is not a port; the last one is 65535", []string{"http://localhost:123456"}},
		{"http:/a.example is no URL; did you mean http://a.example?", []string{"http:/a.example"}},
		{"-origin foo: give the site's public URL, such as https://example.com", []string{site, "-origin", "foo"}},
		{"ftp://a.example/ does not begin with http:// or https://", []string{"ftp://a.example/"}},
		{"give the URL of a site or of a sitemap", []string{""}},
		{"is a file or a folder", []string{t.TempDir()}},
		{"sitemap.xml is a file or a folder", []string{"sitemap.xml"}},
		{"There is no flag -o. Did you mean -out?", []string{site, "-o", "r.html"}},
		{"-time 5: give a number with a unit, such as 5s or 5m", []string{site, "-time", "5"}},
		{"-pages 1e9: give a whole number, such as 20. See", []string{site, "-pages", "1e9"}},
		{"-seed 99999999999999999999: give a whole number", []string{site, "-seed", "99999999999999999999"}},
		{"-pages many: give a whole number", []string{site, "-pages", "many"}},
		{"-crawl maybe: give no value, or true or false", []string{site, "-crawl=maybe"}},
		{"-out: /sys/r.html cannot be written: ", []string{site, "-out", "/sys/r.html"}},
		{"-fail broken-link needs -crawl, which alone looks for that", []string{site, "-fail", "noindex,broken-link"}},
		{"-fail seen-moved needs -data", []string{site, "-fail", "seen-moved"}},
		{"-fail redirect-link: there is no such kind of finding. Did you mean broken-link or moved-link or redirect?",
			[]string{site, "-fail", "redirect-link"}},
		{"-fail nothing: there is no such kind of finding. The kinds are ancient, blocked, ",
			[]string{site, "-fail", "nothing"}},
		{"-out is empty; give a value, or leave it out", []string{site, "-out", ""}},
		{"-fail is empty; give a value, or leave it out", []string{site, "-fail", ", "}},
		{"-fail is empty; give a value, or leave it out", []string{site, "-fail", "noindex", "-fail", ""}},
		{"-pages 0: give more than 0, or leave it out", []string{site, "-pages", "0"}},
		{"-pages -3: give more than 0, or leave it out", []string{site, "-pages", "-3"}},
		{"-time -1m0s: give more than 0, or leave it out", []string{site, "-time", "-1m"}},
		{"-out r.pdf: give a name that ends in .html, .md, .csv or .json", []string{site, "-out", "r.html", "-out", "r.pdf"}},
		{"-data: there is no folder none; give the folder", []string{site, "-data", "none"}},
		{"-origin https://a.example/blog: give it without a path, as https://a.example",
			[]string{site, "-origin", "https://a.example/blog"}},
		{"-data " + data + " is about " + other, []string{site, "-data", data}},
	} {
		wantErrs(t, codeUsage, tt.want, append([]string{"check"}, tt.args...)...)
	}
}

// TestHelpNamesAllFieldsOfTheJSON is for those who read a check in their CI.
func TestHelpNamesAllFieldsOfTheJSON(t *testing.T) {
	help := must(t, "help", "check")
	for _, of := range []any{report.Report{}, report.Sample{}, report.Group{}, report.File{}, report.Finding{},
		report.At{}} {
		for i := range reflect.TypeOf(of).NumField() {
			name, _, _ := strings.Cut(reflect.TypeOf(of).Field(i).Tag.Get("json"), ",")
			if !regexp.MustCompile(`\b` + name + `\b`).MatchString(help) {
				t.Errorf("of %T it does not name %s", of, name)
			}
		}
	}
}

func TestCheckTellsABoxToLogInFromALogIn(t *testing.T) {
	const field = "<input type=password name=p>"
	with := func(page, more string) string { return strings.Replace(page, "</main>", more+"</main>", 1) }
	box := "<form>" + field + "</form><a href=/></a><a href=/b></a><a href=/c></a><a href=/gone></a>"
	text := strings.Repeat("<p>It says who we are and what we do.", 20)
	pages := func(home, b string) map[string]string {
		return map[string]string{"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/", "/a", "/b"), "/": with(aPage, home),
			"/login": with(ownPage, "<p>Log in."+field),
			"/a":     with(ownPage, "<p>One.<a href=/></a>"), "/b": with(ownPage, "<p>Two."+b), "/c": with(ownPage,
				"<p>Three."+b)}
	}
	for _, tt := range []struct {
		name, home, b string
		code          int
		wants         []string
	}{
		{"on the start page, and one that says little", box, box, codeDone, []string{"advice  1 page shows a field for a password\n",
			" has a field for a password in its text, as 1 of 3 pages read have (line 1", "A crawl found 2 public pages; not listed: none."}},
		{"on the start page and others", box, text + box, codeDone,
			[]string{"advice  The pages have a log-in box in their text",
				" has a field for a password in its text, as 2 of 3 pages read have (line 1", "A crawl found 4 public pages; not listed: 1.",
				"/ and 2 more, and not listed", "/gone, which is answered with 404", "1 listed page has no link that engines follow"}},
		{"on the start page, and on that to log in", box + "<a href=/login></a>", "", codeNo, []string{
			"advice  The pages have a log-in box", "fault   1 page asks visitors to log in", "/login shows a field for a password"}},
		{"on two pages of many, to sign up", "", "two", codeDone, []string{"advice  2 pages show a field for a password\n"}},
		{"on one page", "", field, codeDone, []string{"advice  1 page shows a field for a password\n",
			"/b shows a field for a password"}},
		{"to register", "", "<form><input type=email><input name=name><input name=city>" + field + "</form>", codeDone,
			[]string{"3 checked: 0 faults", "A crawl found 3 public pages"}},
		{"to choose a password", "", "<form>" + field + field + "</form>", codeDone, []string{"3 checked: 0 faults"}},
		{"to choose a password, typed once", "", "<input type=password autocomplete=new-password>", codeDone,
			[]string{"3 checked: 0 faults"}},
		{"two forms to log in", "", "<form>" + field + "</form><form>" + field + "</form>", codeDone,
			[]string{"/b shows a field for a password"}},
	} {
		files := pages(tt.home, tt.b)
		if strings.Contains(tt.home, "/login") {
			files["/maps/sitemap.xml"] = set("/", "/login")
		}
		if tt.b == "two" {
			at := []string{"/", "/s1", "/s2"}
			for i := range 6 {
				at = append(at, fmt.Sprint("/p", i))
				files[at[3+i]] = with(ownPage, "<p>Of "+at[3+i])
			}
			files["/maps/sitemap.xml"], files["/s1"] = set(at...), with(ownPage, "<p>Sign up."+field)
			files["/s2"] = files["/s1"]
		}
		code, out, errs := call(t, "check", "-crawl", siteOf(t, files))
		for _, want := range tt.wants {
			if code != tt.code || !strings.Contains(out, want) {
				t.Errorf("%s: code %d, without %q: %s%s", tt.name, code, want, out, errs)
			}
		}
	}
	for home, want := range map[string]string{"<p>Members.": "fault   1 page asks visitors to log in",
		text: "advice  The pages have a log-in box"} {
		_, out, errs := call(t, "check", siteOf(t, map[string]string{"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/"),
			"/": with(aPage, home+"<form>"+field+"</form>")}))
		if !strings.Contains(out, want) {
			t.Errorf("a start page alone: without %q: %s%s", want, out, errs)
		}
	}
}

func TestCheckFailsForWhatFailNames(t *testing.T) {
	site := siteOf(t, map[string]string{"/robots.txt": robotsTxt, "/maps/sitemap.xml": set("/"),
		"/": aPage + "<a href=/busy>on</a><a href=/busy-too>on</a>", "/busy": "HTTP 503 Retry-After: 3600",
		"/busy-too": "HTTP 503 Retry-After: 3600"})
	advised := siteOf(t, map[string]string{"/robots.txt": "User-agent: *", "/sitemap.xml": set("/"), "/": aPage})
	wantOut(t, codeDone, "0 faults, 1 piece of advice", "check", advised, "-fail", "slow")
	wantOut(t, codeDone, "0 faults, 1 piece of advice", "check", advised, "-time", "9s", "-time", "0")
	wantOut(t, codeNo, "0 faults, 1 piece of advice", "check", advised, "-fail", "all")
	wantOut(t, codeNo, "0 faults, 1 piece of advice", "check", advised, "-fail", "unnamed", "-fail", "slow")
	wantErrs(t, codeNo, "exit code 3: -fail slow,all found unnamed (1)\n", "check", advised, "-fail", "slow", "-fail", "all")
	wantErrs(t, codeNo, "exit code 3: -fail all found unnamed (1)\n", "check", "-json", advised, "-fail", "all")
	wantOut(t, codeDone, "0 faults\n", "check", site, "-fail", "all")
	faulty := siteOf(t, map[string]string{"/robots.txt": robotsTxt,
		"/maps/sitemap.xml": set("/", "/a", "/b <lastmod>2999-01-01</lastmod>"),
		"/":                 aPage + "<a href=/c>c</a>", "/b": ownPage + "<p>b", "/c": ownPage})
	wantErrs(t, codeNo, "exit code 3: 2 faults of 2 kinds\n", "check", faulty)
	wantErrs(t, codeNo, "exit code 3: 2 faults of 2 kinds, and -fail missing,orphan found missing (1), orphan (1)\n", "check",
		"-crawl",
		"-fail", "missing,orphan", faulty)
	for _, tt := range []struct {
		name, want string
		code       int
		flags      []string
	}{
		{"nothing is to fail", "", codeDone, nil},
		{"orphans", "whether there is what -fail names is not known: the crawl did not come to its end", codeNo,
			[]string{"-fail", "orphan"}},
	} {
		code, out, errs := call(t, append([]string{"check", "-crawl", site}, tt.flags...)...)
		if code != tt.code || !strings.Contains(errs, tt.want) || strings.Contains(out, "link that engines follow: none") {
			t.Errorf("%s: code %d, %s%s", tt.name, code, out, errs)
		}
	}
}

func TestOneThingThatCannotBeReadHidesNothingElse(t *testing.T) {
	page := func(to string) string {
		return "<!doctype html><main><p>It has a text, and a link: <a href=" + to + ">on</a></main>"
	}
	files := map[string]string{"/": page("/new") + page("/busy"), "/new": ownPage, "/alone": aPage,
		"/busy":    "HTTP 503 Retry-After: 3600",
		"/map.xml": set("/", "/alone"), "/page.xml": page("/"), "/cut.xml": strings.TrimSuffix(set("/"), "</urlset>"),
		"/denied.xml": "HTTP 403 ", "/login": page("/"), "/private.xml": "HTTP 302 Location: /login"}
	const doubt = "- HOST/new is linked from HOST/, and in no file that could be read; perhaps another lists it\n"
	for _, tt := range []struct {
		file     string
		lacks, n string
	}{
		{"/none.xml", "not listed: 1.", "1 public page is missing"}, {"/page.xml", "not listed: 1.",
			"1 public page is missing"},
		{"/cut.xml", doubt, "in no file that could be read: 1."}, {"/denied.xml", doubt, "1 public page is missing"},
		{"/private.xml", doubt, "1 public page is missing"},
	} {
		files["/robots.txt"] = "Sitemap: http://HOST/map.xml\nSitemap: http://HOST" + tt.file
		site := siteOf(t, files)
		_, out, errs := call(t, "check", "-crawl", "-fail", "missing", site)
		for _, want := range []string{tt.n, strings.ReplaceAll(tt.lacks, "HOST", site),
			"1 listed page has no link that engines follow\n",
			"- " + site + "/alone is listed, and no page that could be read links there (line 1",
			"Limit: the crawl could not read " + site + "/busy, so links from there are not known.\n"} {
			if !strings.Contains(out, want) || !strings.Contains(errs, "and -fail missing found missing (1)\n") {
				t.Errorf("%s: without %q: %s%s", tt.file, want, out, errs)
			}
		}
	}
}

func TestCheckReadsSitemapsFromElsewhere(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	must(t, "check", "-origin", origin, s.at+"/sitemap.xml")
	wantOut(t, codeNo, " on "+origin+", and the site is "+s.at, "check", "-origin", s.at, s.at+"/sitemap.xml")
	wantOut(t, codeDone, "The pages of "+origin+" were asked for at "+s.at+".\n", "check", "-origin", origin,
		s.at+"/sitemap.xml")
	wantOut(t, codeDone, "All 3 listed pages were asked for: 3 answered with a page.",
		"check", "-origin", origin+":443", "-data", s.data, s.at+"/sitemap.xml")
	wantOut(t, codeDone, "The pages of "+origin+" were asked for at "+s.at+".\n", "check", "-data", s.data, s.at)
}

// A shop runs on its owner's machine, perhaps with the public address for its origin. Then its sitemap has that
// address.
func TestCheckOfAServerOnThisMachineAsksNoPublicOne(t *testing.T) {
	const public, www, file = "https://shop.servemap.dev", "https://www.servemap.dev", "/sitemap.xml"
	for name, tt := range map[string]struct{ robots, file, lists, want string }{
		"its sitemap is the public one": {"Sitemap: " + public + file, file, public, "SITE/sitemap.xml lists " + public +
			"/ok, " +
			"so it was checked for " + public + "; -origin SITE says otherwise.\nThe pages of " + public +
			" were asked for at SITE.\n"},
		"robots.txt names another place": {"Sitemap: " + public + "/map.php?all=1", "/map.php?all=1", public,
			"SITE/map.php?all=1 lists " + public + "/ok"},
		"no robots.txt": {"", file, public, "SITE/sitemap.xml lists " + public + "/ok"},
		"robots.txt names its own too": {"Sitemap: " + public + file + "\nSitemap: SITE/sitemap.xml", file, "SITE",
			"Sitemap: " + public + "/sitemap.xml, on another host"},
		"robots.txt is the public one, and not the sitemap": {"Sitemap: " + public + file, file, "SITE",
			"Sitemap: " + public + "/sitemap.xml, on another host"},
		"robots.txt names several": {"Sitemap: " + public + file + "\nSitemap: " + www + file, file, "SITE",
			"Sitemap: " + www + "/sitemap.xml, on another host"},
		"robots.txt names one on a CDN": {"Sitemap: https://cdn.servemap.dev/maps/site.xml", file, "SITE", "on another host"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"/ok": aPage}
			site := siteOf(t, files)
			here := strings.NewReplacer("SITE", site)
			if tt.robots != "" {
				files["/robots.txt"] = here.Replace(tt.robots)
			}
			files[tt.file] = `<urlset xmlns="` + namespace + `"><url><loc>` + here.Replace(tt.lists) + `/ok</loc></url></urlset>`
			for _, at := range []string{site, site + tt.file} {
				code, out, errs := call(t, "check", at)
				if want := here.Replace(tt.want); code != codeDone || !strings.Contains(out, want) ||
					!strings.Contains(out, "1 page listed, 1 checked: 0 faults") {
					t.Errorf("check %s: code %d, want %q: %s%s", at, code, want, out, errs)
				}
			}
		})
	}
	site := siteOf(t, map[string]string{"/": aPage, "/robots.txt": "Sitemap: " + public + file})
	for _, args := range [][]string{{site}, {site + file}, {site, "-origin", public}} {
		if code, _, errs := call(t, append([]string{"check"}, args...)...); code != codeNo || !strings.Contains(errs, site) ||
			strings.Contains(errs, public) {
			t.Errorf("check %q: code %d, and it names not only the server that was asked: %s", args, code, errs)
		}
	}
}

// Whoever checks a site on his own machine asks the same server by both names, whose robots.txt names its sitemap.
func TestNobodyVouchesForAnAddressThatNobodyElseReaches(t *testing.T) {
	for origin, on := range map[string]string{"": "on another host",
		"https://shop.servemap.dev": "of a developer's machine"} {
		files := map[string]string{"/": aPage, "/a": ownPage}
		site := siteOf(t, files)
		here, local := cmp.Or(origin, site), strings.Replace(site, "127.0.0.1", "localhost", 1)
		files["/robots.txt"] = "Sitemap: " + here + "/index.xml\nSitemap: " + here + "/more.xml"
		entry := func(at string) string { return "<url><loc>" + at + "</loc></url>" }
		set := func(all string) string { return `<urlset xmlns="` + namespace + `">` + all + "</urlset>" }
		files["/index.xml"] = strings.NewReplacer("urlset", "sitemapindex", "url>",
			"sitemap>").Replace(set(entry(local + "/part.xml")))
		files["/more.xml"] = set(entry(here+"/") + entry(here+"/a") + entry(local+"/dev") +
			entry("http://192.168.0.12/intranet"))
		files["/part.xml"] = set(entry(here + "/b"))
		args := []string{"check", site}
		if origin != "" {
			args = append(args, "-origin", origin)
		}
		code, out, errs := call(t, args...)
		for _, want := range []string{"fault   3 addresses are " + on, local + "/part.xml is on " + local +
			", and the site is " + here,
			local + "/dev is on ", "/intranet is on http://192.168.0.12, and"} {
			if code != codeNo || !strings.Contains(out, want) || strings.Contains(out, "names this sitemap") {
				t.Errorf("code %d, without %q: %s%s", code, want, out, errs)
			}
		}
	}
}

func TestCheckShowsWhyThereIsNoSitemap(t *testing.T) {
	html := httptest.NewServer(http.NotFoundHandler())
	defer html.Close()
	s := before(t, blog)
	for at, want := range map[string]string{
		html.URL: "no sitemap: " + html.URL +
			" names none of its own in a robots.txt, and /sitemap.xml is answered with 404 Not Found, which says: 404 page not found. Serve one, " +
			"and name it",
		html.URL + "/sitemap.xml": "404 Not Found, which says: 404 page not found",
	} {
		wantErrs(t, codeNo, want, "check", at)
	}
	wantErrs(t, codeFailed, "503 Service Unavailable, which says: No page of "+origin+" is listed yet. ", "check",
		s.at+"/sitemap.xml")
	wantErrs(t, codeFailed, "there is no such host\n", "check", "a.invalid") // which another scheme does not mend
}

func TestAnAnswerThatDoesNotTellIsNoSitemapThatIsMissing(t *testing.T) {
	const refused, none = "; nothing could be checked", "Serve one, and name it in robots.txt"
	for _, tt := range []struct {
		name  string
		files map[string]string
		code  int
		want  string
	}{
		{"the site is down", map[string]string{"*": "HTTP 502 "}, codeFailed,
			"SITE answers for robots.txt 502 Bad Gateway, and /sitemap.xml is answered with 502 Bad Gateway" + refused},
		{"a log-in", map[string]string{"*": "HTTP 401 Www-Authenticate: Basic realm=x"}, codeFailed,
			"/sitemap.xml is answered with 401 Unauthorized, which asks for a log-in" + refused},
		{"strangers are refused", map[string]string{"*": "HTTP 403 "}, codeFailed, "403 Forbidden" + refused},
		{"a store that refuses what it has not", map[string]string{"/": aPage, "*": "HTTP 403 "}, codeNo, none},
		{"no robots.txt, and a sitemap that fails", map[string]string{"/": aPage, "/sitemap.xml": "HTTP 500 "}, codeFailed,
			"SITE names no sitemap in a robots.txt, and /sitemap.xml is answered with 500 Internal Server Error" + refused},
		{"at another usual place", map[string]string{"/": aPage, "/wp-sitemap.xml": "HTTP 503 "}, codeFailed,
			"/wp-sitemap.xml is answered with 503 Service Unavailable" + refused},
		{"robots.txt fails, and no sitemap is at a usual place", map[string]string{"/": aPage, "/robots.txt": "HTTP 500 "},
			codeFailed,
			"SITE answers for robots.txt 500 Internal Server Error, and /sitemap.xml is answered with 404 Not Found"},
		{"the one sitemap fails", map[string]string{"/": aPage, "/robots.txt": robotsTxt, "/maps/sitemap.xml": "HTTP 503 "},
			codeFailed,
			"SITE/maps/sitemap.xml is answered with 503 Service Unavailable" + refused},
		{"the one sitemap is gone", map[string]string{"/": aPage, "/robots.txt": robotsTxt}, codeNo, none},
		{"robots.txt alone asks for a log-in", map[string]string{"/": aPage, "/robots.txt": "HTTP 401 ",
			"/sitemap.xml": set("/")},
			codeDone, ""},
	} {
		site := siteOf(t, tt.files)
		code, out, errs := call(t, "check", site)
		if want := strings.ReplaceAll(tt.want, "SITE", site); code != tt.code || !strings.Contains(errs, want) ||
			tt.code == codeFailed && strings.Contains(errs, none) {
			t.Errorf("%s: code %d, want %d and %q: %s%s", tt.name, code, tt.code, want, out, errs)
		}
	}
	down := siteOf(t, map[string]string{"*": "HTTP 502 "})
	file := filepath.Join(t.TempDir(), "report.md")
	wantOut(t, codeFailed, `"kind":"refused"`, "check", "-json", "-out", file, down)
	text, err := os.ReadFile(file)
	if want := "What matters most: the site could not be checked"; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("without %q: %s%v", want, text, err)
	}
	unsure := siteOf(t, map[string]string{"/": aPage + "<a href=/a>a</a>", "/a": ownPage, "/sitemap.xml": "HTTP 500 "})
	if code, out, errs := call(t, "check", "-crawl", unsure); code != codeNo ||
		!strings.Contains(out, "A crawl found 2 public pages") {
		t.Errorf("with a crawl: code %d, %s%s", code, out, errs)
	}
	away := siteOf(t, map[string]string{"*": "HTTP 301 Location: http://a.invalid/"})
	wantErrs(t, codeFailed, away+"/robots.txt redirects, and http://a.invalid/ does not answer: there is no such host",
		"check", away)
}

func TestCheckAsksTheHostOfASitemapForNoOtherPages(t *testing.T) {
	var site *httptest.Server
	asked := ""
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked += r.URL.Path
		fmt.Fprintf(w, `<urlset xmlns="%s"><url><loc>%s/ok</loc></url></urlset>`, namespace, site.URL)
	}))
	defer other.Close()
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprintf(w, "Sitemap: %s/sitemap.xml", other.URL)
		} else if r.URL.Path != "/ok" {
			http.NotFound(w, r)
		} else {
			fmt.Fprint(w, aPage)
		}
	}))
	defer site.Close()
	if code, _, errs := call(t, "check", site.URL); code != codeDone || asked != "/sitemap.xml" {
		t.Errorf("code %d, %s; the other host was asked for %s", code, errs, asked)
	}
	wantOut(t, codeDone, "/ok is listed, and no listed page links there", "check", "-crawl", site.URL)
}

func TestCheckReportsAlsoThatNothingIsThere(t *testing.T) {
	none := httptest.NewServer(http.NotFoundHandler())
	defer none.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tt := range []struct {
		at, kind    string
		code, named int // named is how often the output has the address
	}{
		{none.URL, "no-sitemap", codeNo, 3}, {none.URL + "/sitemap.xml", "no-sitemap", codeNo, 2},
		{gone.URL, "unreachable", codeFailed, 3},
	} {
		out := filepath.Join(t.TempDir(), "report.html")
		code, says, _ := call(t, "check", "-json", "-out", out, tt.at)
		page, err := os.ReadFile(out)
		if code != tt.code || !strings.Contains(says, `{"level":"fault","kind":"`+tt.kind) ||
			!strings.Contains(says, `{"level":"summary"`) || !strings.Contains(string(page), "<h1>1 fault</h1>") ||
			strings.Count(says, tt.at) != tt.named || strings.Contains(says, "findings\":null") {
			t.Errorf("%s: code %d, %s, %v", tt.at, code, says, err)
		}
	}
	wantErrs(t, codeUsage, "./sm.xml is a file or a folder; give the URL of a site", "check", "./sm.xml")
}

func TestCheckAsksAgainWhenTheSiteSays(t *testing.T) {
	var asked sync.Map
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch _, again := asked.LoadOrStore(r.URL.Path, true); {
		case r.URL.Path == "/sitemap.xml":
			fmt.Fprintf(w, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>http://%s/a</loc></url></urlset>",
				r.Host)
		case r.URL.Path == "/a" && !again:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case r.URL.Path == "/a":
			fmt.Fprint(w, "<!doctype html><title>The page</title><p>It is about something.")
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	wantOut(t, codeDone, "1 page listed, 1 checked: 0 faults", "check", site.URL)
}

func TestWhatOnlyFailsBesideOtherRequestsIsNoError(t *testing.T) {
	for _, tt := range []struct {
		name, broken     string // a page that fails always
		status           int
		check, crawl     []string
		checkNo, crawlNo string
	}{
		{"pages that come alone", "", 500, []string{"121 pages listed, 121 checked: 0 faults",
			"beside other requests, and come",
			" failed under 4 requests at once, with 500 Internal Server Error"},
			[]string{"121 listed · 0 broken links", "The site failed under "}, "an error", "Broken"},
		{"a page that fails alone too", "/p07", 500, []string{"1 page is answered with an error",
			"/p07 is answered with 500"},
			[]string{"120 listed · 1 broken link "}, "come once asked", "120 broken"},
		{"one error that passes", "once", 500, []string{"121 pages listed, 121 checked: 0 faults"},
			[]string{"121 listed · 0 broken links"}, "come once asked", "The site failed under "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			at, running, failed := []string{"/"}, atomic.Int32{}, atomic.Int32{}
			for i := range 120 {
				at = append(at, fmt.Sprintf("/p%02d", i))
			}
			fails := func(path string) bool {
				switch tt.broken {
				case "":
				case "once":
					return path == "/p07" && failed.Load() == 0
				default:
					return path == tt.broken
				}
				return running.Load() > 1
			}
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/robots.txt":
					fmt.Fprintf(w, "Sitemap: http://%s/sitemap.xml", r.Host)
				case r.URL.Path == "/sitemap.xml":
					w.Header().Set("Content-Type", "application/xml")
					fmt.Fprint(w, strings.ReplaceAll(set(at...), "HOST", r.Host))
				case !slices.Contains(at, r.URL.Path):
					http.NotFound(w, r)
				default:
					running.Add(1)
					defer running.Add(-1)
					time.Sleep(10 * time.Millisecond)
					if fails(r.URL.Path) {
						failed.Add(1)
						w.WriteHeader(tt.status)
						return
					}
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprintf(w, "<!doctype html><title>%s</title><main><p>%[1]s is a page about %[1]s.</p>", r.URL.Path)
					for _, to := range at {
						fmt.Fprintf(w, " <a href=%s>%[1]s</a>", to)
					}
				}
			}))
			defer site.Close()
			_, out, errs := call(t, "check", site.URL)
			wantTold(t, out+errs, tt.check, tt.checkNo)
			if n := failed.Swap(0); n > 6 {
				t.Errorf("check met %d errors", n)
			}
			_, out, errs = call(t, "crawl", site.URL, "-out", filepath.Join(t.TempDir(), "sitemap.xml"))
			wantTold(t, out+errs, tt.crawl, tt.crawlNo)
			if n := failed.Swap(0); n > 6 {
				t.Errorf("crawl met %d errors", n)
			}
		})
	}
}

// wantTold fails the test unless a text has some parts, and not another one.
func wantTold(t *testing.T, text string, want []string, not string) {
	t.Helper()
	text = strings.Join(strings.Fields(text), " ")
	for _, part := range want {
		if !strings.Contains(text, part) || strings.Contains(text, not) {
			t.Errorf("want %q and not %q: %s", part, not, text)
		}
	}
}
