package observe

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/index/reader"
	"github.com/servemap/servemap/internal/observe/capture"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/bench"
	"github.com/servemap/servemap/store/memstore"
)

// rig is an observer with an indexer and files over an empty store.
type rig struct {
	*Observer
	t       testing.TB
	log     *base.Log
	buffers *response.Buffers
}

// start runs a rig for https://example.com until the test ends. change adjusts
// the observer.
func start(t testing.TB, change ...func(*Config)) *rig {
	t.Helper()
	base.FixRandom(t)
	r := &rig{t: t, log: new(base.Log), buffers: response.NewBuffers(observation.MaxPage, 8<<20, nil)}
	logger := r.log.Logger()
	b, err := bench.New("https://example.com", new(memstore.Store), bench.Options{RenderEvery: time.Hour, Logger: logger})
	base.Check(t, err)
	t.Cleanup(b.Close)
	cfg := Config{
		Addresses: Addresses{Normalizer: b.Locations}, Schedule: b.Schedule,
		Captures: capture.NewRecorder(r.buffers), Indexer: b.Indexer, Files: b.Files,
		Clients: Clients{Hints: messages.NewHints(logger)}, WatchRobots: true,
	}
	for _, f := range change {
		f(&cfg)
	}
	r.Observer = New(cfg)
	return r
}

func (r *rig) check(err error) {
	r.t.Helper()
	base.Check(r.t, err)
}

// observe returns the middleware around next.
func (r *rig) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.Serve(next, w, req) })
}

// watches serves req with next and reports whether next got another writer.
func (r *rig) watches(req *http.Request, next http.HandlerFunc) bool {
	r.t.Helper()
	rec, called, same := httptest.NewRecorder(), 0, false
	r.Serve(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		called++
		same = w == http.ResponseWriter(rec)
		next(w, req)
	}), rec, req)
	if called != 1 {
		r.t.Errorf("the handler was called %d times, want once", called)
	}
	return !same
}

// page returns what the indexer knows of location, after all is read and stored.
func (r *rig) page(location string) reader.Known {
	r.t.Helper()
	r.check(r.cfg.Indexer.Flush(r.t.Context()))
	r.check(r.cfg.Files.Render(r.t.Context()))
	p, err := r.cfg.Indexer.Page(r.t.Context(), location)
	r.check(err)
	return p
}

func (r *rig) wantObservations(want uint64) {
	r.t.Helper()
	if got := r.cfg.Indexer.Stats().Observations; got != want {
		r.t.Errorf("%d observations were taken, want %d", got, want)
	}
}

// get returns a request from an address on the public internet.
func get(target string) *http.Request {
	req := httptest.NewRequest(http.MethodGet, target, nil)
	req.RemoteAddr = "8.8.8.8:1234"
	return req
}

// with sets a header of req and returns req.
func with(req *http.Request, name, value string) *http.Request {
	req.Header.Set(name, value)
	return req
}

const pageHTML = "<!doctype html><html><head><title>t</title></head><body><main><p>A page.</p></main></body></html>"

// page200 is a handler that serves HTML.
func page200(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	io.WriteString(w, pageHTML)
}

// wantVerdict checks the verdict and its reason, after all is read and stored.
func (r *rig) wantVerdict(location string, verdict eligibility.Verdict, reason eligibility.Reason) {
	r.t.Helper()
	if p := r.page(location); p.Verdict != verdict || p.Reason != reason {
		r.t.Errorf("%s is %v because of %v, want %v because of %v", location, p.Verdict, p.Reason, verdict, reason)
	}
	if got := r.cfg.Files.Lists(location); got != (verdict == eligibility.Listed) {
		r.t.Errorf("%s is in the files: %v", location, got)
	}
}

// wantNothingLent checks that all memory for bodies was given back.
func (r *rig) wantNothingLent() {
	r.t.Helper()
	if n := r.buffers.InUse(); n != 0 {
		r.t.Errorf("%d bytes are still lent", n)
	}
}

// cut serves a page that declares a greater length than it has.
func cut(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Length", "1000")
	page200(w, req)
}

func answer(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// fetch serves req with h, and returns the status of the answer.
func fetch(h http.Handler, req *http.Request) int {
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	return rec.Code
}
