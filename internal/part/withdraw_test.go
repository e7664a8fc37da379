package part

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

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

func TestAWithdrawalDoesNotWaitForARendering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a", "/b")
		s.render()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.files.RunWithdrawals(ctx)
		s.files.turn <- struct{}{} // a rendering that hangs in the store
		s.files.Withdraw("/b", time.Now())
		synctest.Wait()
		s.want("sitemap.xml", "/a")
		<-s.files.turn

		// A rendering that began before does not bring it back.
		s.files.ChangedAll()
		s.render()
		synctest.Wait()
		s.want("sitemap.xml", "/a")
	})
}

// TestAWithdrawnPageMakesALaterFile asks in the second in which the file was made.
func TestAWithdrawnPageMakesALaterFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a", "/b")
		s.render()
		since := s.get("sitemap.xml").Header().Get("Last-Modified")
		s.files.Withdraw("/b", time.Now())
		s.files.cut()
		if w := s.get("sitemap.xml", with("If-Modified-Since", since)); w.Code != http.StatusOK {
			t.Errorf("a file that lost a page since %s is answered with %d", since, w.Code)
		}
	})
}

// TestAStrangerTakesNoPartOut withdraws what the set of a file takes for its only
// page, while the file's bytes are not in memory.
func TestAStrangerTakesNoPartOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a")
		s.render()
		page := s.files.current().parts[1]
		stranger := ""
		for i := 0; stranger == ""; i++ {
			if l := "/x" + strconv.Itoa(i); page.listed.has(s.files.hashOf(l)) {
				stranger = l
			}
		}
		s.files.cache.remove(page.hash)
		s.files.Withdraw(stranger, time.Now())
		s.files.cut()
		s.want("sitemap.xml", "/a")
	})
}

// TestAPageExpiresAfterAComparison has the store looked at, without any change,
// before the time of a page comes.
func TestAPageExpiresAfterAComparison(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.files.cfg.Every = time.Minute
		s.list(Entry{}, "/a")
		s.list(Entry{Until: time.Now().Add(90 * time.Minute).Unix()}, "/b")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go s.files.Run(ctx)
		time.Sleep(10 * time.Second)
		s.files.Refresh()
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		s.want("sitemap.xml", "/a")
	})
}

// TestAnOlderVerdictSettlesNoWithdrawal has a page withdrawn twice, of which the
// store holds the first, and then what was seen in between.
func TestAnOlderVerdictSettlesNoWithdrawal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(Entry{}, "/a", "/b")
		s.render()
		began := time.Now()
		at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
		s.files.Withdraw("/a", at(1))
		s.files.Settle("/a", 1, at(1))
		s.files.Withdraw("/a", at(3))
		s.files.Withdraw("/a", at(2)) // which came late
		s.files.Settle("/a", 1, at(2))
		s.files.cut()
		s.want("sitemap.xml", "/b")
		s.files.ChangedAll()
		s.render()
		s.want("sitemap.xml", "/b")
		s.files.Settle("/a", 1, at(3)) // the store lists it, by all that was seen
		s.render()
		s.want("sitemap.xml", "/a", "/b")
	})
}
