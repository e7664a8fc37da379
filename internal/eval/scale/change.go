package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/eval/kit"
)

// change measures what one change costs, and a visit without one.
func change(ctx context.Context, cfg config) error {
	s, err := open(cfg)
	if err != nil {
		return err
	}
	if err := s.review(ctx, cfg); err != nil {
		return err
	}
	s.Render()
	took, err := s.render(ctx)
	if err != nil {
		return err
	}
	if n := s.Files.Listed(); n != cfg.pages {
		return fmt.Errorf("%d pages are listed, of %d", n, cfg.pages)
	}
	fmt.Printf("rendering all %d pages: %.2f s, %.2f million URLs/s from the store to gzip\n", cfg.pages, took.Seconds(),
		float64(cfg.pages)/took.Seconds()/1e6)
	if err := s.oneChange(ctx, cfg); err != nil {
		return err
	}
	if err := s.visits(ctx, cfg); err != nil {
		return err
	}
	return s.close()
}

// review waits for the pass over all records that follows each start. A Flush makes at most 51,200 of them.
func (s *site) review(ctx context.Context, cfg config) error {
	began, used := time.Now(), kit.CPUTime()
	for done := 0; done <= cfg.pages; done += 50_000 {
		if err := s.Indexer.Flush(ctx); err != nil {
			return err
		}
	}
	fmt.Printf("the review of all %d pages: %.1f s, %.1f µs of a core a page\n", cfg.pages, time.Since(began).Seconds(),
		float64((kit.CPUTime()-used).Microseconds())/float64(cfg.pages))
	return nil
}

func (s *site) render(ctx context.Context) (took time.Duration, err error) {
	began := time.Now()
	err = s.Files.Render(ctx)
	return time.Since(began), err
}

// stays is how many observations an hour apart show a change: one that a page's first observations show is
// dated once it has stayed.
const stays = 8

// oneChange adds a paragraph to a page, three times. It fails if no change is published.
func (s *site) oneChange(ctx context.Context, cfg config) error {
	shown := 0
	for tries := 0; shown < 3 && tries < 20; tries++ {
		before, i := s.tags(), rand.IntN(cfg.pages)
		page := body(i, int(time.Now().UnixNano()))
		for visit := range stays {
			s.shows(location(i), time.Now().Add(time.Duration(visit+1-stays)*time.Hour), page)
			if err := s.Indexer.Flush(ctx); err != nil {
				return err
			}
		}
		took, err := s.render(ctx)
		if err != nil {
			return err
		}
		changed, after := 0, s.tags()
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
		return errors.New("no change of a page is published")
	}
	return nil
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
func (s *site) visits(ctx context.Context, cfg config) error {
	const rounds = 8
	n := min(together, cfg.pages)
	var took time.Duration
	for range rounds {
		for range n {
			i := rand.IntN(cfg.pages)
			s.shows(location(i), time.Now(), body(i, version(i, cfg.looks-1)))
		}
		began := time.Now()
		if err := s.Indexer.Flush(ctx); err != nil {
			return err
		}
		took += time.Since(began)
	}
	fmt.Printf("a visit to a known page at %d pages: %.0f µs in the background\n", cfg.pages,
		float64(took.Microseconds())/float64(rounds*n))
	return nil
}
