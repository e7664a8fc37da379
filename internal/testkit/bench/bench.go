// Package bench runs the indexer and the files of a site without the middleware. Only tests and measurements may
// import it.
package bench

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/index/indexer"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/observe/schedule"
	"github.com/servemap/servemap/internal/page/location"
	"github.com/servemap/servemap/internal/publish/files"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// Bench is an indexer with its files. It is handed observations, as visits would.
type Bench struct {
	Indexer   *indexer.Indexer
	Files     *files.Files
	Locations *location.Normalizer
	Schedule  *schedule.Table

	running context.Context
	stop    context.CancelFunc
	workers sync.WaitGroup
}

// Options has what differs. Zero values are a site's defaults.
type Options struct {
	KeepFor     time.Duration
	RenderEvery time.Duration
	Unrendered  bool // files are made only on request
	Rules       eligibility.Rules
	Logger      *slog.Logger
}

// New starts the indexer and the files of the site at an origin.
func New(at string, st store.Store, o Options) (*Bench, error) {
	origin, err := location.ParseOrigin(at)
	if err != nil {
		return nil, err
	}
	b := &Bench{Schedule: schedule.New(1 << 12)}
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
		Store: st, Keys: keys, URL: origin.URL, Name: "sitemap", Folder: "/", Every: cmp.Or(o.RenderEvery, 5*time.Second),
		Rules:  o.Rules,
		Logger: log,
	})
	b.Indexer, err = indexer.New(indexer.Config{
		Store: st, Files: b.Files, Schedule: b.Schedule, Logger: log,
		Settings: merge.Settings{Normalizer: b.Locations, Rules: o.Rules, Entries: map[string]bool{"/": true},
			KeepFor: cmp.Or(o.KeepFor, 90*24*time.Hour)},
	})
	if err != nil {
		return nil, err
	}
	b.running, b.stop = context.WithCancel(context.Background())
	b.workers.Go(func() { b.Indexer.Run(b.running) })
	if !o.Unrendered {
		b.Render()
	}
	return b, nil
}

// Render starts making files, if Options.Unrendered left it out.
func (b *Bench) Render() { b.workers.Go(func() { b.Files.Run(b.running) }) }

// Close ends the indexer and the files.
func (b *Bench) Close() {
	b.stop()
	b.workers.Wait()
}
