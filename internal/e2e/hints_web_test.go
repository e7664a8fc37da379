package e2e

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// hintRig is a site behind a server on a socket.
type hintRig struct {
	*testing.T
	site   *servemap.Site
	base   string
	client *http.Client
	log    hintLog
}

// hintPatience is how long a site may take to close.
const hintPatience = 10 * time.Second

// hintLog is a log that may be read while it is written.
type hintLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *hintLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *hintLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// hintSite starts a site for origin and the server that mount makes of it.
func hintSite(t *testing.T, origin string, opts servemap.Options, mount func(*servemap.Site) http.Handler) *hintRig {
	t.Helper()
	return hintSiteOn(t, origin, new(memstore.Store), opts, mount)
}

func hintSiteOn(t *testing.T, origin string, st store.Store, opts servemap.Options, mount func(*servemap.Site) http.Handler) *hintRig {
	t.Helper()
	r := &hintRig{T: t}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(&r.log, nil))
	}
	var err error
	if r.site, err = servemap.New(origin, st, &opts); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.close(hintPatience) })
	srv := httptest.NewServer(mount(r.site))
	t.Cleanup(srv.Close)
	r.base = srv.URL
	r.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return r
}

func (r *hintRig) close(patience time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := r.site.Close(ctx); err != nil {
		r.Errorf("closing: %v", err)
	}
}

// visit gets a path with the headers given.
func (r *hintRig) visit(path string, headers ...string) (status int, body string) {
	r.Helper()
	req, err := http.NewRequest(http.MethodGet, r.base+path, nil)
	if err != nil {
		r.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	resp, err := r.client.Do(req)
	if err != nil {
		r.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		r.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func (r *hintRig) flush() {
	r.Helper()
	if err := r.site.Flush(r.Context()); err != nil {
		r.Fatal(err)
	}
}

// wantListed checks the sitemap that is served at path.
func (r *hintRig) wantListed(path string, want ...string) {
	r.Helper()
	r.flush()
	status, body := r.visit(path)
	var doc struct {
		URLs []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
	}
	if err := xml.Unmarshal([]byte(body), &doc); status != http.StatusOK || err != nil {
		r.Errorf("%s: status %d, %v:\n%s", path, status, err, body)
		return
	}
	var got []string
	for _, u := range doc.URLs {
		got = append(got, u.Loc)
	}
	if !slices.Equal(got, want) {
		r.Errorf("listed are %q, want %q", got, want)
	}
}

// wantHints checks that just one hint was given for each of the texts, which has
// it, and was logged.
func (r *hintRig) wantHints(want ...string) {
	r.Helper()
	r.flush()
	hints := r.site.Stats().Hints
	ok := len(hints) == len(want)
	for i := range min(len(hints), len(want)) {
		ok = ok && strings.Contains(hints[i], want[i])
	}
	if !ok {
		r.Errorf("hints %q, want %q", hints, want)
	}
	r.close(hintPatience)
	for _, text := range want {
		if n := strings.Count(r.log.String(), text); n != 1 {
			r.Errorf("%q was logged %d times, want once:\n%s", text, n, r.log.String())
		}
	}
}

// hintPage is a page of its path, which links to others.
func hintPage(w http.ResponseWriter, r *http.Request, links ...string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, hintHTML("", r.URL.RequestURI(), links...))
}

func hintHTML(head, text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html><head><title>page %s</title>%s</head><body><main><p>This is the page %s.</p>", text, head, text)
	for _, l := range links {
		fmt.Fprintf(&b, `<a href="%s">link</a>`, l)
	}
	b.WriteString("</main></body></html>")
	return b.String()
}

// hintSession makes the client keep cookies, as a browser does.
func (r *hintRig) hintSession() {
	jar, err := cookiejar.New(nil)
	if err != nil {
		r.Fatal(err)
	}
	r.client.Jar = jar
}
