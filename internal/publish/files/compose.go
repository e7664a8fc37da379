package files

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
)

// composer makes a file from the entries in the store.
type composer struct {
	*Files
	to    *writer
	trust lastmod.Trust
	now   moment.Time
	more  []byte // the elements of extensions of the entry that is being written
}

// mention is a page with something new for a file beside the sitemap.
type mention struct {
	kind     extension.Kind
	location string
	stored   []byte
	since    moment.Time
	until    moment.Time // when the page expires, 0 for never
}

// file makes file n. before are those that the pass has made. A file that lists nothing has 0 pages.
// The file may name withdrawn pages, which are cut out when it is published.
func (c *composer) file(ctx context.Context, n int, before map[int]*file) (made *file, err error) {
	if a := c.asides[n]; a != nil {
		made = c.aside(a, c.served.Load().with(before))
	} else if made, err = c.shard(ctx, n); err != nil {
		return nil, fmt.Errorf("file %d: %w", n, err)
	}
	c.note(ctx, n, made, c.served.Load().files[n])
	return made, nil
}

// shard makes the file of shard n.
func (c *composer) shard(ctx context.Context, n int) (*file, error) {
	made := new(file)
	c.to.begin(sitemap.URLSetOpen(c.cfg.Extensions.Entries().Namespaces()))
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
	return c.to.endPages(made), nil
}

// entry writes a stored entry if it is to be shown, and reports whether it could be read.
func (c *composer) entry(made *file, location string, stored []byte) (ok bool) {
	e, err := shards.DecodeEntry(stored)
	if err != nil || passed(e.Until, c.now) || !c.Allows(location) {
		return err == nil
	}
	c.to.given.Add(e.Date)
	text, ok := c.appendEntry(c.to.text, location, &e)
	if !ok {
		return false
	}
	if e.LastMod(c.trust, c.now) != 0 {
		made.dated++
	}
	c.to.text, c.to.listed = text, append(c.to.listed, c.hashOf(location))
	c.to.flush()
	made.until = earlier(made.until, e.Until)
	c.mention(made, location, &e)
	return true
}

// mention notes what is new on a page. It keeps some times as many as a file shows, as some may not
// be new yet, or expire.
func (c *composer) mention(made *file, location string, e *shards.Entry) {
	if len(e.Extensions) == 0 {
		return
	}
	for _, a := range c.asides {
		stored := e.Extensions[a.kind]
		if stored == nil {
			continue
		}
		since := moment.Of(a.At(stored))
		if !passed(since.Add(a.For), c.now) {
			made.news = append(made.news, mention{a.kind, location, stored, since, e.Until})
		}
		if most := 4 * a.Most; len(made.news) == 2*most {
			slices.SortStableFunc(made.news, latestFirst)
			made.news = slices.Clone(made.news[:most])
		}
	}
}

func latestFirst(a, b mention) int { return cmp.Compare(b.since, a.since) }

// appendEntry appends an entry. If it does not fit a file with its extensions, it has none. ok is
// false if it does not fit at all.
func (c *composer) appendEntry(dst []byte, location string, e *shards.Entry) (_ []byte, ok bool) {
	u := sitemap.URL{Loc: c.cfg.URL(location), LastMod: e.LastMod(c.trust, c.now).Seconds()}
	u.ChangeFreq = cmp.Or(c.cfg.Rules.Freq(location), e.Freq.String())
	u.Priority = c.cfg.Rules.Priority(location)
	if len(e.Extensions) > 0 {
		u.Extensions = e.Extensions.Append(c.more[:0], c.cfg.Extensions.Entries(), c.view())
		c.more = u.Extensions
	}
	return sitemap.AppendURL(dst, u)
}

// view returns how elements name pages.
func (c *composer) view() *extension.View {
	return &extension.View{URL: c.cfg.URL, Publication: c.cfg.Publication, Shows: func(location string) bool {
		allowed := c.Allows(location)
		if allowed {
			c.to.linked = append(c.to.linked, c.hashOf(location))
		}
		return allowed
	}}
}

// aside makes a file beside the sitemap, of the latest pages that the shards have for it.
func (c *composer) aside(a *aside, files map[int]*file) *file {
	made := new(file)
	var all []mention
	for _, n := range slices.Sorted(maps.Keys(files)) {
		for _, m := range files[n].news {
			switch {
			case m.kind != a.kind, passed(m.until, c.now), passed(m.since.Add(a.For), c.now), !c.Allows(m.location):
			case m.since > c.now: // it waits for its time
				made.until = earlier(made.until, m.since)
			default:
				all = append(all, m)
			}
		}
	}
	slices.SortStableFunc(all, latestFirst)
	only := extension.Of(a.kind)
	c.to.begin(sitemap.URLSetOpen(only.Namespaces()))
	for _, m := range all[:min(len(all), a.Most)] {
		c.more = extension.Values{a.kind: m.stored}.Append(c.more[:0], only, c.view())
		text, ok := sitemap.AppendURL(c.to.text, sitemap.URL{Loc: c.cfg.URL(m.location), Extensions: c.more})
		if !ok || len(c.more) == 0 {
			continue
		}
		c.to.text, c.to.listed = text, append(c.to.listed, c.hashOf(m.location))
		c.to.flush()
		made.until = earlier(earlier(made.until, m.until), m.since.Add(a.For))
	}
	return c.to.endPages(made)
}
