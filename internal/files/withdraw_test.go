package files

import (
	"errors"
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

// TestOlderVerdictSettlesNoWithdrawal withdraws a page twice. The store then confirms the
// first withdrawal, and something seen between the two.
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

// A request for the sitemap never shows a page that was withdrawn before, and does not
// wait for long.
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
