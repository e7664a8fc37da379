package sitemap

import (
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

// Link returns the address of the page that an entry of a feed is about, "" for none.
func (n *Node) Link() string {
	for _, k := range n.Kids {
		switch rel, has := k.Get("rel"); {
		case k.Local != "link":
		case n.Local == "item" && (k.Space == "" || k.Space == n.Space):
			return strings.TrimSpace(k.Text)
		case !has || rel == "alternate":
			href, _ := k.Get("href")
			return strings.TrimSpace(href)
		}
	}
	return ""
}

// Outline gets what stands in a file of XML, in its order.
type Outline interface {
	// Root gets the root element, and the form of the file, "" for one that lists no pages.
	Root(n *Node, form string)
	// Entry gets an entry once it is whole: of a sitemap, an index or a feed. cut says that it has too many elements; some
	// are left out.
	Entry(n *Node, cut bool)
	// Stray gets an element, or a text, that stands in the root of a sitemap or an index, and is no entry.
	Stray(n *Node)
	// Problem gets what [strict.Handler] gets.
	Problem(text string, line int)
}

// ReadOutline reads a text of XML in UTF-8 as far as it goes. It keeps no more than one entry.
func ReadOutline(text []byte, to Outline) { strict.Read(text, &tree{Outline: to}) }

// tree puts together the elements of an entry.
type tree struct {
	Outline
	form  string
	open  []*Node // from the root on
	nodes int     // of the entry
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
	case depth > 1 || t.isEntry(n):
		if t.nodes++; t.nodes <= mostNodes {
			up := t.open[depth-1]
			up.Kids = append(up.Kids, n)
		}
	case (t.form == Sitemap || t.form == Index) && (n.Space == t.open[0].Space || n.Space == ""):
		t.Stray(n)
	}
	t.open = append(t.open, n)
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
	case root.Local == "feed" && (root.Space == atomSpace || root.Space == ""):
		return Atom
	}
	return ""
}

// isEntry reports whether a child of the root holds an entry. Those of RSS are deeper, so a whole channel is one here.
func (t *tree) isEntry(n *Node) bool {
	switch t.form {
	case Sitemap:
		return n.Space == t.open[0].Space && n.Local == "url"
	case Index:
		return n.Space == t.open[0].Space && n.Local == "sitemap"
	case RSS:
		return n.Local == "channel" || n.Local == "item"
	case Atom:
		return n.Local == "entry"
	}
	return false
}

// Text is for [strict.Read].
func (t *tree) Text(s string, line int) {
	if len(t.open) > 2 {
		if n := t.open[len(t.open)-1]; len(n.Text) < mostText {
			n.Text += s
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
	t.open = t.open[:depth]
	if depth == 1 && t.isEntry(n) && n.Local != "channel" || depth == 2 && t.form == RSS && n.Local == "item" {
		t.Entry(n, t.nodes > mostNodes)
		up := t.open[depth-1]
		up.Kids, t.nodes = up.Kids[:max(0, len(up.Kids)-1)], 0
	}
}
