package indexer

import (
	"context"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/sitewide"
	"github.com/servemap/servemap/internal/schema/txn"
)

// clockTrial is how long a clock must stay behind before it is believed.
const clockTrial = 24 * time.Hour

// clock says whether this process's clock can date anything. It cannot while it is behind
// the time at which the site was last observed, for example on a machine whose clock stood
// still while it was off. If it stays behind, it must have been ahead before. Then stored
// times that are later than a look count as the time of the look. The zero clock is right.
type clock struct {
	since time.Time // when it was first found behind, by the monotonic clock; zero if it is not
	shown time.Time // the time it showed then
}

// behind reports whether looks date nothing now.
func (c *clock) behind() bool { return !c.since.IsZero() }

// judge takes the time of a look, and whether the site was observed later than that. It
// reports whether the clock is believed from now on although it is behind.
func (c *clock) judge(at time.Time, late bool) (believed bool) {
	passed := time.Since(c.since)
	jumped := (at.Sub(c.shown) - passed).Abs() >= time.Hour
	switch {
	case !late:
		*c = clock{}
	case !c.behind() || jumped:
		*c = clock{since: time.Now(), shown: at}
	case passed >= clockTrial:
		*c = clock{}
		return true
	}
	return false
}

// openActivity reads the stored activity.
func (l *Ledger) openActivity(ctx context.Context) error {
	return txn.View(ctx, l.cfg.Store, []string{l.site.Keys.Active()}, func(t *txn.Tx) { l.site.Activity = sitewide.ReadActivity(t.Get(l.site.Keys.Active())) })
}

// noteActivity stores once per span that the site is observed.
func (l *Ledger) noteActivity(ctx context.Context, at time.Time) error {
	now, length := moment.Of(at), l.site.SpanLength()
	anew := l.clock.judge(at, l.site.Activity.Ahead(now))
	if l.clock.behind() || !anew && l.site.Activity.Observed(now, length) == l.site.Activity {
		return nil
	}
	var merged sitewide.Activity
	err := txn.Update(ctx, l.cfg.Store, []string{l.site.Keys.Active()}, func(t *txn.Tx) {
		stored := sitewide.ReadActivity(t.Get(l.site.Keys.Active()))
		if anew && stored.Ahead(now) {
			stored = stored.Anew()
		}
		merged = stored.Observed(now, length)
		t.Put(l.site.Keys.Active(), merged.Encode())
	})
	if err == nil {
		l.site.Activity = merged
	}
	return err
}
