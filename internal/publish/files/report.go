package files

import (
	"context"
	"hash/maphash"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/servemap/servemap/internal/admin/metrics"
	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

// hashOf returns what a set of locations holds of one.
func (f *Files) hashOf(location string) uint64 { return maphash.String(f.seed, location) }

// Lists reports whether a served file lists location. It reports false until the files
// were first made.
func (f *Files) Lists(location string) bool { return f.served.Load().lists(f.hashOf(location)) }

// Listed returns how many pages the served files list.
func (f *Files) Listed() int { return f.served.Load().pages }

// Metrics returns what is served now, and how many requests for it were answered with
// which status.
func (f *Files) Metrics() (metrics.Files, map[int]uint64) {
	served := f.served.Load()
	m := metrics.Files{Pages: served.pages, Rendered: served.made}
	for _, p := range served.files {
		m.Files, m.Bytes, m.Dated, m.Damaged = m.Files+1, m.Bytes+p.size, m.Dated+p.dated, m.Damaged+p.damaged
	}
	if served.index != nil {
		m.Files, m.Bytes = m.Files+1, m.Bytes+served.index.size
	}
	return m, f.answers.Counts()
}

// Info is what is known of one of the files that are served.
type Info struct {
	Name    string    `json:"name"`
	URL     string    `json:"url"`
	Section string    `json:"section,omitempty"` // of a rule, whose pages it lists
	Pages   int       `json:"pages"`             // that it lists; 0 for an index
	Bytes   int       `json:"bytes"`             // before compression
	Changed time.Time `json:"changed,omitzero"`  // when what is stored of its pages last changed, if known
}

// List returns the files that are served, the one that crawlers begin with first. Under
// Config.ReportOnly they are those that would be served.
func (f *Files) List() []Info {
	s := f.served.Load()
	var list []Info
	add := func(number int, p *file) {
		if p != nil {
			name := f.of(number, s)
			list = append(list, Info{name, f.cfg.URL(f.cfg.Folder + name), p.section, p.pages, p.size, p.changed.Time().UTC()})
		}
	}
	add(0, s.named(name{top: true}))
	if s.index != nil {
		for _, n := range s.shards() {
			add(n, s.files[n])
		}
	}
	for _, n := range slices.Sorted(maps.Keys(f.asides)) {
		add(n, s.files[n])
	}
	return list
}

// WriteTo writes a file as it is served, or under Config.ReportOnly as it would be. It reports whether there is one.
func (f *Files) WriteTo(w io.Writer, file string) bool {
	n, ok := f.parse(file)
	p := f.served.Load().named(n)
	if !ok || p == nil || p.unread {
		return false
	}
	_, _ = io.Copy(w, &unpacking{size: int64(p.size), gz: p.gz}) // the reader may be gone
	return true
}

// Element returns the element that the sitemap has of a page of shard n, and "" if it has none.
func (f *Files) Element(ctx context.Context, n int, location string) string {
	stored, _ := txn.Read(ctx, f.cfg.Store, f.cfg.Keys.List(n, location))
	e, err := shards.DecodeEntry(stored)
	if err != nil || !f.Lists(location) {
		return ""
	}
	p := pass{Files: f, trust: f.Trust(), now: moment.Of(time.Now())}
	element, _ := p.appendEntry(nil, location, &e)
	return string(element)
}
