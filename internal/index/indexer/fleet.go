package indexer

import (
	"context"
	"slices"
)

// sharedKeys are the keys of the site-wide records that other processes change. The site's
// own record is among them for the guard, which checks its version.
func (l *Ledger) sharedKeys() []string {
	return append(l.robotsKeys(), l.site.Keys.Site(), l.site.Keys.Trust(), l.site.Keys.Erased())
}

// openFleet notes the state of the store. Everything else is read after it, so that no
// change of another process is missed.
func (l *Ledger) openFleet(ctx context.Context) error {
	if l.fleet.Alone() {
		return nil
	}
	now, err := l.fleet.Look(ctx, l.cfg.Store)
	if err == nil {
		l.cfg.Files.Changed(now.Parts...)
		l.fleet.Took(now)
	}
	return err
}

// refresh reads again what other processes have changed.
func (l *Ledger) refresh(ctx context.Context, _ bool) error {
	if l.fleet.Alone() {
		return nil
	}
	c, err := l.fleet.Look(ctx, l.cfg.Store)
	if err != nil {
		return err
	}
	if c.Site[l.site.Keys.Erased()] {
		l.site.Followed.Forget()
	}
	if err := l.openSuspects(ctx); err != nil {
		return err
	}
	if c.Site[l.site.Keys.Trust()] {
		if err := l.openTrust(ctx); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(l.robotsKeys(), func(key string) bool { return c.Site[key] }) {
		if err := l.openRobots(ctx); err != nil {
			return err
		}
	}
	l.tellFiles()
	l.cfg.Files.Changed(c.Parts...)
	l.site.Book.Filling = slices.Max(append(c.Parts, l.site.Book.Filling))
	l.fleet.Took(c)
	return nil
}
