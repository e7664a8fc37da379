package files

import (
	"bufio"
	"bytes"

	"github.com/klauspost/compress/gzip"

	"github.com/servemap/servemap/internal/sitemap"
)

// pressed is a file that was just compressed.
type pressed struct {
	packed
	size int
}

// The ends of an entry, and of its address.
var (
	entryOpen  = []byte("<url><loc>")
	entryClose = []byte("</url>\n")
	locClose   = []byte("</loc>")
)

// cutting is what is cut out of a file.
type cutting struct {
	gone    map[string]string // locations by their addresses, as they stand in a file
	named   map[string]bool   // of each location, whether the file named it
	entries int               // that were cut out
}

func (f *Files) newCutting(locations []string) cutting {
	c := cutting{gone: map[string]string{}, named: map[string]bool{}}
	for _, location := range locations {
		entry, _ := sitemap.AppendURL(nil, sitemap.URL{Loc: f.cfg.URL(location)})
		loc, _, _ := bytes.Cut(bytes.TrimPrefix(entry, entryOpen), locClose)
		c.gone[string(loc)] = location
		c.named[location] = false
	}
	return c
}

// takes reports whether an address is one of those that are cut out.
func (c *cutting) takes(loc []byte) bool {
	location, gone := c.gone[string(loc)]
	if gone {
		c.named[location] = true
	}
	return gone
}

// cutURLs returns a compressed file without the entries of locations and the links
// to them, and what these were. ok is false if the file cannot be read. The caller
// holds Files.publishing.
func (f *Files) cutURLs(gz []byte, locations []string) (cut cutting, made pressed, ok bool) {
	zr, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return cutting{}, pressed{}, false
	}
	cut = f.newCutting(locations)
	p := &f.small
	p.begin(len(gz))
	entries := bufio.NewScanner(zr)
	entries.Buffer(make([]byte, 0, pieceBytes), sitemap.MaxBytes)
	entries.Split(splitEntries)
	for entries.Scan() {
		text := entries.Bytes()
		if at := bytes.Index(text, entryOpen); at >= 0 {
			loc, _, _ := bytes.Cut(text[at+len(entryOpen):], locClose)
			if cut.takes(loc) {
				text = text[:at]
				cut.entries++
			}
		}
		p.text = cut.appendUnlinked(p.text, text)
		p.flush(false)
	}
	if entries.Err() != nil {
		return cutting{}, pressed{}, false
	}
	made.hash, made.size, made.gz = p.end()
	return cut, made, true
}

// The ends of an alternate, and of its address.
var (
	alternateOpen  = []byte(`<xhtml:link `)
	alternateClose = []byte(`/>`)
	hrefOpen       = []byte(` href="`)
	hrefClose      = []byte(`"`)
)

// appendUnlinked appends an entry without the alternates that are cut out.
func (c *cutting) appendUnlinked(dst, text []byte) []byte {
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
		if c.takes(href) {
			dst = append(dst, text[:at]...)
		} else {
			dst = append(dst, text[:end]...)
		}
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
