package indexer

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/index/merge"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/secret"
	"github.com/servemap/servemap/internal/schema/sitewide"
	"github.com/servemap/servemap/internal/schema/txn"
)

// records are the records about the site as a whole.
type records struct {
	*Indexer
	opened bool // they were read
}

// open reads the site-wide records at the start, and again after an error: the store may have stored what it did not
// confirm.
func (r *records) open(ctx context.Context) error {
	if r.opened {
		return nil
	}
	for _, step := range []func(context.Context) error{
		r.secret, r.replicas.open, r.trust.open, r.robotsTxt.open, r.activity,
		r.review.readShards, r.boilerplate.open,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	r.trust.tellFiles()
	r.site.Followed.Forget()
	r.opened, r.syncing.unsynced = true, true // a sync, and no read, says that the store can be written again
	r.review.begin()                          // the counts or the settings may have changed
	return nil
}

// secret reads the site's secret, and makes one at the very first start. It writes
// only then, so that a full store can still be opened.
func (r *records) secret(ctx context.Context) error {
	record, err := txn.Read(ctx, r.cfg.Store, r.site.Keys.Site())
	if err != nil {
		return err
	}
	key, bad := secret.Read(record)
	if key == nil {
		if bad != nil {
			r.health.damaged.Add(1)
			r.cfg.Logger.Error("servemap: the site's secret in the store is damaged; waiting pages are learned anew")
		}
		other := r.otherSite(ctx)
		if key, err = r.newSecret(ctx); err != nil {
			return err
		}
		if other != "" && bad == nil {
			origin := r.site.Normalizer.Origin()
			text := words.Say("servemap: The store has pages of %s and none of %s, which is learned anew. If the other was " +
				"only for trying, all is well; else correct {Origin}.")
			r.cfg.Logger.Warn(fmt.Sprintf(text, other, origin), "origin", origin.String())
		}
	}
	if r.site.Names = (merge.Names{Secret: key}); !r.replicas.alone() {
		r.shared.Store(&key)
	}
	return nil
}

// otherSite returns the origin of another site that has pages in the store, "" if there is none. Where processes share
// a store, or a process has many sites, there are others.
func (r *records) otherSite(ctx context.Context) string {
	first := func(prefix, after string) string {
		for record, err := range r.cfg.Store.Scan(ctx, prefix, after) {
			if err == nil {
				return record.Key
			}
		}
		return ""
	}
	if !r.replicas.alone() || r.cfg.Memory != nil {
		return ""
	}
	for key := first("", ""); key != ""; {
		origin, _, _ := strings.Cut(key, "|")
		k := keys.Keys(origin + "|")
		if k != r.site.Keys && first(k.Pages(), "") != "" {
			return origin
		}
		key = first("", string(k)+"~") // behind all of that site
	}
	return ""
}

// newSecret stores a new secret. If another process was faster, it returns that one's.
func (r *records) newSecret(ctx context.Context) (key secret.Key, err error) {
	fresh := secret.New()
	err = txn.Update(ctx, r.cfg.Store, []string{r.site.Keys.Site()}, func(t *txn.Tx) {
		if key, _ = secret.Read(t.Get(r.site.Keys.Site())); key == nil {
			t.Put(r.site.Keys.Site(), fresh.Encode())
			key = fresh
		}
	})
	return key, err
}

// activity reads the stored activity.
func (r *records) activity(ctx context.Context) error {
	return txn.View(ctx, r.cfg.Store, []string{r.site.Keys.Active()},
		func(t *txn.Tx) { r.site.Activity = codec.Read[sitewide.Activity](t.Get(r.site.Keys.Active())) })
}

// noteActivity stores once per span that the site is observed. If a clock that was ahead stored a
// later time, that counts as now.
func (r *records) noteActivity(ctx context.Context, at time.Time) error {
	now, length := moment.Of(at), r.site.SpanLength()
	if r.site.Activity.Observed(now, length) == r.site.Activity {
		return nil
	}
	var merged sitewide.Activity
	err := txn.Update(ctx, r.cfg.Store, []string{r.site.Keys.Active()}, func(t *txn.Tx) {
		merged = codec.Read[sitewide.Activity](t.Get(r.site.Keys.Active())).Observed(now, length)
		t.Put(r.site.Keys.Active(), merged.Encode())
	})
	if err == nil {
		r.site.Activity = merged
	}
	return err
}
