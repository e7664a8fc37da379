package observe

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/indexer"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe/capture"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
)

func TestPageStaysDueUnlessItsAnswerCounts(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  *http.Request
		next http.HandlerFunc
		due  bool
	}{
		{"after a witness", get("/a"), page200, false},
		{"after another spelling", get("/%61"), page200, false},
		{"after tracking parameters", get("/a?utm_source=x"), page200, true},
		{"after 410", get("/a"), answer(http.StatusGone), false},
		{"after a redirect", get("/a"), answer(http.StatusFound), true},
		{"after 304", get("/a"), answer(http.StatusNotModified), true},
		{"after another representation", get("/a"), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{}")
		}, true},
		{"after 404", get("/a"), answer(http.StatusNotFound), true},
		{"after an incomplete page", get("/a"), cut, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t)
			r.watches(tt.req, tt.next)
			base.Equal(t, r.watches(get("/a"), page200), tt.due, "the next request was watched")
		})
	}
}

func TestAnswerToAScriptIsAPageIfItIsADocument(t *testing.T) {
	const part = "<title>t</title><main><p>A page.</p></main>"
	var gzipped bytes.Buffer
	z := gzip.NewWriter(&gzipped)
	io.WriteString(z, pageHTML)
	z.Close()
	for _, tt := range []struct {
		name, coding, body string
		status             int
		want               eligibility.Verdict
	}{
		{"a document", "", pageHTML, 200, eligibility.Listed},
		{"a document that is compressed", "gzip", gzipped.String(), 200, eligibility.Listed},
		{"a document without an html element", "", "<title>t</title>\n<BODY class=x><p>A page.</p>", 200, eligibility.Listed},
		{"a document that says noindex", "",
			`<html><head><meta name=robots content=noindex></head><body><p>A page.</p></body></html>`, 200,
			eligibility.Excluded},
		{"a part with a title", "", part, 200, eligibility.Unknown},
		{"an error", "", pageHTML, 404, eligibility.Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t)
			r.watches(with(get("/"), "Hx-Boosted", "true"), func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Header()["Content-Encoding"] = []string{tt.coding}
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			if p := r.page("/"); p.Verdict != tt.want {
				t.Errorf("it is %v because of %v, want %v", p.Verdict, p.Reason, tt.want)
			}
			r.wantNothingLent()
		})
	}
}

// An inner observer tells the outer one the route, and watches nothing itself.
func TestSiteMountedTwiceSeesARequestOnce(t *testing.T) {
	r := start(t)
	router := mux.NewRouter()
	router.HandleFunc("/about", page200)
	router.Use(r.observe)
	fetch(r.observe(router), get("/about"))
	r.wantObservations(1)
	if p := r.page("/about"); p.Observations != 1 || !p.Evidence.Route {
		t.Errorf("/about has %d observations and a route of its own: %v, want 1 and true", p.Observations, p.Evidence.Route)
	}
}

func TestRequestThatIsNotDueCostsNoMemory(t *testing.T) {
	r, req := start(t), get("/a")
	next := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	r.watches(req, page200)
	if n := testing.AllocsPerRun(100, func() { r.Serve(next, nil, req) }); n != 0 {
		t.Errorf("a request that is not due costs %v allocations, want none", n)
	}
}

func TestObservationsGiveTheirMemoryBack(t *testing.T) {
	r := start(t)
	for _, next := range []http.HandlerFunc{page200, answer(404), answer(500), cut} {
		r.cfg.Schedule.Reset("/a")
		r.watches(get("/a"), next)
	}
	r.page("/a")
	r.wantNothingLent()
}

