// Package upstream forwards requests to a site that listens elsewhere, and its answers
// back. It tells the site who asks: it writes Host and X-Forwarded-* itself, from the origin and
// from trusted proxies. A site that builds its URLs from these headers then writes public ones.
// Targets, answers and streams pass unchanged.
package upstream

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/cmd/servemap/internal/patient"
	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/forwarded"
	"github.com/servemap/servemap/internal/observe"
	"github.com/servemap/servemap/internal/page/words"
)

const (
	dialTimeout  = 5 * time.Second
	tellAgain    = time.Minute // how often the log may say that the site does not answer
	idleUpstream = 256         // idle connections to keep; the default 2 would cost a new one per request
)

// Config says where requests go.
type Config struct {
	To      string   // the URL where the site listens, or unix: and a path
	Origin  *url.URL // the public address of the site
	OwnHost bool     // the site gets the host of To, not that of Origin
	Trusted forwarded.Proxies
	Timeout time.Duration // how long the site may take to begin an answer
	Log     *slog.Logger
}

// Site is the site behind a proxy.
type Site struct {
	BadGateway, Timeout atomic.Uint64 // answers 502 and 504 that visitors got, its own and those of this proxy

	proxy httputil.ReverseProxy
	log   *slog.Logger
	at    string
	hints *messages.Hints
	told  atomic.Int64 // when the log said last that the site does not answer, in Unix nanoseconds
	down  atomic.Int64 // since when it has answered nothing, or 502 and 504 alone; 0 while it answers
	tls   atomic.Bool  // it has spoken TLS, so if it hangs up, that is for another reason
}

// New returns a handler that forwards requests.
func New(cfg Config) (*Site, error) {
	target, dial, err := parseTarget(cfg.To)
	if err != nil {
		return nil, err
	}
	host := cfg.Origin.Host
	if cfg.OwnHost {
		host = target.Host
	}
	u := &Site{log: cfg.Log, at: cfg.To}
	u.proxy = httputil.ReverseProxy{
		Transport: &http.Transport{
			DialContext:           dial,
			DisableCompression:    true, // otherwise visitors would get other bytes than the site sent
			MaxIdleConnsPerHost:   idleUpstream,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   dialTimeout,
			TLSClientConfig:       &tls.Config{VerifyConnection: u.shaken},
			ResponseHeaderTimeout: cfg.Timeout,
		},
		Rewrite: func(r *httputil.ProxyRequest) {
			// A proxy in front adds to X-Forwarded-For, and passes on what else a visitor sends.
			maps.DeleteFunc(r.Out.Header, func(name string, _ []string) bool {
				return strings.ContainsFunc(name, folded) || forwarded.Header(name)
			})
			if peer, _ := forwarded.Peer(r.In); cfg.Trusted.Has(peer) {
				r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
			}
			r.SetXForwarded()
			r.Out.Header.Set("X-Forwarded-Host", cfg.Origin.Host)
			r.Out.Header.Set("X-Forwarded-Proto", cfg.Origin.Scheme)
			r.SetURL(target)
			r.Out.URL.RawQuery = r.In.URL.RawQuery // unchanged, even if it is malformed
			r.Out.Host = host
		},
		ModifyResponse: func(resp *http.Response) error {
			if resp.StatusCode < 100 || resp.StatusCode > 599 { // RFC 9110, section 15; net/http panics at some of these
				return fmt.Errorf("its status is %q, which HTTP does not have", resp.Status)
			}
			u.answered(resp.StatusCode)
			return nil
		},
		ErrorHandler: u.failed,
		ErrorLog:     log.New(io.Discard, "", 0), // failed logs what matters
	}
	return u, nil
}

func (u *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if observe.Explores(r) {
		// Only within a server does ReverseProxy break an answer off where the site did.
		r = r.WithContext(context.WithValue(r.Context(), http.ServerContextKey, &http.Server{}))
	}
	u.proxy.ServeHTTP(w, r)
}

// CloseIdleConnections closes those to the site, once no more requests come.
func (u *Site) CloseIdleConnections() { u.proxy.Transport.(*http.Transport).CloseIdleConnections() }

// shaken notes that the site has ended a handshake.
func (u *Site) shaken(tls.ConnectionState) error { u.tls.Store(true); return nil }

// ErrRestart is the cause that ends a request when the process ends before the site has answered.
var ErrRestart = errors.New("the process ends")

