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

// Serve answers a GET or HEAD for robots.txt: with the file that next serves and the
// Sitemap lines for the URLs, or with none and these lines where next has no file. An
// answer that is no robots.txt is sent as next gives it: one with another status than
// 200, 404 or 410, of another type than plain text, compressed, longer than [MaxFile], or
// shorter than it says. next is always asked for the whole file, as it is now.
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

// forAll returns a request for all of the file, in its own coding, whatever the client
// has of it.
func forAll(r *http.Request) *http.Request {
	all := r.Clone(r.Context())
	all.Method = http.MethodGet
	for _, name := range []string{"Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"} {
		all.Header.Del(name)
	}
	all.Header.Set("Accept-Encoding", "identity")
	return all
}

// ofTheOld are headers that hold for the file as it was.
var ofTheOld = []string{
	"Content-Length", "Last-Modified", "Accept-Ranges", "Content-Md5", "Content-Digest", "Repr-Digest", "Digest", "Trailer",
}

// send answers with the file, as the client asked for it. What a middleware around us
// compresses has no length yet, and no strong entity tag.
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
		head.Set("Cache-Control", "no-cache") // crawlers keep it for a day anyway
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(file))
}

// held is a writer that holds back a robots.txt, and passes on all else.
type held struct {
	w      http.ResponseWriter
	before http.Header // as it was before next was called
	status int         // 0 until next gives one
	body   []byte
	passed bool // what next writes goes to the client
}

func (h *held) Header() http.Header { return h.w.Header() }

func (h *held) WriteHeader(status int) {
	switch {
	case h.passed || status < http.StatusOK: // as with 103, another one follows
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
		return len(p), nil // the words of an error page
	case len(h.body)+len(p) > MaxFile:
		h.pass()
		return h.w.Write(p)
	}
	h.body = append(h.body, p...)
	return len(p), nil
}

// FlushError lets next flush as it does without us. While the answer is held back, there
// is nothing to flush.
func (h *held) FlushError() error {
	if !h.passed {
		return nil
	}
	return http.NewResponseController(h.w).Flush()
}

// Flush is FlushError for callers that ask for an [http.Flusher].
func (h *held) Flush() { _ = h.FlushError() }

// pass sends what was held back, and from then on what next writes.
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

// isText reports whether the status and headers can be those of a robots.txt that next
// did not compress.
func (h *held) isText() bool {
	head := h.w.Header()
	kind, _, _ := strings.Cut(head.Get("Content-Type"), ";")
	kind = strings.TrimSpace(kind)
	return h.status == http.StatusOK && (kind == "" || strings.EqualFold(kind, "text/plain")) &&
		head.Get("Content-Encoding") == h.before.Get("Content-Encoding")
}

// whole reports whether the body is all of a text: as long as next said it would be, and
// not the page that some sites answer every path with, whatever type they give it.
func (h *held) whole() bool {
	head := h.w.Header()
	length, looks := head.Get("Content-Length"), http.DetectContentType(h.body)
	if length != "" && length != strconv.Itoa(len(h.body)) {
		return false
	}
	return strings.HasPrefix(looks, "text/plain") || head.Get("Content-Type") != "" && !strings.HasPrefix(looks, "text/html")
}
