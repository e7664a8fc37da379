package main

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/admit"
	"github.com/servemap/servemap/internal/files"
	"github.com/servemap/servemap/internal/keys"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/ledger"
	"github.com/servemap/servemap/internal/location"
	"github.com/servemap/servemap/internal/tap"
	"github.com/servemap/servemap/store"
)

// direct is a site's ledger alone: every visit is a sighting, and every page is read in full.
type direct struct {
	pages    *pages
	norm     *location.Normalizer
	ledger   *ledger.Ledger
	files    *files.Files
	offered  int
	stop     context.CancelFunc
	sessions sync.WaitGroup
}

// newDirect puts a ledger and its files together as [servemap.New] does by default.
func newDirect(p *pages, st store.Store, log *slog.Logger) (*direct, error) {
	o, err := location.ParseOrigin(origin)
	if err != nil {
		return nil, err
	}
	d := &direct{pages: p}
	if d.norm, err = location.New(o, location.Config{}); err != nil {
		return nil, err
	}
	keys, err := keys.New(o.String())
	if err != nil {
		return nil, err
	}
	st = ledger.Guard(st, keys)
	d.files = files.New(files.Config{
		Store: st, Keys: keys, URL: o.URL, Name: "sitemap", Folder: "/", Every: 5 * time.Second,
		Doubts:  func() lastmod.Trust { return d.ledger.Doubts() },
		Explain: func() string { return "Nothing is listed yet." },
		Logger:  log,
	})
	d.ledger, err = ledger.New(ledger.Config{
		Store: st, Normalizer: d.norm, Files: d.files, Entries: []string{"/"}, Networks: quorum, Confidence: 0.5, KeepFor: 90 * 24 * time.Hour,
		MakeDue: func(string) {}, Logger: log,
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	d.stop = stop
	d.sessions.Go(func() { d.ledger.Run(ctx) })
	d.sessions.Go(func() { d.files.Run(ctx) })
	return d, nil
}

func (d *direct) workers() int          { return 1 }
func (d *direct) sitemap() http.Handler { return d.files }

// together is how many visits are handed over before they are waited for.
const together = 512

func (d *direct) visit(v visit) error {
	loc := d.norm.Request(host, v.loc)
	if loc.Location == "" {
		return nil // it is refused before it could be looked at
	}
	d.ledger.Offer(&ledger.Sighting{
		Kind: admit.Witness, Location: loc.Location, OwnURL: loc.NeedsCanonical, At: time.Now(), Network: admit.Network(v.client),
		Response: &tap.Response{
			Status: http.StatusOK, Header: tap.Header{ContentType: contentType}, Body: d.pages.body(nil, v.loc), Complete: true,
		},
	})
	if d.offered++; d.offered%together != 0 {
		return nil
	}
	return d.ledger.Flush(context.Background())
}

func (d *direct) flush(ctx context.Context) error {
	if err := d.ledger.Flush(ctx); err != nil {
		return err
	}
	return d.files.Render(ctx)
}

func (d *direct) stats() servemap.Stats {
	s := d.ledger.Stats()
	return servemap.Stats{Listed: d.files.Listed(), Waiting: s.Waiting, Sightings: s.Sightings, Dropped: s.Dropped, Queued: s.Queued, Damaged: s.Damaged}
}

func (d *direct) changed(ctx context.Context) (pages int, err error) {
	for page, err := range d.ledger.Pages(ctx) {
		if err != nil {
			return 0, err
		}
		if page.Changes > 0 {
			pages++
		}
	}
	return pages, nil
}

func (d *direct) close(ctx context.Context) error {
	err := d.flush(ctx)
	d.stop()
	d.sessions.Wait()
	return err
}
