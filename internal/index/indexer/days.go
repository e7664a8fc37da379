package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/sitewide"
	"github.com/servemap/servemap/internal/schema/txn"
)

// days notes a few numbers of each day, for the owner.
type days struct {
	*Indexer
	fresh  sitewide.Days // what happened and is not stored yet
	since  time.Time     // when the first of these events happened
	listed int           // how many pages are listed in what is stored
}

// daysEvery is how long numbers that nobody waits for are collected.
const daysEvery = time.Minute

// happened counts events.
func (d *days) happened(events [changelog.Happenings]int, now time.Time) {
	if events == [changelog.Happenings]int{} {
		return
	}
	if len(d.fresh) == 0 {
		d.since = now
	}
	d.fresh.Add(sitewide.Days{moment.Of(now).Day(): {Added: events[changelog.Added], Changed: events[changelog.Changed],
		Removed: events[changelog.Removed]}})
}

func (d *days) due(now time.Time) time.Time {
	if len(d.fresh) == 0 {
		return now.Add(daysEvery + idleRound) // never by itself: only Flush, which runs all tasks, notes what is listed
	}
	return d.since.Add(daysEvery)
}

// run adds the fresh numbers to the stored ones.
func (d *days) run(ctx context.Context, _ bool) error {
	served, _ := d.cfg.Files.Metrics()
	if len(d.fresh) == 0 && served.Pages == d.listed {
		return nil
	}
	now := moment.Of(time.Now())
	d.fresh.Add(sitewide.Days{now.Day(): {Listed: served.Pages, Dated: served.Dated}})
	key := d.site.Keys.Days()
	err := txn.Update(ctx, d.cfg.Store, []string{key}, func(t *txn.Tx) {
		all := sitewide.ReadDays(t.Get(key), now.Day())
		all.Add(d.fresh)
		t.Put(key, all.Encode())
	})
	if err == nil {
		d.fresh, d.listed = sitewide.Days{}, served.Pages
	}
	return err
}
