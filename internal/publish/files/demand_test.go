package files

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/testkit/base"
)

// names of the files of a site with six parts.
var sixParts = []string{"sitemap.xml", "sitemap-1.xml", "sitemap-2.xml", "sitemap-3.xml", "sitemap-4.xml", "sitemap-5.xml", "sitemap-6.xml"}

// newSixParts is a shelf with six full parts, of which one is kept in memory.
func newSixParts(t *testing.T) *shelf {
	s := newShelf(t)
	s.keep(1)
	for i := range 18 {
		s.list(changedAt(time.Now().Unix()-int64(i)), fmt.Sprintf("/%02d", i))
	}
	s.render()
	return s
}

// scanned counts the scans of parts since the last call.
func (s *shelf) scanned() int { return int(s.st.scans.Swap(0)) }

func TestPartOutOfMemoryIsRenderedTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSixParts(t)
		first := map[string]string{}
		for _, name := range sixParts {
			w := s.get(name)
			first[name] = fmt.Sprint(w.Code, w.Header(), w.Body)
		}
		time.Sleep(time.Hour)
		s.scanned()
		for _, name := range sixParts {
			if w := s.get(name); fmt.Sprint(w.Code, w.Header(), w.Body) != first[name] {
				t.Errorf("%s is now\n%v %v\n%v, and was\n%s", name, w.Code, w.Header(), w.Body, first[name])
			}
		}
		if n := s.scanned(); n < 5 {
			t.Errorf("%d parts were made anew, so this shows nothing", n)
		}
		if n := s.files.cache.order.Len(); n != 1 {
			t.Errorf("%d files are in memory, want 1", n)
		}
		tag := s.get("sitemap-3.xml").Header().Get("Etag")
		s.get("sitemap-4.xml")
		s.scanned()
		if w := s.get("sitemap-3.xml", with("If-None-Match", tag)); w.Code != http.StatusNotModified {
			t.Errorf("status %d, want 304", w.Code)
		}
		if w := s.get("sitemap-3.xml", method(http.MethodHead)); w.Code != http.StatusOK || w.Header().Get("Etag") != tag {
			t.Errorf("HEAD: %d %v", w.Code, w.Header())
		}
		if n := s.scanned(); n != 0 {
			t.Errorf("%d parts were made for answers without a body", n)
		}
	})
}

func TestPartIsRenderedOnceHoweverManyAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSixParts(t)
		s.get("sitemap-6.xml")
		s.scanned()
		s.st.delay.Store(int64(time.Second))
		var clients sync.WaitGroup
		for range 100 {
			clients.Go(func() { s.want("sitemap-2.xml", "/03", "/04", "/05") })
			clients.Go(func() { s.want("sitemap-3.xml", "/06", "/07", "/08") }) // there is no room for both
		}
		clients.Wait()
		if n := s.scanned(); n != 2 {
			t.Errorf("two parts were read %d times", n)
		}
	})
}

func TestClientThatLeavesTakesNoOthersFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSixParts(t)
		s.get("sitemap-6.xml")
		s.st.delay.Store(int64(time.Second))
		ctx, leave := context.WithCancel(t.Context())
		go s.get("sitemap-2.xml", func(r *http.Request) { *r = *r.WithContext(ctx) })
		synctest.Wait()
		go func() {
			time.Sleep(100 * time.Millisecond)
			leave()
		}()
		s.want("sitemap-2.xml", "/03", "/04", "/05")
		leave()
	})
}

func TestFilesInMemoryAreServedWithoutTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSixParts(t)
		s.get("sitemap-2.xml")
		s.st.fail("")
		s.want("sitemap-2.xml", "/03", "/04", "/05")
		if w := s.get("sitemap.xml"); w.Code != http.StatusOK {
			t.Errorf("the index: status %d", w.Code)
		}
		w := s.get("sitemap-3.xml")
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || w.Header().Get("Etag") != "" {
			t.Errorf("a file that is not in memory: %d %v, want 503", w.Code, w.Header())
		}
		s.st.mend()
		s.want("sitemap-3.xml", "/06", "/07", "/08")
	})
}

