package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/files"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/ledger"
	loc "github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/tap"
	"github.com/servemap/servemap/store/badgerstore"
)

// site is a site's ledger and files over the store on disk, put together as [servemap.New] does by default, but that nothing is
// rendered unasked, and that every page is read at once: a real site is visited again until it was.
type site struct {
	st      *badgerstore.Store
	ledger  *ledger.Ledger
	files   *files.Files
	stop    context.CancelFunc
	render  func() // has files made from then on, when they are asked for
	workers sync.WaitGroup
}

func open(dir string) (*site, error) {
	s := &site{}
	var err error
	if s.st, err = badgerstore.Open(filepath.Join(dir, "store"), &badgerstore.Options{Reserve: 1 << 20}); err != nil {
		return nil, err
	}
	o, err := loc.ParseOrigin(origin)
	if err != nil {
		return nil, err
	}
	norm, err := loc.New(o, loc.Config{})
	if err != nil {
		return nil, err
	}
	keys, err := keys.New(o.String())
	if err != nil {
		return nil, err
	}
	s.files = files.New(files.Config{
		Store: s.st, Keys: keys, URL: o.URL, Name: "sitemap", Folder: "/", Every: time.Hour, Logger: slog.Default(),
		Doubts:  func() lastmod.Trust { return s.ledger.Doubts() },
		Explain: func() string { return "Nothing is listed yet." },
	})
	s.ledger, err = ledger.New(ledger.Config{
		Store: s.st, Normalizer: norm, Files: s.files, Entries: []string{"/"}, Networks: 3, Confidence: 0.5, KeepFor: 90 * 24 * time.Hour, Unbudgeted: true,
		MakeDue: func(string) {}, Logger: slog.Default(),
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.workers.Go(func() { s.ledger.Run(ctx) })
	s.render = func() { s.workers.Go(func() { s.files.Run(ctx) }) }
	return s, nil
}

func (s *site) close() error {
	s.stop()
	s.workers.Wait()
	return s.st.Close()
}

// look hands over what a visit to page i shows.
func (s *site) look(i, version, pages int, at time.Time) {
	s.ledger.Offer(&ledger.Sighting{
		Kind: admit.Witness, Location: location(i), At: at,
		Response: &tap.Response{
			Status: http.StatusOK, Header: tap.Header{ContentType: "text/html; charset=utf-8"}, Body: body(i, version, pages), Complete: true,
		},
	})
}

// together is how many looks are handed over before they are waited for.
const together = 1024

// fill has every page seen, and seen again.
func fill(cfg config) error {
	s, err := open(cfg.dir)
	if err != nil {
		return err
	}
	ctx := context.Background()
	for look := range cfg.looks {
		began := time.Now()
		at := began.Add(-time.Duration(cfg.looks-look) * 24 * time.Hour)
		for i := range cfg.pages {
			s.look(i, version(i, look), cfg.pages, at.Add(time.Duration(i)*time.Millisecond/100))
			if i%together == together-1 || i == cfg.pages-1 {
				if err := s.ledger.Flush(ctx); err != nil {
					return err
				}
			}
			if i%100_000 == 99_999 {
				fmt.Fprintf(os.Stderr, "look %d: %d pages in %v\n", look+1, i+1, time.Since(began).Round(time.Second))
			}
		}
		fmt.Printf("look %d at %d pages: %.1f s, %.0f µs a page\n", look+1, cfg.pages, time.Since(began).Seconds(),
			float64(time.Since(began).Microseconds())/float64(cfg.pages))
	}
	if n := s.ledger.Stats(); n.Dropped > 0 || n.Damaged > 0 {
		return fmt.Errorf("%d looks were dropped, and %d records could not be read", n.Dropped, n.Damaged)
	}
	return s.close()
}
