package main

import (
	"cmp"
	"context"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/forwarded"
)

const (
	defaultTimeout = time.Minute
	dialTimeout    = 5 * time.Second
	idleUpstream   = 256 // idle connections to keep; the default 2 would cost a new one per request
)

// upstream is the site behind a proxy.
type upstream struct {
	proxy  httputil.ReverseProxy
	log    *slog.Logger
	silent atomic.Bool // the last request was not answered
}

// newUpstream returns a handler that forwards requests to s.To. It sets Host and
// X-Forwarded-* only from the origin and from trusted proxies. So a site that builds its
// URLs from them writes public ones.
func newUpstream(s *settings, logger *slog.Logger) (http.Handler, error) {
	target, dial, err := parseTarget(s.To)
	if err != nil {
		return nil, err
	}
	trusted, err := parseTrusted(s.Trusted)
	if err != nil {
		return nil, err
	}
	origin, err := url.Parse(s.Origin)
	if err != nil {
		return nil, usage("-origin: %v", err)
	}
	host := origin.Host
	switch s.Host {
	case "", "origin":
	case "upstream":
		host = target.Host
	default:
		return nil, usage("-host %s: give origin or upstream", s.Host)
	}
	u := &upstream{log: logger}
	u.proxy = httputil.ReverseProxy{
		Transport: &http.Transport{
			DialContext:           dial,
			DisableCompression:    true, // otherwise visitors would get other bytes than the site sent
			MaxIdleConnsPerHost:   idleUpstream,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   dialTimeout,
			ResponseHeaderTimeout: cmp.Or(s.timeout, defaultTimeout),
		},
		Rewrite: func(r *httputil.ProxyRequest) {
			if peer, _ := forwarded.Peer(r.In); trusted.Has(peer) {
				r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
			} else {
				maps.DeleteFunc(r.Out.Header, func(name string, _ []string) bool { return ofProxies(name) })
			}
			r.SetXForwarded()
			r.Out.Header.Set("X-Forwarded-Host", origin.Host)
			r.Out.Header.Set("X-Forwarded-Proto", origin.Scheme)
			r.SetURL(target)
			r.Out.URL.RawQuery = r.In.URL.RawQuery // unchanged, even if it is malformed
			r.Out.Host = host
		},
		ModifyResponse: func(*http.Response) error {
			if u.silent.CompareAndSwap(true, false) {
				u.log.Info("the site answers again")
			}
			return nil
		},
		ErrorHandler: u.failed,
		ErrorLog:     log.New(io.Discard, "", 0), // failed logs what matters
		BufferPool:   &buffers{},
	}
	return u, nil
}

// proxyHeaders are headers by which a proxy tells a site who asks, and for which URL.
// ofProxies adds those that begin with X-Forwarded- or X-Original-.
var proxyHeaders = map[string]bool{
	"cf-connecting-ip": true, "cf-connecting-ipv6": true, "cf-pseudo-ipv4": true, "cf-visitor": true, "client-ip": true,
	"cloudfront-forwarded-proto": true, "cloudfront-viewer-address": true, "do-connecting-ip": true,
	"fastly-client-ip": true, "fastly-ssl": true, "fly-client-ip": true, "forwarded": true, "forwarded-for": true,
	"front-end-https": true, "proxy": true, "proxy-client-ip": true, "true-client-ip": true, "wl-proxy-client-ip": true, "wl-proxy-ssl": true,
	"x-appengine-user-ip": true, "x-azure-clientip": true, "x-azure-socketip": true, "x-client-ip": true,
	"x-cluster-client-ip": true, "x-envoy-external-address": true, "x-envoy-original-path": true, "x-forwarded": true,
	"x-host": true, "x-http-host-override": true, "x-nf-client-connection-ip": true, "x-proto": true, "x-real-ip": true, "x-remote-addr": true,
	"x-remote-ip": true, "x-rewrite-url": true, "x-scheme": true, "x-script-name": true, "x-url-scheme": true,
}

// ofProxies reports whether only a trusted proxy may send a header. Many sites read _ in a
// name as -.
func ofProxies(name string) bool {
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	return strings.HasPrefix(name, "x-forwarded-") || strings.HasPrefix(name, "x-original-") || proxyHeaders[name]
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if servemap.Exploring(r) {
		// Only within a server does ReverseProxy break an answer off where the site did.
		r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, &http.Server{}))
	}
	u.proxy.ServeHTTP(w, r)
}

// failed answers a request that the site did not answer.
func (u *upstream) failed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil && u.silent.CompareAndSwap(false, true) { // otherwise the visitor has left
		u.log.Warn("the site does not answer; visitors get 502 until it does", "err", err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Retry-After", "2")
	w.WriteHeader(http.StatusBadGateway)
	_, _ = io.WriteString(w, "The site does not answer. Please try again in a moment.\n")
}

// parseTarget returns where requests go, and how to connect.
func parseTarget(to string) (*url.URL, func(context.Context, string, string) (net.Conn, error), error) {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if to == "" {
		return nil, nil, usage("-to is missing; give the address where the site itself listens, such as -to http://localhost:3000")
	}
	if path, ok := strings.CutPrefix(to, "unix:"); ok {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return dialer.DialContext(ctx, "unix", path) }
		return &url.URL{Scheme: "http", Host: "localhost"}, dial, nil
	}
	u, err := url.Parse(to)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return nil, nil, usage("-to %s is no address of a server; give one such as http://localhost:3000 or unix:/run/site.sock", to)
	}
	return u, dialer.DialContext, nil
}

// buffers are reused to copy answers.
type buffers struct{ pool sync.Pool }

func (b *buffers) Get() []byte {
	if buf, ok := b.pool.Get().(*[]byte); ok {
		return *buf
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(buf []byte) { b.pool.Put(&buf) }

// parseTrusted reads the address ranges of the trusted proxies.
func parseTrusted(list string) (forwarded.Proxies, error) {
	var rs []netip.Prefix
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		switch {
		case part == "":
			continue
		case part == "private":
			for _, p := range []string{"127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "::1/128", "fc00::/7"} {
				rs = append(rs, netip.MustParsePrefix(p))
			}
			continue
		}
		p, err := netip.ParsePrefix(part)
		if addr, e := netip.ParseAddr(part); e == nil {
			p, err = addr.Prefix(addr.BitLen())
		}
		if err != nil {
			return nil, usage("-trusted-proxies %q is no range of addresses; give ranges such as 10.0.0.0/8, addresses, or private", part)
		}
		rs = append(rs, p)
	}
	return forwarded.New(rs), nil
}
