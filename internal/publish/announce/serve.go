package announce

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// Serve answers a GET or HEAD for robots.txt with the file that next serves, plus the
// Sitemap lines for the URLs. If next has no file, it serves the text none and these lines. Some sites answer
// every path with a page. There it does the same, if the owner gave that text.
//
// Serve first asks next for the whole file in its present state. If there is nothing to
// add, it lets next answer the client's own request. That is so if the file names the
// sitemap, and if the answer is not a robots.txt: a status other than 200, 404 or 410, a
// type other than plain text, a compressed one, one longer than [MaxFile], or one shorter
// than it says. Whatever ends the first request, such as a panic, leaves the client's request alone. wrote
// reports whether Serve wrote the file itself, page whether next has something else for
// robots.txt, with status 200, and failed whether next answered with a 5xx, which says nothing of the file.
func Serve(
	next http.Handler, w http.ResponseWriter, r *http.Request, urls []string, none string,
) (wrote, page, failed bool) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	a := &answer{header: w.Header().Clone(), cancel: cancel}
	a.ask(next, forAll(r.WithContext(ctx)))
	isFile := a.isFile(w.Header().Get("Content-Encoding"))
	missing := a.status == http.StatusNotFound || a.status == http.StatusGone || none != "" && a.isPage()
	if missing {
		a.header, a.body = w.Header().Clone(), []byte(none)
	}
	file, ok := Add(a.body, urls)
	switch {
	case missing && !ok: // the owner's text names the sitemap already
		file = a.body
	case !ok || !missing && !isFile:
		next.ServeHTTP(w, r)
		return false, !isFile && a.status == http.StatusOK, a.status >= http.StatusInternalServerError
	}
	clear(w.Header())
	maps.Copy(w.Header(), a.header)
	send(w, r, file)
	return true, false, false
}

// forAll returns a request for the whole file, uncompressed, whatever part or version the
// client has.
func forAll(r *http.Request) *http.Request {
	all := r.Clone(r.Context())
	all.Method = http.MethodGet
	for _, name := range []string{"Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since",
		"If-Unmodified-Since"} {
		all.Header.Del(name)
	}
	all.Header.Set("Accept-Encoding", "identity")
	return all
}

// ofTheOld are headers that hold only for the file as next served it.
var ofTheOld = []string{
	"Content-Length", "Etag", "Last-Modified", "Accept-Ranges", "Content-Md5", "Content-Digest", "Repr-Digest", "Digest",
	"Trailer",
}

// send answers with the whole file. If a middleware around us compresses it, its length is not known yet.
func send(w http.ResponseWriter, r *http.Request, file []byte) {
	head := w.Header()
	for _, name := range ofTheOld {
		head.Del(name)
	}
	if head.Get("Content-Encoding") == "" {
		head.Set("Content-Length", strconv.Itoa(len(file)))
	}
	head.Set("Content-Type", cmp.Or(head.Get("Content-Type"), "text/plain; charset=utf-8"))
	head.Set("Cache-Control", cmp.Or(head.Get("Cache-Control"), "no-cache")) // crawlers keep the file for a day anyway
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(file) // the client may be gone
	}
}

// answer is a writer that keeps an answer, up to a byte more than a file may have. It ends
// one that is no robots.txt, which may be a stream without an end.
type answer struct {
	header http.Header
	status int // 0 until next gives one
	body   []byte
	over   bool               // it is no robots.txt, so the request was cancelled
	cancel context.CancelFunc // of the request
}

// ask lets next answer. A program that cannot write to the end may panic, as a
// [net/http/httputil.ReverseProxy] does, and one that wants a connection of its own. The
// client's own request then shows what the client shall get.
func (a *answer) ask(next http.Handler, r *http.Request) {
	defer func() {
		if recover() != nil && !a.over {
			a.status = http.StatusInternalServerError // what there is may lack rules
		}
	}()
	next.ServeHTTP(a, r)
}

var errNoFile = errors.New("announce: the answer is no robots.txt")

func (a *answer) Header() http.Header { return a.header }

// Flush does nothing. Some programs flush, or require that they can.
func (a *answer) Flush() {}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 && status >= http.StatusOK { // after a status such as 103 another one follows
		a.status = status
	}
}

func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	a.body = append(a.body, p[:min(len(p), MaxFile+1-len(a.body))]...)
	if len(a.body) > MaxFile || a.status == http.StatusOK && !plainType.MatchString(a.header.Get("Content-Type")) {
		a.over = true
		a.cancel()
		return 0, errNoFile
	}
	return len(p), nil
}

// plainType is the type that a robots.txt may have.
var plainType = regexp.MustCompile(`(?i)^\s*(text/plain\s*(;.*)?)?$`)

// isPage reports whether the answer is an HTML page, with status 200.
func (a *answer) isPage() bool {
	kind := cmp.Or(a.header.Get("Content-Type"), http.DetectContentType(a.body))
	return a.status == http.StatusOK && strings.HasPrefix(strings.ToLower(kind), "text/html")
}

// isFile reports whether the answer is a complete robots.txt, in the coding that a middleware around us applies. Some
// sites answer every path with a page, even as text/plain.
func (a *answer) isFile(outerCoding string) bool {
	kind, length, looks := a.header.Get("Content-Type"), a.header.Get("Content-Length"), http.DetectContentType(a.body)
	return (a.status == 0 || a.status == http.StatusOK) && plainType.MatchString(kind) &&
		a.header.Get("Content-Encoding") == outerCoding &&
		(length == "" || length == strconv.Itoa(len(a.body))) &&
		(strings.HasPrefix(looks, "text/plain") || kind != "" && !strings.HasPrefix(looks, "text/html"))
}
