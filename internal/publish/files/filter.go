package files

import (
	"bufio"
	"bytes"
	"fmt"
	"iter"
	"slices"

	"github.com/klauspost/compress/gzip"

	"github.com/servemap/servemap/internal/page/sitemap"
)

// lines returns the lines of the file, each with the address of the page whose entry it is in, as
// the file has it, "" for none. Package sitemap begins each entry, and writes each alternate, on a
// line of its own. A line is valid until the next one.
func (p *file) lines() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		unpacked, err := gzip.NewReader(bytes.NewReader(p.gz))
		if err == nil {
			lines, in := bufio.NewScanner(unpacked), ""
			lines.Buffer(nil, sitemap.MaxBytes)
			for lines.Scan() {
				line := lines.Bytes()
				if loc, is := sitemap.Loc(line); is {
					in = string(loc)
				}
				if !yield(in, line) {
					return
				}
				if sitemap.EndsURL(line) {
					in = ""
				}
			}
			err = lines.Err()
		}
		if err != nil {
			panic(fmt.Sprintf("servemap: a file of our own does not unpack: %v", err))
		}
	}
}

// without returns the file without some pages, by their hashes, and without the alternates that name
// them.
func (p *file) without(gone map[uint64]string, url func(string) string) *file {
	next := *p
	isGone := func(h uint64) bool { _, is := gone[h]; return is }
	next.listed = slices.DeleteFunc(slices.Clone(p.listed), isGone)
	next.linked = slices.DeleteFunc(slices.Clone(p.linked), isGone)
	if next.Pages = len(next.listed); next.Pages == 0 {
		return &next
	}
	addresses := map[string]bool{}
	for _, location := range gone {
		addresses[sitemap.EscapedAddress(url(location))] = true
	}
	var w writer
	w.begin("")
	for in, line := range p.lines() {
		if href, linked := sitemap.Href(line); !addresses[in] && !(linked && addresses[string(href)]) {
			w.text = append(append(w.text, line...), '\n')
			w.flush()
		}
	}
	w.end(&next, "")
	return &next
}
