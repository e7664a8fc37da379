package files

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

// site is a site under concurrent load: pages are withdrawn and come back, the store
// fails and is slow, and clients ask for files all the time.
type site struct {
	*diary
	r *rand.Rand

	mu   sync.Mutex
	gone map[string]time.Time // pages that are withdrawn, and that the store still lists
}

// pages returns the pages that the store lists.
func (s *site) pages() (all []string) {
	s.write(func(tx txn.Records) {
		for l, n := range s.part {
			if tx.Get(s.layout.Keys.List(n, l)) != nil {
				all = append(all, l)
			}
		}
	})
	slices.Sort(all)
	return all
}

// step makes one random thing happen.
func (s *site) step() {
	pages := s.pages()
	l := pages[s.r.IntN(len(pages))]
	s.mu.Lock()
	at, gone := s.gone[l]
	s.mu.Unlock()
	switch n := s.r.IntN(13); {
	case n < 4 && !gone:
		at := time.Now()
		s.files.Withdraw(l, at)
		s.mu.Lock()
		s.gone[l] = at
		s.mu.Unlock()
	case n < 8 && gone: // the store gets the verdict: it is gone, or it was a mistake
		s.mu.Lock()
		delete(s.gone, l)
		s.mu.Unlock()
		if n < 6 && len(pages) > 10 {
			s.happens(l, func(tx txn.Records) { s.layout.Remove(tx, s.part[l], l) })
		}
		s.files.Settle(l, s.part[l], at)
	case n == 8:
		s.happens(l, func(tx txn.Records) { s.layout.Set(tx, s.part[l], l, changedAt(time.Now().Unix())) })
	case n == 9:
		s.st.fail("")
	case n == 10:
		s.st.mend()
	case n == 11: // which is withdrawn before it is in a file, perhaps
		s.add(fmt.Sprintf("/new%03d", len(s.part)))
	default:
		s.st.delay.Store(s.r.Int64N(int64(3 * time.Second)))
	}
	time.Sleep(time.Duration(s.r.Int64N(int64(2 * time.Second))))
}

// ask asks for a file, and compares it with what was withdrawn before.
func (s *site) ask(name string) *httptest.ResponseRecorder {
	s.mu.Lock()
	before := maps.Clone(s.gone)
	s.mu.Unlock()
	w := s.get(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	for l, at := range before {
		if s.gone[l].Equal(at) && strings.Contains(w.Body.String(), l) {
			s.Errorf("%s names %s, which was withdrawn before:\n%s", name, l, w.Body)
		}
	}
	return w
}

// follow asks again and again, and compares the times of what it is shown.
func (s *site) follow(r *rand.Rand, stop chan struct{}) {
	seen := map[string]http.Header{}
	for {
		select {
		case <-stop:
			return
		case <-time.After(time.Duration(r.Int64N(int64(time.Second)))):
		}
		name := [...]string{"sitemap.xml", fmt.Sprintf("sitemap-%d.xml", 1+r.IntN(8))}[min(1, r.IntN(6))]
		w := s.ask(name)
		now := w.Header()
		if w.Code == http.StatusNotFound || name == "sitemap.xml" && !strings.Contains(w.Body.String(), "<sitemapindex") {
			delete(seen, name) // a shard that was gone for a while, or is the only one, has a time of its own
			continue
		}
		if w.Code != http.StatusOK {
			continue
		}
		before := seen[name]
		seen[name] = now
		if before == nil || before.Get("Etag") == now.Get("Etag") {
			continue
		}
		older, _ := http.ParseTime(before.Get("Last-Modified"))
		if at, _ := http.ParseTime(now.Get("Last-Modified")); !at.After(older) {
			s.Errorf("%s is another file of %v, and was of %v", name, at, older)
		}
	}
}

// Whatever happens, no file names a page that was withdrawn before the request, and a
// client that compares times to the second gets each new file.
func TestWithdrawnPagesAreNeverServed(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		synctest.Test(t, func(t *testing.T) {
			s := &site{gone: map[string]time.Time{}, r: rand.New(rand.NewPCG(seed, 1))}
			s.diary = newDiary(t, func(c *Config) {
				c.Extensions, c.Every = extension.Of(extension.Alternates), 5*time.Second
			})
			for i := range 24 {
				s.add(fmt.Sprintf("/page%02d", i))
			}
			linked := shards.Entry{Extensions: inLanguages("de=/page01", "en=/page10", "fr=/page20")}
			s.write(func(tx txn.Records) {
				for _, l := range []string{"/page01", "/page10", "/page20"} {
					s.layout.Set(tx, s.part[l], l, linked)
				}
			})
			s.files.ChangedAll()
			s.run()
			s.get("sitemap.xml")
			stop := make(chan struct{})
			var clients sync.WaitGroup
			for i := range 4 {
				clients.Go(func() { s.follow(rand.New(rand.NewPCG(seed, uint64(i))), stop) })
			}
			for range 200 {
				s.step()
			}
			close(stop)
			clients.Wait()
			s.st.mend()
			s.st.delay.Store(0)
			for l, at := range s.gone {
				s.files.Settle(l, s.part[l], at)
			}
			time.Sleep(10 * time.Minute)
			var listed []string
			for n := range 100 {
				if w := s.get(fmt.Sprintf("sitemap-%d.xml", n+1)); w.Code == http.StatusOK {
					listed = append(listed, locs(t, w.Body.Bytes())...)
				}
			}
			slices.Sort(listed)
			if want := s.pages(); !slices.Equal(listed, want) || s.files.Listed() != len(want) {
				t.Errorf("seed %d: listed are\n%q, want\n%q", seed, listed, want)
			}
			if n := s.remembered(); n != 0 {
				t.Errorf("seed %d: %d withdrawals are remembered", seed, n)
			}
		})
	}
}
