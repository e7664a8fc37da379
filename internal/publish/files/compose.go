package files

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

// composer makes files from the entries in the store.
type composer struct {
	*Files
	to       *writer
	trust    lastmod.Trust
	now      moment.Time
	declared sitemap.Namespaces // by the file that is being made
	shown    sitemap.Extension  // of the entry that is being written
}

// file makes file n, without withdrawn pages. A file that lists nothing has 0 pages.
func (c *composer) file(ctx context.Context, n int) (made *file, err error) {
	if n == newsFile {
		made, err = c.news(ctx)
	} else {
		made, err = c.part(ctx, n)
	}
	if err != nil {
		return nil, fmt.Errorf("file %d: %w", n, err)
	}
	old := c.served.Load().files[n]
	if old != nil && slices.Equal(old.listed, made.listed) {
		made.listed = old.listed // share the memory
	}
	c.note(ctx, n, made, old)
	return made, nil
}

// part makes the file of part n.
func (c *composer) part(ctx context.Context, n int) (*file, error) {
	part, err := shards.ReadPart(ctx, c.cfg.Store, c.cfg.Keys, n)
	if err != nil {
		return nil, err
	}
	made := new(file)
	c.declared = part.Uses() & c.cfg.Extensions
	c.to.begin(string(sitemap.AppendURLSetOpen(nil, c.declared)))
	prefix := c.cfg.Keys.List(n, "")
	for r, err := range c.cfg.Store.Scan(ctx, prefix, "") {
		if err != nil {
			return nil, err
		}
		if !c.entry(made, strings.TrimPrefix(r.Key, prefix), r.Value) {
			made.damaged++
		}
	}
	made.Dates = c.to.given.Summarise()
	made = c.to.endPages(made)
	made.Changes = part.Changes
	return made, nil
}

// entry writes a stored entry if it is to be shown, and reports whether it could be read.
func (c *composer) entry(made *file, location string, stored []byte) (ok bool) {
	e, err := shards.DecodeEntry(stored)
	if err != nil || !c.shows(location, &e) {
		return err == nil
	}
	c.to.given.Add(e.Date)
	text, ok := c.appendEntry(c.to.text, location, &e, func(to string) {
		c.to.linked = append(c.to.linked, c.Hash(to))
	})
	if !ok {
		return false
	}
	c.to.text, c.to.listed = text, append(c.to.listed, c.Hash(location))
	c.to.flush()
	made.until = earlier(made.until, e.Until)
	return true
}

// shows reports whether an entry is to be shown.
func (c *composer) shows(location string, e *shards.Entry) bool {
	return !passed(e.Until, c.now) && c.linkable(location)
}

// linkable reports whether a file may name a listed location.
func (c *composer) linkable(location string) bool {
	return !c.isWithdrawn(location) && c.Allows(location)
}

// isWithdrawn reports whether location, which an entry names, must stay out of the file
// that is being made. Cutting it out later would give the file another date in each pass.
// Once the withdrawal is settled, files follow the store; if an entry is older than the
// verdict, the location is cut out when the file is published.
func (c *composer) isWithdrawn(location string) bool {
	h := c.Hash(location)
	c.mu.Lock()
	defer c.mu.Unlock()
	one, is := c.gone[h]
	if !is || one.settled {
		return false
	}
	one.named = true
	c.gone[h] = one
	return true
}

// appendEntry appends an entry, and calls linked with each page that it may name. If it does
// not fit a file with its extensions, it has none. ok is false if it does not fit at all.
func (c *composer) appendEntry(dst []byte, location string, e *shards.Entry, linked func(string)) (_ []byte, ok bool) {
	u := sitemap.URL{Loc: c.cfg.URL(location), LastMod: e.LastMod(c.trust, c.now).Seconds()}
	u.ChangeFreq = cmp.Or(c.cfg.Rules.Freq(location), e.Freq.String())
	u.Priority = c.cfg.Rules.Priority(location)
	x := e.Extension.Shown(&c.shown, c.declared, c.cfg.URL, func(to string) bool {
		if !c.linkable(to) {
			return false
		}
		linked(to)
		return true
	})
	if dst, ok = sitemap.AppendExtended(dst, u, x, c.declared); ok || x == nil {
		return dst, ok
	}
	return sitemap.AppendURL(dst, u)
}

// news makes the file of news. It takes the latest articles whose entries still agree with
// the records of articles.
func (c *composer) news(ctx context.Context) (*file, error) {
	articles, err := shards.Articles(ctx, c.cfg.Store, c.cfg.Keys, c.now.Time())
	if err != nil {
		return nil, err
	}
	names := make([]string, len(articles))
	for i, a := range articles {
		names[i] = c.cfg.Keys.List(a.Part, a.Location)
	}
	entries, err := txn.ReadAll(ctx, c.cfg.Store, names...)
	if err != nil {
		return nil, err
	}
	made := new(file)
	c.to.begin(string(sitemap.AppendURLSetOpen(nil, sitemap.NewsItem)))
	for i, a := range articles {
		e, err := shards.DecodeEntry(entries[i])
		if err == nil && len(c.to.listed) < sitemap.MaxNews && c.shows(a.Location, &e) && c.article(a, e.Extension) {
			made.until = earlier(earlier(made.until, e.Until), moment.Seconds(a.Published).Add(shards.NewsFor))
			c.to.flush()
		}
	}
	return c.to.endPages(made), nil
}

// article writes an article, and reports whether it belongs in the file of news.
func (c *composer) article(a shards.Article, x *shards.Extension) (ok bool) {
	if x == nil || x.News == nil || x.News.Published != a.Published {
		return false
	}
	news := *x.News
	if c.cfg.Publication != "" {
		news.Publication = c.cfg.Publication
	}
	u := sitemap.URL{Loc: c.cfg.URL(a.Location)}
	if c.to.text, ok = sitemap.AppendExtended(c.to.text, u, &sitemap.Extension{News: &news}, sitemap.NewsItem); ok {
		c.to.listed = append(c.to.listed, c.Hash(a.Location))
	}
	return ok
}
