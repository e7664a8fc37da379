package check

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/check/listing"
	"github.com/servemap/servemap/cmd/servemap/internal/check/pages"
	"github.com/servemap/servemap/internal/testkit/base"
)

const namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"

// TestBoundsHoldOverAllAnswers checks a site that names more files than anybody would read.
func TestBoundsHoldOverAllAnswers(t *testing.T) {
	var asked atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Content-Type", "application/xml")
		var text strings.Builder
		switch at := "http://" + r.Host; r.URL.Path {
		case "/robots.txt":
			w.Header().Set("Content-Type", "text/plain")
			for i := range 2 * mostFiles {
				fmt.Fprintf(&text, "Sitemap: %s/named-%d.xml\n", at, i)
			}
		case "/sitemap.xml":
			for i := range 2 * mostFiles {
				fmt.Fprintf(&text, "<sitemap><loc>%s/%d.xml</loc></sitemap>", at, i)
			}
			fmt.Fprintf(w, `<sitemapindex xmlns="%s">%s</sitemapindex>`, namespace, text.String())
			return
		default:
			fmt.Fprintf(&text, `<urlset xmlns="%s"><url><loc>%s/page%s</loc></url></urlset>`, namespace, at, r.URL.Path)
		}
		fmt.Fprint(w, text.String())
	}))
	defer site.Close()
	for _, tt := range []struct{ path, limit string }{
		{"", "1,000 files were read; the rest was not"},
		{"/sitemap.xml", "1,000 files were read; the rest was not"},
	} {
		asked.Store(0)
		u, err := url.Parse(site.URL + tt.path)
		base.Check(t, err)
		r, err := Run(t.Context(), Config{URL: u, Pages: 5, Time: 5 * time.Minute})
		if err != nil || !slices.Contains(r.Limits, tt.limit) || asked.Load() > mostFiles+20 {
			t.Errorf("%d requests, limits %q, %v; want %q", asked.Load(), r.Limits, err, tt.limit)
		}
	}
}

func TestMorePagesAreReadWhenTheyAnswerFast(t *testing.T) {
	for _, tt := range []struct {
		takes time.Duration
		want  int
	}{{20 * time.Millisecond, manyPages}, {300 * time.Millisecond, morePages}, {2 * time.Second, fewPages}} {
		took := func(d time.Duration) *pages.Page { return &pages.Page{Answer: pages.Answer{Took: d}} }
		if n := wanted([]*pages.Page{took(tt.takes), took(tt.takes), took(10 * tt.takes)}); n != tt.want {
			t.Errorf("of answers that take %v it reads %d, want %d", tt.takes, n, tt.want)
		}
	}
}

func TestNothingIsBlamedForATimeThatIsTooShort(t *testing.T) {
	for _, tt := range []struct {
		at, waits, limit string
		time             time.Duration
		listed           int
	}{
		{"/sitemap.xml", "/slow", "the check stopped after 2s; not read: 1 of 1 chosen pages", 2 * time.Second, 1},
		{"", "/robots.txt", "the check stopped after 100ms; not read: the rest of the sitemap, and all pages",
			100 * time.Millisecond, 0},
		{"/index.xml", "/part-5", "the check stopped after 2s; not read: the rest of the sitemap, and all pages",
			2 * time.Second, 4},
	} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case tt.waits:
				<-r.Context().Done()
			case "/index.xml":
				w.Header().Set("Content-Type", "application/xml")
				fmt.Fprintf(w, `<sitemapindex xmlns="%s">`, namespace)
				for i := range 6 {
					fmt.Fprintf(w, "<sitemap><loc>http://%s/part-%d</loc></sitemap>", r.Host, i+1)
				}
				fmt.Fprint(w, "</sitemapindex>")
			case "/part-1", "/part-2", "/part-3", "/part-4", "/part-6":
				w.Header().Set("Content-Type", "application/xml")
				fmt.Fprintf(w, `<urlset xmlns="%s"><url><loc>http://%s%s/page</loc></url></urlset>`, namespace, r.Host, r.URL.Path)
			case "/sitemap.xml":
				w.Header().Set("Content-Type", "application/xml")
				fmt.Fprintf(w, `<urlset xmlns="%s" xmlns:x="http://www.w3.org/1999/xhtml"><url><loc>http://%s/slow</loc>`+
					`<x:link rel="alternate" hreflang="en" href="http://%[2]s/slow"/>`+
					`<x:link rel="alternate" hreflang="de" href="http://%[2]s/de"/></url></urlset>`, namespace, r.Host)
			default:
				http.NotFound(w, r)
			}
		}))
		defer site.Close()
		u, err := url.Parse(site.URL + tt.at)
		base.Check(t, err)
		r, err := Run(t.Context(), Config{URL: u, Time: tt.time})
		if err != nil || r.Faults > 0 || !slices.Equal(r.Limits, []string{tt.limit}) || r.Sample.Asked != 0 ||
			r.Sample.Listed != tt.listed || !r.Unread() ||
			strings.Contains(r.Lead(), "Nothing was checked.") != (tt.time < time.Second) {
			t.Errorf("%s: it says %+v, %v", tt.waits, r, err)
		}
	}
}

