// Package listing reads one file that lists pages: a sitemap, an index, a feed or a text of URLs, and says what is
// wrong with it, by the protocol of sitemaps.org and by what Google documents of its extensions. It asks nobody. What
// it is told of the site is in [Site], and what files say of each other in [Judge]. All it finds goes into a
// [report.Report].
package listing

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/servemap/servemap/cmd/servemap/internal/check/report"
	"github.com/servemap/servemap/internal/page/sitemap"
	"github.com/servemap/servemap/internal/page/sitemap/strict"
	"github.com/servemap/servemap/internal/page/words"
)

// The namespaces of the protocol and of the extensions that Google reads.
const (
	protocol = "http://www.sitemaps.org/schemas/sitemap/0.9"
	imageNS  = "http://www.google.com/schemas/sitemap-image/1.1"
	videoNS  = "http://www.google.com/schemas/sitemap-video/1.1"
	newsNS   = "http://www.google.com/schemas/sitemap-news/0.9"
	xhtmlNS  = "http://www.w3.org/1999/xhtml"
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

// File reads a file, notes what is wrong with it, and returns it with the files that it names if it is an index.
func (j *Judge) File(a Answer) (f report.File, parts []string) {
	r := &reader{Judge: j, name: a.URL.String(), file: a.URL, named: map[string]bool{}, misdates: map[string]bool{}}
	body, packed, err := strict.Unpack(a.Body, MaxBytes)
	if f.URL = r.name; err != nil {
		r.cut = "gzip"
		r.add("gzip", 0, "is not whole: %v", err)
	} else if strings.HasSuffix(a.URL.Path, ".gz") && !packed && !strings.Contains(a.Encoding, "gzip") {
		r.add("gzip", 0, "is named .gz, but is not packed with gzip")
	}
	f.Bytes = len(body)
	if len(body) >= MaxBytes {
		r.cut = "size"
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
	case r.entries == 0 && !r.broken && r.cut == "":
		r.add("empty", 0, "lists nothing")
	case r.entries > sitemap.MaxURLs:
		r.add("size", 0, "has %s entries; at most 50,000 are allowed", words.Number(r.entries))
	}
	return f, r.parts
}

// reader reads one file.
type reader struct {
	*Judge
	name      string
	file      *url.URL
	form      string // "" if it is no file that lists pages
	entries   int
	parts     []string
	named     map[string]bool // parts, by key
	cut       string          // the kind of fault by which its end is missing; then that of the XML is not told too
	problem   string          // the last one of its XML, not yet told
	line      int             // of that
	broken    bool            // it is no XML
	root      *sitemap.Node
	stray     bool     // a text that stands between the elements, or a comment, was told
	said      []string // namespaces that were told
	newsItems int
	misdates  map[string]bool // kinds of wrong dates of an index that were told
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
	case !bytes.Contains(body, []byte("<")) || sitemap.IsURL(begin):
		r.lines(body)
	case begin[0] == '{' || begin[0] == '[':
		r.add("root", 0, "is JSON, and no sitemap")
	default:
		n := sitemap.ReadOutline(context.Background(), body, r) // a half would be judged wrongly
		if n != nil && r.problem != "" {                        // both are one break
			loc := strings.TrimSuffix(": "+n.First(r.root.Space, "loc"), ": ")
			r.problem += ". It breaks off within the entry that begins in line " + strconv.Itoa(n.Line) +
				", which is not read" + loc
		}
		r.tellProblem()
	}
}

// lines reads a text of URLs, one a line.
func (r *reader) lines(body []byte) {
	if !utf8.Valid(body) {
		r.add("encoding", 0, "is not in UTF-8")
	}
	all := bytes.Split(bytes.TrimPrefix(body, []byte("\ufeff")), []byte("\n"))
	if !slices.ContainsFunc(all, func(line []byte) bool { return sitemap.IsURL(bytes.TrimLeft(line, " \t\r")) }) {
		begins := bytes.TrimSpace(all[0])
		r.add("root", 0, "is neither XML nor a text of URLs; it begins with %q",
			bytes.ToValidUTF8(begins[:min(len(begins), 100)], nil))
		return
	}
	r.form = sitemap.Text
	for n, line := range all {
		switch loc := strings.TrimSpace(string(line)); {
		case strings.HasPrefix(loc, "#") && !r.stray:
			r.stray = true
			r.add("structure", n+1, "the comment %q is read as an address: a text of URLs has no comments", loc)
		case strings.HasPrefix(loc, "#"):
		case loc != "" && utf8.ValidString(loc):
			r.page(Entry{Loc: loc, Line: n + 1})
		}
	}
}

