package kit

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store"
)

// The origin and host of the sites.
const (
	Host   = "www.example.com"
	Origin = "https://" + Host
)

// NewSite returns a site at [Origin].
func NewSite(st store.Store, o servemap.Options) (*servemap.Site, error) {
	return servemap.New(Origin, st, &o)
}

// CloseSite closes a site, and gives up after a while.
func CloseSite(site *servemap.Site, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	return site.Close(ctx)
}

// Server is a server on the loopback interface.
type Server struct {
	URL     string // without a slash at its end
	handler atomic.Pointer[http.Handler]
	server  http.Server
}

// Listen serves a handler at a new address.
func Listen(h http.Handler) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + listener.Addr().String()}
	s.Handle(h)
	s.server.Handler = http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { (*s.handler.Load()).ServeHTTP(w, r) })
	go func() { _ = s.server.Serve(listener) }() // until it is closed
	return s, nil
}

// Handle replaces the handler.
func (s *Server) Handle(h http.Handler) { s.handler.Store(&h) }

// Close ends the server once it has answered all requests, after 10 seconds at the latest.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return s.server.Shutdown(ctx)
}