func TestSiteThatFailsIsAskedOnceForEachPage(t *testing.T) {
	asked := atomic.Int64{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/sitemap.xml":
			w.Header().Set("Content-Type", "application/xml")
			fmt.Fprintf(w, `<urlset xmlns="%s">`, namespace)
			for i := range 100 {
				fmt.Fprintf(w, "<url><loc>http://%s/%d</loc></url>", r.Host, i)
			}
			fmt.Fprint(w, "</urlset>")
		default:
			asked.Add(1)
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer site.Close()
	u, err := url.Parse(site.URL)
	base.Check(t, err)
	r, err := Run(t.Context(), Config{URL: u})
	if err != nil || r.Sample.Asked != 100 || asked.Load() > 100+5 {
		t.Errorf("%d requests for %d pages, %v", asked.Load(), r.Sample.Asked, err)
	}
}

// The targets of /old fail where another request runs, and those of /many are one.
func TestWhereManyPagesLeadIsAskedAsThePagesAre(t *testing.T) {
	var runs, mid atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer runs.Add(-1)
		others := runs.Add(1) > 1
		of, name, _ := strings.Cut(r.URL.Path[1:], "/")
		switch of {
		case "sitemap.xml":
			w.Header().Set("Content-Type", "application/xml")
			fmt.Fprintf(w, `<urlset xmlns="%s">`, namespace)
			for i := range 12 {
				fmt.Fprintf(w, "<url><loc>http://%[1]s/old/%[2]d</loc></url><url><loc>http://%[1]s/many/%[2]d</loc></url>", r.Host,
					i)
			}
			fmt.Fprint(w, "</urlset>")
		case "old":
			http.Redirect(w, r, "/new/"+name, http.StatusMovedPermanently)
		case "many":
			http.Redirect(w, r, "/mid", http.StatusMovedPermanently)
		case "mid":
			mid.Add(1)
			http.Redirect(w, r, "/end", http.StatusMovedPermanently)
		case "new":
			time.Sleep(5 * time.Millisecond)
			if others || runs.Load() > 1 {
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			fallthrough
		case "end":
			fmt.Fprintf(w, "<!doctype html><title>A</title><main><p>A text about %s.</main>", name)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	u, err := url.Parse(site.URL)
	base.Check(t, err)
	r, err := Run(t.Context(), Config{URL: u})
	base.Check(t, err)
	for _, g := range r.Groups {
		for _, f := range g.Findings {
			if strings.Contains(f.Text, "500 Internal") {
				t.Errorf("%s %s", f.Where, f.Text)
			}
		}
	}
	if r.Sample.Asked != 24 || mid.Load() > 2 { // a made-up address in the folder leads there too
		t.Errorf("%d pages were asked for, and where half of them lead %d times", r.Sample.Asked, mid.Load())
	}
}

func TestFileWithDatesOfTheRequestIsAskedForAgain(t *testing.T) {
	for name, moves := range map[string]bool{"dates of the request": true, "what was just edited": false} {
		begun, asked := time.Now().UTC(), 0
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			at := begun
			if moves {
				at = begun.Add(time.Duration(asked) * time.Minute)
			}
			asked++
			w.Header().Set("Content-Type", "application/xml")
			fmt.Fprintf(w, `<urlset xmlns="%s"><url><loc>http://%s/a</loc><lastmod>%[3]s</lastmod></url><url><loc>http://%[2]s/b</loc>`+
				`<lastmod>%[3]s</lastmod></url></urlset>`, namespace, r.Host, at.Format(time.RFC3339))
		}))
		defer site.Close()
		u, err := url.Parse(site.URL + "/sitemap.xml")
		base.Check(t, err)
		c, err := newChecker(Config{URL: u})
		base.Check(t, err)
		c.judge.Site = listing.Site{Scheme: "http", Host: u.Host, Now: begun}
		a, err := c.follow(t.Context(), u, listing.MaxBytes)
		base.Check(t, err)
		c.judged(a, u)
		c.asked[u.String()] = a.begun.Add(-time.Minute)
		c.again(t.Context())
		if c.Has("dates-now") != moves || asked != 2 || c.judge.Pages[0].Date.At.IsZero() != moves {
			t.Errorf("%s: after %d requests it says %+v", name, asked, c.Groups)
		}
	}
}

func TestSitemapIsDownloadedOnce(t *testing.T) {
	const long = 8 << 20
	for _, at := range []string{"/map", "/sitemap_index.xml"} {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != at {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/xml")
			fmt.Fprintf(w, `<urlset xmlns="%s"><url><loc>http://%s/map</loc></url></urlset>`, namespace, r.Host)
			fmt.Fprint(w, strings.Repeat(" ", long))
		}))
		defer site.Close()
		u, err := url.Parse(site.URL + strings.TrimSuffix(at, "/sitemap_index.xml"))
		base.Check(t, err)
		c, err := newChecker(Config{URL: u})
		base.Check(t, err)
		base.Check(t, c.site(t.Context()))
		base.Check(t, c.sitemaps(t.Context()))
		if read := c.bytes.Load(); len(c.judge.Pages) != 1 || read > long+pages.MaxBytes+1<<20 {
			t.Errorf("%s: it read %d bytes of a sitemap of %d, and %d pages", at, read, long, len(c.judge.Pages))
		}
	}
}
