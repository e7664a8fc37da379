package part

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/store"
)

// NewsFor is how long an article is news after it was published: engines take no
// older ones.
const NewsFor = 48 * time.Hour

func (k Keys) news() string { return string(k) + "articles" }

// article is a page that was published lately.
type article struct {
	location  string
	part      int
	published int64
}

// renderNews makes the file of the articles of the last two days, the last one
// first; nil if there are none. The caller holds Files.turn.
func (f *Files) renderNews(ctx context.Context, old *index) (*index, error) {
	now := time.Now()
	articles, err := f.articles(ctx, now)
	if err != nil {
		return nil, err
	}
	m := making{now: moment.Of(now), gone: f.withdrawals()}
	made := new(file)
	p := &f.press
	p.begin(pieceBytes)
	p.text = sitemap.AppendURLSetOpen(p.text, sitemap.NewsItem)
	for chunk := range slices.Chunk(articles, store.MaxKeys) {
		entries, err := f.viewEntries(ctx, len(chunk), func(i int) string { return f.cfg.Keys.list(chunk[i].part, chunk[i].location) })
		if err != nil {
			return nil, err
		}
		for i, a := range chunk {
			e, err := DecodeEntry(entries[i])
			if err != nil || !f.shows(&m, a.location, &e) || len(p.hashes) == sitemap.MaxNews {
				continue
			}
			if f.appendNews(p, a, e.Extension) {
				made.until = earlier(earlier(made.until, e.Until), moment.Seconds(a.published).Add(NewsFor))
				p.flush(false)
			}
		}
	}
	return f.endSide(ctx, f.cfg.Keys.news(), made, old, sitemap.URLSetClose, now), nil
}

// appendNews writes an article, and reports whether it has a place among news.
func (f *Files) appendNews(p *press, a article, x *Extension) (ok bool) {
	if x == nil || x.News == nil || x.News.Published != a.published {
		return false
	}
	news := *x.News
	if f.cfg.Publication != "" {
		news.Publication = f.cfg.Publication
	}
	u := sitemap.URL{Loc: f.cfg.URL(a.location)}
	if p.text, ok = sitemap.AppendExtended(p.text, u, &sitemap.Extension{News: &news}, sitemap.NewsItem); ok {
		p.hashes = append(p.hashes, f.hashOf(a.location))
	}
	return ok
}

// articlesRead bounds the articles that are looked at for the file of news.
const articlesRead = 4 * sitemap.MaxNews

// articles returns what was published in the last two days, the last one first.
// One that is dated after now waits until then.
func (f *Files) articles(ctx context.Context, now time.Time) (found []article, err error) {
	prefix, from := f.cfg.Keys.announced(), f.cfg.Keys.announcedAt(now.Add(-NewsFor).Unix()+1)
	for r, err := range f.cfg.Store.Scan(ctx, prefix, from) {
		if err != nil {
			return nil, err
		}
		at, location, ok := f.cfg.Keys.published(r.Key)
		if ok && at <= now.Unix() {
			found = append(found, article{strings.Clone(location), readAnnounced(r.Value), at})
		}
		if len(found) == 2*articlesRead { // the last ones are after these
			found = slices.Clone(found[articlesRead:])
		}
	}
	found = found[max(0, len(found)-articlesRead):]
	slices.SortStableFunc(found, func(a, b article) int { return cmp.Compare(b.published, a.published) })
	return found, nil
}

// PruneNews drops the keys of what is news no more.
func (b Book) PruneNews(ctx context.Context, st store.Store, now time.Time) error {
	end := b.Keys.announcedAt(now.Add(-NewsFor).Unix())
	for {
		var old []string
		for r, err := range st.Scan(ctx, b.Keys.announced(), "") {
			if err != nil {
				return err
			}
			if r.Key >= end || len(old) == pruneAtOnce {
				break
			}
			old = append(old, strings.Clone(r.Key))
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
