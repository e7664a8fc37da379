package listing

import (
	"bytes"
	"encoding/xml"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/sitemap/strict"
)

// The namespaces of the protocol and of the extensions that Google reads.
const (
	protocol = "http://www.sitemaps.org/schemas/sitemap/0.9"
	imageNS  = "http://www.google.com/schemas/sitemap-image/1.1"
	videoNS  = "http://www.google.com/schemas/sitemap-video/1.1"
	newsNS   = "http://www.google.com/schemas/sitemap-news/0.9"
	xhtmlNS  = "http://www.w3.org/1999/xhtml"
	atomNS   = "http://www.w3.org/2005/Atom"
)

// The forms of files.
const (
	Sitemap, Index  = "sitemap", "index"
	rss, atom, text = "rss", "atom", "text"
)

// Answer is a file as a server gave it.
type Answer struct {
	URL         *url.URL
	Body        []byte
	ContentType string
	Encoding    string // its Content-Encoding
}

// MaxBytes is how much of a file is read.
const MaxBytes = sitemap.MaxBytes + 1

// node is an element of an entry.
type node struct {
	xml.Name
	attrs []xml.Attr
	text  string
	line  int
	kids  []*node
}

func (n *node) get(attr string) (string, bool) {
	for _, a := range n.attrs {
		if a.Name.Local == attr {
			return a.Value, true
		}
	}
	return "", false
}

// all returns the elements of a name in a node.
func (n *node) all(space, local string) (found []*node) {
	for _, k := range n.kids {
		if k.Space == space && k.Local == local {
			found = append(found, k)
		}
	}
	return found
}

// first returns the text of the first element of a name, "" for none.
func (n *node) first(space, local string) string {
	if all := n.all(space, local); len(all) > 0 {
		return strings.TrimSpace(all[0].text)
	}
	return ""
}

// File reads a file, notes what is wrong with it, and returns it with the files that it names if it is an index.
func (j *Judge) File(a Answer) (f report.File, parts []string) {
	r := &reader{Judge: j, name: a.URL.String(), file: a.URL, named: map[string]bool{}}
	body, packed, err := strict.Unpack(a.Body, MaxBytes)
	if f.URL = r.name; err != nil {
		r.cut = true
		r.add("gzip", 0, "is not whole: %v", err)
	} else if strings.HasSuffix(a.URL.Path, ".gz") && !packed && !strings.Contains(a.Encoding, "gzip") {
		r.add("gzip", 0, "is named .gz, and is not packed with gzip")
	}
	f.Bytes = len(body)
	if len(body) >= MaxBytes {
		r.add("size", 0, "has more than 50 MB unpacked")
		body = body[:sitemap.MaxBytes]
	}
	r.read(body)
	f.Form, f.Entries = r.form, r.entries
	if f.Form == "" {
		return f, nil
	}
	if kind, says := contentType(a.ContentType, f.Form, packed || strings.HasSuffix(a.URL.Path, ".gz")); kind != "" {
		r.add(kind, 0, "%s", says)
	}
	switch {
	case r.entries == 0 && !r.broken && !r.cut:
		r.add("empty", 0, "lists nothing")
	case r.entries > sitemap.MaxURLs:
		r.add("size", 0, "has %s entries; at most 50,000 are allowed", report.Number(r.entries))
	}
	return f, r.parts
}

// reader reads one file.
type reader struct {
	*Judge
	name      string
	file      *url.URL
	form      string // "" if it is no file that lists pages
	space     string // of its root
	entries   int
	parts     []string
	named     map[string]bool // parts, by key
	cut       bool            // its end is missing; then what else is wrong with the XML is not told too
	broken    bool            // it is no XML
	open      []*node         // from the root on
	nodes     int             // of the entry
	stray     bool
	said      []string // namespaces that were told
	newsItems int
}

func (r *reader) add(kind string, line int, text string, args ...any) {
	r.To.Add(kind, report.At{Where: r.name, Line: line}, text, args...)
}

// read reads the text of a file.
func (r *reader) read(body []byte) {
	body, why := strict.UTF8(body)
	if why != "" {
		r.add("encoding", 0, "%s; a sitemap must be in UTF-8", why)
	}
	if body == nil && why != "" {
		return
	}
	begin := bytes.TrimLeft(bytes.TrimPrefix(body, []byte("\ufeff")), " \t\r\n")
	switch {
	case len(body) == 0:
		r.add("root", 0, "is empty")
	case htmlBegins.Match(begin[:min(len(begin), 4096)]):
		r.add("html", 0, "is a page of HTML")
	case !bytes.Contains(body, []byte("<")) || isURL(firstLine(begin)):
		r.lines(body)
	case begin[0] == '{' || begin[0] == '[':
		r.add("root", 0, "is JSON, and no sitemap")
	default:
		strict.Read(body, r)
	}
}

func firstLine(text []byte) string {
	line, _, _ := bytes.Cut(text[:min(len(text), 4096)], []byte("\n"))
	return string(bytes.TrimSpace(line))
}

