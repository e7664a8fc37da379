package files

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

func TestWithdrawnPageLeavesWhileTheStoreHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(shards.Entry{}, "/a", "/b")
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

// TestOlderVerdictEndsNoWithdrawal withdraws a page twice. The store then confirms the
// first withdrawal, and something seen between the two.
func TestOlderVerdictEndsNoWithdrawal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.list(shards.Entry{}, "/a", "/b")
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

// The store has taken the verdict, and the shard cannot be read. What is made of its old file does not bring the page back.
func TestWithdrawnPageStaysOutOfEachFileWhileItsShardCannotBeRead(t *testing.T) {
	d := newPress(t)
	now := time.Now()
	d.files.Withdraw("/gone", now)
	d.write(func(tx txn.Records) { d.layout.Remove(tx, 1, "/gone") })
	d.files.Changed(1)
	d.files.Settle("/gone", 0, now)
	want := func() {
		t.Helper()
		d.want("sitemap-1.xml", "/a", "/b")
		d.want("sitemap-news.xml", "/a", "/b", "/c")
	}
	d.st.fail(d.layout.Keys.List(1, ""))
	for range 3 {
		if err := d.files.Render(t.Context()); !errors.Is(err, errBroken) {
			t.Errorf("Render returned %v", err)
		}
		want()
		if body := d.get("sitemap-2.xml").Body.String(); strings.Contains(body, "/gone") {
			t.Errorf("the other shard is\n%s", body)
		}
	}
	d.st.mend()
	d.render()
	want()
	if n := d.remembered(); n != 0 {
		t.Errorf("%d withdrawals are remembered, although the files follow the store", n)
	}
}

// The store cannot take the verdict, and still lists the page.
func TestFileKeepsItsTimeWhileAWithdrawalIsUnsettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newPress(t)
		d.files.Withdraw("/gone", time.Now())
		validators := func() (all []string) {
			for _, name := range []string{"sitemap-1.xml", "sitemap-2.xml", "sitemap-news.xml", "sitemap.xml"} {
				h := d.get(name).Header()
				all = append(all, name, h.Get("Last-Modified"), h.Get("Etag"))
			}
			return all
		}
		before := validators()
		for range 4 {
			time.Sleep(time.Hour)
			d.files.ChangedAll()
			d.render()
			if after := validators(); !slices.Equal(after, before) {
				t.Fatalf("the files are now\n%q, and were\n%q", after, before)
			}
		}
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
				s.list(shards.Entry{}, "/a", "/b", "/c")
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

// newPress is a shelf with every kind of file, in which every file names "/gone".
func newPress(t *testing.T) *shelf {
	s := newShelf(t, func(c *Config) {
		c.Extensions = extension.Of(extension.News, extension.Alternates)
	})
	x := inLanguages("de=/gone", "en=/b", "fr=/c")
	x[extension.News] = anArticle(time.Hour)[extension.News]
	s.list(shards.Entry{Extensions: x}, "/a", "/b", "/gone", "/c")
	s.render()
	return s
}

// TestPageWithdrawnWhileTheSiteStartsIsNotServed restarts, and withdraws a page before the files are
// read. The store still lists it.
func TestPageWithdrawnWhileTheSiteStartsIsNotServed(t *testing.T) {
	names := []string{"sitemap-1.xml", "sitemap-2.xml", "sitemap-news.xml"}
	for _, tt := range []struct {
		name string
		wait time.Duration // since the start; a shard takes five seconds to read
	}{
		{"before the trust in dates is known", -1},
		{"before the store is asked", 0},
		{"while the first part is read", time.Second},
		{"while the second part is read", 6 * time.Second},
	} {
		for _, demanded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, files are asked for at once: %t", tt.name, demanded), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := newPress(t)
					for _, name := range names {
						if !strings.Contains(d.get(name).Body.String(), "/gone") {
							t.Fatalf("%s does not name the page, so this shows nothing", name)
						}
					}
					d.stop()
					d.files = New(d.files.cfg)
					if tt.wait < 0 {
						d.files.Withdraw("/gone", time.Now())
					}
					d.files.Follow(Policy{})
					if tt.wait == 0 {
						d.files.Withdraw("/gone", time.Now())
					}
					d.st.delay.Store(int64(5 * time.Second))
					d.run()
					if tt.wait > 0 {
						time.Sleep(tt.wait)
						d.files.Withdraw("/gone", time.Now())
					}
					if d.files.Lists("/gone") {
						t.Error("it is still listed")
					}
					synctest.Wait()
					if !demanded {
						time.Sleep(time.Hour)
					}
					d.st.delay.Store(0)
					for _, name := range names {
						if side := strings.Contains(name, "-news"); side && demanded {
							continue // it is made with the others
						}
						if w := d.get(name); w.Code != http.StatusOK || strings.Contains(w.Body.String(), "/gone") {
							t.Errorf("%s: status %d, and what was withdrawn is named, or not:\n%s", name, w.Code, w.Body)
						}
					}
					time.Sleep(time.Hour)
					d.want("sitemap.xml", "/sitemap-1.xml", "/sitemap-2.xml")
					d.want("sitemap-1.xml", "/a", "/b")
					d.want("sitemap-2.xml", "/c")

					// The store has decided, and the page is back.
					d.files.Settle("/gone", 1, time.Now())
					time.Sleep(time.Hour)
					d.want("sitemap-1.xml", "/a", "/b", "/gone")
				})
			})
		}
	}
}

// TestUnlistedWithdrawalsAreBoundedAndForgotten withdraws pages that were never listed.
func TestUnlistedWithdrawalsAreBoundedAndForgotten(t *testing.T) {
	junk := 1_000_000
	if testing.Short() {
		junk = 50_000
	}
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t)
		s.layout.MaxURLs = 1000
		var pages []string
		for i := range 1000 {
			pages = append(pages, "/page/"+strconv.Itoa(i))
		}
		s.list(shards.Entry{}, pages[:500]...)
		s.list(shards.Entry{}, append(pages[500:], "/last")...)
		s.render()
		s.again()
		flood := func(when string, junk int) {
			t.Helper()
			for i := range junk {
				s.files.Withdraw("/junk/"+when+strconv.Itoa(i), time.Now())
			}
			if n := s.remembered(); n > unnamedMost+2 {
				t.Errorf("%s: %d withdrawals are remembered", when, n)
			}
		}
		left := func(when string, want int) {
			t.Helper()
			if n := s.remembered(); n != want {
				t.Errorf("%s: %d withdrawals are remembered, want %d", when, n, want)
			}
		}
		s.files.Withdraw("/page/7", time.Now())
		flood("before the files are read", junk/4)
		if s.remembered() < 2 {
			t.Error("nothing was remembered, so this shows nothing")
		}
		s.render()
		left("once they are", 1)

		flood("while nothing changes", junk)
		time.Sleep(time.Second)
		synctest.Wait()
		left("after that", 1)

		s.files.Changed(2)
		flood("while a part is to be rendered", junk/4)
		s.render()
		synctest.Wait()
		left("once it is", 1)
		s.files.Withdraw("/page/8", time.Now())
		time.Sleep(time.Second)
		synctest.Wait()
		if got := s.files.Listed(); got != 999 {
			t.Errorf("%d pages are listed, want 999", got)
		}
	})
}

// remembered returns how many withdrawals are remembered.
func (s *shelf) remembered() int {
	s.files.mu.Lock()
	defer s.files.mu.Unlock()
	return len(s.files.gone.all)
}
