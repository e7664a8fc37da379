package shards

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/codec"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// NewsFor is how long an article is news after it was published. Search engines ignore
// older ones.
const NewsFor = 48 * time.Hour

// An Article is a page in the file of news.
type Article struct {
	Location  string
	Part      int
	Published int64 // in Unix seconds
}

// announce updates the keys of news when one extension replaces another.
func (b Book) announce(tx txn.Records, n int, location string, old, now *Extension) {
	was, is := b.newsKey(location, old), b.newsKey(location, now)
	if was != "" && was != is {
		tx.Put(was, nil)
	}
	if is != "" {
		tx.Put(is, codec.Marshal(n))
	}
}

// newsKey returns the key of an article, "" if the extension has none.
func (b Book) newsKey(location string, x *Extension) string {
	if x == nil || x.News == nil {
		return ""
	}
	return b.Keys.Article(x.News.Published, location)
}

// articlesRead bounds the articles that are read for the file of news.
const articlesRead = 4 * sitemap.MaxNews

// Articles returns the articles of the last two days, the latest first. An article dated
// in the future waits until then.
func Articles(ctx context.Context, st store.Store, k keys.Keys, now time.Time) (found []Article, err error) {
	for r, err := range st.Scan(ctx, k.Announced(), k.Article(now.Add(-NewsFor).Unix()+1, "")) {
		if err != nil {
			return nil, err
		}
		at, location, ok := k.Published(r.Key)
		if ok && at <= now.Unix() {
			part := 0
			_ = codec.Unmarshal(r.Value, &part) // an article in no part is shown nowhere
			found = append(found, Article{location, part, at})
		}
		if len(found) == 2*articlesRead { // the latest are still to come
			found = slices.Clone(found[articlesRead:])
		}
	}
	found = found[max(0, len(found)-articlesRead):]
	slices.SortStableFunc(found, func(a, b Article) int { return cmp.Compare(b.Published, a.Published) })
	return found, nil
}

// pruneAtOnce is how many keys one update deletes.
const pruneAtOnce = 500

// PruneNews deletes the keys of articles that are no longer news.
func (b Book) PruneNews(ctx context.Context, st store.Store, now time.Time) error {
	end := b.Keys.Article(now.Add(-NewsFor).Unix(), "")
	for {
		var old []string
		for r, err := range st.Scan(ctx, b.Keys.Announced(), "") {
			if err != nil {
				return err
			}
			if r.Key >= end || len(old) == pruneAtOnce {
				break
			}
			old = append(old, r.Key)
		}
		if len(old) == 0 {
			return nil
		}
		err := st.Update(ctx, old, func(values [][]byte) error {
			clear(values)
			return nil
		})
		if err != nil {
			return err
		}
	}
}
