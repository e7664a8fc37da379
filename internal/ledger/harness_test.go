package ledger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/files"
	"github.com/servemap/servemap/internal/hint"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/look"
	"github.com/servemap/servemap/internal/merge"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/tap"
	"github.com/servemap/servemap/internal/texts"
	"github.com/servemap/servemap/internal/txn"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
	"github.com/servemap/servemap/store/storetest"
)

// rig is a ledger and its files over a store, in virtual time.
type rig struct {
	*testing.T
	st     store.Store
	cfg    Config
	ledger *Ledger
	files  *files.Files
	looked map[string]int
	log    *strings.Builder
	hints  *hint.Hints
	stop   func()
}

// inBubble runs fn in a bubble of virtual time, with a ledger over an empty
// store that checks each call and runs each update twice.
func inBubble(t *testing.T, cfg Config, fn func(*rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{T: t, cfg: cfg, looked: map[string]int{}, log: new(strings.Builder)}
		if r.st = cfg.Store; r.st == nil {
			r.st = storetest.Strict(t, new(memstore.Store))
		}
		r.start()
		defer func() { r.stop() }()
		fn(r)
	})
}

func (r *rig) start() {
	r.Helper()
	origin, err := location.ParseOrigin("https://example.com")
	if err != nil {
		r.Fatal(err)
	}
	norm, err := location.New(origin, location.Config{More: r.cfg.Rules.Query})
	if err != nil {
		r.Fatal(err)
	}
	keys, err := keys.New(origin.String())
	if err != nil {
		r.Fatal(err)
	}
	cfg := r.cfg
	cfg.Logger = slog.New(slog.NewTextHandler(r.log, nil))
	st := txn.Guard(r.st, keys.Site(), cfg.Logger)
	cfg.Store, cfg.Normalizer = st, norm
	if cfg.Networks == 0 {
		cfg.Networks = 3
	}
	if cfg.Confidence == 0 {
		cfg.Confidence = 0.5
	}
	if cfg.KeepFor == 0 {
		cfg.KeepFor = 90 * 24 * time.Hour
	}
	if cfg.Entries == nil {
		cfg.Entries = []string{"/"}
	}
	r.hints = hint.New(cfg.Logger, texts.Hint)
	cfg.Hints = r.hints
	cfg.Schedule = r
	cfg.Files = files.New(files.Config{
		Store: st, Keys: keys, URL: origin.URL, Name: "sitemap", Folder: "/", Every: time.Second,
		Extensions: cfg.Extensions, InferPriority: cfg.InferPriority,
		Logger: cfg.Logger,
	})
	r.files = cfg.Files
	if r.ledger, err = New(cfg); err != nil {
		r.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.Context())
	var workers sync.WaitGroup
	workers.Go(func() { r.ledger.Run(ctx) })
	workers.Go(func() { r.files.Run(ctx) })
	r.stop = func() { cancel(); workers.Wait() }
}

// Reset counts how often a page is marked as due.
func (r *rig) Reset(location string) { r.looked[location]++ }

// restart ends the process, as it were, and begins another on the same store.
func (r *rig) restart() {
	r.stop()
	r.start()
}

// sight is a witness of location with a body of main text and links; what
// differs is set by change.
func (r *rig) sight(location, body string, change ...func(*look.Sighting)) {
	r.Helper()
	s := seen(location, body)
	for _, f := range change {
		f(s)
	}
	if !r.ledger.Offer(s) {
		r.Fatalf("%s: the queue is full", location)
	}
	r.flush()
	time.Sleep(2 * time.Second) // the spacing of looks; also the next Unix second
}

// seen is the sighting that sight offers.
func seen(location, body string) *look.Sighting {
	return &look.Sighting{
		Kind: admit.Witness, Location: location, At: time.Now(),
		Response: &tap.Response{
			Status: http.StatusOK, Header: tap.Header{ContentType: "text/html; charset=utf-8"},
			Body: []byte(body), Complete: true,
		},
	}
}

// answer is a response other than a page.
func (r *rig) answer(location string, status int, change ...func(*look.Sighting)) {
	r.Helper()
	resp := &tap.Response{Status: status, Complete: true}
	s := &look.Sighting{Location: location, At: time.Now(), Response: resp}
	for _, f := range change {
		f(s)
	}
	s.Kind, s.Reason = admit.Response(http.MethodGet, location, resp)
	r.ledger.Offer(s)
	r.flush()
}

func (r *rig) flush() {
	r.Helper()
	if err := r.ledger.Flush(r.Context()); err != nil {
		r.Fatal(err)
	}
	if err := r.files.Render(r.Context()); err != nil {
		r.Fatal(err)
	}
}

// html is a page with a main text and links.
func html(text string, links ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><html><head><title>t</title></head><body><main><p>%s</p>", text)
	for _, l := range links {
		fmt.Fprintf(&b, `<a href="%s">x</a>`, l)
	}
	b.WriteString("</main></body></html>")
	return b.String()
}

