package indexer

import (
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/schema/replicas"
	"github.com/servemap/servemap/internal/schema/sitewide"
)

// replicated reads what other processes have changed in the store.
type replicated struct {
	*Indexer
	*replicas.Watch
}

func (f *replicated) due(time.Time) time.Time { return f.Due() }

// keys are the keys of the site-wide records that other processes change. The site's
// own record is among them for the guard, which checks its version.
func (f *replicated) keys() []string {
	return append(sitewide.RobotsKeys(f.site.Keys), f.site.Keys.Site(), f.site.Keys.Trust(), f.site.Keys.Erased(), f.site.Keys.Review())
}

// open notes the state of the store. Everything else is read after it, so that no
// change of another process is missed.
func (f *replicated) open(ctx context.Context) error {
	if f.Alone() {
		return nil
	}
	now, err := f.Poll(ctx, f.cfg.Store)
	if err == nil {
		f.cfg.Files.Changed(now.Shards...)
		f.Took(now)
	}
	return err
}

// run reads again what other processes have changed.
func (f *replicated) run(ctx context.Context, _ bool) error {
	c, err := f.Poll(ctx, f.cfg.Store)
	if err != nil {
		return err
	}
	if c.Site[f.site.Keys.Erased()] {
		f.site.Followed.Forget()
	}
	if c.Site[f.site.Keys.Review()] {
		if err := f.review.share(ctx, func(*turn) bool { return false }); err != nil {
			return err
		}
	}
	if c.Site[f.site.Keys.Trust()] {
		if err := f.trust.open(ctx); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(sitewide.RobotsKeys(f.site.Keys), func(key string) bool { return c.Site[key] }) {
		if err := f.robotsTxt.open(ctx); err != nil {
			return err
		}
	}
	f.trust.tellFiles()
	f.cfg.Files.Changed(c.Shards...)
	f.site.Layout.Filling = slices.Max(append(c.Shards, f.site.Layout.Filling))
	f.Took(c)
	return nil
}
