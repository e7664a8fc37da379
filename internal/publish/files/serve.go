package files

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/felixge/httpsnoop"
	"github.com/klauspost/compress/gzip"
)

const (
	patience   = 10 * time.Second // how long a request waits after a start until the files are made
	retryAfter = "60"             // the Retry-After header of a 503, in seconds
)

// Serve answers with the file that the last element of the path names. While nothing is
// listed, and always under Config.ReportOnly, it answers 503 to the name of any file and
// returns false. The caller then writes the body, a plain text that says why.
func (f *Files) Serve(w http.ResponseWriter, r *http.Request) (served bool) {
	f.answers.Count(httpsnoop.CaptureMetricsFn(w, func(w http.ResponseWriter) { served = f.serve(w, r) }).Code)
	return served
}

func (f *Files) serve(w http.ResponseWriter, r *http.Request) (served bool) {
	n, ok := f.parse(path.Base(r.URL.Path))
	if !ok {
		http.NotFound(w, r)
		return true
	}
	w.Header().Set("X-Robots-Tag", "noindex")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the sitemap is read with GET or HEAD", http.StatusMethodNotAllowed)
		return true
	}
	f.await(r)
	s := f.served.Load()
	if f.cfg.ReportOnly || s.pages == 0 {
		// Better than an empty sitemap, which would tell search engines that the site has no pages.
		begin503(w)
		w.WriteHeader(http.StatusServiceUnavailable)
		return false
	}
	switch p := s.named(n); {
	case p == nil:
		http.NotFound(w, r)
	case p.unread:
		begin503(w)
		http.Error(w, "this part of the sitemap cannot be made now; the store may not answer", http.StatusServiceUnavailable)
	default:
		p.serve(w, r, n.packed)
	}
	return true
}

// await returns once files were made since the start, or the store failed, or after some time.
func (f *Files) await(r *http.Request) {
	select {
	case <-f.ready:
		return // nearly always
	default:
	}
	select {
	case <-f.ready:
	case <-time.After(patience):
	case <-r.Context().Done():
	}
}

// begin503 sets the headers of a 503.
func begin503(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Retry-After", retryAfter)
}

// serve answers with the file. If packed, the gzip file is the resource itself. Otherwise the
// coding is negotiated, unless a middleware around us compresses the answer and has said so
// in Content-Encoding. Then the length is unknown, and a strong entity tag would be wrong. There is no
// Last-Modified: a file may change without a later time, as by another rule, and the tag tells all changes.
func (p *file) serve(w http.ResponseWriter, r *http.Request, packed bool) {
	h := w.Header()
	outer := h.Get("Content-Encoding") != ""
	compressed := packed || !outer && acceptsGzip.MatchString(strings.Join(r.Header["Accept-Encoding"], ","))
	h.Set("Content-Type", "application/xml; charset=utf-8")
	h.Set("Cache-Control", "public, max-age=60")
	h.Set("Etag", p.tag(compressed, outer))
	switch {
	case packed:
		h.Set("Content-Type", "application/gzip")
	case compressed:
		h.Set("Content-Encoding", "gzip")
		fallthrough
	default:
		h.Add("Vary", "Accept-Encoding")
	}
	var body io.ReadSeeker = bytes.NewReader(p.gz)
	if !compressed {
		body = &unpacking{size: int64(p.size), gz: p.gz}
	}
	if !compressed || outer { // a range of it would be costly, or of bytes that we do not know
		r = r.Clone(r.Context())
		r.Header.Del("Range")
	}
	http.ServeContent(w, r, "", time.Time{}, body)
}

// tag returns the entity tag of the file.
func (p *file) tag(compressed, weak bool) string {
	tag := `"` + hex.EncodeToString(p.hash[:])
	if weak {
		tag = "W/" + tag
	}
	if compressed {
		tag += "-gzip"
	}
	return tag + `"`
}

// unpacking reads a file as it was before compression, from the start. http.ServeContent
// seeks its end and then its start, to learn how long it is.
type unpacking struct {
	size int64
	gz   []byte
	from *gzip.Reader // nil at the start
}

func (u *unpacking) Seek(offset int64, whence int) (int64, error) {
	if u.from = nil; whence == io.SeekEnd {
		offset += u.size
	}
	return offset, nil
}

func (u *unpacking) Read(b []byte) (n int, err error) {
	if u.from == nil {
		if u.from, err = gzip.NewReader(bytes.NewReader(u.gz)); err != nil {
			return 0, err
		}
	}
	return u.from.Read(b)
}

// acceptsGzip matches an Accept-Encoding with gzip. Nobody names it to refuse it.
var acceptsGzip = regexp.MustCompile(`(?i)\bgzip\b`)
