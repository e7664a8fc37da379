package files

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"
)

// patience is how long a request waits for the first pass after a start.
const patience = 2 * time.Second

// retryAfter is the Retry-After header of a 503, in seconds.
const retryAfter = "60"

// Serve answers with the file that the last element of the path names. The file comes
// from memory, or is made from the store. If the file is not in memory and the store
// does not answer, Serve answers 503. While nothing is listed, and always under
// Config.ReportOnly, it answers 503 to the name of any file and returns false. The caller
// then writes the body, a plain text that says why.
func (f *Files) Serve(w http.ResponseWriter, r *http.Request) (served bool) {
	counted := f.answers.Writer(w)
	defer f.answers.Count(counted)
	return f.serveAny(counted, r)
}

func (f *Files) serveAny(w http.ResponseWriter, r *http.Request) (served bool) {
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
	f.awaitLoad(r)
	if f.cfg.ReportOnly || f.current().pages == 0 {
		serveNothing(w)
		return false
	}
	w.Header().Set("Content-Type", "application/xml; charset=utf-8")
	if n.packed {
		w.Header().Set("Content-Type", "application/gzip")
	}
	f.serveNamed(w, r, n)
	return true
}

// serveNamed serves a file. It fetches the bytes only if it will send them.
func (f *Files) serveNamed(w http.ResponseWriter, r *http.Request, n name) {
	p, gz, err := f.fetch(r.Context(), n, false)
	if err == nil && p != nil && r.Method == http.MethodGet && !notModified(r.Header, p.tag(compressed(w.Header(), r, n.packed)), p.modified.Time()) {
		p, gz, err = f.fetch(r.Context(), n, true)
	}
	switch {
	case err != nil:
		f.serveLater(w)
	case p == nil:
		http.NotFound(w, r)
	default:
		f.serve(w, r, p, gz, n.packed)
	}
}

// fetch returns the file with a name, nil if there is none. If the bytes are wanted, it
// returns them too, compressed, and makes them if they are not in memory.
func (f *Files) fetch(ctx context.Context, n name, wanted bool) (*file, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, demandPatience)
	defer cancel()
	var had *demand // the file that was made for this request
	for {
		p, number := f.served.Load().named(n)
		if p == nil {
			return nil, nil, nil
		}
		var err error
		gz := f.bytes(p)
		if gz == nil && had != nil && had.made != nil && had.made.hash == p.hash {
			gz = had.gz // the cache had no room for them
		}
		switch {
		case p.known() && (gz != nil || !wanted):
			return p, gz, nil
		case len(p.gone) > 0 && gz != nil:
			if p, gz, err = f.cutBytes(p, gz); gz != nil {
				return p, gz, nil
			}
		default:
			had, err = f.demand(ctx, number)
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// bytes returns the compressed bytes of a file, nil if they are not in memory.
func (f *Files) bytes(p *file) []byte {
	if p.gz != nil {
		return p.gz
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cache.get(p.hash)
}

func (f *Files) awaitLoad(r *http.Request) {
	select {
	case <-f.loaded:
		return
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-f.loaded:
	case <-timer.C:
	case <-r.Context().Done():
	}
}

// serveLater answers that the file cannot be made now.
func (f *Files) serveLater(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Retry-After", retryAfter)
	http.Error(w, "this part of the sitemap cannot be made now; the store may not answer", http.StatusServiceUnavailable)
}

// serveNothing begins a 503. It is better than an empty sitemap, which would tell search
// engines that the site has no pages.
func serveNothing(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Retry-After", retryAfter)
	w.WriteHeader(http.StatusServiceUnavailable)
}

// compressed reports whether the file is sent compressed: its name ends in .gz, or the
// client accepts gzip and no middleware around us compresses.
func compressed(h http.Header, r *http.Request, packed bool) bool {
	return packed || !coded(h) && acceptsGzip(r.Header["Accept-Encoding"])
}

// coded reports whether a middleware around us compresses the answer: it has set
// Content-Encoding. Then the length is unknown, and a strong entity tag would be wrong.
func coded(h http.Header) bool { return h.Get("Content-Encoding") != "" }

// describe sets the validators of the file, and how long it may be cached.
func describe(h http.Header, tag string, modified time.Time) {
	if coded(h) {
		tag = "W/" + tag
	}
	h.Set("Etag", tag)
	h.Set("Last-Modified", modified.UTC().Format(http.TimeFormat))
	h.Set("Cache-Control", "public, max-age=60")
}

// tag returns the entity tag of the file.
func (p *file) tag(compressed bool) string {
	tag := `"` + hex.EncodeToString(p.hash[:])
	if compressed {
		tag += "-gzip"
	}
	return tag + `"`
}

// serve answers with the file. If packed, the gzip file is the resource itself; otherwise
// the coding is negotiated. The caller has set the Content-Type. gz holds the bytes, and may be nil if no body is sent.
func (f *Files) serve(w http.ResponseWriter, r *http.Request, p *file, gz []byte, packed bool) {
	h := w.Header()
	outer, compress := coded(h), compressed(h, r, packed)
	if !packed {
		h.Add("Vary", "Accept-Encoding")
	}
	tag := p.tag(compress)
	describe(h, tag, p.modified.Time())
	if notModified(r.Header, tag, p.modified.Time()) {
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if compress && !packed {
		h.Set("Content-Encoding", "gzip")
	}
	switch {
	case outer:
	case !compress:
		h.Set("Content-Length", strconv.Itoa(p.size))
	case gz != nil:
		h.Set("Content-Length", strconv.Itoa(len(gz)))
	}
	switch {
	case r.Method == http.MethodHead:
	case compress:
		_, _ = w.Write(gz) // the client may be gone; there is nobody to tell
	default:
		f.unpack(w, gz)
	}
}

// unpack decompresses gz and sends it.
func (f *Files) unpack(w io.Writer, gz []byte) {
	zr, _ := f.readers.Get().(*gzip.Reader)
	if zr == nil {
		zr = new(gzip.Reader)
	}
	defer f.readers.Put(zr)
	if err := zr.Reset(bytes.NewReader(gz)); err != nil {
		panic(fmt.Sprintf("servemap: a file of our own does not unpack: %v", err))
	}
	_, _ = io.Copy(w, zr) // the client may be gone
}
