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
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
)

// patience is how long a request waits for the first rendering after a start.
const patience = 2 * time.Second

// retryAfter is what a client is told while there is nothing to serve.
const retryAfter = "60"

// A name says which of the site's files is asked for.
type name struct {
	part   int    // its number, or 0
	top    bool   // it is the index, or the only part
	suffix string // that of a side file, or ""
	side   side   // which one
	packed bool   // the name ends in ".gz"
	asked  uint64 // the number of when it was asked for, see withdrawals
}

// parse reads the name of a file. ok is false if it is none of the site's.
func (f *Files) parse(file string) (n name, ok bool) {
	rest, named := strings.CutPrefix(file, f.cfg.Name) // first, since every request is asked for it
	if !named {
		return name{}, false
	}
	rest, n.packed = strings.CutSuffix(rest, ".gz")
	rest, isXML := strings.CutSuffix(rest, ".xml")
	switch {
	case !isXML:
		return name{}, false
	case rest == "":
		n.top = true
		return n, true
	}
	if n.side, ok = f.sideNamed(rest); ok {
		n.suffix = rest
		return n, true
	}
	digits, dashed := strings.CutPrefix(rest, "-")
	n.part, ok = number(digits)
	return n, ok && dashed
}

// number reads a positive number, in the one way in which it is written.
func number(digits string) (n int, ok bool) {
	n, err := strconv.Atoi(digits)
	return n, err == nil && n > 0 && strconv.Itoa(n) == digits
}

// Owns reports whether file is the name of one of the site's files, there or not.
func (f *Files) Owns(file string) bool {
	_, ok := f.parse(file)
	return ok
}

// Tops returns the names of the files that crawlers are to be told of, since no
// other file names them: the first one and the side files.
func (f *Files) Tops() []string {
	names := []string{f.cfg.Name + ".xml"}
	for s, suffix := range suffixes {
		if f.has(side(s)) {
			names = append(names, f.cfg.Name+suffix+".xml")
		}
	}
	return names
}

// ServeHTTP serves the file that the last element of the path names, from
// memory, or as Run makes it from the store. While nothing is listed, and always
// under Config.ReportOnly, it answers 503 to the name of any file; so it does if
// a file is not in memory, and the store does not answer.
func (f *Files) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, ok := f.parse(path.Base(r.URL.Path))
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
	n.asked = f.now()
	snap, err := f.current(r.Context(), n.asked)
	switch {
	case err != nil:
		f.serveLater(w)
	case f.cfg.ReportOnly || snap.pages == 0:
		f.serveNothing(w)
	default:
		f.serveNamed(w, r, n)
	}
}

// named returns the file that a name stands for, nil if there is none, and its number
// if it is a part. While there is only one part, that goes by the name of the index.
func (s *snapshot) named(n name) (p *file, part int) {
	switch {
	case n.suffix != "":
		return s.sides[n.side], 0
	case !n.top:
		return s.parts[n.part], n.part
	case s.index != nil:
		return s.index, 0
	}
	for only, p := range s.parts {
		return p, only
	}
	return nil, 0
}

// serveNamed serves a file. Its bytes are only asked for where they are sent.
func (f *Files) serveNamed(w http.ResponseWriter, r *http.Request, n name) {
	p, gz, err := f.fetch(r.Context(), n, false)
	if err == nil && p != nil && r.Method == http.MethodGet && !notModified(r.Header, p.tag(compressed(w.Header(), r, n.packed)), p.modified) {
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

// demandPatience is how long a request waits for a file that is not at hand.
const demandPatience = 10 * time.Second

// fetch returns the file that a name stands for as it is served now, nil if there is
// none, and if they are wanted its bytes, compressed. What is not at hand is made.
func (f *Files) fetch(ctx context.Context, n name, wanted bool) (*file, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, demandPatience)
	defer cancel()
	var had *demand // what was made for this request
	for {
		snap, err := f.current(ctx, n.asked)
		if err != nil {
			return nil, nil, err
		}
		p, part := snap.named(n)
		if p == nil {
			return nil, nil, nil
		}
		gz := f.bytes(p)
		if gz == nil && had != nil && had.made != nil && had.made.hash == p.hash {
			gz = had.gz // the cache had no room for them
		}
		switch {
		case p.known() && (gz != nil || !wanted):
			return p, gz, nil
		case len(p.gone) > 0 && gz != nil:
			if p, gz, err = f.cutBytes(ctx, p, gz); gz != nil {
				return p, gz, nil
			}
		default:
			had, err = f.demand(ctx, part)
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// bytes returns the compressed bytes of a file that somebody asks for, nil if they are
// not in memory.
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

// serveLater says that a file cannot be had now.
func (f *Files) serveLater(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Retry-After", retryAfter)
	http.Error(w, "this part of the sitemap cannot be made now; the store may not answer", http.StatusServiceUnavailable)
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

// compressed reports whether the file is sent so: because its name says so, or
// because the client takes it, and nothing further out compresses it.
func compressed(h http.Header, r *http.Request, packed bool) bool {
	return packed || !coded(h) && acceptsGzip(r.Header["Accept-Encoding"])
}

// coded reports whether a compressor around the handler has named its coding
// already, and applies it to what is written: then how long that becomes is not
// known, nor are the bytes those that a strong entity tag would stand for.
func coded(h http.Header) bool { return h.Get("Content-Encoding") != "" }

// describe sets the headers by which a file is told from an earlier one.
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

// serve answers with the file, packed as a resource of its own if packed, else
// by negotiation. gz are its bytes, which may be nil if none are to be sent.
func (f *Files) serve(w http.ResponseWriter, r *http.Request, p *file, gz []byte, packed bool) {
	h := w.Header()
	outer, compress := coded(h), compressed(h, r, packed)
	if packed {
		h.Set("Content-Type", "application/gzip")
	} else {
		h.Set("Content-Type", "application/xml; charset=utf-8")
		h.Add("Vary", "Accept-Encoding")
	}
	tag := p.tag(compress)
	describe(h, tag, p.modified)
	if notModified(r.Header, tag, p.modified) {
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

// unpack sends the bytes of gz, uncompressed.
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
