package files

import (
	"bufio"
	"bytes"
	"context"
	"fmt"

	"github.com/klauspost/compress/gzip"

	"github.com/servemap/servemap/internal/sitemap"
)

// The ends of an entry, and of its address.
var (
	entryOpen  = []byte("<url><loc>")
	entryClose = []byte("</url>\n")
	locClose   = []byte("</loc>")
)

// cutting takes withdrawn locations out of a file's bytes.
type cutting map[string]bool // by their addresses, as they stand in a file

func (f *Files) newCutting(gone []string) cutting {
	c := cutting{}
	for _, location := range gone {
		entry, _ := sitemap.AppendURL(nil, sitemap.URL{Loc: f.cfg.URL(location)})
		loc, _, _ := bytes.Cut(bytes.TrimPrefix(entry, entryOpen), locClose)
		c[string(loc)] = true
	}
	return c
}

// cutBytes makes the bytes of a served file without what was withdrawn since they were
// made, from gz, and has the file served with them. It returns none if the file is no
// longer served by then: somebody else did that before, or there is a newer one.
func (f *Files) cutBytes(ctx context.Context, p *file, gz []byte) (*file, []byte, error) {
	var tool *press
	select {
	case tool = <-f.cutting:
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	defer func() { f.cutting <- tool }()
	if !f.served.Load().has(p) {
		return nil, nil, nil
	}
	next := *p
	next.gone = nil
	if err := f.newCutting(p.gone).cut(tool, &next, gz); err != nil {
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
func (c cutting) cut(tool *press, made *file, gz []byte) error {
	zr, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return err
	}
	tool.begin()
	entries := bufio.NewScanner(zr)
	entries.Buffer(make([]byte, 0, pieceBytes), sitemap.MaxBytes)
	entries.Split(splitEntries)
	for entries.Scan() {
		text := entries.Bytes()
		if at := bytes.Index(text, entryOpen); at >= 0 {
			if loc, _, _ := bytes.Cut(text[at+len(entryOpen):], locClose); c[string(loc)] {
				text = text[:at]
			}
		}
		tool.text = c.appendUnlinked(tool.text, text)
		tool.flush()
	}
	tool.end(made, "")
	return entries.Err()
}

// The ends of an alternate, and of its address.
var (
	alternateOpen  = []byte(`<xhtml:link `)
	alternateClose = []byte(`/>`)
	hrefOpen       = []byte(` href="`)
	hrefClose      = []byte(`"`)
)

// appendUnlinked appends an entry without the alternates that are cut out.
func (c cutting) appendUnlinked(dst, text []byte) []byte {
	for {
		at := bytes.Index(text, alternateOpen)
		if at < 0 {
			return append(dst, text...)
		}
		end := bytes.Index(text[at:], alternateClose)
		if end < 0 {
			return append(dst, text...)
		}
		end += at + len(alternateClose)
		_, href, _ := bytes.Cut(text[at:end], hrefOpen)
		href, _, _ = bytes.Cut(href, hrefClose)
		kept := end
		if c[string(href)] {
			kept = at
		}
		dst = append(dst, text[:kept]...)
		text = text[end:]
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
