package files

import (
	"context"
	"encoding/xml"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/internal/testkit/base"
)

// shelf is a book over a store, with the files that show it. Scans of the store fail or take long on demand.
type shelf struct {
	testing.TB
	st     *base.Store
	layout shards.Layout
	files  *Files
	log    *strings.Builder
	stop   func() // ends Run and waits for its end

	fails atomic.Pointer[string] // what the keys of the scans that fail have in them; nil if none fails
	delay atomic.Int64           // of the scan of a shard, in nanoseconds
	scans atomic.Int64           // of shards
}

var errBroken = errors.New("it does not answer")

// fail makes scans fail whose keys have a text in them.
func (s *shelf) fail(of string) { s.fails.Store(&of) }

func (s *shelf) mend() { s.fails.Store(nil) }

func (s *shelf) beforeScan(ctx context.Context, prefix string) error {
	if of := s.fails.Load(); of != nil && strings.Contains(prefix, *of) {
		return errBroken
	}
	if !strings.Contains(prefix, "list|") {
		return nil
	}
	s.scans.Add(1)
	select {
	case <-time.After(time.Duration(s.delay.Load())):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func newShelf(t testing.TB, change ...func(*Config)) *shelf {
	s := &shelf{TB: t, st: base.NewStore(), log: new(strings.Builder)}
	s.st.OnScan(s.beforeScan)
	s.layout = shards.Layout{Keys: "s|", URL: func(l string) string { return "https://example.com" + l }, MaxURLs: 3}
	cfg := Config{
		Store: s.st, Keys: "s|", URL: s.layout.URL, Name: "sitemap", Folder: "/", Every: time.Minute,
		Logger: slog.New(slog.NewTextHandler(s.log, nil)),
	}
	for _, f := range change {
		f(&cfg)
	}
	s.files, s.stop = New(cfg), func() {}
	t.Cleanup(func() { s.stop() })
	s.again()
	return s
}

// again opens new files on the same store, as a restart does. Until run is called, they
// are made only when a test waits for them.
func (s *shelf) again() {
	s.stop()
	s.files = New(s.files.cfg)
	s.files.Follow(Policy{})
	s.stop = func() {}
}

// run starts Run, as a site does.
func (s *shelf) run() {
	s.stop()
	s.start(s.files.Run)
}

func (s *shelf) start(loop func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		loop(ctx)
	}()
	s.stop = func() {
		cancel()
		<-done
	}
}

// write runs fn on the book, perhaps several times, and stores what it has put.
func (s *shelf) write(fn func(txn.Records)) {
	s.Helper()
	base.Check(s, txn.Update(s.Context(), s.st, nil, func(t *txn.Tx) { fn(t) }))
}

func (s *shelf) list(e shards.Entry, locations ...string) {
	s.Helper()
	var parts []int
	s.write(func(tx txn.Records) {
		parts = nil
		for _, l := range locations {
			parts = append(parts, s.at(time.Now()).Add(tx, 0, l, e))
		}
	})
	s.files.Changed(parts...) // once it is stored, and not before
}

// unlist takes a location out of its shard.
func (s *shelf) unlist(location string) {
	s.Helper()
	n := 1
	s.write(func(tx txn.Records) {
		for n = 1; tx.Get(s.layout.Keys.List(n, location)) == nil && n < 9; n++ {
		}
		s.at(time.Now()).Remove(tx, n, location)
	})
	s.files.Changed(n)
}

// at returns the layout for a transaction at some time.
func (s *shelf) at(t time.Time) shards.Layout { return s.layout.At(moment.Of(t)) }

// compile returns rules that must be right.
func compile(rules ...eligibility.Rule) eligibility.Rules {
	compiled, err := eligibility.NewRules(rules)
	if err != nil {
		panic(err)
	}
	return compiled
}

// barring returns rules that exclude locations.
func barring(locations ...string) eligibility.Rules {
	var rules []eligibility.Rule
	for _, l := range locations {
		rules = append(rules, eligibility.Rule{Pattern: l + "$", Listing: eligibility.Never})
	}
	return compile(rules...)
}

func (s *shelf) render() {
	s.Helper()
	base.Check(s, s.files.Render(s.Context()))
}

func (s *shelf) get(name string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/"+name, nil)
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	if !s.files.Serve(w, r) {
		_, _ = w.WriteString("because of nothing")
	}
	return w
}

func with(key, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Add(key, value) }
}

func method(m string) func(*http.Request) { return func(r *http.Request) { r.Method = m } }

// entry is one of a sitemap or an index.
type entry struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod"`
}

func entries(t testing.TB, body []byte) []entry {
	t.Helper()
	var doc struct {
		URLs  []entry `xml:"url"`
		Parts []entry `xml:"sitemap"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	return append(doc.URLs, doc.Parts...)
}

// locs returns the addresses in a sitemap or an index.
func locs(t testing.TB, body []byte) (urls []string) {
	t.Helper()
	for _, e := range entries(t, body) {
		urls = append(urls, strings.TrimPrefix(e.Loc, "https://example.com"))
	}
	return urls
}

func (s *shelf) want(name string, want ...string) {
	s.Helper()
	w := s.get(name)
	if w.Code != http.StatusOK {
		s.Errorf("%s: status %d", name, w.Code)
		return
	}
	base.EqualLists(s, locs(s.TB, w.Body.Bytes()), want, "%s lists", name)
}

// wantUnread asks for a part that could not be read since the start.
func (s *shelf) wantUnread(name string) {
	s.Helper()
	if w := s.get(name); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" ||
		w.Header().Get("Etag") != "" {
		s.Errorf("%s: %d %v, want a 503 that says when to come again", name, w.Code, w.Header())
	}
}

// changedAt is the entry of a page that changed at a time in Unix seconds.
func changedAt(unix int64) shards.Entry {
	return shards.Entry{Date: lastmod.Date{At: moment.Seconds(unix), Seen: true}}
}

// inLanguages is what an entry has of a page in these languages, as "de=/de".
func inLanguages(all ...string) extension.Values {
	var stored strings.Builder
	for _, one := range all {
		stored.WriteString(strings.Replace(one, "=", " ", 1) + "\n")
	}
	return extension.Values{extension.Alternates: []byte(stored.String())}
}

// anArticle is what an entry has of an article, published some time ago.
func anArticle(ago time.Duration) extension.Values {
	at := time.Now().Add(-ago).UTC().Format(time.RFC3339)
	return extension.Values{extension.News: []byte(`{"Publication":"P","Language":"en","Published":"` + at +
		`","Title":"T"}`)}
}
