package files

import (
	"context"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/journal"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/sitemap"
	"github.com/servemap/servemap/store"
)

// A side file stands beside the sitemap, and no index names it. It is small enough
// to be kept whole.
type side int

// The side files.
const (
	recentSide side = iota
	newsSide
	sideFiles
)

// suffixes are what their names have after that of the first file.
var suffixes = [sideFiles]string{recentSide: "-recent", newsSide: "-news"}

// sides are the side files that there are, nil for one that lists nothing.
type sides [sideFiles]*file

// has reports whether the site has this side file.
func (f *Files) has(s side) bool {
	if s == recentSide {
		return f.cfg.Recent > 0
	}
	return f.cfg.News
}

// sideNamed returns the side file that what follows the first file's name says.
func (f *Files) sideNamed(suffix string) (side, bool) {
	s := side(slices.Index(suffixes[:], suffix))
	return s, s >= 0 && f.has(s)
}

// mention is a page that a side file may list.
type mention struct {
	location string
	part     int
	leaves   moment.Time                   // when it leaves the file
	write    func(e *book.Entry) (ok bool) // writes its entry, if that has a place in the file
}

// makeSides makes the side files, and stores since when they are as they are.
func (f *Files) makeSides(ctx context.Context, p *pass) (*sides, error) {
	now, made, old := time.Now(), new(sides), f.served.Load().sides
	m := &making{trust: p.trust, now: moment.Of(now)}
	if f.has(recentSide) {
		recent, err := f.recent(ctx, now, m)
		if err == nil {
			made[recentSide], err = f.makeSide(ctx, f.cfg.Keys.Recent(), old[recentSide], recent, m, recentMost)
		}
		if err != nil {
			return nil, err
		}
	}
	if f.has(newsSide) {
		m.declared = sitemap.NewsItem
		news, err := f.news(ctx, now)
		if err == nil {
			made[newsSide], err = f.makeSide(ctx, f.cfg.Keys.News(), old[newsSide], news, m, sitemap.MaxNews)
		}
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}

// makeSide makes a side file of the first most pages that are still as they are
// mentioned, nil if there are none. What is known of it is stored under key.
func (f *Files) makeSide(ctx context.Context, key string, old *file, pages []mention, m *making, most int) (*file, error) {
	made := new(file)
	f.maker.begin(m.declared)
	for chunk := range slices.Chunk(pages, store.MaxKeys) {
		entries, err := f.view(ctx, len(chunk), func(i int) string { return f.cfg.Keys.List(chunk[i].part, chunk[i].location) })
		if err != nil {
			return nil, err
		}
		for i, page := range chunk {
			e, err := book.DecodeEntry(entries[i])
			if err == nil && len(f.maker.hashes) < most && f.shows(m, page.location, &e) && page.write(&e) {
				made.until = earlier(earlier(made.until, e.Until), page.leaves)
				f.maker.press.flush()
			}
		}
	}
	if made = f.maker.end(made); made.pages == 0 {
		return nil, nil
	}
	f.note(ctx, key, "", made, old, m.now.Time())
	return made, nil
}

// recentAhead is how far ahead of this clock an event may be to be recent, as that
// of another process may have noted it. One of a clock that was further ahead would
// stay at the top until its time comes.
const recentAhead = time.Minute

// recentMost is the most pages that the file of recent pages lists.
const recentMost = 1000

// recent returns the pages that were listed or changed lately, the last one first.
// They leave at a full hour, so that the file does not become another one for each.
func (f *Files) recent(ctx context.Context, now time.Time, m *making) (pages []mention, err error) {
	from, to := now.Add(-f.cfg.Recent).UnixMilli(), now.Add(recentAhead).UnixMilli()
	for e, err := range (journal.Journal{Keys: f.cfg.Keys}).Scan(ctx, f.cfg.Store, from, to) {
		if err != nil {
			return nil, err
		}
		if e.What == journal.Removed {
			continue
		}
		if len(pages) == 2*recentMost { // the last ones are after these
			pages = slices.Clone(pages[recentMost:])
		}
		pages = append(pages, mention{
			location: e.Location, part: e.Part,
			leaves: moment.Of(e.At.Add(f.cfg.Recent).Truncate(time.Hour).Add(time.Hour)),
			write:  func(entry *book.Entry) bool { return f.append(e.Location, entry, m) },
		})
	}
	pages = pages[max(0, len(pages)-recentMost):]
	slices.Reverse(pages)
	return pages, nil
}

// news returns the articles of the last two days, the last one first.
func (f *Files) news(ctx context.Context, now time.Time) (pages []mention, err error) {
	articles, err := book.Articles(ctx, f.cfg.Store, f.cfg.Keys, now)
	for _, a := range articles {
		pages = append(pages, mention{
			location: a.Location, part: a.Part,
			leaves: moment.Seconds(a.Published).Add(book.NewsFor),
			write:  func(e *book.Entry) bool { return f.appendNews(a, e.Extension) },
		})
	}
	return pages, err
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

// view returns the records of n keys, nil for those that are not there.
func (f *Files) view(ctx context.Context, n int, key func(int) string) (records [][]byte, err error) {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = key(i)
	}
	err = f.cfg.Store.View(ctx, keys, func(values [][]byte) error {
		records = records[:0]
		for _, v := range values {
			records = append(records, slices.Clone(v))
		}
		return nil
	})
	return records, err
}
