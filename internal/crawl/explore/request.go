package explore

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/index/observation"
	"github.com/servemap/servemap/internal/page/response"
)

const (
	requestPatience = 10 * time.Second
	// visitor is the peer's address. No host has an address in this range (RFC 5737). A
	// handler that trusts its own machine must not mistake the explorer for it.
	visitor = "192.0.2.1:1234"
)

// answer is the site's answer to a request.
type answer struct {
	status  int // 0 if there was none
	header  http.Header
	body    []byte // without its content coding, cut at [observation.MaxPage]
	elapsed time.Duration
	err     error

	elsewhere bool // a page, but this process had no part in it
}

// ask requests a page as a stranger would.
func (e *explorer) ask(ctx context.Context, loc string) (a answer) {
	defer func() { e.Site.Answered(a.status) }()
	if e.Inside == nil {
		return e.askOrigin(ctx, loc, loc)
	}
	return e.askInside(ctx, loc)
}

// askInside requests a page from the handler, in this process.
func (e *explorer) askInside(ctx context.Context, loc string) (a answer) {
	ctx, cancel := context.WithTimeout(ctx, requestPatience)
	defer cancel()
	r, err := e.request(ctx, loc)
	if err != nil {
		return answer{err: err}
	}
	begun, w, done := time.Now(), &recorder{header: http.Header{}}, make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("the handler panicked: %v", p)
			}
		}()
		e.Inside.ServeHTTP(w, r)
		done <- nil
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		return answer{err: ctx.Err()}
	}
	if err != nil {
		return answer{err: err}
	}
	a = w.answer()
	a.elapsed = time.Since(begun)
	return a
}

func (e *explorer) request(ctx context.Context, loc string) (*http.Request, error) {
	target := loc
	if loc != "/robots.txt" {
		target = e.Site.Target(loc)
	}
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return nil, err
	}
	origin := e.Normalizer.Origin()
	r := &http.Request{
		Method: http.MethodGet, URL: u, RequestURI: target, Host: origin.Host(), RemoteAddr: visitor,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Body: http.NoBody,
		Header: stranger(),
	}
	if strings.HasPrefix(origin.String(), "https:") { // otherwise the site may redirect each request to https
		r.TLS = &tls.ConnectionState{Version: tls.VersionTLS13, HandshakeComplete: true, ServerName: origin.Host()}
		r.Header.Set("X-Forwarded-Proto", "https")
	}
	return r.WithContext(ctx), nil
}

// Agent is the name of the explorer, also in robots.txt.
const Agent = "servemap-explore"

// stranger returns the header of a request.
func stranger() http.Header {
	return http.Header{"User-Agent": {Agent}, "Accept": {"text/html,application/xhtml+xml,*/*;q=0.1"}}
}

// recorder keeps the answer to a request. The handler may go on writing after the
// explorer has left.
type recorder struct {
	mu     sync.Mutex
	header http.Header
	status int
	sent   http.Header // the header when it was sent
	body   []byte
	size   int // of the whole body so far
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(status)
}

func (w *recorder) writeHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status, w.sent = status, w.header.Clone()
	}
}

// mostWritten is how long an answer may be. If it is longer than what ask reads, the
// handler may write on up to here, since a page that breaks off is none. A longer answer is
// not a page but a file.
const mostWritten = 16 << 20

// errLong ends an answer that is too long for a page.
var errLong = errors.New("servemap: the explorer takes no more of this answer")

func (w *recorder) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(http.StatusOK)
	if w.size += len(p); w.size > mostWritten {
		return 0, errLong
	}
	w.body = append(w.body, p[:min(len(p), observation.MaxPage-len(w.body))]...)
	return len(p), nil
}

// Flush is for handlers that stream.
func (w *recorder) Flush() { w.WriteHeader(http.StatusOK) }

func (w *recorder) answer() answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeHeader(http.StatusOK)
	a := answer{status: w.status, header: w.sent, body: w.body}
	if a.header.Get("Content-Type") == "" && len(w.body) > 0 {
		a.header.Set("Content-Type", http.DetectContentType(w.body)) // as net/http does
	}
	body, _, err := observation.Decode(a.header.Get("Content-Encoding"), w.body, observation.MaxPage)
	if err == nil {
		a.body = body
		a.header.Del("Content-Encoding")
	}
	return a
}

// response returns the answer as the site judges it.
func (w *recorder) response(a answer) *response.Response {
	return &response.Response{
		Status: a.status, Header: response.HeaderOf(a.header), Body: a.body,
		Truncated: w.size > len(w.body), Written: int64(w.size), Complete: true,
	}
}
