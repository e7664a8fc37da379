package part

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"html"
	"net/http"

	"github.com/klauspost/compress/gzip"

	"github.com/servemap/servemap/internal/sitemap"
)

// textTag returns the entity tag of the file as text. Its bytes follow from those
// of the file.
func (p *file) textTag() string { return `"` + hex.EncodeToString(p.hash[:]) + `-text"` }

// serveText answers with the addresses of a file, one a line. It is made for each
// request, since few readers want it. gz may be nil if nothing is to be sent.
func (f *Files) serveText(w http.ResponseWriter, r *http.Request, p *file, gz []byte) {
	h, tag := w.Header(), p.textTag()
	describe(h, tag, p.modified)
	if notModified(r.Header, tag, p.modified) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", "text/plain; charset=utf-8")
	if r.Method == http.MethodHead {
		return
	}
	zr, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		panic("servemap: a file of our own does not unpack: " + err.Error())
	}
	entries := bufio.NewScanner(zr)
	entries.Buffer(make([]byte, 0, pieceBytes), sitemap.MaxBytes)
	entries.Split(splitEntries)
	lines := make([]byte, 0, pieceBytes+sitemap.MaxLoc+1)
	for entries.Scan() {
		_, entry, _ := bytes.Cut(entries.Bytes(), entryOpen)
		loc, _, _ := bytes.Cut(entry, locClose)
		lines, _ = sitemap.AppendLine(lines, html.UnescapeString(string(loc)))
		if len(lines) >= pieceBytes {
			if _, err := w.Write(lines); err != nil {
				return // the client is gone
			}
			lines = lines[:0]
		}
	}
	_, _ = w.Write(lines)
}
