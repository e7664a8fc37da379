package files

import (
	"context"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

// newsFile is the number of the file of news. It stands beside the sitemap, and no index
// names it. Parts have lower numbers.
const newsFile = keys.MaxPart + 1

// sides returns the numbers of the files beside the sitemap, by the suffixes of their names.
func (f *Files) sides() map[string]int {
	if f.cfg.News {
		return map[string]int{"-news": newsFile}
	}
	return nil
}

// composeNews makes the file of news. It takes the latest articles whose entries still
// agree with the records of articles.
func (f *Files) composeNews(ctx context.Context, _ int, m *making) (*file, error) {
	articles, err := shards.Articles(ctx, f.cfg.Store, f.cfg.Keys, m.now.Time())
	if err != nil {
		return nil, err
	}
	names := make([]string, len(articles))
	for i, a := range articles {
		names[i] = f.cfg.Keys.List(a.Part, a.Location)
	}
	entries, err := txn.ReadAll(ctx, f.cfg.Store, names...)
	if err != nil {
		return nil, err
	}
	made := new(file)
	m.declared = sitemap.NewsItem
	f.maker.begin(m.declared)
	for i, a := range articles {
		e, err := shards.DecodeEntry(entries[i])
		if err == nil && len(f.maker.hashes) < sitemap.MaxNews && f.shows(m, a.Location, &e) && f.appendNews(a, e.Extension) {
			made.until = earlier(earlier(made.until, e.Until), moment.Seconds(a.Published).Add(shards.NewsFor))
			f.maker.press.flush()
		}
	}
	return f.maker.end(made), nil
}

// appendNews writes an article, and reports whether it belongs in the file of news.
func (f *Files) appendNews(a shards.Article, x *shards.Extension) (ok bool) {
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
