package e2e

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit"
)

// Strangers find out how to make a site say 410 for its pages. That costs the site
// few files, and no sitemap that is asked for later lists what they withdrew.
func TestProvokedWithdrawalsMakeFewFiles(t *testing.T) {
	const pages, perSecond, forSeconds = 1900, 180, 10
	paths := numbered("/p%04d", pages)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("X-Provoke") != "":
			w.WriteHeader(http.StatusGone)
		case r.URL.Path == "/":
			testkit.PageOfItsURL(paths...)(w, r)
		default:
			testkit.PageOfItsURL()(w, r)
		}
	})
	testkit.Run(t, testkit.Setup{Handler: h}, func(s *testkit.Site) {
		s.From(ann, "/")
		for i, path := range paths {
			if s.From(ann, path); i%200 == 0 || i == pages-1 {
				s.Settle() // the queue is bounded
			}
		}
		time.Sleep(time.Minute)

		var withdrawn atomic.Int64
		tags := map[string]bool{}
		read := func() (listed int) {
			before := withdrawn.Load()
			begun := time.Now()
			a := s.From(ann, "/sitemap.xml", "Accept-Encoding", "gzip")
			if took := time.Since(begun); took > time.Second {
				s.Errorf("the sitemap took %v", took)
			}
			tags[a.Header.Get("Etag")] = true
			z, err := gzip.NewReader(strings.NewReader(a.Body))
			if err != nil {
				s.Error(err)
				return 0
			}
			text, err := io.ReadAll(z)
			if err != nil {
				s.Error(err)
			}
			for _, path := range paths[:before] {
				if strings.Contains(string(text), path+"<") {
					s.Errorf("%s was withdrawn and is in the sitemap", path)
				}
			}
			return strings.Count(string(text), "<loc>")
		}
		if n := read(); n != 1+pages {
			s.Errorf("%d pages are listed, want %d", n, 1+pages)
		}
		clear(tags)
		var reader sync.WaitGroup
		done := make(chan struct{})
		reader.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(7 * time.Millisecond):
					read()
				}
			}
		})
		for i, path := range paths[:perSecond*forSeconds] {
			s.From(ann, path, "X-Provoke", "yes")
			withdrawn.Store(int64(i) + 1)
			time.Sleep(time.Second / perSecond)
		}
		close(done)
		reader.Wait()
		if n, want := read(), 1+pages-perSecond*forSeconds; n != want {
			s.Errorf("%d pages are listed at the end, want %d", n, want)
		}
		// One file for each second, the first and the last, and those that the store's
		// news make each five seconds.
		if most := forSeconds + 2 + forSeconds/5; len(tags) > most {
			s.Errorf("%d withdrawals made %d files, want at most %d", perSecond*forSeconds, len(tags), most)
		}
	})
}
