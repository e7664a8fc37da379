// Package patient makes HTTP servers that no client can hold up. A client must make progress: it
// sends the head of a request at once, and its body, and takes the answer, at some speed. A large
// upload over a slow line and an event stream that lasts for days go on.
package patient

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

const (
	headPatience = 10 * time.Second
	idlePatience = 2 * time.Minute // between two requests
	patience     = time.Minute     // without progress
	slowest      = 1 << 10         // bytes in a second that are progress: less than a modem's
)

// Server returns a server for h.
func Server(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{Handler: guard(h), ReadHeaderTimeout: headPatience, IdleTimeout: idlePatience,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
}

// guard refuses requests for anything but a resource of this server, and gives bodies a deadline. The
// deadline is set even if h reads no body, since the server reads the rest of it afterwards.
func guard(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect || r.URL.Path != "" && !strings.HasPrefix(r.URL.Path, "/") { // as in PRI *
			w.Header().Set("Connection", "close")
			http.Error(w, "This server forwards no connections, and speaks HTTP/1.1.", http.StatusBadRequest)
			return
		}
		if r.Body != nil && r.Body != http.NoBody {
			b := &body{ReadCloser: r.Body, connection: http.NewResponseController(w), left: patience}
			b.wait(b.left)
			defer b.end()
			r.Body = b
		}
		h.ServeHTTP(w, r)
	})
}

// body is the body of a request. It may keep the server waiting for as long as left says. Each byte
// that comes earns it time, up to patience.
type body struct {
	io.ReadCloser
	connection *http.ResponseController
	left       time.Duration

	mu    sync.Mutex // guards ended, and is held while a deadline is set
	ended bool       // the handler has returned, so the connection is for the next request
}

// ErrBody is wrapped by each error of reading a request's body. It is the client's fault.
var ErrBody = errors.New("the client did not send the body of its request")

func (b *body) Read(p []byte) (int, error) {
	begun := time.Now()
	b.wait(b.left)
	n, err := b.ReadCloser.Read(p)
	b.left = min(patience, b.left-time.Since(begun)+time.Duration(n)*time.Second/slowest)
	switch {
	case errors.Is(err, io.EOF): // from now on the server reads to notice that the client leaves
		b.until(time.Time{})
	case err != nil:
		err = errors.Join(ErrBody, err)
	}
	return n, err
}

func (b *body) wait(d time.Duration) { b.until(time.Now().Add(d)) }

// until sets the deadline of reading, while the handler runs.
func (b *body) until(deadline time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended {
		_ = b.connection.SetReadDeadline(deadline)
	}
}

// end makes b leave the connection alone, even if a goroutine of the handler still reads.
func (b *body) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
}

// Listener wraps a listener. Clients of its connections must take what they asked for.
func Listener(l net.Listener) net.Listener { return listener{l} }

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &Conn{Conn: c}, nil
}

// Conn is a connection of a client who must take what he asked for.
type Conn struct {
	net.Conn
	answered atomic.Bool
}

// Answered reports whether the client has got the beginning of an answer. Early hints and "continue" are none.
func (c *Conn) Answered() bool { return c.answered.Load() }

// Write writes piece by piece. The client may take as long for each as the slowest would.
func (c *Conn) Write(p []byte) (n int, err error) {
	const piece = int(patience/time.Second) * slowest
	if !bytes.HasPrefix(p, []byte("HTTP/1.1 1")) {
		c.answered.Store(true)
	}
	for {
		_ = c.SetWriteDeadline(time.Now().Add(patience))
		m, err := c.Conn.Write(p[n:min(n+piece, len(p))])
		if n += m; err != nil || n == len(p) {
			return n, err
		}
	}
}

// CloseWrite lets the server end a connection so that the client still gets the last answer.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
