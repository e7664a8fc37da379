package part

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/rate"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// shelf is a book over a store, with the files that show it.
type shelf struct {
	*testing.T
	st    *faulty
	book  Book
	files *Files
	log   *strings.Builder
}

// faulty is a store whose scans fail or end early on demand.
type faulty struct {
	store.Store
	err   atomic.Pointer[error]
	short atomic.Bool
}

func (s *faulty) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		if err := s.err.Load(); err != nil {
			yield(store.Record{}, *err)
			return
		}
		n := 0
		for r, err := range s.Store.Scan(ctx, prefix, after) {
			if s.short.Load() && strings.Contains(prefix, "list|") && n > 0 {
				return
			}
			n++
			if !yield(r, err) {
				return
			}
		}
	}
}

func newShelf(t *testing.T, change ...func(*Config)) *shelf {
	s := &shelf{T: t, st: &faulty{Store: new(memstore.Store)}, log: new(strings.Builder)}
	s.book = Book{Keys: "s|", URL: func(l string) string { return "https://example.com" + l }, MaxURLs: 3}
	cfg := Config{
		Store: s.st, Keys: "s|", URL: s.book.URL, Name: "sitemap", Folder: "/", Every: time.Minute,
		Explain: func() string { return "because of nothing" },
		Logger:  slog.New(slog.NewTextHandler(s.log, nil)),
	}
	for _, f := range change {
		f(&cfg)
	}
	s.files = New(cfg)
	s.files.ChangedAll()
	return s
}

// write runs fn on the book in one transaction over all of the store's keys.
func (s *shelf) write(fn func(Tx)) {
	s.Helper()
	tx := mapTx{}
	for r, err := range s.st.Store.Scan(s.Context(), "", "") {
		if err != nil {
			s.Fatal(err)
		}
		tx[r.Key] = bytes.Clone(r.Value)
	}
	before := make([]string, 0, len(tx))
	for key := range tx {
		before = append(before, key)
	}
	fn(tx)
	keys := before
	for key := range tx {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	err := s.st.Update(s.Context(), keys, func(values [][]byte) error {
		for i, key := range keys {
			values[i] = tx[key]
		}
		return nil
	})
	if err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) list(e Entry, locations ...string) {
	s.Helper()
	var parts []int
	s.write(func(tx Tx) {
		for _, l := range locations {
			parts = append(parts, s.book.Add(tx, 0, l, e))
		}
	})
	s.files.Changed(parts...) // once it is stored, and not before
}

func (s *shelf) render() {
	s.Helper()
	if err := s.files.Render(s.Context()); err != nil {
		s.Fatal(err)
	}
}

func (s *shelf) get(name string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/"+name, nil)
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	s.files.ServeHTTP(w, r)
	return w
}

func with(key, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Add(key, value) }
}

func method(m string) func(*http.Request) { return func(r *http.Request) { r.Method = m } }

// locs returns the addresses in a sitemap or an index.
func locs(t *testing.T, body []byte) (urls []string) {
	t.Helper()
	var doc struct {
		URLs []struct {
			Loc string `xml:"loc"`
		} `xml:"url"`
		Parts []struct {
			Loc string `xml:"loc"`
		} `xml:"sitemap"`
	}
	if err := xml.Unmarshal(body, &doc); err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	for _, u := range append(doc.URLs, doc.Parts...) {
		urls = append(urls, strings.TrimPrefix(u.Loc, "https://example.com"))
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
	if got := locs(s.T, w.Body.Bytes()); !slices.Equal(got, want) {
		s.Errorf("%s lists %q, want %q", name, got, want)
	}
}

func TestOneFileThenAnIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/b", "/a", "/c&d'")
		s.render()
		s.want("sitemap.xml", "/a", "/b", "/c&d'")
		s.want("sitemap-1.xml", "/a", "/b", "/c&d'")
		s.list(Entry{}, "/e")
		s.render()
		s.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml")
		s.want("sitemap-1.xml", "/a", "/b", "/c&d'")
		s.want("sitemap-2.xml", "/e")
		for _, name := range []string{"sitemap-3.xml", "sitemap-0.xml", "sitemap-01.xml", "sitemap-.xml", "sitemap", "sitemap.txt", "other.xml", "sitemap-1.xml.gz.gz", "sitemaps-explained.xml"} {
			if w := s.get(name); w.Code != http.StatusNotFound {
				t.Errorf("%s: status %d, want 404", name, w.Code)
			}
		}
	})
}

func TestAChangeMakesOneFileNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/1", "/2", "/3", "/4", "/5")
		s.render()
		time.Sleep(time.Hour)
		before := s.files.current()
		s.write(func(tx Tx) {
			if s.book.Set(tx, 2, "/4", Entry{Changed: time.Now().Unix()}) {
				s.files.Changed(2)
			}
		})
		s.render()
		after := s.files.current()
		if after.parts[1] != before.parts[1] {
			t.Error("part 1 was made anew, although only part 2 changed")
		}
		if after.parts[2] == before.parts[2] {
			t.Error("part 2 is the old one")
		}
		if !strings.Contains(s.get("sitemap.xml").Body.String(), after.parts[2].modified.UTC().Format("2006-01-02T15:04:05Z")) {
			t.Error("the index does not say when part 2 became new")
		}
		s.files.ChangedAll()
		time.Sleep(time.Hour)
		s.render()
		if got := s.files.current().parts[2].modified; !got.Equal(after.parts[2].modified) {
			t.Errorf("the same bytes are of %v, want %v: nothing changed since", got, after.parts[2].modified)
		}
	})
}

func TestARestartServesTheSameFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{Changed: time.Now().Unix(), Freq: rate.Daily}, "/1", "/2", "/3", "/4")
		s.render()
		time.Sleep(24 * time.Hour)
		again := New(s.files.cfg)
		again.ChangedAll()
		if err := again.Render(t.Context()); err != nil {
			t.Fatal(err)
		}
		first := s.files
		for _, name := range []string{"sitemap.xml", "sitemap-1.xml", "sitemap-2.xml"} {
			s.files = first
			a := s.get(name)
			s.files = again
			b := s.get(name)
			if a.Body.String() != b.Body.String() || fmt.Sprint(a.Header()) != fmt.Sprint(b.Header()) {
				t.Errorf("%s: before\n%v\n%v\nafter\n%v\n%v", name, a.Header(), a.Body, b.Header(), b.Body)
			}
		}
	})
}

