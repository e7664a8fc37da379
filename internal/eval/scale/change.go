package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"time"
)

// change measures what one change costs, and one visit that shows none.
func change(cfg config) error {
	s, err := open(cfg.dir)
	if err != nil {
		return err
	}
	ctx := context.Background()
	if err := s.ledger.Flush(ctx); err != nil { // the pass over all records that comes after each start
		return err
	}
	began := time.Now()
	s.render()
	if err := s.files.Render(ctx); err != nil {
		return err
	}
	took := time.Since(began)
	if n := s.files.Listed(); n != cfg.pages {
		return fmt.Errorf("%d pages are listed, of %d", n, cfg.pages)
	}
	fmt.Printf("rendering all %d pages: %.2f s, %.2f million URLs/s from the store to gzip\n", cfg.pages, took.Seconds(), float64(cfg.pages)/took.Seconds()/1e6)
	if err := s.oneChange(ctx, cfg); err != nil {
		return err
	}
	if err := s.visits(ctx, cfg); err != nil {
		return err
	}
	return s.close()
}

// oneChange adds a paragraph to a page. One that is taken for noise at first is not counted.
func (s *site) oneChange(ctx context.Context, cfg config) error {
	for shown, tries := 0, 0; shown < 3 && tries < 20; tries++ {
		before := s.tags()
		s.look(rand.IntN(cfg.pages), int(time.Now().UnixNano()), cfg.pages, time.Now())
		if err := s.ledger.Flush(ctx); err != nil {
			return err
		}
		began := time.Now()
		if err := s.files.Render(ctx); err != nil {
			return err
		}
		took := time.Since(began)
		changed := 0
		after := s.tags()
		for name, tag := range after {
			if before[name] != tag {
				changed++
			}
		}
		if changed == 0 {
			continue
		}
		shown++
		fmt.Printf("one change: %d of %d parts became another file, in %.1f ms\n", changed, len(after), ms(took))
	}
	return nil
}

// tags returns the entity tags of all parts.
func (s *site) tags() map[string]string {
	tags := map[string]string{}
	for n := 1; ; n++ {
		name := "/sitemap-" + strconv.Itoa(n) + ".xml"
		w := httptest.NewRecorder()
		s.files.ServeHTTP(w, httptest.NewRequest(http.MethodHead, name, nil))
		if w.Code != http.StatusOK {
			return tags
		}
		tags[name] = w.Header().Get("Etag")
	}
}

// visits shows pages anew as they were at the last look.
func (s *site) visits(ctx context.Context, cfg config) error {
	const rounds = 8
	var took time.Duration
	for range rounds {
		for range together {
			i := rand.IntN(cfg.pages)
			s.look(i, version(i, cfg.looks-1), cfg.pages, time.Now())
		}
		began := time.Now()
		if err := s.ledger.Flush(ctx); err != nil {
			return err
		}
		took += time.Since(began)
	}
	fmt.Printf("a visit to a known page at %d pages: %.0f µs in the background\n", cfg.pages, float64(took.Microseconds())/(rounds*together))
	return nil
}
