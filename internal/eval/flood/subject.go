package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/store"
)

// subject is the target of the flood: a [servemap.Site], or a ledger with the same methods.
type subject interface {
	Handler() http.Handler
	Flush(ctx context.Context) error
	Stats() servemap.Stats
	Close(ctx context.Context) error
}

// direct is a site's ledger alone: every visit is a sighting, and every page is read in
// full.
type direct struct {
	*kit.Bench
	pages   *pages
	offered int
}

func newDirect(p *pages, st store.Store, log *slog.Logger) (*direct, error) {
	bench, err := kit.NewBench(st, kit.BenchOptions{Logger: log})
	return &direct{Bench: bench, pages: p}, err
}

// together is how many visits to hand over before waiting for them.
const together = 512

func (d *direct) visit(v visit) error {
	loc := d.Locations.Request(kit.Host, v.loc)
	if loc.Location == "" {
		return nil // it is refused before a look
	}
	s := kit.Sighting(loc.Location, time.Now(), d.pages.body(nil, v.loc))
	s.OwnQuery, s.Network = loc.OwnQuery, eligibility.Network(v.client)
	d.Ledger.Offer(s)
	if d.offered++; d.offered%together != 0 {
		return nil
	}
	return d.Ledger.Flush(context.Background())
}

// Handler serves the sitemap.
func (d *direct) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { d.Files.Serve(w, r) })
}

// Flush stores all that was seen, and renders the files.
func (d *direct) Flush(ctx context.Context) error {
	if err := d.Ledger.Flush(ctx); err != nil {
		return err
	}
	return d.Files.Render(ctx)
}

// Stats returns what a site would.
func (d *direct) Stats() servemap.Stats {
	s := d.Ledger.Stats()
	return servemap.Stats{Listed: d.Files.Listed(), Waiting: s.Waiting, Sightings: s.Sightings, Dropped: s.Dropped, Queued: s.Queued, Damaged: s.Damaged}
}

// Close ends the ledger.
func (d *direct) Close(ctx context.Context) error {
	err := d.Flush(ctx)
	d.Bench.Close()
	return err
}

// target receives the visits. Each worker goroutine uses it.
type target struct {
	visit   func(visit) error
	workers int
	close   func() error
}

// newTarget returns a target that calls a handler as a server does. With -http the target
// sends requests over the loopback interface.
func newTarget(h http.Handler, http bool) (target, error) {
	workers := runtime.GOMAXPROCS(0)
	if !http {
		return target{func(v visit) error { return call(h, v) }, workers, func() error { return nil }}, nil
	}
	workers *= 8
	s, err := kit.Listen(h)
	if err != nil {
		return target{}, err
	}
	c := newClient(workers)
	return target{func(v visit) error { return get(c, s.URL, v) }, workers, func() error {
		c.CloseIdleConnections()
		return s.Close()
	}}, nil
}

// clientHeader names the client, since all requests come from this machine.
const clientHeader = "Flood-Client"

func clientIP(r *http.Request) netip.Addr {
	addr, _ := netip.ParseAddr(r.Header.Get(clientHeader)) // the zero address for none
	return addr
}

// call makes h answer a visit.
func call(h http.Handler, v visit) error {
	u, err := url.ParseRequestURI(v.loc)
	if err != nil {
		return err
	}
	w := &discarding{header: http.Header{}}
	h.ServeHTTP(w, &http.Request{
		Method: http.MethodGet, URL: u, RequestURI: v.loc, Host: kit.Host, Body: http.NoBody,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Accept": {"text/html"}, clientHeader: {v.client.String()}},
	})
	if w.status != http.StatusOK {
		return fmt.Errorf("%s: status %d", v.loc, w.status)
	}
	return nil
}

// discarding is a minimal http.ResponseWriter.
type discarding struct {
	header http.Header
	status int
}

func (w *discarding) Header() http.Header { return w.header }

func (w *discarding) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return len(p), nil
}

func (w *discarding) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func newClient(connections int) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
}

// get asks the server at a URL.
func get(c *http.Client, url string, v visit) error {
	r, err := http.NewRequest(http.MethodGet, url+v.loc, nil)
	if err != nil {
		return err
	}
	r.Host = kit.Host
	r.Header.Set(clientHeader, v.client.String())
	resp, err := c.Do(r)
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
