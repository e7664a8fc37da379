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

// composeNews makes the file of the articles of the last two days, the last one
// first.
func (f *Files) composeNews(ctx context.Context, p *pass, now time.Time) (*file, error) {
	articles, err := book.Articles(ctx, f.cfg.Store, f.cfg.Keys, now)
	if err != nil {
		return nil, err
	}
	m := making{now: moment.Of(now)}
	made := new(file)
	f.maker.begin(sitemap.NewsItem)
	for chunk := range slices.Chunk(articles, store.MaxKeys) {
		entries, err := f.view(ctx, len(chunk), func(i int) string { return f.cfg.Keys.List(chunk[i].Part, chunk[i].Location) })
		if err != nil {
			return nil, err
		}
		for i, a := range chunk {
			e, err := book.DecodeEntry(entries[i])
			if err != nil || !f.shows(&m, a.Location, &e) || len(f.maker.hashes) == sitemap.MaxNews {
				continue
			}
			if f.appendNews(a, e.Extension) {
				made.until = earlier(earlier(made.until, e.Until), moment.Seconds(a.Published).Add(book.NewsFor))
				f.maker.press.flush()
			}
		}
	}
	return f.maker.end(made), nil
}

// appendNews writes an article, and reports whether it has a place among news.
func (f *Files) appendNews(a book.Article, x *book.Extension) (ok bool) {
	if x == nil || x.News == nil || x.News.Published != a.Published {
		return false
	}
	news := *x.News
	if f.cfg.Publication != "" {
		news.Publication = f.cfg.Publication
	}
	p, u := &f.maker.press, sitemap.URL{Loc: f.cfg.URL(a.Location)}
	if p.text, ok = sitemap.AppendExtended(p.text, u, &sitemap.Extension{News: &news}, sitemap.NewsItem); ok {
		f.maker.hashes = append(f.maker.hashes, f.hashOf(a.Location))
	}
	return ok
}
