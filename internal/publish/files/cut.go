package files

import (
	"bufio"
	"bytes"
	"fmt"

	"github.com/klauspost/compress/gzip"

	"github.com/servemap/servemap/internal/publish/sitemap"
)

// Where an entry, an alternate in it, and their addresses begin and end in a file.
var (
	entryOpen, entryClose         = []byte("<url><loc>"), []byte("</url>\n")
	locClose                      = []byte("</loc>")
	alternateOpen, alternateClose = []byte(`<xhtml:link `), []byte(`/>`)
	hrefOpen, hrefClose           = []byte(` href="`), []byte(`"`)
)

// cutting takes withdrawn pages out of a file's bytes.
type cutting map[string]bool // by their addresses, escaped as in a file

// cutBytes removes from gz, the bytes of file p, the pages that were withdrawn after gz
// was made. It serves the result in place of p and returns it. If p is no longer served,
// it returns nil: another request has done this, or there is a newer file.
func (f *Files) cutBytes(p *file, gz []byte) (*file, []byte, error) {
	f.cutter.Lock() // so that concurrent requests do this once
	defer f.cutter.Unlock()
	c := cutting{}
	for _, location := range p.gone {
		entry, _ := sitemap.AppendURL(nil, sitemap.URL{Loc: f.cfg.URL(location)})
		loc, _, _ := bytes.Cut(bytes.TrimPrefix(entry, entryOpen), locClose)
		c[string(loc)] = true
	}
	if !f.served.Load().has(p) {
		return nil, nil, nil
	}
	next := *p
	next.gone = nil
	if err := c.cut(&f.cutter.press, &next, gz); err != nil {
		return nil, nil, fmt.Errorf("a file of our own cannot be read: %w", err)
	}
	gz = next.gz
	f.mu.Lock()
	defer f.mu.Unlock()
	f.swap(p, &next)
	return &next, gz, nil
}

// cut copies a compressed file into made, without the entries of the pages that are cut
// out and without the alternates that name them.
func (c cutting) cut(p *press, made *file, gz []byte) error {
	zr, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return err
	}
	p.begin()
	entries := bufio.NewScanner(zr)
	entries.Buffer(make([]byte, 0, pieceBytes), sitemap.MaxBytes)
	entries.Split(splitEntries)
	for entries.Scan() {
		p.text = c.appendCut(p.text, entries.Bytes())
		p.flush()
	}
	p.end(made, "")
	return entries.Err()
}

// appendCut appends a piece of a file that ends with an entry. It leaves the entry out if
// its page is cut out, and otherwise the alternates in it that are.
func (c cutting) appendCut(dst, text []byte) []byte {
	if before, entry, is := bytes.Cut(text, entryOpen); is {
		if loc, _, _ := bytes.Cut(entry, locClose); c[string(loc)] {
			return append(dst, before...)
		}
	}
	for {
		before, rest, is := bytes.Cut(text, alternateOpen)
		if dst = append(dst, before...); !is {
			return dst
		}
		link, after, _ := bytes.Cut(rest, alternateClose)
		_, href, _ := bytes.Cut(link, hrefOpen)
		if href, _, _ = bytes.Cut(href, hrefClose); !c[string(href)] {
			dst = append(dst, text[len(before):len(text)-len(after)]...)
		}
		text = after
	}
}

// splitEntries splits a file after each entry.
func splitEntries(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if end := bytes.Index(data, entryClose); end >= 0 {
		end += len(entryClose)
		return end, data[:end], nil
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}
