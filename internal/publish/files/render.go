package files

import (
	"cmp"
	"context"
	"strings"

	"github.com/servemap/servemap/internal/decide/lastmod"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/publish/sitemap"
	"github.com/servemap/servemap/internal/schema/shards"
)

// making is what the entries of a file share while it is made.
type making struct {
	trust    lastmod.Trust
	now      moment.Time
	declared sitemap.Namespaces
	shown    sitemap.Extension // of the entry that is being written
}

// shows reports whether an entry is to be shown.
func (f *Files) shows(m *making, location string, e *shards.Entry) bool {
	return !passed(e.Until, m.now) && f.linkable(location)
}

// linkable reports whether a file may name a listed location.
func (f *Files) linkable(location string) bool { return !f.isWithdrawn(location) && f.Allows(location) }

// compose makes the file of part n.
func (f *Files) compose(ctx context.Context, n int, m *making) (*file, error) {
	part, err := shards.ReadPart(ctx, f.cfg.Store, f.cfg.Keys, n)
	if err != nil {
		return nil, err
	}
	m.declared = part.Uses() & f.cfg.Extensions
	made, err := f.scan(ctx, n, m)
	if err == nil {
		made.changes = part.Changes
	}
	return made, err
}

// scan reads the entries of part n and writes its file.
func (f *Files) scan(ctx context.Context, n int, m *making) (*file, error) {
	made := new(file)
	f.maker.begin(m.declared)
	prefix := f.cfg.Keys.List(n, "")
	for r, err := range f.cfg.Store.Scan(ctx, prefix, "") {
		if err != nil {
			return nil, err
		}
		location := strings.TrimPrefix(r.Key, prefix)
		e, err := shards.DecodeEntry(r.Value)
		switch {
		case err != nil:
			made.damaged++
			continue
		case !f.shows(m, location, &e):
			continue
		}
		f.maker.given.Add(&e.Candidates)
		if !f.append(location, &e, m) {
			made.damaged++
			continue
		}
		made.until = earlier(made.until, e.Until)
		f.maker.press.flush()
	}
	made.dates = f.maker.given.Summarise()
	return f.maker.end(made), nil
}

// begin begins a file that declares these extensions.
func (k *maker) begin(declared sitemap.Namespaces) {
	k.hashes, k.linked = k.hashes[:0], k.linked[:0]
	k.given.Reset()
	k.press.begin()
	k.press.text = sitemap.AppendURLSetOpen(k.press.text, declared)
}

// end ends the file that is being made. A file that lists nothing has no bytes.
func (k *maker) end(made *file) *file {
	if made.pages = len(k.hashes); made.pages == 0 {
		return new(file)
	}
	k.press.end(made, sitemap.URLSetClose)
	made.listed, made.linked = newLocations(k.hashes), newLocations(k.linked)
	return made
}

// append writes an entry, and reports whether it fits a file.
func (f *Files) append(location string, e *shards.Entry, m *making) (ok bool) {
	k, linked := &f.maker, len(f.maker.linked)
	text, x, ok := f.appendEntry(k.press.text, location, e, m, func(to string) bool {
		if !f.linkable(to) {
			return false
		}
		k.linked = append(k.linked, f.hashOf(to))
		return true
	})
	k.press.text = text
	if x == nil || len(x.Alternates) == 0 {
		k.linked = k.linked[:linked]
	}
	if ok {
		k.hashes = append(k.hashes, f.hashOf(location))
	}
	return ok
}

// appendEntry appends an entry, and returns which extensions it has. If it does not fit a file with its
// extensions, it has none. ok is false if it does not fit at all. linkable says which pages it may name.
func (f *Files) appendEntry(dst []byte, location string, e *shards.Entry, m *making, linkable func(string) bool) (_ []byte, x *sitemap.Extension, ok bool) {
	u := sitemap.URL{Loc: f.cfg.URL(location), LastMod: e.LastMod(m.trust, m.now).Seconds(), ChangeFreq: e.Freq.String()}
	u.ChangeFreq = cmp.Or(f.cfg.Rules.Freq(location), u.ChangeFreq)
	u.Priority = f.cfg.Rules.Priority(location)
	x = e.Extension.Shown(&m.shown, m.declared, f.cfg.URL, linkable)
	if dst, ok = sitemap.AppendExtended(dst, u, x, m.declared); ok || x == nil {
		return dst, x, ok
	}
	dst, ok = sitemap.AppendURL(dst, u)
	return dst, nil, ok
}
