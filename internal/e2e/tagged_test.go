package e2e

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/memstore"
)

// opened is a site that visitors ask for over connections in memory, so that
// virtual time runs.
type opened struct {
	*testing.T
	site   *servemap.Site
	client *http.Client
	dial   func(context.Context) (net.Conn, error)
}

// open starts a site and a server for the handler that mount makes of it.
func open(t *testing.T, opts *servemap.Options, mount func(*servemap.Site) http.Handler) *opened {
	t.Helper()
	if opts == nil {
		opts = &servemap.Options{}
	}
	opts.Logger = slog.New(slog.DiscardHandler)
	site, err := servemap.New("https://example.com", new(memstore.Store), opts)
	if err != nil {
		t.Fatal(err)
	}
	l := &memoryListener{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: mount(site)}
	go srv.Serve(l)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.dial(ctx) }}
	o := &opened{t, site, &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, l.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
		if err := site.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return o
}

type memoryListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *memoryListener) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *memoryListener) Close() error   { close(l.done); return nil }
func (l *memoryListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// visit gets a path as an anonymous visitor does, with the headers given.
func (o *opened) visit(method, path string, headers ...string) (*http.Response, string) {
	o.Helper()
	req, err := http.NewRequest(method, "http://example.com"+path, nil)
	if err != nil {
		o.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := o.client.Do(req)
	if err != nil {
		o.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		o.Fatal(err)
	}
	return resp, string(body)
}

// lastMods returns what the sitemap that is served lists, with the dates. It
// waits for nothing, as what is withdrawn leaves at once.
func (o *opened) lastMods() map[string]string {
	o.Helper()
	_, body := o.visit(http.MethodGet, "/sitemap.xml")
	var doc struct {
		URLs []struct {
			Loc     string `xml:"loc"`
			LastMod string `xml:"lastmod"`
		} `xml:"url"`
	}
	all := map[string]string{}
	if xml.Unmarshal([]byte(body), &doc) == nil { // else it says why there is none
		for _, u := range doc.URLs {
			all[strings.TrimPrefix(u.Loc, "https://example.com")] = u.LastMod
		}
	}
	return all
}

func (o *opened) flush() {
	o.Helper()
	if err := o.site.Flush(o.Context()); err != nil {
		o.Fatal(err)
	}
}

// wantListed checks whether each location is in the sitemap once all is merged.
func (o *opened) wantListed(want bool, locations ...string) {
	o.Helper()
	o.flush()
	all := o.lastMods()
	for _, loc := range locations {
		if _, listed := all[loc]; listed != want {
			e, err := o.site.Explain(o.Context(), loc)
			o.Errorf("%s is listed: %v, want %v: %s because of %s, %v", loc, listed, want, e.Verdict, e.Reason, err)
		}
	}
}

// document is a page with a text of its own and links.
func document(head, text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>%s</title>%s</head><body><main><p>This page is about %s, and about nothing else at all.</p>", text, head, text)
	for _, l := range links {
		fmt.Fprintf(&b, `<a href="%s">more</a>`, l)
	}
	return b.String() + "</main></body></html>"
}

// serveText answers with a page after setting headers.
func serveText(html string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		io.WriteString(w, html)
	}
}

// serveStatus answers with a status and a short page.
func serveStatus(status int, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, document("", "an error"))
	}
}

// tracked serves a home page that links to /a. It answers for /a with clean, but
// with tagged where there is a query.
func tracked(clean, tagged func() http.HandlerFunc) func(*servemap.Site) http.Handler {
	return func(site *servemap.Site) http.Handler {
		return site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/a" && r.URL.RawQuery != "":
				tagged()(w, r)
			case r.URL.Path == "/a":
				clean()(w, r)
			case r.URL.Path == "/":
				serveText(document("", "home", "/a"))(w, r)
			default:
				http.NotFound(w, r)
			}
		}))
	}
}

func always(h http.HandlerFunc) func() http.HandlerFunc { return func() http.HandlerFunc { return h } }

