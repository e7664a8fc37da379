package files

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/shards"
	"github.com/servemap/servemap/internal/schema/txn"
)

// Info is what is known of one of the files that are served.
type Info struct {
	Name     string
	Pages    int       // that it lists; 0 for an index
	Bytes    int       // before compression
	Modified time.Time // when it last became another file
}

// List returns the files that are served, the one that crawlers begin with first. Under
// Config.ReportOnly they are those that would be served.
func (f *Files) List() []Info {
	f.mu.Lock()
	f.cut()
	f.mu.Unlock()
	s := f.served.Load()
	var list []Info
	add := func(suffix string, p *file) {
		list = append(list, Info{f.cfg.Name + suffix + ".xml", p.pages, p.size, p.modified.Time().UTC()})
	}
	if s.index != nil {
		add("", s.index)
	}
	for _, n := range slices.Sorted(maps.Keys(s.files)) {
		switch p := s.files[n]; {
		case n <= keys.MaxPart && s.index == nil:
			add("", p)
		case n <= keys.MaxPart:
			add("-"+strconv.Itoa(n), p)
		}
	}
	sides := f.sides()
	for _, suffix := range slices.Sorted(maps.Keys(sides)) {
		if p := s.files[sides[suffix]]; p != nil {
			add(suffix, p)
		}
	}
	return list
}

// Element returns the element that the file of part n has of a page, or will have once it
// is made anew, and "" if it has none. It returns when ctx ends, whatever the store does.
func (f *Files) Element(ctx context.Context, n int, location string) (string, error) {
	return txn.Within(ctx, func() (element string, err error) {
		names := []string{f.cfg.Keys.List(n, location), f.cfg.Keys.Part(n)}
		err = f.cfg.Store.View(ctx, names, func(values [][]byte) error {
			element = f.element(location, values[0], values[1])
			return nil
		})
		return element, err
	})
}

// element writes the entry of a page as scan does, by the records of the entry and of
// its part.
func (f *Files) element(location string, entry, part []byte) string {
	e, err := shards.DecodeEntry(entry)
	m := making{trust: f.Trust(), now: moment.Of(time.Now()), declared: shards.DecodePart(part).Uses() & f.cfg.Extensions}
	if entry == nil || err != nil || !f.shows(&m, location, &e) {
		return ""
	}
	text, _, _ := f.appendEntry(nil, location, &e, &m, f.linkable)
	return string(text)
}
