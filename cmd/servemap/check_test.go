package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
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
	if run(ctx, []string{"check", site.URL + "/sitemap.xml"}, streams{out: &out, err: &errs}); out.String() != "" || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("it says %q and %q", out.String(), errs.String())
	}
}

func TestCheckFindsWhatCrawlersObjectTo(t *testing.T) {
	entry := func(inner string) string { return "<url>" + inner + "</url>" }
	page := func(path string) string { return "<loc>http://HOST" + path + "</loc>" }
	set := func(entries ...string) string {
		return `<urlset xmlns="` + namespace + `">` + strings.Join(entries, "") + "</urlset>"
	}
	for _, tt := range []struct{ name, sitemap, want string }{
		{"nothing", set(entry(page("/ok"))), ""},
		{"a page that is gone", set(entry(page("/gone"))), "404"},
		{"a page that has moved", set(entry(page("/moved"))), "redirects to /ok"},
		{"equal dates", set(slices.Collect(func(yield func(string) bool) {
			for i := range 10 {
				yield(entry(page(fmt.Sprintf("/ok?%d", i)) + "<lastmod>2026-11-01</lastmod>"))
			}
		})...), "10 of its 10 pages a lastmod of one time, 2026-11-01"},
		{"dates of one build", set(slices.Collect(func(yield func(string) bool) {
			for i := range 20 {
				yield(entry(page(fmt.Sprintf("/ok?%d", i)) + fmt.Sprintf("<lastmod>2026-11-01T10:00:%02dZ</lastmod>", i*i%60)))
			}
		})...), "of one time, 2026-11-01, 10h UTC"},
		{"the other scheme", set(entry("<loc>https://HOST/</loc>")), "is on https, and the sitemap on http"},
		{"another encoding", `<?xml version="1.0" encoding="ISO-8859-1"?>` + set(entry(page("/ok"))), "it is in ISO-8859-1, and a sitemap must be in UTF-8"},
		{"noindex", set(entry(page("/noindex"))), "noindex"},
		{"another canonical", set(entry(page("/copy"))), "canonical"},
		{"its own address without the slash", set(entry(page("/"))), ""},
		{"disallowed", set(entry(page("/private/x"))), "robots.txt"},
		{"twice", set(entry(page("/ok")), entry(page("/ok"))), "twice"},
		{"another host", set(entry("<loc>http://other.example/</loc>")), "host"},
		{"no loc", set(entry("")), "without <loc>"},
		{"the future", set(entry(page("/ok") + "<lastmod>2999-01-01</lastmod>")), "future"},
		{"empty", set(), "names nothing"},
		{"no namespace", "<urlset><url/></urlset>", "namespace"},
		{"an index", `<sitemapindex xmlns="` + namespace + `"><sitemap>` + page("/part.xml") + "</sitemap></sitemapindex>", "redirects to /ok"},
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
						text = set(entry(page("/moved")))
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
				case "/":
					fmt.Fprintf(w, `<html><head><title>t</title><link rel="canonical" href="%s"></head>`, site.URL)
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

func TestCheckOfASiteReadsTheSitemapsThatRobotsNames(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprintf(w, `<urlset xmlns="%s"><url><loc>http://HOST/gone</loc></url></urlset>`, namespace)
	base.Check(t, w.Close())
	for _, tt := range []struct{ name, robots, wantOut, wantErr string }{
		{"a packed one", "Sitemap: /maps/a.xml.gz", "1 fault\n", ""},
		{"none named", "", "", "/sitemap.xml: the server answers 404"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/robots.txt":
					fmt.Fprintln(w, tt.robots)
				case "/maps/a.xml.gz":
					_, _ = w.Write(packed.Bytes())
				default:
					http.NotFound(w, r)
				}
			}))
			defer site.Close()
			if code, out, errs := call(t, "check", site.URL); code == codeDone || !strings.HasSuffix(out, tt.wantOut) || !strings.Contains(errs, tt.wantErr) {
				t.Errorf("code %d: %s%s", code, out, errs)
			}
		})
	}
}

func TestCheckReadsSitemapsFromElsewhere(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	must(t, "check", "-origin", origin, s.at+"/sitemap.xml")
	if code, out, _ := call(t, "check", "-json", s.at+"/sitemap.xml"); code != codeNo || !strings.Contains(out, `"level":"fault"`) {
		t.Errorf("without -origin: %d %s", code, out)
	}
	if _, out, _ := call(t, "check", s.at+"/sitemap.xml"); !strings.Contains(out, "3 pages, 3 faults") {
		t.Errorf("without -origin: %s", out)
	}
}

func TestCheckShowsWhyThereIsNoSitemap(t *testing.T) {
	html := httptest.NewServer(http.NotFoundHandler())
	defer html.Close()
	if code, _, errs := call(t, "check", html.URL+"/sitemap.xml"); code != codeFailed || !strings.Contains(errs, "404 Not Found and says: 404 page not found") {
		t.Errorf("%d %s", code, errs)
	}
	s := before(t, blog)
	if code, _, errs := call(t, "check", s.at+"/sitemap.xml"); code != codeFailed || !strings.Contains(errs, "503 Service Unavailable and says: No page of "+origin+" is listed yet. ") {
		t.Errorf("%d %s", code, errs)
	}
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
		}
	}))
	defer site.Close()
	if code, _, errs := call(t, "check", site.URL); code != codeDone || asked != "/sitemap.xml" {
		t.Errorf("code %d, %s; the other host was asked for %s", code, errs, asked)
	}
}