func TestWithdrawnPageIsNotInAPartOutOfMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSixParts(t)
		s.get("sitemap-6.xml")
		tag := s.get("sitemap-2.xml").Header().Get("Etag")
		s.get("sitemap-6.xml")
		index := s.get("sitemap.xml").Header().Get("Etag")
		time.Sleep(time.Minute)
		s.files.Withdraw("/04", time.Now())
		synctest.Wait()
		if s.files.Lists("/04") || s.files.Listed() != 17 {
			t.Errorf("of 17 pages %d are listed", s.files.Listed())
		}
		if s.get("sitemap.xml").Header().Get("Etag") == index {
			t.Error("the index does not say that the part became another one")
		}
		s.st.fail("")
		if w := s.get("sitemap-2.xml", with("If-None-Match", tag)); w.Code != http.StatusServiceUnavailable {
			t.Errorf("status %d for a client that has the page, want 503", w.Code)
		}
		s.st.mend()
		if w := s.get("sitemap-2.xml", with("If-None-Match", tag)); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "/04") {
			t.Errorf("status %d and\n%s", w.Code, w.Body)
		}
		s.want("sitemap-2.xml", "/03", "/05")
	})
}

func TestRestartServesTheSameFilesWithoutRenderingAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSixParts(t)
		get := func(name string) string {
			w := s.get(name)
			return fmt.Sprint(w.Header(), w.Body)
		}
		before := map[string]string{}
		for _, name := range sixParts {
			before[name] = get(name)
		}
		time.Sleep(24 * time.Hour)
		s.again()
		s.st.delay.Store(int64(time.Second)) // of each part
		s.scanned()
		began := time.Now()
		s.run()
		if got := get("sitemap.xml"); got != before["sitemap.xml"] {
			t.Errorf("the index is %v, and was %v", got, before["sitemap.xml"])
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("the index took %v", took)
		}
		if s.files.Listed() != 18 {
			t.Errorf("%d pages are listed", s.files.Listed())
		}
		s.want("sitemap-6.xml", "/15", "/16", "/17")
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("a part that was asked for took %v", took)
		}
		time.Sleep(time.Minute)
		for _, name := range sixParts {
			if got := get(name); got != before[name] {
				t.Errorf("%s is %v, and was %v", name, got, before[name])
			}
		}
	})
}

func TestNo304AfterARestartBeforeThePartIsRendered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSixParts(t)
		tag := s.get("sitemap-2.xml").Header().Get("Etag")
		s.files.cfg.Rules = barring("/04") // a rule of the new start
		s.again()
		s.st.delay.Store(int64(time.Second))
		s.run()
		if w := s.get("sitemap-2.xml", with("If-None-Match", tag)); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "/04") {
			t.Errorf("status %d and\n%s", w.Code, w.Body)
		}
	})
}

func TestRestartRendersAFileWhoseRecordIsLost(t *testing.T) {
	for name, stored := range map[string][]byte{"one record is missing": nil, "one record is damaged": []byte("x")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSixParts(t)
				s.write(func(tx shards.Tx) { tx.Put(s.book.Keys.File(2), stored) })
				s.again()
				s.st.delay.Store(int64(time.Second) / 10)
				s.run()
				s.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml", "/sitemap-3.xml", "/sitemap-4.xml", "/sitemap-5.xml", "/sitemap-6.xml")
			})
		})
	}
}

func TestRestartServesAnIndexWithoutPartsThatShowNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSixParts(t)
		s.files.cfg.Rules = barring("/03", "/04", "/05")
		s.again()
		s.render()
		s.again()
		s.st.delay.Store(int64(10 * time.Second))
		s.run()
		s.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-3.xml", "/sitemap-4.xml", "/sitemap-5.xml", "/sitemap-6.xml")
	})
}

func TestTrustInDatesSurvivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.keep(1)
		build := shards.Entry{}
		build.Given[lastmod.Server] = moment.Of(time.Now()).Second()
		s.list(build, "/1", "/2", "/3", "/4", "/5", "/6", "/7")
		s.render()
		time.Sleep(time.Hour)
		s.again()
		s.st.delay.Store(int64(time.Second))
		s.run()
		for _, name := range []string{"sitemap-2.xml", "sitemap-3.xml", "sitemap-1.xml"} {
			if body := s.get(name).Body.String(); !strings.Contains(body, "<loc>") || strings.Contains(body, "lastmod") {
				t.Errorf("%s shows the time of a build:\n%s", name, body)
			}
		}
	})
}