func TestServing(t *testing.T) {
	s := newShelf(t)
	s.list(Entry{Changed: 1700000000, Freq: rate.Weekly}, "/a")
	s.render()
	plain := s.get("sitemap.xml")
	const want = sitemap.URLSetOpen + "<url><loc>https://example.com/a</loc><lastmod>2023-11-14T22:13:20Z</lastmod><changefreq>weekly</changefreq></url>\n" + sitemap.URLSetClose
	if plain.Body.String() != want {
		t.Fatalf("served\n%s, want\n%s", plain.Body, want)
	}
	tag, modified := plain.Header().Get("Etag"), plain.Header().Get("Last-Modified")
	zipped := s.get("sitemap.xml", with("Accept-Encoding", "gzip"))
	ziptag := zipped.Header().Get("Etag")
	if tag == ziptag || tag == "" || strings.HasPrefix(tag, "W/") {
		t.Errorf("entity tags %q and %q must be strong, and differ", tag, ziptag)
	}

	tests := []struct {
		name    string
		file    string
		request []func(*http.Request)
		status  int
		header  http.Header // those that must be so; "" for absent
		body    string      // "gzip" for the packed file, "plain", "" for none
	}{
		{"plain", "sitemap.xml", nil, 200, http.Header{
			"Content-Type": {"application/xml; charset=utf-8"}, "Vary": {"Accept-Encoding"}, "X-Robots-Tag": {"noindex"},
			"Content-Encoding": {""}, "Content-Length": {fmt.Sprint(len(want))}}, "plain"},
		{"gzip", "sitemap.xml", []func(*http.Request){with("Accept-Encoding", "br, gzip;q=0.5")}, 200, http.Header{
			"Content-Type": {"application/xml; charset=utf-8"}, "Vary": {"Accept-Encoding"}, "Content-Encoding": {"gzip"}, "Etag": {ziptag}}, "gzip"},
		{"gzip in a second line", "sitemap.xml", []func(*http.Request){with("Accept-Encoding", "br"), with("Accept-Encoding", "GZIP")}, 200, http.Header{"Content-Encoding": {"gzip"}}, "gzip"},
		{"any", "sitemap.xml", []func(*http.Request){with("Accept-Encoding", "*")}, 200, http.Header{"Content-Encoding": {"gzip"}}, "gzip"},
		{"any but gzip", "sitemap.xml", []func(*http.Request){with("Accept-Encoding", "*, gzip;q=0")}, 200, http.Header{"Content-Encoding": {""}}, "plain"},
		{"refused with decimals", "sitemap.xml", []func(*http.Request){with("Accept-Encoding", "gzip; q=0.000")}, 200, http.Header{"Content-Encoding": {""}}, "plain"},
		{"packed", "sitemap.xml.gz", nil, 200, http.Header{
			"Content-Type": {"application/gzip"}, "Content-Encoding": {""}, "Vary": {""}, "X-Robots-Tag": {"noindex"}}, "gzip"},
		{"packed, and gzip accepted", "sitemap.xml.gz", []func(*http.Request){with("Accept-Encoding", "gzip")}, 200, http.Header{"Content-Encoding": {""}}, "gzip"},
		{"HEAD", "sitemap.xml", []func(*http.Request){method("HEAD")}, 200, http.Header{"Content-Length": {fmt.Sprint(len(want))}, "Etag": {tag}}, ""},
		{"HEAD gzip", "sitemap.xml", []func(*http.Request){method("HEAD"), with("Accept-Encoding", "gzip")}, 200, http.Header{"Content-Encoding": {"gzip"}}, ""},
		{"same tag", "sitemap.xml", []func(*http.Request){with("If-None-Match", tag)}, 304, http.Header{"Etag": {tag}, "Vary": {"Accept-Encoding"}, "Content-Length": {""}}, ""},
		{"same tag, weak, among others", "sitemap.xml", []func(*http.Request){with("If-None-Match", `"x", W/`+tag)}, 304, nil, ""},
		{"same tag, HEAD", "sitemap.xml", []func(*http.Request){method("HEAD"), with("If-None-Match", tag)}, 304, nil, ""},
		{"any tag", "sitemap.xml", []func(*http.Request){with("If-None-Match", "*")}, 304, nil, ""},
		{"tag of the other coding", "sitemap.xml", []func(*http.Request){with("If-None-Match", ziptag)}, 200, nil, "plain"},
		{"old tag, same date", "sitemap.xml", []func(*http.Request){with("If-None-Match", `"old"`), with("If-Modified-Since", modified)}, 200, nil, "plain"},
		{"same date", "sitemap.xml", []func(*http.Request){with("If-Modified-Since", modified)}, 304, nil, ""},
		{"older date", "sitemap.xml", []func(*http.Request){with("If-Modified-Since", "Mon, 02 Jan 2006 15:04:05 GMT")}, 200, nil, "plain"},
		{"senseless date", "sitemap.xml", []func(*http.Request){with("If-Modified-Since", "yesterday")}, 200, nil, "plain"},
		{"POST", "sitemap.xml", []func(*http.Request){method("POST")}, 405, http.Header{"Allow": {"GET, HEAD"}, "X-Robots-Tag": {"noindex"}}, "text"},
		{"DELETE of a part", "sitemap-1.xml", []func(*http.Request){method("DELETE")}, 405, http.Header{"Allow": {"GET, HEAD"}}, "text"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := s.get(tt.file, tt.request...)
			if w.Code != tt.status {
				t.Errorf("status %d, want %d", w.Code, tt.status)
			}
			for key, values := range tt.header {
				if got := w.Header().Get(key); got != values[0] {
					t.Errorf("%s: %q, want %q", key, got, values[0])
				}
			}
			checkBody(t, tt.body, w.Body.Bytes(), want)
		})
	}
}

