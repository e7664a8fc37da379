package files

import (
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/changelog"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

// The numbers of the side files. They stand beside the sitemap, and no index names them.
// Parts have lower numbers.
const (
	recentFile = keys.MaxPart + 1 + iota
	newsFile
)

// sides returns the numbers of the side files that the site has, by the suffixes of their
// names.
func (f *Files) sides() map[string]int {
	sides := map[string]int{}
	if f.cfg.Recent > 0 {
		sides["-recent"] = recentFile
	}
	if f.cfg.News {
		sides["-news"] = newsFile
	}
	return sides
}

// mention is a page that a side file may list.
type mention struct {
	location string
	part     int
	leaves   moment.Time     // when the page leaves the file
	news     *shards.Article // set in the file of news
}

// composeSide makes a side file. It takes the first mentioned pages whose entries still
// agree with the mention.
func (f *Files) composeSide(ctx context.Context, n int, m *making) (*file, error) {
	mentioned, most := f.recent, recentMost
	if n == newsFile {
		mentioned, most, m.declared = f.news, sitemap.MaxNews, sitemap.NewsItem
	}
	pages, err := mentioned(ctx, m.now.Time())
	if err != nil {
		return nil, err
	}
	names := make([]string, len(pages))
	for i, page := range pages {
		names[i] = f.cfg.Keys.List(page.part, page.location)
	}
	entries, err := txn.ReadAll(ctx, f.cfg.Store, names...)
	if err != nil {
		return nil, err
	}
	made := new(file)
	f.maker.begin(m.declared)
	for i, page := range pages {
		e, err := shards.DecodeEntry(entries[i])
		if err == nil && len(f.maker.hashes) < most && f.shows(m, page.location, &e) && f.appendMention(page, &e, m) {
			made.until = earlier(earlier(made.until, e.Until), page.leaves)
			f.maker.press.flush()
		}
	}
	return f.maker.end(made), nil
}

func (f *Files) appendMention(page mention, e *shards.Entry, m *making) (ok bool) {
	if page.news == nil {
		return f.append(page.location, e, m)
	}
	return f.appendNews(*page.news, e.Extension)
}

// recentAhead is how far in the future an event may be: another process may have noted
// it by its own clock. An event further ahead would stay at the top until its time comes.
const recentAhead = time.Minute

// recentMost is the most pages that the file of recent pages lists.
const recentMost = 1000

// recent returns the pages that were listed or changed lately, the latest first. They
// leave on the hour, so that the file does not change once for each.
func (f *Files) recent(ctx context.Context, now time.Time) (pages []mention, err error) {
	from, to := now.Add(-f.cfg.Recent).UnixMilli(), now.Add(recentAhead).UnixMilli()
	for e, err := range (changelog.Journal{Keys: f.cfg.Keys}).Scan(ctx, f.cfg.Store, from, to) {
		if err != nil {
			return nil, err
		}
		if e.What == changelog.Removed {
			continue
		}
		if len(pages) == 2*recentMost { // the last ones are after these
			pages = slices.Clone(pages[recentMost:])
		}
		leaves := e.At.Add(f.cfg.Recent).Truncate(time.Hour).Add(time.Hour)
		pages = append(pages, mention{location: e.Location, part: e.Part, leaves: moment.Of(leaves)})
	}
	pages = pages[max(0, len(pages)-recentMost):]
	slices.Reverse(pages)
	return pages, nil
}

// news returns the articles of the last two days, the latest first.
func (f *Files) news(ctx context.Context, now time.Time) (pages []mention, err error) {
	articles, err := shards.Articles(ctx, f.cfg.Store, f.cfg.Keys, now)
	for _, a := range articles {
		pages = append(pages, mention{a.Location, a.Part, moment.Seconds(a.Published).Add(shards.NewsFor), &a})
	}
	return pages, err
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