// A site may answer a campaign's link with anything. None of it takes the clean
// page out, moves it or dates it.
func TestACleanPageDoesNotPayForTrackingParameters(t *testing.T) {
	const modified = "Sat, 01 Jan 2000 00:00:00 GMT" // when virtual time begins
	clean := document("", "the clean page")
	for _, tt := range []struct {
		name   string
		method string
		tagged http.HandlerFunc
	}{
		{"noindex header", "GET", serveText(clean, "X-Robots-Tag", "noindex")},
		{"noindex meta", "GET", serveText(document(`<meta name="robots" content="noindex">`, "a landing page"))},
		{"private", "GET", serveText(clean, "Cache-Control", "private")},
		{"no-store", "GET", serveText(clean, "Cache-Control", "no-store")},
		{"401", "GET", serveStatus(401)},
		{"403", "GET", serveStatus(403)},
		{"404", "GET", serveStatus(404)},
		{"410", "GET", serveStatus(410)},
		{"301 elsewhere", "GET", serveStatus(301, "Location", "/landing")},
		{"308 to another site", "GET", serveStatus(308, "Location", "https://example.org/")},
		{"302 to a log-in", "GET", serveStatus(302, "Location", "/login")},
		{"another canonical", "GET", serveText(document(`<link rel="canonical" href="/landing">`, "a landing page"))},
		{"two canonicals", "GET", serveText(document(`<link rel="canonical" href="/a"><link rel="canonical" href="/b">`, "a landing page"))},
		{"a head that does not end", "GET", serveText("<!DOCTYPE html><html><head><title>t</title>")},
		{"unavailable_after", "GET", serveText(document(`<meta name="robots" content="unavailable_after: 1999-12-31">`, "a landing page"))},
		{"an encoding that nobody knows", "GET", serveText("\x00\x01\x02", "Content-Encoding", "nobody")},
		{"another text with a date", "GET", serveText(document("", "a landing page with a text that is not that of the clean one"), "Last-Modified", "Sat, 01 Jan 2000 00:03:00 GMT")},
		{"HEAD with noindex", "HEAD", serveText(clean, "X-Robots-Tag", "noindex")},
		{"HEAD with private", "HEAD", serveText(clean, "Cache-Control", "private")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := open(t, nil, tracked(always(serveText(clean, "Last-Modified", modified)), always(tt.tagged)))
				time.Sleep(2 * time.Hour)
				o.visit("GET", "/")
				o.visit("GET", "/a")
				o.wantListed(true, "/", "/a")
				before := o.lastMods()["/a"]
				for range 40 { // ten minutes
					o.visit(tt.method, "/a?utm_source=x")
					if all := o.lastMods(); len(all) != 2 {
						t.Fatalf("listed are %v", all)
					}
					o.wantListed(true, "/", "/a")
					time.Sleep(15 * time.Second)
				}
				o.visit("GET", "/a")
				o.flush()
				if after := o.lastMods()["/a"]; after != before || before == "" {
					t.Errorf("the lastmod of /a was %q and is %q", before, after)
				}
			})
		})
	}
}

// Half of the visitors come from a campaign that is answered privately.
func TestAPageDoesNotFlipWithItsVisitors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clean := document("", "the clean page")
		o := open(t, nil, tracked(always(serveText(clean)), always(serveText(clean, "Cache-Control", "private"))))
		o.visit("GET", "/")
		o.visit("GET", "/a")
		o.wantListed(true, "/a")
		for i := range 240 { // an hour
			paths := []string{"/a", "/a?utm_campaign=spring"}
			o.visit("GET", paths[i%2])
			o.visit("GET", paths[1-i%2])
			if _, listed := o.lastMods()["/a"]; !listed {
				t.Fatal("/a is not listed any more")
			}
			time.Sleep(15 * time.Second)
		}
	})
}

// What happens to the clean page counts as it did, also while a stranger asks for
// it with tracking parameters all the time.
func TestATaggedVisitorHidesNothing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		clean  http.HandlerFunc
		within time.Duration
	}{
		{"410", serveStatus(410), time.Minute},
		{"noindex", serveText(document("", "the clean page"), "X-Robots-Tag", "noindex"), time.Minute},
		{"404", serveStatus(404), 3 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				page := serveText(document("", "the clean page"))
				answer := page
				o := open(t, nil, tracked(func() http.HandlerFunc { return answer }, always(page)))
				o.visit("GET", "/")
				o.visit("GET", "/a")
				o.wantListed(true, "/a")
				for range 100 { // its looks are a minute apart by now
					o.visit("GET", "/a")
					o.visit("GET", "/a?gclid=1")
					time.Sleep(10 * time.Second)
				}
				answer = tt.clean
				for range tt.within / time.Second {
					o.visit("GET", "/a?gclid=1")
					o.visit("GET", "/a")
					time.Sleep(time.Second)
				}
				o.wantListed(false, "/a")
				for range 60 { // and it does not come back by that
					o.visit("GET", "/a?gclid=1")
					time.Sleep(10 * time.Second)
				}
				o.wantListed(false, "/a")
			})
		})
	}
}

// A page to which only a campaign leads visitors is listed, and its own answer
// still decides, once somebody asks for that.
func TestAPageThatOnlyACampaignLeadsTo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := serveText(document("", "the campaign"))
		o := open(t, nil, tracked(always(serveText(document("", "the campaign"), "X-Robots-Tag", "noindex")), always(page)))
		o.visit("GET", "/")
		o.visit("GET", "/a?utm_source=x")
		o.wantListed(true, "/a")
		o.visit("GET", "/a")
		o.wantListed(false, "/a")
		time.Sleep(time.Minute)
		o.visit("GET", "/a?utm_source=x")
		o.wantListed(false, "/a")
	})
	synctest.Test(t, func(t *testing.T) {
		forbidden := serveText(document(`<meta name="robots" content="noindex">`, "the campaign"))
		o := open(t, nil, tracked(always(forbidden), always(forbidden)))
		o.visit("GET", "/")
		o.visit("GET", "/a?utm_source=x")
		o.wantListed(false, "/a")
	})
}