// The dates of a part that a request makes may change the trust in the dates of all parts.
func TestPartOutOfMemoryFollowsTheTrustInDates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.keep(1)
		dated := func(at int64) (e shards.Entry) { e.Given[lastmod.Server] = moment.Seconds(at); return e }
		for i := range 6 {
			s.list(dated(900_000_000+int64(i)*1_000_000), fmt.Sprintf("/%d", i))
		}
		s.render()
		if body := s.get("sitemap-1.xml").Body.String(); !strings.Contains(body, "<lastmod>1998-07-09T16:00:00Z</lastmod>") {
			t.Fatalf("a date that nothing speaks against is not shown:\n%s", body)
		}
		s.get("sitemap-2.xml")
		s.write(func(tx shards.Tx) { // and nobody has rendered it yet
			for _, l := range []string{"/0", "/1", "/2"} {
				s.book.Set(tx, 1, l, dated(940_000_000))
			}
			for _, l := range []string{"/3", "/4", "/5"} {
				s.book.Set(tx, 2, l, dated(940_000_000))
			}
		})
		s.get("sitemap-1.xml") // half of the pages
		s.get("sitemap-2.xml")
		s.get("sitemap-1.xml")
		s.run()
		time.Sleep(10 * time.Minute)
		for _, name := range []string{"sitemap-1.xml", "sitemap-2.xml"} {
			if body := s.get(name).Body.String(); strings.Contains(body, "lastmod") {
				t.Errorf("%s shows the time of a build:\n%s", name, body)
			}
		}
	})
}

// A request makes a part while a pass remakes all parts. The pass must not serve its older
// version of that part.
func TestPassKeepsWhatWasRenderedOnDemandSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSixParts(t)
		s.get("sitemap-6.xml")
		s.st.delay.Store(int64(time.Second))
		s.files.ChangedAll()
		done := make(chan struct{})
		go func() {
			defer close(done)
			s.render()
		}()
		time.Sleep(2500 * time.Millisecond) // parts 1 and 2 are made, and part 3 is on its way
		s.write(func(tx shards.Tx) { s.book.Remove(tx, 1, "/01") })
		s.want("sitemap-1.xml", "/00", "/02")
		tag := s.get("sitemap-1.xml").Header().Get("Etag")
		<-done
		if got := s.get("sitemap-1.xml", method(http.MethodHead)).Header().Get("Etag"); got != tag || s.files.Listed() != 17 {
			t.Errorf("the tag is %s after the pass, and was %s; %d pages are listed, want 17", got, tag, s.files.Listed())
		}
	})
}

// A pass takes what is due while Run looks. If the pass fails, Run makes the files soon.
func TestWhatAFailedRenderLeftIsMadeByRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(shards.Entry{}, "/00")
		s.run()
		time.Sleep(2 * time.Hour)
		s.files.Changed(1)
		time.Sleep(30 * time.Second) // Run makes nothing for another 30 seconds
		s.list(shards.Entry{}, "/01")
		s.st.delay.Store(int64(time.Hour))
		time.AfterFunc(time.Second, func() { s.st.delay.Store(0) }) // for the scans that begin later
		ctx, cancel := context.WithTimeout(t.Context(), 45*time.Second)
		defer cancel()
		if err := s.files.Render(ctx); err == nil {
			t.Fatal("Render returned nil, though the store takes an hour")
		}
		time.Sleep(2 * time.Minute)
		s.want("sitemap.xml", "/00", "/01")
	})
}

// A request has read a part, and publishes it only when a pass has seen that the part is
// empty.
func TestPageThatLeftIsNotServedAgainByALateRequest(t *testing.T) {
	for name, change := range map[string]func(*Files){
		"its part changed": func(f *Files) { f.Changed(2) },
		"all changed":      func(f *Files) { f.ChangedAll() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf(t)
				s.list(shards.Entry{}, "/1", "/2", "/3", "/4")
				s.render()
				late, gz, err := s.files.makeFile(t.Context(), 2, s.files.Trust())
				base.Check(t, err)
				now := time.Now()
				s.files.Withdraw("/4", now)
				s.write(func(tx shards.Tx) { s.book.Remove(tx, 2, "/4") })
				change(s.files)
				s.files.Settle("/4", 0, now)
				s.render()
				s.files.keep(late, gz)
				s.files.publish(map[int]*file{2: late}, s.files.Trust(), 0)
				s.want("sitemap.xml", "/1", "/2", "/3")
			})
		})
	}
}