func isURL(s string) bool {
	s = strings.ToLower(s)
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// lines reads a text of URLs, one a line.
func (r *reader) lines(body []byte) {
	if !utf8.Valid(body) {
		r.add("encoding", 0, "is not in UTF-8")
	}
	all := bytes.Split(bytes.TrimPrefix(body, []byte("\ufeff")), []byte("\n"))
	if !slices.ContainsFunc(all, func(line []byte) bool { return isURL(string(bytes.TrimSpace(line[:min(len(line), 20)]))) }) {
		r.add("root", 0, "is neither XML nor a text of URLs; it begins with %q", firstLine(body))
		return
	}
	r.form = text
	for n, line := range all {
		if loc := strings.TrimSpace(string(line)); loc != "" && utf8.ValidString(loc) {
			r.page(Entry{Loc: loc, Line: n + 1})
		}
	}
}

// mostNodes is how many elements an entry may have: 1,000 images with all that is said of them, and much more.
const mostNodes = 20_000

// Start is for [strict.Read].
func (r *reader) Start(e xml.StartElement, line int) {
	n := &node{Name: e.Name, attrs: e.Attr, line: line}
	depth := len(r.open)
	if depth == 0 {
		r.root(n)
	}
	if depth > 1 || depth == 1 && r.isEntry(n) {
		if r.nodes++; r.nodes <= mostNodes {
			up := r.open[depth-1]
			up.kids = append(up.kids, n)
		}
	} else if depth == 1 && (n.Space == r.space || n.Space == "") && (r.form == Sitemap || r.form == Index) {
		r.misplaced(n)
	}
	r.open = append(r.open, n)
}

// Problem is for [strict.Read].
func (r *reader) Problem(text string, line int) {
	if !r.cut {
		r.broken = true
		r.add("xml", line, "%s", text)
	}
}

// root takes the root element.
func (r *reader) root(n *node) {
	r.space = n.Space
	switch {
	case n.Local == "urlset":
		r.form = Sitemap
	case n.Local == "sitemapindex":
		r.form = Index
	case n.Local == "rss" || n.Local == "RDF":
		r.form = rss
		return
	case n.Local == "feed" && (n.Space == atomNS || n.Space == ""):
		r.form = atom
		return
	default:
		r.add("root", n.line, "begins with <%s>", n.Local)
		return
	}
	switch n.Space {
	case protocol:
	case "":
		r.add("namespace", n.line, `<%s> has no namespace; it must have xmlns="%s"`, n.Local, protocol)
	default:
		r.add("namespace", n.line, "<%s> has the namespace %q; it must be %q", n.Local, n.Space, protocol)
	}
}

// isEntry reports whether a child of the root holds an entry. Those of feeds are deeper, so a whole channel is one
// here.
func (r *reader) isEntry(n *node) bool {
	switch r.form {
	case Sitemap:
		return n.Space == r.space && n.Local == "url"
	case Index:
		return n.Space == r.space && n.Local == "sitemap"
	case rss:
		return n.Local == "channel" || n.Local == "item"
	case atom:
		return n.Local == "entry"
	}
	return false
}

// misplaced notes a child of the root that the protocol does not have there.
func (r *reader) misplaced(n *node) {
	switch {
	case n.Local == "sitemap":
		r.add("structure", n.line, "<sitemap> in a <urlset>; it belongs into a <sitemapindex>")
	case n.Local == "url":
		r.add("structure", n.line, "<url> in a <sitemapindex>; it belongs into a <urlset>")
	default:
		r.add("structure", n.line, "<%s> in <%s>, which the protocol does not have", n.Local, r.open[0].Local)
	}
}

// Text is for [strict.Read].
func (r *reader) Text(s string, line int) {
	if len(r.open) > 2 {
		if n := r.open[len(r.open)-1]; len(n.text) < 1<<16 {
			n.text += s
		}
		return
	}
	if (r.form == Sitemap || r.form == Index) && !r.stray && strings.TrimSpace(s) != "" {
		r.stray = true // once
		line += strings.Count(s[:len(s)-len(strings.TrimLeft(s, " \t\r\n"))], "\n")
		r.add("structure", line, "the text %q stands between the elements", strings.TrimSpace(s))
	}
}

// End is for [strict.Read]. It takes an entry once it is whole, and forgets it.
func (r *reader) End() {
	n := r.open[len(r.open)-1]
	r.open = r.open[:len(r.open)-1]
	depth := len(r.open)
	if depth == 1 && r.isEntry(n) && n.Local != "channel" || depth == 2 && r.form == rss && n.Local == "item" {
		r.entry(n)
		up := r.open[depth-1]
		up.kids, r.nodes = up.kids[:max(0, len(up.kids)-1)], 0
	}
}

// entry takes a whole entry.
func (r *reader) entry(n *node) {
	if r.nodes > mostNodes {
		r.add("structure", n.line, "an entry has more than %s elements", report.Number(mostNodes))
	}
	switch r.form {
	case Sitemap:
		r.listed(n)
	case Index:
		r.part(n)
	default:
		r.item(n)
	}
}

// item takes an entry of a feed.
func (r *reader) item(n *node) {
	e := Entry{Line: n.line}
	for _, k := range n.kids {
		switch {
		case k.Local != "link" || e.Loc != "":
		case r.form == rss && (k.Space == "" || k.Space == n.Space):
			e.Loc = strings.TrimSpace(k.text)
		default:
			if rel, has := k.get("rel"); !has || rel == "alternate" {
				href, _ := k.get("href")
				e.Loc = strings.TrimSpace(href)
			}
		}
	}
	if e.Loc == "" {
		r.lost(n, "an entry of the feed has no link")
		return
	}
	r.page(e)
}
