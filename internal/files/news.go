package files

import (
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/store"
)

// renderNews makes the file of the articles of the last two days, the last one
// first; nil if there are none. The caller holds Files.turn.
func (f *Files) renderNews(ctx context.Context, old *index) (*index, error) {
	now := time.Now()
	articles, err := book.Articles(ctx, f.cfg.Store, f.cfg.Keys, now)
	if err != nil {
		return nil, err
	}
	m := making{now: moment.Of(now), gone: f.withdrawals()}
	made := new(file)
	p := &f.press
	p.begin(pieceBytes)
	p.text = sitemap.AppendURLSetOpen(p.text, sitemap.NewsItem)
	for chunk := range slices.Chunk(articles, store.MaxKeys) {
		entries, err := f.viewEntries(ctx, len(chunk), func(i int) string { return f.cfg.Keys.List(chunk[i].Part, chunk[i].Location) })
		if err != nil {
			return nil, err
		}
		for i, a := range chunk {
			e, err := book.DecodeEntry(entries[i])
			if err != nil || !f.shows(&m, a.Location, &e) || len(p.hashes) == sitemap.MaxNews {
				continue
			}
			if f.appendNews(p, a, e.Extension) {
				made.until = earlier(earlier(made.until, e.Until), moment.Seconds(a.Published).Add(book.NewsFor))
				p.flush(false)
			}
		}
	}
	return f.endSide(ctx, f.cfg.Keys.News(), made, old, sitemap.URLSetClose, now), nil
}

// appendNews writes an article, and reports whether it has a place among news.
func (f *Files) appendNews(p *press, a book.Article, x *book.Extension) (ok bool) {
	if x == nil || x.News == nil || x.News.Published != a.Published {
		return false
	}
	news := *x.News
	if f.cfg.Publication != "" {
		news.Publication = f.cfg.Publication
	}
	u := sitemap.URL{Loc: f.cfg.URL(a.Location)}
	if p.text, ok = sitemap.AppendExtended(p.text, u, &sitemap.Extension{News: &news}, sitemap.NewsItem); ok {
		p.hashes = append(p.hashes, f.hashOf(a.Location))
	}
	return ok
}
