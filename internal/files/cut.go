package files

import (
	"bufio"
	"bytes"
	"fmt"

	"github.com/klauspost/compress/gzip"

	"github.com/servemap/servemap/internal/sitemap"
)

// The ends of an entry and of an alternate in it, and of their addresses.
var (
	entryOpen, entryClose         = []byte("<url><loc>"), []byte("</url>\n")
	locClose                      = []byte("</loc>")
	alternateOpen, alternateClose = []byte(`<xhtml:link `), []byte(`/>`)
	hrefOpen, hrefClose           = []byte(` href="`), []byte(`"`)
)

// cutting takes withdrawn locations out of a file's bytes.
type cutting map[string]bool // by their addresses, as they stand in a file

// cutBytes makes the bytes of a served file without what was withdrawn since they were
// made, from gz, and has the file served with them. It returns none if the file is no
// longer served by then: somebody else did that before, or there is a newer one.
func (f *Files) cutBytes(p *file, gz []byte) (*file, []byte, error) {
	f.cutter.Lock() // so that many who ask do it once
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

// cut makes made of a compressed file: without the entries of what is cut out, and the
// links to it.
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

// appendCut appends what ends with an entry: without it, or without the alternates in it
// that are cut out.
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
