package leak_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/badgerstore"
)

const origin = "https://example.com"

// rounds is how often each private page is shown, each time to another client
// network and after a restart of the site, which forgets what was looked at
// lately.
const rounds = 25

// roundsShort is that under the race detector, as a visitor shows it nothing that
// the ones before him did not.
const roundsShort = 8

// world is a running site: a router behind a server of its own, and a Badger
// store on disk.
type world struct {
	testing.TB
	setup
	dir    string
	log    *logged
	store  *badgerstore.Store
	site   *servemap.Site
	srv    *httptest.Server
	client *http.Client

	serving atomic.Pointer[http.Handler]
	running sync.WaitGroup // requests
	round   atomic.Int64

	missed uint64 // sightings dropped and made up for

	opened []byte // the log, and what was served, so far as it is not asked for again
}

// setup says what a world is made of.
type setup struct {
	router    string                                  // "ServeMux" or "mux"
	proto     string                                  // "HTTP/1.1" or "HTTP/2.0"
	templates []string                                // of the routes, as net/http spells them
	pages     map[string]http.HandlerFunc             // by decoded path
	outer     func(*world, http.Handler) http.Handler // what stands in front of the site, nil for nothing
	inner     func(http.Handler) http.Handler         // what stands between the site and the pages, nil for nothing
	rounds    int                                     // how often everything is visited, 0 for rounds
	opts      servemap.Options
}

// visitorHeader names the visitor's address. Only these tests send it.
const visitorHeader = "X-Visitor"

// open starts a world that ends with the test.
func open(t testing.TB, s setup) *world {
	t.Helper()
	if s.rounds == 0 {
		s.rounds = rounds
		if testing.Short() {
			s.rounds = roundsShort
		}
	}
	w := &world{TB: t, setup: s, dir: t.TempDir(), log: new(logged)}
	w.opts.Logger = slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.opts.ClientIP = func(r *http.Request) netip.Addr {
		addr, _ := netip.ParseAddr(r.Header.Get(visitorHeader))
		return addr
	}
	var err error
	if w.store, err = badgerstore.Open(w.dir, &badgerstore.Options{Reserve: 1, Logger: w.opts.Logger}); err != nil {
		t.Fatal(err)
	}
	w.restart()
	w.srv = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.running.Add(1)
		defer w.running.Done()
		(*w.serving.Load()).ServeHTTP(rw, r)
	}))
	w.srv.Config.ErrorLog = log.New(io.Discard, "", 0) // the server's, of handlers that panic
	w.srv.EnableHTTP2 = s.proto == "HTTP/2.0"
	w.srv.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	w.srv.StartTLS()
	w.client = w.newClient()
	t.Cleanup(func() { w.srv.Close(); w.shut() })
	return w
}

func (w *world) newClient() *http.Client {
	transport := w.srv.Client().Transport.(*http.Transport).Clone()
	transport.DisableCompression = true
	transport.MaxIdleConnsPerHost = 16
	w.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// shut closes the site and the store. It may be called twice.
func (w *world) shut() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := w.site.Close(ctx); err != nil {
		w.Errorf("closing the site: %v", err)
	}
	if err := w.store.Close(); err != nil {
		w.Errorf("closing the store: %v", err)
	}
}

// restart closes the site and starts another one on the same store, as a new
// deployment does.
func (w *world) restart() {
	w.Helper()
	if w.site != nil {
		w.running.Wait()
		w.opened = fmt.Appendf(w.opened, "%+v\n", w.site.Stats())
		if dropped := w.site.Stats().Dropped; dropped != w.missed {
			w.Errorf("%d sightings were dropped and %d made up for, so the test has not shown what it says", dropped, w.missed)
		}
		w.missed = 0
		if err := w.site.Close(w.Context()); err != nil {
			w.Fatal(err)
		}
	}
	opts := w.opts
	site, err := servemap.New(origin, w.store, &opts)
	if err != nil {
		w.Fatal(err)
	}
	w.site = site
	h := w.mount(site)
	if w.outer != nil {
		h = w.outer(w, h)
	}
	w.serving.Store(&h)
}

// anything is the template of the route for what no other one matches.
const anything = "/{rest...}"

