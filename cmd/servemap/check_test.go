package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
		{"noindex", set(entry(page("/noindex"))), "noindex"},
		{"another canonical", set(entry(page("/copy"))), "canonical"},
		{"disallowed", set(entry(page("/private/x"))), "robots.txt"},
		{"twice", set(entry(page("/ok")), entry(page("/ok"))), "twice"},
		{"another host", set(entry("<loc>http://other.example/</loc>")), "host"},
		{"no loc", set(entry("")), "without <loc>"},
		{"the future", set(entry(page("/ok") + "<lastmod>2999-01-01</lastmod>")), "future"},
		{"changefreq", set(entry(page("/ok") + "<changefreq>often</changefreq>")), "changefreq"},
		{"empty", set(), "names nothing"},
		{"no namespace", "<urlset><url/></urlset>", "namespace"},
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

func TestCheckReadsSitemapsFromElsewhere(t *testing.T) {
	s := files(t, writeSite(t), t.TempDir())
	must(t, "check", "-origin", origin, s.at+"/sitemap.xml")
	if code, out, _ := call(t, "check", "-json", s.at+"/sitemap.xml"); code != codeNo || !strings.Contains(out, `"level":"fault"`) {
		t.Errorf("without -origin: %d %s", code, out)
	}
	if _, out, _ := call(t, "check", s.at+"/sitemap.xml"); !strings.Contains(out, "pages 3, faults 3") {
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