func checkBody(t *testing.T, kind string, body []byte, want string) {
	t.Helper()
	switch kind {
	case "":
		if len(body) != 0 {
			t.Errorf("a body of %d bytes, want none", len(body))
		}
	case "plain":
		if string(body) != want {
			t.Errorf("body\n%s, want\n%s", body, want)
		}
	case "gzip":
		zr, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if unpacked, err := io.ReadAll(zr); err != nil || string(unpacked) != want {
			t.Errorf("body unpacks to\n%s, %v; want\n%s", unpacked, err, want)
		}
	}
}

func TestNothingListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.render()
		for _, name := range []string{"sitemap.xml", "sitemap.xml.gz", "sitemap-1.xml"} {
			w := s.get(name)
			if w.Code != 503 || w.Header().Get("Retry-After") == "" || w.Header().Get("Cache-Control") != "no-store" || w.Body.String() != "because of nothing" {
				t.Errorf("%s: %d %v %q, want a 503 that says why and when to come again", name, w.Code, w.Header(), w.Body)
			}
		}
		s.list(Entry{}, "/a")
		s.render()
		s.want("sitemap.xml", "/a")
		s.write(func(tx Tx) { s.book.Remove(tx, 1, "/a"); s.files.Changed(1) })
		s.render()
		if w := s.get("sitemap.xml"); w.Code != 503 {
			t.Errorf("status %d after the last page left, want 503 and no empty file", w.Code)
		}
	})
}

func TestTheFirstRequestWaitsForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a")
		go func() {
			time.Sleep(time.Second)
			s.render()
		}()
		s.want("sitemap.xml", "/a")
	})
}

func TestTroubleOfTheStoreLeavesTheLastFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a", "/b")
		s.render()
		s.write(func(tx Tx) { s.files.Changed(s.book.Add(tx, 0, "/c", Entry{})) })
		broken := errors.New("it does not answer")
		for _, tt := range []struct {
			name  string
			err   error
			short bool
		}{{"error", broken, false}, {"a scan that ends early", nil, true}} {
			s.st.err.Store(nil)
			if tt.err != nil {
				s.st.err.Store(&tt.err)
			}
			s.st.short.Store(tt.short)
			if err := s.files.Render(t.Context()); err == nil {
				t.Errorf("%s: Render returned nil", tt.name)
			}
			s.want("sitemap.xml", "/a", "/b")
		}
		s.st.short.Store(false)
		s.render()
		s.want("sitemap.xml", "/a", "/b", "/c")
		if got := strings.Count(s.log.String(), "level=WARN"); got != 2 {
			t.Errorf("%d warnings, want one for each cause:\n%s", got, s.log)
		}
	})
}

func TestWithdrawnAtOnceWhateverTheStoreDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a", "/b&c", "/d", "/e")
		s.render()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.files.Run(ctx)
		go s.files.RunWithdrawals(ctx)
		synctest.Wait()
		broken := errors.New("it does not answer")
		s.st.err.Store(&broken)

		s.files.Withdraw("/b&c")
		s.files.Withdraw("/e")
		s.files.Withdraw("/unknown")
		synctest.Wait()
		s.want("sitemap.xml", "/a", "/d") // part 2 lists nothing more, so one file is enough
		if s.files.Lists("/b&c") || !s.files.Lists("/a") {
			t.Error("Lists does not go by the files being served")
		}

		// The store is back, and has not been told yet.
		s.st.err.Store(nil)
		s.files.ChangedAll()
		time.Sleep(2 * time.Minute)
		s.want("sitemap.xml", "/a", "/d")

		// It has been told, and the page has come back since.
		s.files.Settle("/b&c", 1)
		time.Sleep(2 * time.Minute)
		s.want("sitemap.xml", "/a", "/b&c", "/d")
	})
}

func TestRenderingIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.files.Run(ctx)
		synctest.Wait()
		time.Sleep(time.Hour)
		s.list(Entry{}, "/a")
		synctest.Wait()
		s.want("sitemap.xml", "/a") // the first change after a quiet time
		s.list(Entry{}, "/b")
		time.Sleep(59 * time.Second)
		s.want("sitemap.xml", "/a")
		time.Sleep(2 * time.Second)
		s.want("sitemap.xml", "/a", "/b")
	})
}

func TestRulesHideWhatIsStored(t *testing.T) {
	s := newShelf(t, func(c *Config) { c.Allowed = func(l string) bool { return l != "/hidden" } })
	s.list(Entry{}, "/a", "/hidden")
	s.render()
	s.want("sitemap.xml", "/a")
}

// wantEntries compares the entries of a file, without what is around them.
func (s *shelf) wantEntries(name, want string) {
	s.Helper()
	got := s.get(name).Body.String()
	if entries := strings.TrimSuffix(strings.TrimPrefix(got, sitemap.URLSetOpen), sitemap.URLSetClose); entries != want {
		s.Errorf("%s has\n%s, want\n%s", name, entries, want)
	}
}

func TestRulesReplaceWhatIsStored(t *testing.T) {
	s := newShelf(t, func(c *Config) {
		c.Override = func(l string) (string, uint8) {
			switch l {
			case "/both":
				return "hourly", 10
			case "/priority":
				return "", 3
			}
			return "", 0
		}
	})
	s.list(Entry{Freq: rate.Weekly}, "/both", "/none", "/priority")
	s.render()
	s.wantEntries("sitemap.xml", `<url><loc>https://example.com/both</loc><changefreq>hourly</changefreq><priority>1.0</priority></url>
<url><loc>https://example.com/none</loc><changefreq>weekly</changefreq></url>
<url><loc>https://example.com/priority</loc><changefreq>weekly</changefreq><priority>0.3</priority></url>
`)
}

func TestAPartThatHasNoRoomForPrioritiesGoesWithoutThem(t *testing.T) {
	const entry = "<url><loc>https://example.com/a</loc><changefreq>daily</changefreq>"
	const priority, end = "<priority>0.5</priority>", "</url>\n"
	fits := len(sitemap.URLSetOpen + entry + priority + end + sitemap.URLSetClose)
	for _, tt := range []struct {
		name string
		max  int
		want string
	}{
		{"room", fits, entry + priority + end},
		{"a byte too few", fits - 1, entry + end},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newShelf(t, func(c *Config) {
				c.MaxBytes = tt.max
				c.Override = func(string) (string, uint8) { return "daily", 5 }
			})
			s.list(Entry{}, "/a")
			s.render()
			s.wantEntries("sitemap.xml", tt.want)
			if got := s.files.Damaged(); got != 0 {
				t.Errorf("%d entries are called damaged", got)
			}
		})
	}
}

func TestAPageLeavesWhenItsTimeIsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		at := func(d time.Duration) Entry { return Entry{Until: time.Now().Add(d).Unix()} }
		s.list(Entry{}, "/a")
		s.list(at(-time.Second), "/before")
		s.list(at(90*time.Minute), "/last")
		s.list(at(48*time.Hour), "/other") // the first of part 2
		s.list(Entry{Until: math.MaxInt64}, "/z")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.files.Run(ctx)
		go s.files.RunWithdrawals(ctx)
		synctest.Wait()
		s.want("sitemap-1.xml", "/a", "/last")
		s.want("sitemap-2.xml", "/other", "/z")
		if s.files.Lists("/before") || s.files.Listed() != 4 {
			t.Errorf("of 4 pages %d are listed", s.files.Listed())
		}

		time.Sleep(90*time.Minute - time.Second)
		s.want("sitemap-1.xml", "/a", "/last")
		old := s.get("sitemap.xml").Body.String()
		time.Sleep(time.Second)
		synctest.Wait()
		s.want("sitemap-1.xml", "/a")
		s.want("sitemap-2.xml", "/other", "/z")
		if s.files.Lists("/last") || s.files.Listed() != 3 {
			t.Errorf("of 3 pages %d are listed", s.files.Listed())
		}
		if s.get("sitemap.xml").Body.String() == old {
			t.Error("the index does not say that part 1 became new")
		}

		// Another page leaves part 2 first, which is then made by the cut.
		s.files.Withdraw("/z")
		time.Sleep(48*time.Hour - 90*time.Minute)
		synctest.Wait()
		s.want("sitemap.xml", "/a") // part 2 lists nothing more
		if w := s.get("sitemap-2.xml"); w.Code != http.StatusNotFound {
			t.Errorf("status %d for a part that lists nothing", w.Code)
		}
	})
}

