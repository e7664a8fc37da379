package leak_test

import (
	"crypto/tls"
	"fmt"
	"io"
	stdlog "log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gorilla/mux"
	"golang.org/x/sync/errgroup"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store/badgerstore"
)

// rounds is how often each private page is shown. Each time a client from another network asks,
// after a restart of the site, which forgets its recent observations.
const rounds = 10

// roundsShort is enough for what happens at any visit.
const roundsShort = 4

// world is a running site: a router behind a server with TLS, and a Badger store on disk.
type world struct {
	*testkit.Site
	setup
	dir    string
	store  *badgerstore.Store
	srv    *httptest.Server
	client *http.Client

	running sync.WaitGroup // requests
	round   atomic.Int64
	missed  uint64 // observations that were dropped and repeated
	before  []byte // what was served and counted before the last start
}

// setup says how to make a world.
type setup struct {
	router    string                                  // "ServeMux" or "mux"
	proto     string                                  // "HTTP/1.1" or "HTTP/2.0"
	templates []string                                // of the routes, as net/http spells them
	pages     testkit.Paths                           // by decoded path; all others get a page of their path
	outer     func(*world, http.Handler) http.Handler // wraps the site, nil for nothing
	rounds    int                                     // how often everything is visited, 0 for rounds
}

// visitorHeader names the visitor's address. Only these tests send it.
const visitorHeader = "X-Client-Ip"

// open starts a world that ends with the test.
func open(t testing.TB, s setup) *world {
	t.Helper()
	if s.rounds == 0 {
		s.rounds = rounds
	}
	w := &world{setup: s, dir: t.TempDir()}
	log := new(testkit.Log)
	opts := servemap.Options{ClientIP: func(r *http.Request) netip.Addr {
		addr, _ := netip.ParseAddr(r.Header.Get(visitorHeader))
		return addr
	}}
	var err error
	if w.store, err = badgerstore.Open(w.dir, &badgerstore.Options{Reserve: 1, Logger: log.Logger()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.store.Close(); err != nil {
			t.Errorf("closing the store: %v", err)
		}
	})
	w.Site = testkit.Start(t, testkit.Setup{Store: w.store, Log: log, Options: opts, Mount: w.mount})
	w.srv = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.running.Add(1)
		defer w.running.Done()
		w.ServeHTTP(rw, r)
	}))
	w.srv.Config.ErrorLog = stdlog.New(io.Discard, "", 0) // the server's log, for handlers that panic
	w.srv.EnableHTTP2 = s.proto == "HTTP/2.0"
	w.srv.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	w.srv.StartTLS()
	t.Cleanup(w.srv.Close)
	w.client = w.newClient()
	return w
}

func (w *world) newClient() *http.Client {
	transport := w.srv.Client().Transport.(*http.Transport).Clone()
	transport.DisableCompression = true
	transport.MaxIdleConnsPerHost = 16
	w.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// restart closes the site and starts another one on the same store, like a new deployment.
func (w *world) restart() {
	w.Helper()
	w.running.Wait()
	w.before = fmt.Appendf(w.before, "%+v\n", w.Stats())
	if dropped := w.Stats().Dropped; dropped != w.missed {
		w.Errorf("%d observations were dropped and %d made up for, so the test has not shown what it says", dropped, w.missed)
	}
	w.missed = 0
	w.Restart()
}

// anything is the template of the route for requests that no other route matches.
const anything = "/{rest...}"

// mount puts the site into a new router.
func (w *world) mount(site *servemap.Site) http.Handler {
	page := http.Handler(http.HandlerFunc(w.page))
	var h http.Handler
	if w.router == "mux" {
		r := mux.NewRouter()
		for _, t := range append(w.templates, anything) {
			r.Handle(muxTemplate(t), page)
		}
		site.Mount(r)
		h = r
	} else {
		m := http.NewServeMux()
		for _, t := range append(w.templates, anything) {
			m.Handle(t, page)
		}
		h = site.Wrap(m)
	}
	if w.outer != nil {
		h = w.outer(w, h)
	}
	return h
}

// muxTemplate rewrites a pattern of net/http for gorilla/mux.
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
	testkit.Page(r.URL.Path)(rw, r)
}

// visitor returns the address of the n-th visitor. No two are in one network. Every second address
// is IPv6.
func visitor(n int) netip.Addr {
	if n%2 == 1 {
		return netip.AddrFrom16([16]byte{0x2a, 0x0b, 0x7d, 0x91, byte(n), 0xc3, 9: 0x5e, 15: byte(n)})
	}
	return netip.AddrFrom4([4]byte{185, 211, byte(40 + n), 119})
}

// request returns the n-th visitor's request for a target, spelled as given, with more headers.
func (w *world) request(n int, method, target string, headers http.Header) *http.Request {
	w.Helper()
	req, err := http.NewRequest(method, w.srv.URL+target, nil)
	base.Check(w, err)
	req.Header.Set(visitorHeader, visitor(n).String())
	for name, values := range headers {
		req.Header[name] = values // spelled as given
	}
	return req
}

// do sends a request and reads the whole response. It ignores errors, since some pages fail on
// purpose.
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

// visit gets pages as the n-th visitor, who is anonymous.
func (w *world) visit(n int, targets ...string) {
	w.Helper()
	for _, target := range targets {
		w.do(w.client, w.request(n, http.MethodGet, target, nil))
	}
}

// eightAtATime calls fn for each number below n, eight at a time.
func eightAtATime(n int, fn func(i int)) {
	var group errgroup.Group
	group.SetLimit(8)
	for i := range n {
		group.Go(func() error { fn(i); return nil })
	}
	_ = group.Wait()
}

// untilLearned repeats visits until the site has learned all that they show. A slow machine may
// drop some of it, which counts in Stats.Dropped. The next visit to such a page shows it again.
func (w *world) untilLearned(visits func()) {
	w.Helper()
	for range 10 {
		visits()
		w.settle()
		if dropped := w.Stats().Dropped; dropped > w.missed {
			w.missed = dropped
			continue
		}
		return
	}
	w.Error("observations were dropped ten times running")
}

// settle returns when every visit is learned and rendered.
func (w *world) settle() {
	w.Helper()
	w.running.Wait() // a client may have its page before the handler returns
	w.Settle()
}