// Handlers below the observer may change the request.
func TestHandlersMayChangeTheRequest(t *testing.T) {
	r := start(t)
	r.watches(get("/"), func(w http.ResponseWriter, req *http.Request) {
		req.RemoteAddr, req.Host, req.URL.Path = "9.9.1.1:1", "elsewhere.test", "/elsewhere"
		req.Header.Set("Authorization", "Bearer 1")
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<title>home</title><p>hello`)
	})
	if p := r.page("/"); !p.Listed() {
		t.Errorf("it is %+v", p.Standing)
	}
}

func TestAddressOfTheClientIsKnownOnlyWhereNobodyMadeItUp(t *testing.T) {
	from := func(addr string) *http.Request {
		req := get("/a")
		req.RemoteAddr = addr
		return req
	}
	owner := func(*http.Request) netip.Addr { return netip.MustParseAddr("8.8.8.9") }
	for _, tt := range []struct {
		name     string
		clientIP func(*http.Request) netip.Addr
		req      *http.Request
		want     string
	}{
		{"peer", nil, from("8.8.8.8:1"), "8.8.8.8"},
		{"socket file", nil, from("@"), "invalid IP"},
		{"proxy", nil, with(from("8.8.8.8:1"), "X-Forwarded-For", "9.9.9.9"), "invalid IP"},
		{"owner's", owner, from("10.0.0.5:1"), "8.8.8.9"},
		{"owner's behind a proxy", owner, with(from("10.0.0.5:1"), "X-Forwarded-For", "9.9.9.9"), "8.8.8.9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base.Equal(t, (&Clients{ClientIP: tt.clientIP}).Client(tt.req).String(), tt.want, "it is")
		})
	}
}

// Requests for pages alone are watched. What teaches nothing is counted.
func TestCountsTellWhyResponsesDidNotCount(t *testing.T) {
	r := start(t)
	if got := r.Counts(); len(got) != 0 {
		t.Errorf("counts = %v before any request", got)
	}
	method := func(m string) *http.Request { req := get("/a"); req.Method = m; return req }
	for _, v := range []struct {
		req     *http.Request
		next    http.HandlerFunc
		watched bool
	}{
		{get("/page"), page200, true},
		{get("/page"), page200, false}, // not due
		{get("/b?utm_source=x"), page200, false},
		{get("/b?sort=1"), page200, true}, // which only its canonical allows
		{method(http.MethodHead), page200, false},
		{method(http.MethodPost), page200, false},
		// made in this process
		{&http.Request{Method: http.MethodGet, Host: "example.com", URL: get("/a").URL, Header: http.Header{}}, page200,
			false},
		{get("/gone"), answer(http.StatusNotFound), true},
		{with(get("/a"), "Cookie", "session=1"), page200, false},
		{with(get("/b"), "Cookie", "session=1"), page200, false},
		{with(get("/a"), "Authorization", "Basic x"), page200, false},
		{with(get("/a"), "X-Forwarded-User", "jane"), page200, false},
		{with(get("/a"), "Sec-Fetch-Dest", "empty"), page200, false},
		{with(get("/a"), "Hx-Request", "true"), page200, false},
		{with(get("/a"), "Hx-Boosted", "true"), page200, true},
		{get("/error"), answer(http.StatusInternalServerError), true},
		{get("/json"), sent("Content-Disposition", "attachment"), true},
		{get("/text"), func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("text")) }, true},
		{get("/cut"), cut, true},
		{get("http://evil.example.net/a"), page200, false},
		{get("/a//b"), page200, false},
		{get("/a/../b"), page200, false},
		{get("/a;sid=c"), page200, false},
	} {
		base.Equal(t, r.watches(v.req, v.next), v.watched, "%s %s was watched", v.req.Method, v.req.RequestURI)
	}
	want := map[string]uint64{
		"cookie": 2, "authorization": 1, "identity-header": 1, "fragment": 2, "status": 1, "attachment": 1,
		"not-html": 1, "incomplete": 1, "host": 1, "segment": 2, "path-param": 1, "query": 1,
	}
	if got := r.Counts(); !maps.Equal(got, want) {
		t.Errorf("counts = %v, want %v", got, want)
	}
}

// idleIndexer returns an indexer that takes no work from its queue.
func idleIndexer(r *rig) *indexer.Indexer {
	r.t.Helper()
	x, err := indexer.New(indexer.Config{Settings: merge.Settings{Normalizer: r.cfg.Normalizer, KeepFor: time.Hour},
		Files: r.cfg.Files})
	r.check(err)
	return x
}

func TestFullQueueLeavesWhatItDropsDue(t *testing.T) {
	for _, tt := range []struct {
		name, target string
		seen, next   http.HandlerFunc
	}{
		{"a page", "/a", answer(http.StatusGone), page200},
		{"robots.txt", "/robots.txt", http.NotFound, text},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stopped := idleIndexer(start(t))
			r := start(t, func(c *Config) { c.Indexer = stopped })
			for i := 0; stopped.Stats().Dropped == 0; i++ {
				if i > 1<<20 {
					t.Fatal("the queue takes whatever comes")
				}
				r.cfg.Schedule.Reset(tt.target)
				r.watches(get(tt.target), tt.seen)
			}
			if !r.watches(get(tt.target), tt.next) {
				t.Error("what was dropped is not due")
			}
		})
	}
}

// sent serves a page with one more header line.
func sent(name, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(name, value)
		page200(w, r)
	}
}

func TestPageIsSeenWithoutMemoryForItsBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t)
		r.watches(get("/"), page200)
		r.page("/")
		r.cfg.Captures = capture.NewRecorder(response.NewBuffers(observation.MaxPage, 0, nil))

		time.Sleep(time.Minute)
		r.watches(get("/"), page200)
		r.wantObservations(1)
		base.Equal(t, r.cfg.Indexer.Stats().Dropped, 1, "observations were dropped")
		if !r.watches(get("/"), sent("Cache-Control", "private")) {
			t.Error("the page that could not be kept is not due")
		}
		r.wantVerdict("/", eligibility.Excluded, eligibility.Private) // this needs no body
	})
}
