package files

import (
	"bufio"
	"bytes"
	"fmt"
	"slices"

	"github.com/klauspost/compress/gzip"

	"github.com/servemap/servemap/internal/decide/moment"
	"github.com/servemap/servemap/internal/page/sitemap"
)

// without returns the file without some pages, by their hashes. It has a later time.
func (p *file) without(gone map[uint64]string, url func(string) string, now moment.Time) *file {
	next := *p
	isGone := func(h uint64) bool { _, is := gone[h]; return is }
	next.listed = slices.DeleteFunc(slices.Clone(p.listed), isGone)
	next.linked = slices.DeleteFunc(slices.Clone(p.linked), isGone)
	next.Pages, next.stored = len(next.listed), false
	if next.Pages > 0 {
		addresses := filter{}
		for _, location := range gone {
			addresses[sitemap.EscapedAddress(url(location))] = true
		}
		addresses.copy(&next, p.gz)
	}
	if next.Modified = p.later(now); next.Hash == p.Hash {
		next.Modified = p.Modified // an alternate may not have been shown
	}
	return &next
}

// filter leaves pages out of a file, by their addresses, escaped as in a file.
type filter map[string]bool

// copy copies the lines of a compressed file into made, without the entries of the pages and
// without the alternates that name them. Package sitemap writes each of these on a line of
// its own; only an entry with alternates has several lines.
func (gone filter) copy(made *file, gz []byte) {
	var w writer
	w.begin("")
	unpacked, err := gzip.NewReader(bytes.NewReader(gz))
	if err == nil {
		lines := bufio.NewScanner(unpacked)
		lines.Buffer(nil, sitemap.MaxBytes)
		for inGone := false; lines.Scan(); {
			line := lines.Bytes()
			loc, is := sitemap.Loc(line)
			inGone = inGone && !is || is && gone[string(loc)]
			if href, linked := sitemap.Href(line); !inGone && !(linked && gone[string(href)]) {
				w.text = append(append(w.text, line...), '\n')
				w.flush()
			}
			if sitemap.EndsURL(line) {
				inGone = false
			}
		}
		err = lines.Err()
	}
	if err != nil {
		panic(fmt.Sprintf("servemap: a file of our own does not unpack: %v", err))
	}
	w.end(made, "")
}
