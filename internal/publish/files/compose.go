package files

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/schema/extension"
	"github.com/servemap/servemap/internal/schema/shards"
)

// clockSkew is how far the clock of another process may be ahead. If a stored change has a later time, the file has no
// time of its last change.
const clockSkew = time.Minute

// mention is a page with something new for a file beside the sitemap.
type mention struct {
	kind     extension.Kind
	location string
	stored   []byte
	since    moment.Time
	until    moment.Time // when the page expires, 0 for never
}

// file makes file n. before are those that the pass has made. A file that lists nothing has 0 pages.
func (p *pass) file(ctx context.Context, n int, before map[int]*file) (*file, error) {
	if a := p.asides[n]; a != nil {
		return p.aside(a, p.served.Load().with(before)), nil
	}
	made, err := p.shard(ctx, n)
	if err != nil {
		return nil, fmt.Errorf("file %d: %w", n, err)
	}
	return made, nil
}

// shard makes the file of shard n.
func (p *pass) shard(ctx context.Context, n int) (*file, error) {
	made := new(file)
	record, err := shards.Read(ctx, p.cfg.Store, p.cfg.Keys, n) // before the entries: what changes meanwhile is made again
	if err != nil {
		return nil, err
	}
	if made.changed = record.Changed.Second(); made.changed.Sub(p.now) > clockSkew {
		made.changed = 0
	}
	if slices.Contains(p.sections, record.Section) {
		made.section = record.Section
	}
	p.to.begin(sitemap.URLSetOpen(p.cfg.Extensions.Entries().Namespaces()))
	prefix := p.cfg.Keys.List(n, "")
	for r, err := range p.cfg.Store.Scan(ctx, prefix, "") {
		if err != nil {
			return nil, err
		}
		if !p.entry(made, strings.TrimPrefix(r.Key, prefix), r.Value) {
			made.damaged++
		}
	}
	made.dates = p.to.given.Summarise()
	return p.to.endPages(made), nil
}

// entry writes a stored entry if it is to be shown, and reports whether it could be read.
func (p *pass) entry(made *file, location string, stored []byte) (ok bool) {
	e, err := shards.DecodeEntry(stored)
	switch {
	case err != nil:
		return false
	case passed(e.Until, p.now):
		made.changed = max(made.changed, e.Until.Second())
		return true
	case !p.Allows(location):
		return true
	}
	p.to.given.Add(e.Date)
	text, ok := p.appendEntry(p.to.text, location, &e)
	if !ok {
		return false
	}
	if e.LastMod(p.trust, p.now) != 0 {
		made.dated++
	}
	p.to.text, p.to.listed = text, append(p.to.listed, p.hashOf(location))
	p.to.flush()
	made.until = earlier(made.until, e.Until)
	p.mention(made, location, &e)
	return true
}

// mention notes what is new on a page. It keeps some times as many as a file shows, as some may not
// be new yet, or expire.
func (p *pass) mention(made *file, location string, e *shards.Entry) {
	if len(e.Extensions) == 0 {
		return
	}
	for _, a := range p.asides {
		stored := e.Extensions[a.kind]
		if stored == nil {
			continue
		}
		since := moment.Of(a.At(stored))
		if !passed(since.Add(a.For), p.now) {
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
func (p *pass) appendEntry(dst []byte, location string, e *shards.Entry) (_ []byte, ok bool) {
	u := sitemap.URL{Loc: p.cfg.URL(location), LastMod: e.LastMod(p.trust, p.now).Seconds()}
	u.ChangeFreq = cmp.Or(p.cfg.Rules.Freq(location), e.Freq.String())
	u.Priority = p.cfg.Rules.Priority(location)
	if len(e.Extensions) > 0 {
		u.Extensions = e.Extensions.Append(p.more[:0], p.cfg.Extensions.Entries(), p.view())
		p.more = u.Extensions
	}
	return sitemap.AppendURL(dst, u)
}

// view returns how elements name pages.
func (p *pass) view() *extension.View {
	return &extension.View{URL: p.cfg.URL, Publication: p.cfg.Publication, Shows: p.Allows}
}

// aside makes a file beside the sitemap, of the latest pages that the shards have for it.
func (p *pass) aside(a *aside, files map[int]*file) *file {
	made := new(file)
	var all []mention
	for _, n := range slices.Sorted(maps.Keys(files)) {
		for _, m := range files[n].news {
			switch {
			case m.kind != a.kind, passed(m.until, p.now), passed(m.since.Add(a.For), p.now), !p.Allows(m.location):
			case m.since > p.now: // it waits for its time
				made.until = earlier(made.until, m.since)
			default:
				all = append(all, m)
			}
		}
	}
	slices.SortStableFunc(all, latestFirst)
	only := extension.Of(a.kind)
	p.to.begin(sitemap.URLSetOpen(only.Namespaces()))
	for _, m := range all[:min(len(all), a.Most)] {
		p.more = extension.Values{a.kind: m.stored}.Append(p.more[:0], only, p.view())
		text, ok := sitemap.AppendURL(p.to.text, sitemap.URL{Loc: p.cfg.URL(m.location), Extensions: p.more})
		if !ok || len(p.more) == 0 {
			continue
		}
		p.to.text, p.to.listed = text, append(p.to.listed, p.hashOf(m.location))
		p.to.flush()
		made.until = earlier(earlier(made.until, m.until), m.since.Add(a.For))
	}
	return p.to.endPages(made)
}
