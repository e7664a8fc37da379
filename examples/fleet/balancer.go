package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"slices"
	"sync"
	"sync/atomic"
)

// balancer hands each request to the next replica that is up, and to another one if that
// has just died.
type balancer struct {
	proxy  *httputil.ReverseProxy
	next   atomic.Uint64
	failed atomic.Uint64 // requests that no replica answered

	mu    sync.Mutex
	addrs []string // of the replicas, "" for one that is down
}

func newBalancer(n int) *balancer {
	b := &balancer{addrs: make([]string, n)}
	b.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme = "http"
			r.Out.Host = r.In.Host
			r.SetXForwarded()
		},
		Transport: b,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() == nil {
				b.failed.Add(1)
			}
			http.Error(w, "no replica answers", http.StatusBadGateway)
		},
	}
	return b
}

// set notes the address of a replica, "" if it is down.
func (b *balancer) set(number int, addr string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.addrs[number] = addr
}

// up returns the addresses of the replicas that are up, the next one first.
func (b *balancer) up() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := int(b.next.Add(1) % uint64(len(b.addrs)))
	turned := slices.Concat(b.addrs[n:], b.addrs[:n])
	return slices.DeleteFunc(turned, func(addr string) bool { return addr == "" })
}

func (b *balancer) ServeHTTP(w http.ResponseWriter, r *http.Request) { b.proxy.ServeHTTP(w, r) }

var errNoReplica = errors.New("no replica is up")

// RoundTrip asks one replica after the other until one answers. It reads the whole answer
// before it passes on any of it, since a replica may die halfway.
func (b *balancer) RoundTrip(r *http.Request) (*http.Response, error) {
	err := errNoReplica
	for _, addr := range b.up() {
		out := r.Clone(r.Context())
		out.URL.Host = addr
		var resp *http.Response
		if resp, err = ask(out); err == nil {
			return resp, nil
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			break // the replica may have acted on it, and must not act twice
		}
	}
	return nil, err
}

func ask(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// sitemapOf returns the sitemap of one replica, with its entity tag.
func sitemapOf(ctx context.Context, addr string) (tag string, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/sitemap.xml", nil)
	if err != nil {
		return "", nil, err
	}
	resp, err := ask(r)
	if err != nil {
		return "", nil, err
	}
	body, err = io.ReadAll(resp.Body)
	return resp.Header.Get("Etag"), body, err
}

// all returns the addresses of all replicas, "" for one that is down.
func (b *balancer) all() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.addrs)
}
