// Package tree makes the site map that visitors read: the listed pages by folder, with
// their titles. It takes the records of the pages, and a function that says which pages the
// sitemap lists now. It returns HTML. It must name no other page, and never change a
// record.
//
// The work for one view depends on what the view shows, not on how many pages there are. If
// a folder has too many children, the view shows groups of them by the beginnings of their
// names. Each group leads to its own view.
package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/schema/keys"
	"github.com/servemap/servemap/internal/schema/txn"
	"github.com/servemap/servemap/store"
)

// Config says what to make a tree of. All fields are required but Layout and Data.
type Config struct {
	Store  store.Store
	Keys   keys.Keys
	URL    func(location string) string // returns the absolute URL of a location
	Folder string                       // of the site, such as "/"
	Name   string                       // of the file, such as "sitemap.html"
	Words  Words
	Layout *template.Template // the owner's; nil for that of this package
	Data   func(Page) any     // returns what the owner's layout gets
}

// Words are the texts around the titles.
type Words struct {
	Lang  string // of the words, such as "en"
	Title string // the heading
	More  string // goes before the title of a folder that is not shown whole
	All   string // leads to all pages
}

// Page is what a layout shows.
type Page struct {
	Lang      string
	Title     string        // of the view
	Canonical string        // its absolute URL
	Tree      template.HTML // the links, without a heading of the page
	Style     template.CSS  // how Tree is laid out
}

// The bounds of a view, and the most pages for which there is a view of all pages.
const (
	firstLinks  = 100
	folderLinks = 500
	allPages    = 2000
)

// Query says which view to render.
type Query struct {
	In  string // the beginning of the locations to show; "" for the folder of the site
	All bool   // all pages at once
}

// ErrNone is returned if there is no such view.
var ErrNone = errors.New("nothing is listed there")

// Tree makes the views of one site. Its methods may be called concurrently.
type Tree struct {
	cfg  Config
	busy chan struct{} // only one view is made at a time

	// Only who holds busy may use these.
	shared affixes // of the titles, as last found
	found  time.Time
}

// New returns a tree. It returns an error if the owner's layout cannot be executed.
func New(cfg Config) (*Tree, error) {
	t := &Tree{cfg: cfg, busy: make(chan struct{}, 1)}
	if cfg.Layout == nil {
		return t, nil
	}
	if _, err := t.layOut(&view{title: cfg.Words.Title}); err != nil {
		return nil, fmt.Errorf("the layout cannot be executed: %w", err)
	}
	return t, nil
}

// Policy is the Content-Security-Policy of the views, "" for the owner's layout.
func (t *Tree) Policy() string {
	if t.cfg.Layout != nil {
		return ""
	}
	return "default-src 'none'; style-src '" + styleHash + "'; base-uri 'none'; form-action 'none'"
}

// Render returns a view as HTML. lists says which locations the sitemap lists now, and
// listed how many. Render returns when ctx ends, whatever the store does.
func (t *Tree) Render(ctx context.Context, q Query, listed int, lists func(location string) bool) ([]byte, error) {
	select {
	case t.busy <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return txn.Within(ctx, func() ([]byte, error) {
		defer func() { <-t.busy }()
		v, err := t.view(&reader{t.cfg.Store, t.cfg.Keys, lists}, ctx, q, listed)
		if err != nil {
			return nil, err
		}
		return t.layOut(v)
	})
}

// view returns the content of a view.
func (t *Tree) view(r *reader, ctx context.Context, q Query, listed int) (*view, error) {
	root := t.cfg.Folder
	if q.In == "" {
		q.In = root
	}
	if !strings.HasPrefix(q.In, root) || !keys.IsLocation(q.In) || q.All && (listed > allPages || q.In != root) {
		return nil, ErrNone
	}
	shared, err := t.affixes(ctx, r)
	if err != nil {
		return nil, err
	}
	b := &builder{Tree: t, reader: r, ctx: ctx, shared: shared, in: q.In, most: folderLinks, listed: listed}
	if q.In == root {
		b.most = firstLinks
	}
	switch {
	case q.All, q.In == root && listed < firstLinks:
		return b.all()
	default:
		return b.folder()
	}
}

// affixesFor is how long the affixes of titles are kept.
const affixesFor = time.Minute

// affixes returns what most titles have in common. It looks at pages from all folders.
func (t *Tree) affixes(ctx context.Context, r *reader) (affixes, error) {
	if !t.found.IsZero() && time.Since(t.found) < affixesFor {
		return t.shared, nil
	}
	found, _, err := r.children(ctx, t.cfg.Folder, firstLinks)
	var titles []string
	for _, c := range found {
		if c.folder {
			var some []entry
			if some, _, err = r.first(ctx, c.location, samplesMost); err != nil {
				return affixes{}, err
			}
			for _, e := range some {
				titles = append(titles, e.title)
			}
		} else {
			titles = append(titles, c.title)
		}
	}
	if err != nil {
		return affixes{}, err
	}
	t.shared, t.found = common(titles), time.Now()
	return t.shared, nil
}

// layOut returns a view as HTML.
func (t *Tree) layOut(v *view) ([]byte, error) {
	var tree, out bytes.Buffer
	if err := treeTemplate.Execute(&tree, v); err != nil {
		return nil, err
	}
	p := Page{
		Lang: t.cfg.Words.Lang, Title: v.title, Canonical: t.cfg.URL(t.cfg.Folder + v.Self),
		Tree: template.HTML(tree.String()), Style: template.CSS(treeStyle),
	}
	if t.cfg.Layout != nil {
		err := t.cfg.Layout.Execute(&out, t.cfg.Data(p))
		return out.Bytes(), err
	}
	p.Style = template.CSS(ownStyle)
	err := pageTemplate.Execute(&out, struct {
		Page
		Host, Home string
	}{p, hostOf(p.Canonical), t.cfg.Folder})
	return out.Bytes(), err
}
