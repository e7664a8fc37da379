package e2e

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
)

// hintBadLog is a log whose every record is trouble.
type hintBadLog struct{ trouble func() }

func (l hintBadLog) Enabled(context.Context, slog.Level) bool  { l.trouble(); return true }
func (l hintBadLog) Handle(context.Context, slog.Record) error { l.trouble(); return nil }
func (l hintBadLog) WithAttrs([]slog.Attr) slog.Handler        { return l }
func (l hintBadLog) WithGroup(string) slog.Handler             { return l }
func hintBlogOf(links ...string) func(*servemap.Site) http.Handler {
	return func(s *servemap.Site) http.Handler {
		return s.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hintPage(w, r, links...) }))
	}
}

// TestABadLoggerHoldsNothingUp gives hints of requests to a log that blocks, or
// panics.
func TestABadLoggerHoldsNothingUp(t *testing.T) {
	blocked := make(chan struct{})
	defer close(blocked)
	for name, trouble := range map[string]func(){
		"that blocks": func() { <-blocked },
		"that panics": func() { panic("no log") },
	} {
		t.Run(name, func(t *testing.T) {
			r := hintSite(t, "https://example.com", servemap.Options{Logger: slog.New(hintBadLog{trouble})}, hintBlogOf("/a"))
			r.client.Timeout = 10 * time.Second
			for range 100 { // the log is told that all visitors have a cookie
				if status, _ := r.visit("/", "Cookie", "session=1"); status != http.StatusOK {
					t.Fatalf("status %d", status)
				}
			}
			for _, path := range []string{"/", "/a"} {
				if status, _ := r.visit(path, "Accept-Encoding", "identity"); status != http.StatusOK {
					t.Fatalf("status %d", status)
				}
			}
			r.wantListed("/sitemap.xml", "https://example.com/", "https://example.com/a")
			if hints := r.site.Stats().Hints; len(hints) != 1 {
				t.Errorf("hints %q, want that on cookies", hints)
			}
			r.close(hintPatience)
		})
	}
}

// TestPanicsOfTheOwnersFunctionsFailNoRequest has each function panic over some
// requests.
func TestPanicsOfTheOwnersFunctionsFailNoRequest(t *testing.T) {
	over := func(r *http.Request) bool { return r.Header.Get("X-Trouble") != "" }
	for _, tt := range []struct {
		name    string
		opts    servemap.Options
		ignored string // the reason for which such a request does not count
		hint    string
	}{
		{"Anonymous", servemap.Options{Anonymous: func(r *http.Request) bool {
			if over(r) {
				panic("who is that?")
			}
			return true
		}}, "not-anonymous", "Options.Anonymous panicked"},
		{"ClientIP", servemap.Options{ClientIP: func(r *http.Request) netip.Addr {
			if over(r) {
				panic("who is that?")
			}
			return netip.MustParseAddr("8.8.8.8")
		}}, "", "Options.ClientIP panicked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := hintSite(t, "https://example.com", tt.opts, hintBlogOf("/a"))
			for range 3 {
				if status, body := r.visit("/", "X-Trouble", "1"); status != http.StatusOK || !strings.Contains(body, "This is the page /") {
					t.Fatalf("status %d, %q", status, body)
				}
			}
			if n := r.site.Stats().Ignored[tt.ignored]; tt.ignored != "" && n != 3 {
				t.Errorf("%d requests are %s, want 3", n, tt.ignored)
			}
			r.visit("/")
			r.visit("/a")
			r.wantListed("/sitemap.xml", "https://example.com/", "https://example.com/a")
			r.wantHints(tt.hint)
			if log := r.log.String(); !strings.Contains(log, "who is that?") || !strings.Contains(log, "patience_test.go") {
				t.Errorf("the log does not say what panicked, or where:\n%s", log)
			}
		})
	}
}

// hintDeafStore is a store of which reading hangs, whatever becomes of the context.
type hintDeafStore struct {
	store.Store
	hangs   atomic.Bool
	release chan struct{}
}

func (d *hintDeafStore) wait() {
	if d.hangs.Load() {
		<-d.release
	}
}

func (d *hintDeafStore) View(ctx context.Context, keys []string, fn func([][]byte) error) error {
	d.wait()
	return d.Store.View(ctx, keys, fn)
}

func (d *hintDeafStore) Scan(ctx context.Context, prefix, after string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		d.wait()
		for r, err := range d.Store.Scan(ctx, prefix, after) {
			if !yield(r, err) {
				return
			}
			d.wait()
		}
	}
}

// TestReadersReturnWhenTheirContextEnds asks a store that hangs.
func TestReadersReturnWhenTheirContextEnds(t *testing.T) {
	for name, read := range map[string]func(context.Context, *servemap.Site) error{
		"Explain": func(ctx context.Context, s *servemap.Site) error {
			_, err := s.Explain(ctx, "/")
			return err
		},
		"Pages": func(ctx context.Context, s *servemap.Site) (last error) {
			for _, err := range s.Pages(ctx) {
				last = err
			}
			return last
		},
		"Changes": func(ctx context.Context, s *servemap.Site) (last error) {
			for _, err := range s.Changes(ctx, time.Time{}) {
				last = err
			}
			return last
		},
	} {
		t.Run(name, func(t *testing.T) {
			st := &hintDeafStore{Store: new(memstore.Store), release: make(chan struct{})}
			r := hintSiteOn(t, "https://example.com", st, servemap.Options{}, hintBlogOf("/a"))
			r.visit("/")
			r.visit("/a")
			r.flush()
			if err := read(t.Context(), r.site); err != nil {
				t.Fatalf("a store that answers: %v", err)
			}
			st.hangs.Store(true)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- read(ctx, r.site) }()
			select {
			case err := <-done:
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("it returned %v, want that its time is over", err)
				}
			case <-time.After(10 * time.Second):
				t.Error("it waits for the store")
			}
			st.hangs.Store(false)
			close(st.release)
		})
	}
}

// TestPagesThatAreReadInPart breaks off after the first page.
func TestPagesThatAreReadInPart(t *testing.T) {
	r := hintSite(t, "https://example.com", servemap.Options{}, hintBlogOf("/a", "/b"))
	for _, path := range []string{"/", "/a", "/b"} {
		r.visit(path)
	}
	r.flush()
	for page, err := range r.site.Pages(t.Context()) {
		if err != nil || page.URL != "https://example.com/" {
			t.Errorf("%q, %v, want the first page", page.URL, err)
		}
		break
	}
	n := 0
	for _, err := range r.site.Pages(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d pages, want 3", n)
	}
}