func TestAPageWhoseTimeIsUpLeavesOnceTheStoreAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a")
		s.list(Entry{Until: time.Now().Add(time.Hour).Unix()}, "/b")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.files.Run(ctx)
		synctest.Wait()
		broken := errors.New("it does not answer")
		s.st.err.Store(&broken)
		time.Sleep(2 * time.Hour)
		s.want("sitemap.xml", "/a", "/b")
		s.st.err.Store(nil)
		time.Sleep(2 * time.Minute)
		s.want("sitemap.xml", "/a")
	})
}

func TestRenderLeavesOutWhatIsUpSinceTheLastTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{Until: time.Now().Add(time.Hour).Unix()}, "/a")
		s.render()
		s.want("sitemap.xml", "/a")
		time.Sleep(time.Hour)
		s.render() // nothing was said to have changed
		if w := s.get("sitemap.xml"); w.Code != http.StatusServiceUnavailable || s.files.Listed() != 0 {
			t.Errorf("status %d and %d pages, want 503 and none", w.Code, s.files.Listed())
		}
	})
}

func TestReportOnly(t *testing.T) {
	s := newShelf(t, func(c *Config) { c.ReportOnly = true })
	s.list(Entry{}, "/1", "/2", "/3", "/4")
	s.render()
	for _, name := range []string{"sitemap.xml", "sitemap.xml.gz", "sitemap-1.xml"} {
		w := s.get(name)
		if w.Code != 503 || w.Header().Get("Retry-After") == "" || w.Body.String() != "because of nothing" {
			t.Errorf("%s: %d %v %q, want a 503 that says why", name, w.Code, w.Header(), w.Body)
		}
	}
	if w := s.get("other.xml"); w.Code != http.StatusNotFound {
		t.Errorf("status %d for another file, want 404", w.Code)
	}
	if !s.files.Lists("/4") || s.files.Lists("/5") || s.files.Listed() != 4 {
		t.Errorf("%d pages are listed, want 4 as if they were served", s.files.Listed())
	}
}

func TestALostEntryDoesNotHoldUpTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/1", "/2", "/3", "/4")
		s.render()
		s.write(func(tx Tx) { tx.Put(s.book.Keys.list(1, "/2"), nil) })
		s.files.Changed(1)
		s.list(Entry{}, "/5")
		if err := s.files.Render(t.Context()); err == nil {
			t.Error("Render returned nil although entries are missing")
		}
		s.want("sitemap-1.xml", "/1", "/2", "/3") // perhaps the scan ended early
		s.want("sitemap-2.xml", "/4", "/5")
		s.render()
		s.want("sitemap-1.xml", "/1", "/3") // no: it is lost
	})
}

func TestAWithdrawalDoesNotWaitForARendering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a", "/b")
		s.render()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.files.RunWithdrawals(ctx)
		s.files.rendering.Lock() // a rendering that hangs in the store
		s.files.Withdraw("/b")
		synctest.Wait()
		s.want("sitemap.xml", "/a")
		s.files.rendering.Unlock()

		// A rendering that began before does not bring it back.
		s.files.ChangedAll()
		s.render()
		synctest.Wait()
		s.want("sitemap.xml", "/a")
	})
}