func (r *rig) page(location string) merge.Known {
	r.Helper()
	p, err := r.ledger.Page(r.Context(), location)
	if err != nil {
		r.Fatal(err)
	}
	return p
}

// wantVerdict checks the verdict and its reason.
func (r *rig) wantVerdict(location string, verdict admit.Verdict, reason admit.Reason) {
	r.Helper()
	if p := r.page(location); p.Verdict != verdict || p.Reason != reason {
		r.Errorf("%s is %v because of %v, want %v because of %v", location, p.Verdict, p.Reason, verdict, reason)
	}
}

// wantListed checks which locations the sitemap lists.
func (r *rig) wantListed(want ...string) {
	r.Helper()
	var got []string
	for p, err := range r.ledger.Pages(r.Context()) {
		if err != nil {
			r.Fatal(err)
		}
		got = append(got, p.Location)
		if !r.files.Lists(p.Location) {
			r.Errorf("%s is listed in the store and not in the file", p.Location)
		}
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		r.Errorf("listed are %q, want %q", got, want)
	}
	if n := r.files.Listed(); n != len(want) {
		r.Errorf("the files list %d pages, want %d", n, len(want))
	}
}

// lastMod returns the published date of a listed location, 0 for none.
func (r *rig) lastMod(location string) int64 {
	return r.page(location).Entry.LastMod(r.files.Trust(), moment.Of(time.Now())).Seconds()
}

// dump returns all that the store holds.
func (r *rig) dump() map[string]string {
	r.Helper()
	all := map[string]string{}
	for rec, err := range r.st.Scan(r.Context(), "", "") {
		if err != nil {
			r.Fatal(err)
		}
		all[rec.Key] = string(rec.Value)
	}
	return all
}

// wantNoTrace checks that text is nowhere in the store or the log.
func (r *rig) wantNoTrace(text string) {
	r.Helper()
	for key, value := range r.dump() {
		if strings.Contains(key, text) || strings.Contains(value, text) {
			r.Errorf("%q is in the store, in the record %q", text, key)
		}
	}
	if strings.Contains(r.log.String(), text) {
		r.Errorf("%q is in the log:\n%s", text, r.log)
	}
}

func from(network string) func(*look.Sighting) {
	return func(s *look.Sighting) { s.Network = netip.MustParsePrefix(network) }
}

func route(template string, exact bool) func(*look.Sighting) {
	return func(s *look.Sighting) { s.Route, s.Exact = template, exact }
}

func header(set func(*tap.Header)) func(*look.Sighting) {
	return func(s *look.Sighting) { set(&s.Response.Header) }
}

func lastModified(t time.Time) func(*look.Sighting) {
	return header(func(h *tap.Header) { h.LastModified = t.UTC().Format(http.TimeFormat) })
}

// troubled is a store that fails on demand: before it does anything, or after,
// so that the answer is lost.
type troubled struct {
	store.Store
	mu     sync.Mutex
	before error
	after  error
	panics bool
}

func (s *troubled) set(before, after error, panics bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.after, s.panics = before, after, panics
}

func (s *troubled) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	s.mu.Lock()
	before, after, panics := s.before, s.after, s.panics
	s.mu.Unlock()
	if panics {
		panic("store is broken")
	}
	if before != nil {
		return before
	}
	return errors.Join(s.Store.Update(ctx, keys, fn), after)
}

// hooked is a store with something to do around the updates of a page.
type hooked struct {
	store.Store
	page   string
	before atomic.Pointer[func(rehearse func()) error] // an error refuses the update; rehearse runs it for nothing
	after  atomic.Pointer[func()]                      // it was stored
}

func (s *hooked) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	if !slices.ContainsFunc(keys, func(key string) bool { return strings.HasSuffix(key, "|page|"+s.page) }) {
		return s.Store.Update(ctx, keys, fn)
	}
	if before := s.before.Load(); before != nil {
		if err := (*before)(func() { rehearse(ctx, s.Store, keys, fn) }); err != nil {
			return err
		}
	}
	err := s.Store.Update(ctx, keys, fn)
	if after := s.after.Load(); after != nil && err == nil {
		(*after)()
	}
	return err
}

// rehearse runs fn as a store does whose transaction is in conflict with another one.
func rehearse(ctx context.Context, st store.Store, keys []string, fn func([][]byte) error) {
	_ = st.Update(ctx, keys, func(values [][]byte) error {
		_ = fn(values)
		return errors.New("in conflict")
	})
}

// witness is the response that shows a page.
func witness(body string) *tap.Response {
	return &tap.Response{Status: 200, Header: tap.Header{ContentType: "text/html"}, Body: []byte(body), Complete: true}
}

// fromSeconds returns the time of a number of Unix seconds, the zero time for 0.
func fromSeconds(sec int64) time.Time { return moment.Seconds(sec).Time() }