// mount puts the site into a new router.
func (w *world) mount(site *servemap.Site) http.Handler {
	page := http.Handler(http.HandlerFunc(w.page))
	if w.inner != nil {
		page = w.inner(page)
	}
	if w.router == "mux" {
		r := mux.NewRouter()
		for _, t := range w.templates {
			r.Handle(muxTemplate(t), page)
		}
		r.Handle(muxTemplate(anything), page)
		site.Mount(r)
		return r
	}
	m := http.NewServeMux()
	m.Handle(anything, page)
	for _, t := range w.templates {
		m.Handle(t, page)
	}
	return site.Wrap(m)
}

// muxTemplate spells a pattern of net/http as gorilla/mux does.
func muxTemplate(t string) string {
	t = strings.TrimSuffix(t, "{$}")
	return strings.ReplaceAll(t, "...}", ":.*}")
}

// page answers for all routes.
func (w *world) page(rw http.ResponseWriter, r *http.Request) {
	if h := w.pages[r.URL.Path]; h != nil {
		h(rw, r)
		return
	}
	text(r.URL.Path)(rw, r)
}

// text is a page of a text of its own, with links.
func text(about string, links ...string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) { io.WriteString(rw, html("", about, links...)) }
}

// html is a page with a head, and a main text.
func html(head, about string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html><html lang=en><head><title>%s</title>%s</head><body><main><h1>%[1]s</h1>", about, head)
	for _, l := range links {
		fmt.Fprintf(&b, `<a href="%s">read on</a> `, l)
	}
	b.WriteString("</main></body></html>")
	return b.String()
}

// visitor returns the address of the n-th visitor. No two are in one network;
// every other one is of IPv6.
func visitor(n int) netip.Addr {
	if n%2 == 1 {
		return netip.AddrFrom16([16]byte{0x2a, 0x0b, 0x7d, 0x91, byte(n), 0xc3, 9: 0x5e, 15: byte(n)})
	}
	return netip.AddrFrom4([4]byte{185, 211, byte(40 + n), 119})
}

// request makes the request of the n-th visitor for a target, as it is spelled,
// with further headers.
func (w *world) request(n int, method, target string, headers http.Header) *http.Request {
	w.Helper()
	req, err := http.NewRequest(method, w.srv.URL+target, nil)
	if err != nil {
		w.Fatal(err)
	}
	req.Header.Set(visitorHeader, visitor(n).String())
	for name, values := range headers {
		req.Header[name] = values // spelled as it is
	}
	return req
}

// do sends a request and reads the response to its end. What goes wrong with
// it is the page's affair.
func (w *world) do(client *http.Client, req *http.Request) (status int, body []byte) {
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil
	}
	defer resp.Body.Close()
	body, _ = io.ReadAll(resp.Body)
	if w.proto != resp.Proto {
		w.Errorf("the server speaks %s, want %s", resp.Proto, w.proto)
	}
	return resp.StatusCode, body
}

// visit gets a page as the n-th visitor does who is anonymous.
func (w *world) visit(n int, targets ...string) {
	w.Helper()
	for _, target := range targets {
		w.do(w.client, w.request(n, http.MethodGet, target, nil))
	}
}

// side calls fn for each of n, eight at a time.
func side(n int, fn func(i int)) {
	var group sync.WaitGroup
	var next atomic.Int64
	for range 8 {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				fn(i)
			}
		})
	}
	group.Wait()
}

// untilTaken has visits made until none of what they show is dropped, as it is
// where the machine is slow. What was dropped is still due.
func (w *world) untilTaken(visits func()) {
	w.Helper()
	for range 10 {
		visits()
		w.settle()
		if dropped := w.site.Stats().Dropped; dropped > w.missed {
			w.missed = dropped
			continue
		}
		return
	}
	w.Error("sightings were dropped ten times running")
}

// settle returns when all that was visited is learned and rendered.
func (w *world) settle() {
	w.Helper()
	w.running.Wait() // a client may have its page before the handler has returned
	if err := w.site.Flush(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// explain asks about a location, and fails the test if that cannot be answered.
func (w *world) explain(location string) servemap.Explanation {
	w.Helper()
	e, err := w.site.Explain(w.Context(), location)
	if err != nil {
		w.Errorf("explaining %s: %v", location, err)
	}
	return e
}

// logged is a log that may be read while it is written.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) Bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.b.Bytes())
}
