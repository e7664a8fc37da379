package part

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// patience is how long a request waits for the first rendering after a start.
const patience = 2 * time.Second

// retryAfter is what a client is told while there is nothing to serve.
const retryAfter = "60"

// Number returns which file name is: 0 for the first one, n for the n-th part.
// packed says that it is the one whose name ends in ".gz". ok is false if name
// is none of the site's files.
func (f *Files) Number(name string) (n int, packed, ok bool) {
	base, packed := strings.CutSuffix(name, ".gz")
	base, isXML := strings.CutSuffix(base, ".xml")
	rest, named := strings.CutPrefix(base, f.cfg.Name)
	if !isXML || !named {
		return 0, false, false
	}
	if rest == "" {
		return 0, packed, true
	}
	digits, dashed := strings.CutPrefix(rest, "-")
	n, err := strconv.Atoi(digits)
	if !dashed || err != nil || n < 1 || strconv.Itoa(n) != digits {
		return 0, false, false
	}
	return n, packed, true
}

// ServeHTTP serves the file that the last element of the path names, from
// memory. While nothing is listed, and always under Config.ReportOnly, it
// answers 503 to the name of any file.
func (f *Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, packed, ok := f.Number(path.Base(r.URL.Path))
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("X-Robots-Tag", "noindex")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "the sitemap is read with GET or HEAD", http.StatusMethodNotAllowed)
		return
	}
	f.awaitLoad(r)
	snap := f.current()
	if f.cfg.ReportOnly || snap.pages == 0 {
		f.serveNothing(w)
		return
	}
	if p := snap.file(n); p != nil {
		p.serve(w, r, packed)
		return
	}
	http.NotFound(w, r)
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

// file returns file n: for 0 the index, or the only part where one is enough.
func (s snapshot) file(n int) *file {
	if n > 0 {
		return s.parts[n]
	}
	if s.index != nil {
		return s.index
	}
	for _, p := range s.parts {
		return p
	}
	return nil
}

// serveNothing says why no sitemap is served. An empty one would tell search
// engines that the site has no pages.
func (f *Files) serveNothing(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Retry-After", retryAfter)
	w.WriteHeader(http.StatusServiceUnavailable)
	if f.cfg.Explain != nil {
		_, _ = io.WriteString(w, f.cfg.Explain())
	}
}

// serve answers with the file, packed as a resource of its own if packed, else
// by negotiation.
func (p *file) serve(w http.ResponseWriter, r *http.Request, packed bool) {
	h := w.Header()
	tag := hex.EncodeToString(p.hash[:])
	compress := packed
	if packed {
		h.Set("Content-Type", "application/gzip")
	} else {
		h.Set("Content-Type", "application/xml; charset=utf-8")
		h.Set("Vary", "Accept-Encoding")
		compress = acceptsGzip(r.Header["Accept-Encoding"])
	}
	if compress {
		tag += "-gzip"
	}
	tag = `"` + tag + `"`
	h.Set("Etag", tag)
	h.Set("Last-Modified", p.modified.UTC().Format(http.TimeFormat))
	h.Set("Cache-Control", "public, max-age=60")
	if notModified(r.Header, tag, p.modified) {
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if compress {
		if !packed {
			h.Set("Content-Encoding", "gzip")
		}
		h.Set("Content-Length", strconv.Itoa(len(p.gz)))
	} else {
		h.Set("Content-Length", strconv.Itoa(p.size))
	}
	if r.Method == http.MethodHead {
		return
	}
	p.write(w, compress)
}

// write sends the body. The client may be gone; there is nobody to tell.
func (p *file) write(w io.Writer, compressed bool) {
	if compressed {
		_, _ = w.Write(p.gz)
		return
	}
	zr, err := gzip.NewReader(bytes.NewReader(p.gz))
	if err != nil {
		panic(fmt.Sprintf("servemap: a file of our own does not unpack: %v", err))
	}
	_, _ = io.Copy(w, zr)
}

// notModified applies RFC 9110, section 13.2.2: an entity tag outranks a date.
func notModified(h http.Header, tag string, modified time.Time) bool {
	if tags, ok := h["If-None-Match"]; ok {
		return matchesTag(tags, tag)
	}
	since, err := http.ParseTime(h.Get("If-Modified-Since"))
	return err == nil && !modified.After(since)
}

// matchesTag compares weakly, as If-None-Match asks.
func matchesTag(lines []string, tag string) bool {
	for _, line := range lines {
		for candidate := range strings.SplitSeq(line, ",") {
			candidate = strings.TrimSpace(candidate)
			if candidate == "*" || strings.TrimPrefix(candidate, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// acceptsGzip reads Accept-Encoding as RFC 9110, section 12.5.3, has it: a
// coding with weight 0 is refused, and "*" stands for those not named.
func acceptsGzip(lines []string) bool {
	accepts := false
	for _, line := range lines {
		for item := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(item, ";")
			switch coding = strings.ToLower(strings.TrimSpace(coding)); coding {
			case "gzip", "x-gzip":
				return !refused(params)
			case "*":
				accepts = !refused(params)
			}
		}
	}
	return accepts
}

// refused reports whether the parameters of a coding give it weight 0.
func refused(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(param), "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			return err != nil || q <= 0
		}
	}
	return false
}
