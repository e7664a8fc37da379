package files

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/book"
)

func TestWithdrawnPageLeavesWhileTheStoreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(book.Entry{}, "/a", "/b&c", "/d", "/e")
		s.render()
		s.run()
		synctest.Wait()
		broken := errors.New("it does not answer")
		s.st.err.Store(&broken)

		s.files.Withdraw("/b&c", time.Now())
		s.files.Withdraw("/e", time.Now())
		s.files.Withdraw("/unknown", time.Now())
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
		s.files.Settle("/b&c", 1, time.Now())
		time.Sleep(2 * time.Minute)
		s.want("sitemap.xml", "/a", "/b&c", "/d")
	})
}

func TestWithdrawnPageLeavesWhileTheStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(book.Entry{}, "/a", "/b")
		s.render()
		s.st.delay.Store(int64(time.Hour)) // a rendering that hangs in the store
		s.files.ChangedAll()
		go s.files.Render(t.Context())
		synctest.Wait()
		s.files.Withdraw("/b", time.Now())
		began := time.Now()
		s.want("sitemap.xml", "/a")
		if took := time.Since(began); took > cutEvery {
			t.Errorf("the sitemap took %v", took)
		}

		// It does not bring the page back.
		time.Sleep(2 * time.Hour)
		s.want("sitemap.xml", "/a")
	})
}

// TestOlderVerdictSettlesNoWithdrawal has a page withdrawn twice, of which the
// store holds the first, and then what was seen in between.
func TestOlderVerdictSettlesNoWithdrawal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(book.Entry{}, "/a", "/b")
		s.render()
		began := time.Now()
		at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
		s.files.Withdraw("/a", at(1))
		s.files.Settle("/a", 1, at(1))
		s.files.Withdraw("/a", at(3))
		s.files.Withdraw("/a", at(2)) // which came late
		s.files.Settle("/a", 1, at(2))
		s.want("sitemap.xml", "/b")
		s.files.ChangedAll()
		s.render()
		s.want("sitemap.xml", "/b")
		s.files.Settle("/a", 1, at(3)) // the store lists it, by all that was seen
		s.render()
		s.want("sitemap.xml", "/a", "/b")
	})
}

// Withdrawals that come together make one file, and none of them is in what is
// served meanwhile.
func TestWithdrawalsAreCutOncePerSecond(t *testing.T) {
	const pages = 900
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.book.MaxURLs = pages
		for i := range pages {
			s.list(book.Entry{}, "/"+strconv.Itoa(i))
		}
		s.render()
		time.Sleep(time.Minute)
		tags := map[string]bool{}
		var client sync.WaitGroup
		client.Go(func() {
			for len(locs(t, s.get("sitemap.xml").Body.Bytes())) > 100 {
				tags[s.get("sitemap.xml", method(http.MethodHead)).Header().Get("Etag")] = true
				time.Sleep(time.Millisecond)
			}
		})
		for i := range pages - 100 {
			s.files.Withdraw("/"+strconv.Itoa(i), time.Now())
			time.Sleep(5 * time.Millisecond)
		}
		client.Wait()
		if len(tags) < 2 || len(tags) > 1+1+4 {
			t.Errorf("%d withdrawals in 4 seconds made %d files", pages-100, len(tags)-1)
		}
		if n := s.files.Listed(); n != 100 {
			t.Errorf("%d pages are listed, want 100", n)
		}
	})
}

// Who asks for the sitemap is never shown what was withdrawn before, and does not wait
// for long.
func TestRequestsWaitAtMostASecondForACut(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*shelf)
		most time.Duration
	}{
		{"the first in a while", func(*shelf) { time.Sleep(time.Minute) }, 0},
		{"soon after another", func(s *shelf) {
			s.files.Withdraw("/c", time.Now())
			s.want("sitemap.xml", "/a", "/b")
			time.Sleep(time.Millisecond)
		}, cutEvery},
		{"soon after a rendering", func(*shelf) {}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf(t)
				s.list(book.Entry{}, "/a", "/b", "/c")
				s.render()
				tt.do(s)
				s.files.Withdraw("/b", time.Now())
				begun := time.Now()
				var askers sync.WaitGroup
				for range 20 {
					askers.Go(func() {
						if body := s.get("sitemap.xml").Body.String(); strings.Contains(body, "/b<") || !strings.Contains(body, "/a<") {
							t.Errorf("the sitemap is\n%s", body)
						}
					})
				}
				askers.Wait()
				if took := time.Since(begun); took > tt.most {
					t.Errorf("they waited for %v, want at most %v", took, tt.most)
				}
			})
		})
	}
}

// A client that goes away does not wait.
func TestClientThatLeavesWaitsForNoCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(book.Entry{}, "/a", "/b", "/c")
		s.render()
		s.files.Withdraw("/c", time.Now())
		s.want("sitemap.xml", "/a", "/b")
		s.files.Withdraw("/b", time.Now())
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		w := httptest.NewRecorder()
		s.files.Serve(w, httptest.NewRequestWithContext(ctx, http.MethodGet, "/sitemap.xml", nil))
		if w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "/b<") {
			t.Errorf("%d:\n%s", w.Code, w.Body)
		}
	})
}

// The store holds the verdict before the page is out of the files, and a rendering
// that goes by it takes its time.
func TestWithdrawalSettledBeforeItIsCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(book.Entry{}, "/a", "/b")
		s.render()
		s.files.Withdraw("/b", time.Now())
		s.files.Settle("/b", 1, time.Now())
		s.st.delay.Store(int64(10 * time.Second))
		go s.files.Render(t.Context())
		synctest.Wait()
		if body := s.get("sitemap.xml").Body.String(); strings.Contains(body, "/b<") {
			t.Errorf("the sitemap is\n%s", body)
		}
		time.Sleep(time.Minute)
		s.want("sitemap.xml", "/a", "/b") // as the store has it
	})
}
