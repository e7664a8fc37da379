package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store"
)

// subject is what is flooded.
type subject interface {
	visit(v visit) error // may be called by as many goroutines as workers says
	workers() int
	flush(ctx context.Context) error
	sitemap() http.Handler
	stats() servemap.Stats
	changed(ctx context.Context) (pages int, err error) // of how many pages a change was seen
	close(ctx context.Context) error
}

// clientHeader names the client, since all requests come from here.
const clientHeader = "Flood-Client"

func clientIP(r *http.Request) netip.Addr {
	addr, err := netip.ParseAddr(r.Header.Get(clientHeader))
	if err != nil {
		return netip.Addr{}
	}
	return addr
}

// served is a site that is asked as a server asks it, with a call in place of a connection.
type served struct {
	handler http.Handler
	site    *servemap.Site
}

func newServed(cfg config, p *pages, st store.Store, log *slog.Logger) (*served, error) {
	site, err := servemap.New(origin, st, &servemap.Options{Limits: servemap.Limits{RenderEvery: cfg.renderEvery}, ClientIP: clientIP, Logger: log})
	if err != nil {
		return nil, err
	}
	return &served{site.Wrap(p), site}, nil
}

func (s *served) workers() int          { return runtime.GOMAXPROCS(0) }
func (s *served) sitemap() http.Handler { return s.site.Handler() }
func (s *served) stats() servemap.Stats { return s.site.Stats() }

func (s *served) flush(ctx context.Context) error { return s.site.Flush(ctx) }
func (s *served) close(ctx context.Context) error { return s.site.Close(ctx) }

func (s *served) changed(ctx context.Context) (pages int, err error) {
	for page, err := range s.site.Pages(ctx) {
		if err != nil {
			return 0, err
		}
		if page.Changes > 0 {
			pages++
		}
	}
	return pages, nil
}

func (s *served) visit(v visit) error { return call(s.handler, v) }

// call has h answer a visit.
func call(h http.Handler, v visit) error {
	r, err := request(v)
	if err != nil {
		return err
	}
	w := &discarding{header: http.Header{}}
	h.ServeHTTP(w, r)
	if w.status != http.StatusOK {
		return fmt.Errorf("%s: status %d", v.loc, w.status)
	}
	return nil
}

func request(v visit) (*http.Request, error) {
	u, err := url.ParseRequestURI(v.loc)
	if err != nil {
		return nil, err
	}
	return &http.Request{
		Method: http.MethodGet, URL: u, RequestURI: v.loc, Host: host, Body: http.NoBody,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Accept": {"text/html"}, clientHeader: {v.client.String()}},
	}, nil
}

// discarding is the least that is a http.ResponseWriter.
type discarding struct {
	header http.Header
	status int
}

func (w *discarding) Header() http.Header { return w.header }

func (w *discarding) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return len(p), nil
}

func (w *discarding) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// wired is a site behind a real server, asked over connections of the loopback interface.
type wired struct {
	*served
	url    string
	server *http.Server
	ended  chan error // of the server
	client http.Client
}

func newWired(s *served) (*wired, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &wired{served: s, url: "http://" + l.Addr().String(), server: &http.Server{Handler: s.handler}, ended: make(chan error, 1)}
	w.client.Transport = &http.Transport{MaxIdleConnsPerHost: w.workers(), DisableCompression: true}
	go func() { w.ended <- w.server.Serve(l) }()
	return w, nil
}

func (w *wired) workers() int { return 8 * runtime.GOMAXPROCS(0) }

func (w *wired) visit(v visit) error {
	r, err := http.NewRequest(http.MethodGet, w.url+v.loc, nil)
	if err != nil {
		return err
	}
	r.Host = host
	r.Header.Set(clientHeader, v.client.String())
	resp, err := w.client.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: status %d", v.loc, resp.StatusCode)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func (w *wired) close(ctx context.Context) error {
	w.client.CloseIdleConnections()
	if err := w.server.Shutdown(ctx); err != nil {
		return err
	}
	<-w.ended
	if w.site == nil {
		return nil
	}
	return w.served.close(ctx)
}
