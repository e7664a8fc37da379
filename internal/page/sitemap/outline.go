package sitemap

import (
	"context"
	"encoding/xml"
	"strings"

	"github.com/servemap/servemap/internal/page/sitemap/strict"
)

// The forms of files that list pages.
const (
	Sitemap, Index  = "sitemap", "index"
	RSS, Atom, Text = "rss", "atom", "text"
)

const atomSpace = "http://www.w3.org/2005/Atom"

// Node is an element of a file, with what stands in it.
type Node struct {
	xml.Name
	Attrs []xml.Attr
	Text  string
	Line  int
	Kids  []*Node
}

// Get returns the value of an attribute, in any namespace.
func (n *Node) Get(attr string) (value string, has bool) {
	for _, a := range n.Attrs {
		if a.Name.Local == attr {
			return a.Value, true
		}
	}
	return "", false
}

// All returns the elements of a name in a node.
func (n *Node) All(space, local string) (found []*Node) {
	for _, k := range n.Kids {
		if k.Space == space && k.Local == local {
			found = append(found, k)
		}
	}
	return found
}

// First returns the text of the first element of a name, "" for none.
func (n *Node) First(space, local string) string {
	if all := n.All(space, local); len(all) > 0 {
		return strings.TrimSpace(all[0].Text)
	}
	return ""
}

// Links returns the addresses that an entry of a feed gives of its page. Links of other modules do not count.
func (n *Node) Links() (addresses []string) {
	for _, k := range n.Kids {
		address, own := k.Text, k.Space == "" || k.Space == n.Space
		rel, has := k.Get("rel")
		switch {
		case k.Local != "link" || !own && k.Space != atomSpace, has && rel != "alternate":
			continue
		case n.Local != "item" || !own:
			address, _ = k.Get("href")
		}
		if address = strings.TrimSpace(address); address != "" {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// Outline gets what stands in a file of XML, in its order.
type Outline interface {
	// Root gets the root element, and the form of the file, "" for one that lists no pages.
	Root(n *Node, form string)
	// Entry gets an entry once it is whole: of a sitemap, an index or a feed. cut says that it has too many elements; some
	// are left out. A <url> in an index is one too, as is a <sitemap> in a sitemap.
	Entry(n *Node, cut bool)
	// Stray gets an element, or a text, that stands in the root of a sitemap or an index, and is no entry.
	Stray(n *Node)
	// Problem gets what [strict.Handler] gets.
	Problem(text string, line int)
}

// ReadOutline reads a text of XML in UTF-8 as far as it goes, or until ctx ends. It keeps no more than one entry. It
// returns the entry in which the text breaks off, which it did not hand over, or nil.
func ReadOutline(ctx context.Context, text []byte, to Outline) (open *Node) {
	t := &tree{Outline: to}
	strict.Read(ctx, text, t)
	if t.entry == 0 {
		return nil
	}
	return t.open[t.entry]
}

// tree puts together the elements of an entry.
type tree struct {
	Outline
	form  string
	open  []*Node  // from the root on
	text  [][]byte // of each of them
	entry int      // how deep the open entry stands, 0 for none
	nodes int      // how many elements that entry has
}

const (
	mostNodes = 20_000  // elements of an entry: 1,000 images with all that is said of them, and much more
	mostText  = 1 << 16 // bytes of an element
)

// Start is for [strict.Read].
func (t *tree) Start(e xml.StartElement, line int) {
	n, depth := &Node{Name: e.Name, Attrs: e.Attr, Line: line}, len(t.open)
	switch {
	case depth == 0:
		t.form = formOf(n)
		t.Root(n, t.form)
	case t.entry > 0:
		if t.nodes++; t.nodes <= mostNodes {
			up := t.open[depth-1]
			up.Kids = append(up.Kids, n)
		}
	case t.isEntry(n):
		t.entry, t.nodes = depth, 0
	case depth == 1 && t.isOwn(n):
		t.Stray(n)
	}
	t.open, t.text = append(t.open, n), append(t.text, nil)
}

// formOf returns the form of a file with that root.
func formOf(root *Node) string {
	switch {
	case root.Local == "urlset":
		return Sitemap
	case root.Local == "sitemapindex":
		return Index
	case root.Local == "rss" || root.Local == "RDF":
		return RSS
	case root.Local == "feed":
		return Atom
	}
	return ""
}

// isEntry reports whether an element begins an entry. Those of RSS stand in a channel, or beside it.
func (t *tree) isEntry(n *Node) bool {
	switch t.form {
	case RSS:
		return n.Local == "item"
	case Atom:
		return n.Local == "entry"
	}
	return len(t.open) == 1 && t.isOwn(n) && (n.Local == "url" || n.Local == "sitemap")
}

// isOwn reports whether an element is one of the sitemap, or of the index, and not of an extension.
func (t *tree) isOwn(n *Node) bool {
	return (t.form == Sitemap || t.form == Index) && (n.Space == "" || n.Space == t.open[0].Space)
}

// Text is for [strict.Read].
func (t *tree) Text(s string, line int) {
	if at := len(t.open) - 1; at > 1 {
		if len(t.text[at]) < mostText {
			t.text[at] = append(t.text[at], s...)
		}
		return
	}
	if begin := len(s) - len(strings.TrimLeft(s, " \t\r\n")); (t.form == Sitemap || t.form == Index) && begin < len(s) {
		t.Stray(&Node{Text: strings.TrimSpace(s), Line: line + strings.Count(s[:begin], "\n")})
	}
}

// End is for [strict.Read]. It hands an entry over once it is whole, and forgets it.
func (t *tree) End() {
	depth := len(t.open) - 1
	n := t.open[depth]
	n.Text = string(t.text[depth])
	t.open, t.text = t.open[:depth], t.text[:depth]
	if depth == t.entry && depth > 0 {
		t.entry = 0
		t.Entry(n, t.nodes > mostNodes)
	}
}