// Problem is for [sitemap.ReadOutline].
func (r *reader) Problem(text string, line int) {
	r.tellProblem()
	r.problem, r.line = text, line
}

// tellProblem tells of the last problem. Where the end is missing for another reason, that was told.
func (r *reader) tellProblem() {
	if r.problem != "" && r.cut == "" {
		r.broken = true
		r.add("xml", r.line, "%s", r.problem)
	}
	r.problem = ""
}

// Root is for [sitemap.ReadOutline].
func (r *reader) Root(n *sitemap.Node, form string) {
	r.root, r.form = n, form
	switch {
	case form == "":
		r.add("root", n.Line, "begins with <%s>", n.Local)
	case form != sitemap.Sitemap && form != sitemap.Index || n.Space == protocol:
	case n.Space == "":
		r.add("namespace", n.Line, `<%s> has no namespace; it must have xmlns="%s"`, n.Local, protocol)
	default:
		r.add("namespace", n.Line, "<%s> has the namespace %q; it must be %q", n.Local, n.Space, protocol)
	}
}

// Stray is for [sitemap.ReadOutline].
func (r *reader) Stray(n *sitemap.Node) {
	switch {
	case n.Local == "" && r.stray:
	case n.Local == "":
		r.stray = true
		r.add("structure", n.Line, "the text %q stands between the elements", n.Text)
	default:
		r.add("structure", n.Line, "<%s> in <%s>, which the protocol does not have", n.Local, r.root.Local)
	}
}

// Entry is for [sitemap.ReadOutline].
func (r *reader) Entry(n *sitemap.Node, cut bool) {
	if cut {
		r.add("structure", n.Line, "an entry has too many elements")
	}
	root := map[string]string{"url": "urlset", "sitemap": "sitemapindex"}[n.Local]
	if root == r.root.Local && n.Space != r.root.Space {
		r.adopt(n, r.root.Space)
	}
	switch links := n.Links(); {
	case root != "" && root != r.root.Local:
		r.add("structure", n.Line, "<%s> in a <%s>; it belongs into a <%s>", n.Local, r.root.Local, root)
	case r.form == sitemap.Sitemap:
		r.listed(n)
	case r.form == sitemap.Index:
		r.part(n)
	case len(links) == 0:
		r.lost("loc-missing", n, "an entry of the feed has no link")
	default:
		r.page(Entry{Loc: links[0], Line: n.Line})
	}
}

var htmlBegins = regexp.MustCompile(`(?i)^(?:\s|<!--[^>]*-->|<\?xml[^>]*>)*(?:<!doctype html|<html[\s>])`)

// contentType judges the Content-Type of a file. The kind is "" if it is right.
func contentType(header, form string, packed bool) (kind, text string) {
	typ, _, err := mime.ParseMediaType(header)
	main, sub, _ := strings.Cut(typ, "/")
	isXML := sub == "xml" || strings.HasSuffix(sub, "+xml") && sub != "xhtml+xml" && main != "image"
	switch {
	case header == "":
		return "type-advice", "has no Content-Type"
	case err != nil:
		return "content-type", fmt.Sprintf("has the Content-Type %q, which is none", report.Shorten(header))
	case isXML && (packed || form != "text"), form == "text" && main == "text" && sub != "html",
		packed && (strings.Contains(sub, "gzip") || sub == "octet-stream" || sub == "x-gunzip" || typ == "text/plain"):
		return "", ""
	case sub == "octet-stream" || typ == "text/plain":
		return "type-advice", "has the Content-Type " + report.Shorten(typ)
	}
	return "content-type", "has the Content-Type " + report.Shorten(typ)
}
