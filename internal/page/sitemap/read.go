package sitemap

import (
	"bytes"
	"context"
	"strings"

	"github.com/servemap/servemap/internal/page/sitemap/strict"
)

// Read reads a file in which a site lists its pages, whoever made it: a sitemap, an index, a feed (RSS or Atom) or a
// text of URLs. It calls take with each address as it is written, as far as the file can be read, or until ctx ends.
// index says that the addresses are those of further files. ok says that the file has one of these forms.
func Read(ctx context.Context, file []byte, take func(address string)) (index, ok bool) {
	text, _ := strict.UTF8(file)
	if text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\ufeff")), " \t\r\n"); IsURL(text) {
		for line := range bytes.Lines(text) {
			take(string(bytes.TrimSpace(line)))
		}
		return false, true
	}
	c := &collector{take: take}
	ReadOutline(ctx, text, c)
	return c.form == Index, c.form != ""
}

// IsURL reports whether a text begins with the URL of a page.
func IsURL(text []byte) bool {
	begins := bytes.ToLower(text[:min(len(text), len("https://"))])
	return bytes.HasPrefix(begins, []byte("http://")) || bytes.HasPrefix(begins, []byte("https://"))
}

// collector takes the addresses out of a file of XML.
type collector struct {
	take func(string)
	form string
}

// Root is for [ReadOutline].
func (c *collector) Root(_ *Node, form string) { c.form = form }

// Entry is for [ReadOutline].
func (c *collector) Entry(n *Node, _ bool) {
	if c.form != Sitemap && c.form != Index {
		for _, address := range n.Links() {
			c.take(address)
		}
		return
	}
	for _, loc := range n.All(n.Space, "loc") {
		if address := strings.TrimSpace(loc.Text); address != "" {
			c.take(address)
		}
	}
}

// Stray is for [ReadOutline].
func (c *collector) Stray(*Node) {}

// Problem is for [ReadOutline].
func (c *collector) Problem(string, int) {}
