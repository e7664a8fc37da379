package crawlers

import (
	"context"
	"fmt"
	"time"

	"github.com/servemap/servemap/internal/schema/txn"
)

// Report is what one engine fetched.
type Report struct {
	Engine    Engine
	Days      []Day  // the latest first
	Files     []File // the latest fetch first
	Since     time.Time
	Day, Week int           // listed pages fetched in that time, or since Since if that is later
	Never     int           // listed pages not fetched since Since
	Delay     time.Duration // the median from a change to the first fetch after it
	Delays    int           // how many changes the median is of
}

// Report returns a report on each engine that any client has claimed to be.
func (t *Tracker) Report(now time.Time) (reports []Report) {
	listed := t.cfg.Listed()
	t.mu.Lock()
	defer t.mu.Unlock()
	day := t.pages.fetchedSince(secondOf(now.Add(-24*time.Hour)), t.cfg.Lists)
	week := t.pages.fetchedSince(secondOf(now.Add(-7*24*time.Hour)), t.cfg.Lists)
	ever := t.pages.fetchedSince(0, t.cfg.Lists)
	for i := range engines {
		all := t.kept[i].plus(&t.fresh[i])
		if all.empty() {
			continue
		}
		r := Report{Engine: Engine(i), Since: t.started, Day: day[i], Week: week[i], Never: max(0, listed-ever[i])}
		r.Days, r.Files = all.report()
		r.Delay, r.Delays = t.pages.median(r.Engine)
		reports = append(reports, r)
	}
	return reports
}

// sync adds the fresh counts to the stored ones, and reads what other processes have added.
// If the store fails, sync adds them next time. If the store writes but its answer is lost,
// sync adds the fresh counts twice. So it waits for the answer even after ctx has ended.
func (t *Tracker) sync(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	var names []string
	var fresh [engines]account // a copy, because a store that hangs may read it for long
	any := false
	for e := range t.fresh {
		names = append(names, t.cfg.Keys.Crawler(table[e].name))
		none := newAccount()
		fresh[e] = none.plus(&t.fresh[e])
		any = any || !fresh[e].empty()
	}
	stored, err := txn.Within(ctx, func() (stored [engines]account, err error) {
		merge := func(values [][]byte) error {
			for e := range fresh {
				known := readAccount(values[e])
				stored[e] = known.plus(&fresh[e])
				if !fresh[e].empty() {
					values[e] = stored[e].encode()
				}
			}
			return nil
		}
		if any {
			err = t.cfg.Store.Update(ctx, names, merge)
		} else {
			err = t.cfg.Store.View(ctx, names, merge)
		}
		return stored, err
	})
	if err != nil {
		return fmt.Errorf("storing what crawlers fetched: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = stored
	for e := range t.fresh {
		t.fresh[e] = newAccount()
	}
	return nil
}
