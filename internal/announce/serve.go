package announce

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Serve answers a GET or HEAD for robots.txt with the file that next serves, plus the
// Sitemap lines for the URLs. If next has no file, it serves the text none and these lines.
// Serve sends an answer that is not a robots.txt as next gives it: a status other than 200,
// 404 or 410, a type other than plain text, a compressed one, one longer than [MaxFile], or
// one shorter than it says. Serve always asks next for the whole file in its present state.
func Serve(next http.Handler, w http.ResponseWriter, r *http.Request, urls []string, none string) {
	h := &held{w: w, before: w.Header().Clone()}
	next.ServeHTTP(h, forAll(r))
	if h.status == 0 {
		h.WriteHeader(http.StatusOK)
	}
	if h.passed {
		return
	}
	if h.missing() {
		file, ok := Add([]byte(none), urls)
		if !ok { // it names the sitemap already
			file = []byte(none)
		}
		clear(w.Header())
		maps.Copy(w.Header(), h.before)
		send(w, r, file)
		return
	}
	file, ok := Add(h.body, urls)
	if !ok || !h.whole() {
		h.pass()
		return
	}
	send(w, r, file)
}

// forAll returns a request for the whole file, uncompressed, whatever part or version the
// client has.
func forAll(r *http.Request) *http.Request {
	all := r.Clone(r.Context())
	all.Method = http.MethodGet
	for _, name := range []string{"Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"} {
		all.Header.Del(name)
	}
	all.Header.Set("Accept-Encoding", "identity")
	return all
}

// ofTheOld are headers that hold only for the file as next served it.
var ofTheOld = []string{
	"Content-Length", "Last-Modified", "Accept-Ranges", "Content-Md5", "Content-Digest", "Repr-Digest", "Digest", "Trailer",
}

// send answers with the file, as the client asked for it. If a middleware around us
// compresses it, its length is not known yet, and it gets no strong entity tag.
func send(w http.ResponseWriter, r *http.Request, file []byte) {
	head := w.Header()
	for _, name := range ofTheOld {
		head.Del(name)
	}
	sum := sha256.Sum256(file)
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	if head.Get("Content-Encoding") != "" {
		tag = "W/" + tag
		r = r.Clone(r.Context())
		r.Header.Del("Range")
	}
	head.Set("Etag", tag)
	if head.Get("Content-Type") == "" {
		head.Set("Content-Type", "text/plain; charset=utf-8")
	}
	if head.Get("Cache-Control") == "" {
		head.Set("Cache-Control", "no-cache") // crawlers keep the file for a day anyway
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
}

// held is a writer that holds back a robots.txt and passes on everything else.
type held struct {
	w      http.ResponseWriter
	before http.Header // the header before next was called
	status int         // 0 until next gives one
	body   []byte
	passed bool // what next writes now goes to the client
}

func (h *held) Header() http.Header { return h.w.Header() }

func (h *held) WriteHeader(status int) {
	switch {
	case h.passed || status < http.StatusOK: // after a status such as 103 another one follows
		h.w.WriteHeader(status)
	case h.status == 0:
		if h.status = status; !h.missing() && !h.isText() {
			h.pass()
		}
	}
}

func (h *held) Write(p []byte) (int, error) {
	if h.status == 0 {
		h.WriteHeader(http.StatusOK)
	}
	switch {
	case h.passed:
		return h.w.Write(p)
	case h.missing():
		return len(p), nil // drops the text of an error page
	case len(h.body)+len(p) > MaxFile:
		h.pass()
		return h.w.Write(p)
	}
	h.body = append(h.body, p...)
	return len(p), nil
}

// FlushError lets next flush as it does without us. While held keeps the answer back, there
// is nothing to flush.
func (h *held) FlushError() error {
	if !h.passed {
		return nil
	}
	return http.NewResponseController(h.w).Flush()
}

// Flush is FlushError for callers that ask for an [http.Flusher].
func (h *held) Flush() { _ = h.FlushError() }

// pass sends what was held back. From then on it sends what next writes.
func (h *held) pass() {
	h.passed = true
	h.w.WriteHeader(h.status)
	if len(h.body) > 0 {
		_, _ = h.w.Write(h.body) // the client may be gone; next sees that when it writes
	}
}

// missing reports whether next has no robots.txt.
func (h *held) missing() bool {
	return !h.passed && (h.status == http.StatusNotFound || h.status == http.StatusGone)
}

// isText reports whether the status and headers can be those of an uncompressed robots.txt.
func (h *held) isText() bool {
	head := h.w.Header()
	kind, _, _ := strings.Cut(head.Get("Content-Type"), ";")
	kind = strings.TrimSpace(kind)
	return h.status == http.StatusOK && (kind == "" || strings.EqualFold(kind, "text/plain")) &&
		head.Get("Content-Encoding") == h.before.Get("Content-Encoding")
}

// whole reports whether the body is a complete text: as long as next said, and not HTML.
// Some sites answer every path with a page, whatever type they give it.
func (h *held) whole() bool {
	head := h.w.Header()
	length, looks := head.Get("Content-Length"), http.DetectContentType(h.body)
	if length != "" && length != strconv.Itoa(len(h.body)) {
		return false
	}
	return strings.HasPrefix(looks, "text/plain") || head.Get("Content-Type") != "" && !strings.HasPrefix(looks, "text/html")
}
