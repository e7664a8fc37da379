package e2e

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/memstore"
)

// Strangers who find out how to make a site say noindex or 410 for pages cost it
// little, and what they withdraw is in no sitemap that is asked for later.
func TestProvokedWithdrawalsMakeFewFiles(t *testing.T) {
	const pages, perSecond, forSeconds = 1900, 180, 10
	page := func(i int) string { return fmt.Sprintf("/p%04d", i) }
	synctest.Test(t, func(t *testing.T) {
		st := new(memstore.Store)
		site, err := servemap.New("https://example.com", st, &servemap.Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if err := site.Close(ctx); err != nil {
				t.Error(err)
			}
		}()
		handler := site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Provoke") != "" {
				w.WriteHeader(http.StatusGone)
				return
			}
			fmt.Fprintf(w, "<!doctype html><html><head><title>t</title></head><body><main>%s", r.URL.Path)
			for i := range pages {
				if r.URL.Path == "/" {
					fmt.Fprintf(w, "<a href=%q>p</a> ", page(i))
				}
			}
			fmt.Fprint(w, "</main></body></html>")
		}))
		get := func(target string, header ...string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodGet, target, nil)
			r.Host, r.RemoteAddr = "example.com", "8.8.8.8:4711"
			for i := 0; i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			return w
		}
		get("/")
		for i := range pages {
			if get(page(i)); i%200 != 0 && i < pages-1 {
				continue
			}
			if err := site.Flush(t.Context()); err != nil {
				t.Error(err)
			}
		}
		time.Sleep(time.Minute)

		var mu sync.Mutex
		withdrawn, tags := 0, map[string]bool{}
		read := func() (text string) {
			mu.Lock()
			before := withdrawn
			mu.Unlock()
			begun := time.Now()
			w := get("/sitemap.xml", "Accept-Encoding", "gzip")
			if took := time.Since(begun); took > time.Second {
				t.Errorf("the sitemap took %v", took)
			}
			tags[w.Header().Get("Etag")] = true
			z, err := gzip.NewReader(w.Body)
			if err != nil {
				t.Error(err)
				return ""
			}
			b, err := io.ReadAll(z)
			if err != nil {
				t.Error(err)
			}
			text = string(b)
			for i := range before {
				if strings.Contains(text, page(i)+"<") {
					t.Errorf("%s was withdrawn and is in the sitemap", page(i))
				}
			}
			return text
		}
		if n := strings.Count(read(), "<loc>"); n != 1+pages {
			t.Errorf("%d pages are listed, want %d", n, 1+pages)
		}
		clear(tags)
		var readers sync.WaitGroup
		done := make(chan struct{})
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(7 * time.Millisecond):
					read()
				}
			}
		})
		for i := range perSecond * forSeconds {
			get(page(i), "X-Provoke", "yes")
			mu.Lock()
			withdrawn = i + 1
			mu.Unlock()
			time.Sleep(time.Second / perSecond)
		}
		close(done)
		readers.Wait()
		if n := strings.Count(read(), "<loc>"); n != 1+pages-perSecond*forSeconds {
			t.Errorf("%d pages are listed at the end, want %d", n, 1+pages-perSecond*forSeconds)
		}
		// One for each second, the first and the last, and those that the store's
		// news make each five seconds.
		if most := forSeconds + 2 + forSeconds/5; len(tags) > most {
			t.Errorf("%d withdrawals made %d files, want at most %d", perSecond*forSeconds, len(tags), most)
		}
	})
}