// failed answers a request that the site did not answer.
func (u *Site) failed(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, patient.ErrBody) {
		w.Header().Set("Connection", "close")
		http.Error(w, "The body of the request did not come.", http.StatusRequestTimeout)
		return
	}
	if errors.Is(context.Cause(r.Context()), ErrRestart) {
		if r.Method == http.MethodGet { // what acts may have acted
			w.Header().Set("Refresh", "2")
		}
		unavailable(w, http.StatusServiceUnavailable, "The site restarts. Please try again in a moment.")
		return
	}
	told, now := u.told.Load(), time.Now().UnixNano()
	dialed := (*net.OpError)(nil)
	nobody := errors.As(err, &dialed) && dialed.Op == "dial"
	noTLS := errors.Is(err, io.EOF) && !u.tls.Load() || errors.As(err, new(tls.RecordHeaderError))
	if at, secure := strings.CutPrefix(u.at, "https://"); secure && noTLS {
		err, nobody = fmt.Errorf(words.Say("it seems to speak http; then write {-to=http://"+at+"} (%w)"), err), true
	}
	code, late := http.StatusBadGateway, net.Error(nil)
	if errors.As(err, &late) && late.Timeout() {
		code = http.StatusGatewayTimeout
	}
	if r.Context().Err() == nil { // else the visitor has left, which says nothing of the site
		if now-told > int64(tellAgain) && u.told.CompareAndSwap(told, now) {
			u.log.Warn("the site does not answer; visitors get 502 or 504 until it does", "err", err)
		}
		u.missed(nobody, ": "+err.Error())
		u.count(code)
	}
	unavailable(w, code, "The site does not answer. Please try again in a moment.")
}

// unavailable asks a client to come again soon.
func unavailable(w http.ResponseWriter, code int, why string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Retry-After", "2")
	http.Error(w, why, code)
}

// TellBy makes hints give the hint that the site does not answer. It is called before the first request.
func (u *Site) TellBy(hints *messages.Hints) { u.hints = hints }

// missed notes that the site did not answer a request, and why. One alone may be a slow page, unless nobody listens at
// all.
func (u *Site) missed(nobody bool, why string) {
	if first := u.down.CompareAndSwap(0, time.Now().UnixNano()); first && !nobody {
		return
	}
	more := "It is at " + u.at + why + "."
	if u.told.Load() > 0 {
		u.hints.Hold(messages.Unanswered, more)
	} else {
		u.hints.Give(messages.Unanswered, more)
	}
}

// answered notes an answer of the site. A 502 or 504 says that the server before the program, such as one before PHP,
// does not reach it.
func (u *Site) answered(code int) {
	u.count(code)
	if code == http.StatusBadGateway || code == http.StatusGatewayTimeout {
		u.missed(false, "")
		return
	}
	if u.down.Load() == 0 {
		return
	}
	since, hinted := u.down.Swap(0), u.hints.Has(messages.Unanswered)
	u.hints.End(messages.Unanswered)
	if since != 0 && (hinted || u.told.Load() >= since) {
		u.log.Info("the site answers again", "after", time.Since(time.Unix(0, since)).Round(time.Millisecond))
	}
}

func (u *Site) count(code int) {
	switch code {
	case http.StatusBadGateway:
		u.BadGateway.Add(1)
	case http.StatusGatewayTimeout:
		u.Timeout.Add(1)
	}
}

// folded reports whether a CGI takes a character of a header's name for the hyphen: to it, the
// Remote_User that a visitor sends is the Remote-User that a proxy in front sets. No browser sends
// such names, and nginx drops them too.
func folded(c rune) bool {
	return c != '-' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

// isPort reports whether a server can have a port, or the one of its scheme, if it is "".
func isPort(port string) bool {
	n, err := strconv.ParseUint(cmp.Or(port, "80"), 10, 16)
	return err == nil && n > 0
}

// parseTarget returns where requests go, and how to connect.
func parseTarget(to string) (*url.URL, func(context.Context, string, string) (net.Conn, error), error) {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if path, ok := strings.CutPrefix(to, "unix:"); ok {
		dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return dialer.DialContext(ctx, "unix", path) }
		return &url.URL{Scheme: "http", Host: "localhost"}, dial, nil
	}
	u, err := url.Parse(to)
	if strings.Contains(to, "@") { // a password may stand before it
		return nil, nil, errors.New("the address has a user; give it without, such as http://localhost:3000")
	}
	if bare, err := url.Parse("http://" + to); err == nil && bare.Host != "" && !strings.Contains(to, ":/") {
		return nil, nil, fmt.Errorf("%s lacks its scheme; write http://%[1]s", to)
	}
	if err == nil && !isPort(u.Port()) {
		return nil, nil, fmt.Errorf("%s: there is no port %s; ports are numbers up to 65535", to, u.Port())
	}
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.RawQuery != "" {
		return nil, nil, fmt.Errorf("%q is no address of a server; give one such as http://localhost:3000 or "+
			"unix:/run/site.sock", to)
	}
	if strings.HasSuffix(u.Path, ".php") {
		return nil, nil, fmt.Errorf("%q is a page; give where the site listens, such as %s://%s", to, u.Scheme, u.Host)
	}
	return u, dialer.DialContext, nil
}
