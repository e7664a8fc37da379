package sitemap

import (
	"bytes"
	"encoding/xml"
	"strings"

	"github.com/servemap/servemap/internal/page/sitemap/strict"
)

// Read reads a file in which a site lists its pages, whoever made it: a sitemap, an index, a feed (RSS or Atom) or a
// text of URLs. It calls take with each address as it is written, as far as the file can be read. index says that these
// are of further files; ok, that the file is of one of these forms.
func Read(file []byte, take func(address string)) (index, ok bool) {
	text, _ := strict.UTF8(file)
	if text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\ufeff")), " \t\r\n"); isURL(text) {
		for line := range bytes.Lines(text) {
			take(string(bytes.TrimSpace(line)))
		}
		return false, true
	}
	c := &collector{take: take}
	strict.Read(text, c)
	return c.form == "sitemapindex", c.form != ""
}

func isURL(text []byte) bool {
	begins := bytes.ToLower(text[:min(len(text), len("https://"))])
	return bytes.HasPrefix(begins, []byte("http://")) || bytes.HasPrefix(begins, []byte("https://"))
}

// collector takes the addresses out of a file of XML.
type collector struct {
	take   func(string)
	form   string     // the name of the root, "" if it is none of those that list pages
	open   []xml.Name // elements, from the root on
	inside bool       // an element that holds an address
	text   strings.Builder
}

const atom = "http://www.w3.org/2005/Atom"

// Start is for [strict.Read].
func (c *collector) Start(e xml.StartElement, _ int) {
	c.open = append(c.open, e.Name)
	if len(c.open) == 1 {
		switch e.Name.Local {
		case "urlset", "sitemapindex", "rss", "RDF", "feed":
			c.form = e.Name.Local
		}
	}
	if c.form == "" || len(c.open) < 3 {
		return
	}
	switch in := c.open[len(c.open)-2]; c.form {
	case "urlset", "sitemapindex":
		c.inside = len(c.open) == 3 && e.Name == xml.Name{Space: in.Space, Local: "loc"} && (in.Local == "url" || in.Local == "sitemap")
	case "feed":
		if in.Local == "entry" && e.Name.Local == "link" {
			c.link(e)
		}
	default:
		c.inside = in.Local == "item" && e.Name.Local == "link" && e.Name.Space != atom
	}
}

// link takes the address of an entry of Atom.
func (c *collector) link(e xml.StartElement) {
	href, rel := "", "alternate"
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "href":
			href = a.Value
		case "rel":
			rel = a.Value
		}
	}
	if rel == "alternate" {
		c.take(strings.TrimSpace(href))
	}
}

// longest is more than any address has that may be listed.
const longest = 16 << 10

// Text is for [strict.Read].
func (c *collector) Text(text string, _ int) {
	if c.inside && c.text.Len()+len(text) <= longest {
		c.text.WriteString(text)
	}
}

// End is for [strict.Read].
func (c *collector) End() {
	c.open = c.open[:len(c.open)-1]
	if c.inside {
		c.take(strings.TrimSpace(c.text.String()))
		c.inside = false
		c.text.Reset()
	}
}

// Problem is for [strict.Read].
func (c *collector) Problem(string, int) {}
