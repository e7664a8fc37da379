package announce

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Serve answers a GET or HEAD for robots.txt with the file that next serves, plus the
// Sitemap lines for the URLs. If next has no file, it serves the text none and these lines.
// wrote reports whether Serve wrote the file itself.
//
// Serve asks next for the whole file in its present state, and holds it back until it is
// complete. There may be nothing to add: the file names the sitemap, or the answer is no
// robots.txt. That is so for a status other than 200, 404 or 410, a type other than plain
// text, a compressed one, one longer than [MaxFile], or one shorter than it says. Then the
// client gets the answer as it is. But if the client asked for something else, such as a
// part of the file, next answers that request too.
func Serve(next http.Handler, w http.ResponseWriter, r *http.Request, urls []string, none string) (wrote bool) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	a := &answer{w: w, header: w.Header().Clone(), whole: wantsAll(r), cancel: cancel}
	next.ServeHTTP(a, forAll(r.WithContext(ctx)))
	a.WriteHeader(http.StatusOK) // if next gave no status
	switch a.state {
	case missing:
		file, ok := Add([]byte(none), urls)
		if !ok { // it names the sitemap already
			file = []byte(none)
		}
		send(w, r, file)
		return true
	case held:
		if file, ok := Add(a.body, urls); ok && a.isFile() {
			a.giveHeader()
			send(w, r, file)
			return true
		}
		a.release()
	}
	if a.state == dropped {
		next.ServeHTTP(w, r)
	}
	return false
}

// conditions are headers with which a client asks for a part or another version of a file.
var conditions = []string{"Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"}

// wantsAll reports whether the client asks for what forAll asks for, but for the encoding.
func wantsAll(r *http.Request) bool {
	return r.Method == http.MethodGet && !slices.ContainsFunc(conditions, func(name string) bool { return r.Header.Get(name) != "" })
}

// forAll returns a request for the whole file, uncompressed, whatever part or version the
// client has.
func forAll(r *http.Request) *http.Request {
	all := r.Clone(r.Context())
	all.Method = http.MethodGet
	for _, name := range conditions {
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

// answer is a writer that holds back what may be a robots.txt. It passes on any other answer
// as it comes, or drops it if the client asked for another one. A dropped answer may be a
// stream without an end, so it is cancelled.
type answer struct {
	w      http.ResponseWriter
	header http.Header // for next to set
	final  http.Header // as it was when next gave the status
	status int         // 0 until next gives one
	body   []byte      // what is held
	whole  bool        // the client, too, asked for the whole file
	state  state
	cancel context.CancelFunc // of the request to next
}

type state int

const (
	held    state = iota
	missing       // next has no file; what it says of that is dropped
	passed        // the client gets the answer
	dropped       // next answers the client's own request after this one
)

var errNoFile = errors.New("announce: the answer is no robots.txt")

func (a *answer) Header() http.Header { return a.header }

func (a *answer) WriteHeader(status int) {
	if a.status != 0 || status < http.StatusOK { // after a status such as 103 another one follows
		return
	}
	a.status, a.final = status, a.header.Clone()
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		a.state = missing
	case status != http.StatusOK || !isPlain(a.kind()):
		a.release()
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.state == held && len(a.body)+len(p) > MaxFile {
		a.release()
	}
	switch a.state {
	case held:
		a.body = append(a.body, p...)
	case passed:
		return a.w.Write(p)
	case dropped:
		return 0, errNoFile
	}
	return len(p), nil
}

// Flush sends what is passed on. What is held stays.
func (a *answer) Flush() {
	a.WriteHeader(http.StatusOK)
	if a.state == passed {
		_ = http.NewResponseController(a.w).Flush()
	}
}

// Unwrap lets next set deadlines.
func (a *answer) Unwrap() http.ResponseWriter { return a.w }

// release ends the holding of an answer that is not to be changed.
func (a *answer) release() {
	if !a.whole || a.varies() {
		a.state = dropped
		a.cancel()
		return
	}
	a.state = passed
	a.giveHeader()
	a.w.WriteHeader(a.status)
	a.header = a.w.Header() // for trailers
	if len(a.body) > 0 {
		_, _ = a.w.Write(a.body)
	}
}

// giveHeader gives the client's answer the header that next gave its own.
func (a *answer) giveHeader() {
	clear(a.w.Header())
	maps.Copy(a.w.Header(), a.final)
}

// varies reports whether next might compress its answer to the client's own request.
func (a *answer) varies() bool {
	vary := strings.ToLower(strings.Join(a.final["Vary"], ","))
	return strings.Contains(vary, "accept-encoding") || strings.Contains(vary, "*")
}

// kind returns the media type that next gave the answer, in lower case, "" for none.
func (a *answer) kind() string {
	kind, _, _ := strings.Cut(a.final.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// isPlain reports whether a robots.txt may have a media type.
func isPlain(kind string) bool { return kind == "" || kind == "text/plain" }

// isFile reports whether what is held is a complete robots.txt, uncompressed. Some sites
// answer every path with a page, whatever type they give it. A middleware around us may have
// set an encoding before.
func (a *answer) isFile() bool {
	length, looks := a.final.Get("Content-Length"), http.DetectContentType(a.body)
	return a.final.Get("Content-Encoding") == a.w.Header().Get("Content-Encoding") &&
		(length == "" || length == strconv.Itoa(len(a.body))) &&
		(strings.HasPrefix(looks, "text/plain") || a.kind() != "" && !strings.HasPrefix(looks, "text/html"))
}
