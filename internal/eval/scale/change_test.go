package scale

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/internal/testkit/base"
)

// change measures what one change costs, and a visit without one.
func change(t *testing.T, cfg config) {
	s := open(t, cfg)
	s.review()
	s.Render()
	took := s.render()
	base.Equal(t, s.Files.Listed(), cfg.pages, "pages are listed")
	fmt.Printf("rendering all %d pages: %.2f s, %.2f million URLs/s from the store to gzip\n", cfg.pages, took.Seconds(),
		float64(cfg.pages)/took.Seconds()/1e6)
	s.oneChange()
	s.visits()
}

// review waits for the pass over all records that follows each start. A Flush makes at most 51,200 of them.
func (s *site) review() {
	began, used := time.Now(), kit.CPUTime()
	for done := 0; done <= s.cfg.pages; done += 50_000 {
		base.Check(s, s.Indexer.Flush(s.Context()))
	}
	fmt.Printf("the review of all %d pages: %.1f s, %.1f µs of a core a page\n", s.cfg.pages, time.Since(began).Seconds(),
		float64((kit.CPUTime()-used).Microseconds())/float64(s.cfg.pages))
}

func (s *site) render() (took time.Duration) {
	began := time.Now()
	base.Check(s, s.Files.Render(s.Context()))
	return time.Since(began)
}

// stays is how many observations an hour apart show a change: one that a page's first observations show is
// dated once it has stayed.
const stays = 8

// oneChange adds a paragraph to a page, three times. It fails if no change is published.
func (s *site) oneChange() {
	shown := 0
	for tries := 0; shown < 3 && tries < 20; tries++ {
		before, i := s.tags(), rand.IntN(s.cfg.pages)
		page := body(i, int(time.Now().UnixNano()))
		for visit := range stays {
			s.shows(location(i), time.Now().Add(time.Duration(visit+1-stays)*time.Hour), page)
			base.Check(s, s.Indexer.Flush(s.Context()))
		}
		took, changed, after := s.render(), 0, s.tags()
		for name, tag := range after {
			changed += kit.One(before[name] != tag)
		}
		if changed > 0 {
			shown++
			fmt.Printf("one change: %d of %d parts became another file, in %.1f ms\n", changed, len(after),
				kit.Milliseconds(took))
		}
	}
	if shown == 0 {
		s.Error("no change of a page is published")
	}
}

// tags returns the entity tags of all parts.
func (s *site) tags() map[string]string {
	tags := map[string]string{}
	for n := 1; ; n++ {
		name := "/sitemap-" + strconv.Itoa(n) + ".xml"
		w := httptest.NewRecorder()
		s.Files.Serve(w, httptest.NewRequest(http.MethodHead, name, nil))
		if w.Code != http.StatusOK {
			return tags
		}
		tags[name] = w.Header().Get("Etag")
	}
}

// visits shows pages as they were at the last observation.
func (s *site) visits() {
	const rounds = 8
	n := min(together, s.cfg.pages)
	var took time.Duration
	for range rounds {
		for range n {
			i := rand.IntN(s.cfg.pages)
			s.shows(location(i), time.Now(), body(i, version(i, s.cfg.looks-1)))
		}
		began := time.Now()
		base.Check(s, s.Indexer.Flush(s.Context()))
		took += time.Since(began)
	}
	fmt.Printf("a visit to a known page at %d pages: %.0f µs in the background\n", s.cfg.pages,
		float64(took.Microseconds())/float64(rounds*n))
}
