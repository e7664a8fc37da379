package explore

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"

	"github.com/servemap/servemap/internal/page/location"
)

// inside makes the client ask a handler in this process, by a server without a network. It returns
// what ends that.
func inside(client *http.Client, h http.Handler, origin location.Origin) (end func()) {
	l := listener{make(chan net.Conn), make(chan struct{})}
	client.Transport = &http.Transport{
		DisableKeepAlives:  true, // else a request is repeated if the handler panics
		DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			near, far := net.Pipe()
			select {
			case l.conns <- visitor{far}:
				return near, nil
			case <-l.ended:
				return nil, net.ErrClosed
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	}
	server := &http.Server{
		ErrorLog: log.New(io.Discard, "", 0),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Forwarded-Proto") == "https" {
				r.TLS = &tls.ConnectionState{Version: tls.VersionTLS13, HandshakeComplete: true, ServerName: origin.Host()}
			}
			h.ServeHTTP(w, r)
		}),
	}
	go func() { _ = server.Serve(l) }()
	return func() { _ = server.Close() }
}

// listener takes connections until the server closes it.
type listener struct {
	conns chan net.Conn
	ended chan struct{}
}

func (l listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

func (l listener) Close() error {
	close(l.ended)
	return nil
}

func (l listener) Addr() net.Addr { return visitor{}.RemoteAddr() }

// visitor is the server's end of a connection. No host has an address in its range (RFC 5737). A
// handler that trusts its own machine must not mistake the explorer for it.
type visitor struct{ net.Conn }

func (visitor) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1234} }
