package kit

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/indexer"
	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/observe/schedule"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/page/response"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// Bench is the indexer and the files of a site without the middleware. A program
// hands its indexer exchanges, as visits would.
type Bench struct {
	Indexer   *indexer.Indexer
	Files     *files.Files
	Locations *location.Normalizer

	render  func()
	stop    context.CancelFunc
	workers sync.WaitGroup
}

// BenchOptions has the options that a program changes. Zero values are a site's defaults.
type BenchOptions struct {
	KeepFor    time.Duration
	Unrendered bool // files are made only on request
	Rules      eligibility.Rules
	Logger     *slog.Logger
}

// NewBench starts the indexer and files of a site at [Origin].
func NewBench(st store.Store, o BenchOptions) (*Bench, error) {
	origin, err := location.ParseOrigin(Origin)
	if err != nil {
		return nil, err
	}
	b := new(Bench)
	if b.Locations, err = location.New(origin, location.Config{}); err != nil {
		return nil, err
	}
	keys, err := keys.New(origin.String())
	if err != nil {
		return nil, err
	}
	log := cmp.Or(o.Logger, slog.Default())
	st = txn.Guard(st, keys.Site(), log)
	b.Files = files.New(files.Config{
		Store: st, Keys: keys, URL: origin.URL, Name: "sitemap", Folder: "/", Every: 5 * time.Second, Logger: log,
	})
	b.Indexer, err = indexer.New(indexer.Config{
		Store: st, Normalizer: b.Locations, Files: b.Files, Rules: o.Rules, Entries: []string{"/"},
		KeepFor: cmp.Or(o.KeepFor, 90*24*time.Hour), Schedule: schedule.New(1), Logger: log,
	})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	b.stop = stop
	b.workers.Go(func() { b.Indexer.Run(ctx) })
	b.render = func() { b.workers.Go(func() { b.Files.Run(ctx) }) }
	if !o.Unrendered {
		b.Render()
	}
	return b, nil
}

// Render starts making files, if BenchOptions.Unrendered left it out.
func (b *Bench) Render() { b.render() }

// Close ends the indexer and the files.
func (b *Bench) Close() {
	b.stop()
	b.workers.Wait()
}

// HTML is the content type of all pages.
const HTML = "text/html; charset=utf-8"

// Visit returns what a visit to a page shows.
func Visit(loc string, at time.Time, body []byte) *observation.Exchange {
	return &observation.Exchange{
		Kind: eligibility.Witness, Location: loc, At: at,
		Response: &response.Response{
			Status: http.StatusOK, Header: response.Header{ContentType: HTML}, Body: body, Written: int64(len(body)), Complete: true,
		},
	}
}
