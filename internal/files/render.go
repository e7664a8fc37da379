package files

import (
	"cmp"
	"context"
	"strings"

	"github.com/servemap/servemap/internal/book"
	"github.com/servemap/servemap/internal/lastmod"
	"github.com/servemap/servemap/internal/moment"
	"github.com/servemap/servemap/internal/sitemap"
)

// making is what the entries of a file share while it is made.
type making struct {
	trust    lastmod.Trust
	now      moment.Time
	declared sitemap.Namespaces
	shown    sitemap.Extension // of the entry that is being written
}

// shows reports whether an entry is to be shown.
func (f *Files) shows(m *making, location string, e *book.Entry) bool {
	return !passed(e.Until, m.now) && f.linkable(location)
}

// linkable reports whether a file may name a listed location.
func (f *Files) linkable(location string) bool { return !f.isWithdrawn(location) && f.Allows(location) }

// compose makes the file of part n.
func (f *Files) compose(ctx context.Context, n int, m *making) (*file, error) {
	part, err := book.ReadPart(ctx, f.cfg.Store, f.cfg.Keys, n)
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
		e, err := book.DecodeEntry(r.Value)
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

// append writes an entry, and reports whether it fits a file. If it does not fit with its
// extensions, append writes it without them.
func (f *Files) append(location string, e *book.Entry, m *making) (ok bool) {
	p, u := &f.maker.press, f.entryURL(location, e, m)
	linked := len(f.maker.linked)
	x := e.Extension.Shown(&m.shown, m.declared, f.cfg.URL, func(to string) bool {
		if !f.linkable(to) {
			return false
		}
		f.maker.linked = append(f.maker.linked, f.hashOf(to))
		return true
	})
	if p.text, ok = sitemap.AppendExtended(p.text, u, x, m.declared); !ok && x != nil {
		x = nil
		p.text, ok = sitemap.AppendURL(p.text, u)
	}
	if x == nil || len(x.Alternates) == 0 {
		f.maker.linked = f.maker.linked[:linked]
	}
	if ok {
		f.maker.hashes = append(f.maker.hashes, f.hashOf(location))
	}
	return ok
}

// entryURL returns what a file says of a page beside its extensions.
func (f *Files) entryURL(location string, e *book.Entry, m *making) sitemap.URL {
	u := sitemap.URL{Loc: f.cfg.URL(location), LastMod: e.LastMod(m.trust, m.now).Seconds(), ChangeFreq: e.Freq.String()}
	if f.cfg.InferPriority {
		u.Priority = e.Priority
	}
	u.ChangeFreq = cmp.Or(f.cfg.Rules.Freq(location), u.ChangeFreq)
	u.Priority = cmp.Or(f.cfg.Rules.Priority(location), u.Priority)
	return u
}
