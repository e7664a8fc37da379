// Package caddy is servemap as a module of Caddy. In a Caddyfile:
//
//	example.com {
//		encode
//		servemap https://example.com /var/lib/caddy/sitemap
//		root public
//		file_server
//	}
//
// The arguments are the origin and the folder for what is learned. Each site needs its own
// folder. To build a Caddy with it, run in this folder:
//
//	go build -o caddy ./cmd/caddy
//
// or, in any folder, with xcaddy:
//
//	xcaddy build --with github.com/servemap/servemap/examples/caddy
//
// A reload keeps the site and its folder open. A few requests that arrive at that moment
// are lost, with this module or without it: when the old server shuts down, net/http closes
// each connection whose request it has not read yet. The module adds nothing to that. One
// Caddy served a folder at two addresses, with the module and without it, to visitors who
// come as fast as they can. In 800 reloads, those who open a connection for each request
// lost 897 requests with it and 888 without. Those who keep their connection lost 5 and 3.
// "go test -run - -bench Reload -benchtime 100x" does 100 reloads.
package caddy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync"
	"time"

	caddyserver "github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/badgerstore"
)

func init() {
	caddyserver.RegisterModule(Handler{})
	httpcaddyfile.RegisterHandlerDirective("servemap", parse)
	httpcaddyfile.RegisterDirectiveOrder("servemap", httpcaddyfile.After, "encode") // inside the compression Handler serves the sitemap, and observes what the handlers after it serve.
}

// Handler observes what the handlers after it serve, and serves the sitemap.
type Handler struct {
	Origin string `json:"origin"` // such as "https://example.com"
	Data   string `json:"data"`   // the folder for what is learned

	key  string
	site *servemap.Site
}

// open has the open sites. Caddy starts a new configuration before it ends the old one. So
// during a reload both use the same site, which is found by its folder and origin.
var open = caddyserver.NewUsagePool()

// site is an open site and its store.
type site struct {
	*servemap.Site
	store *badgerstore.Store
	ended sync.Once
	err   error
}

// closing is how long the end of a site may take.
const closing = 10 * time.Second

// Destruct closes the site when no configuration uses it any more.
func (s *site) Destruct() error {
	s.ended.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), closing)
		defer cancel()
		s.err = errors.Join(s.Site.Close(ctx), s.store.Close())
	})
	return s.err
}

// CaddyModule says how Caddy makes a Handler.
func (Handler) CaddyModule() caddyserver.ModuleInfo {
	return caddyserver.ModuleInfo{ID: "http.handlers.servemap", New: func() caddyserver.Module { return new(Handler) }}
}

// Provision opens the site, or shares it with the configuration that is about to end.
func (h *Handler) Provision(caddyserver.Context) error {
	folder, err := filepath.Abs(h.Data)
	if h.Data == "" || err != nil {
		return errors.Join(errors.New("servemap: data is missing; name a folder for what is learned"), err)
	}
	h.key = folder + " " + h.Origin
	shared, _, err := open.LoadOrNew(h.key, func() (caddyserver.Destructor, error) {
		st, err := badgerstore.Open(folder, nil)
		if err != nil {
			return nil, err
		}
		s, err := servemap.New(h.Origin, st, &servemap.Options{ClientIP: client})
		if err != nil {
			return nil, errors.Join(err, st.Close())
		}
		return &site{Site: s, store: st}, nil
	})
	if err != nil {
		h.key = ""
		return err
	}
	h.site = shared.(*site).Site
	return nil
}

// Cleanup leaves the site. The site ends if no other configuration uses it.
func (h *Handler) Cleanup() error {
	if h.key == "" {
		return nil
	}
	_, err := open.Delete(h.key)
	return err
}

// client returns the address that Caddy found by its own trusted_proxies.
func client(r *http.Request) netip.Addr {
	text, _ := caddyhttp.GetVar(r.Context(), caddyhttp.ClientIPVarKey).(string)
	addr, _ := netip.ParseAddr(text)
	return addr
}

// ServeHTTP hands a request on. An error of next goes back to Caddy, whose handle_errors
// makes the page for it. The site sees the error's status, so that a page that is gone
// leaves the sitemap.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) (err error) {
	out := &quiet{ResponseWriterWrapper: &caddyhttp.ResponseWriterWrapper{ResponseWriter: w}}
	h.site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err = next.ServeHTTP(w, r)
		if failed := (caddyhttp.HandlerError{}); errors.As(err, &failed) && failed.StatusCode >= 400 && !out.begun {
			out.silent = true
			w.WriteHeader(failed.StatusCode)
		}
	})).ServeHTTP(out, r)
	return err
}

// quiet passes a response on until silent is set.
type quiet struct {
	*caddyhttp.ResponseWriterWrapper
	begun, silent bool
}

func (q *quiet) WriteHeader(code int) {
	if !q.silent {
		q.begun = q.begun || code >= 200
		q.ResponseWriterWrapper.WriteHeader(code)
	}
}

func (q *quiet) Write(p []byte) (int, error) {
	if q.silent {
		return len(p), nil
	}
	q.begun = true
	return q.ResponseWriterWrapper.Write(p)
}

func (q *quiet) ReadFrom(r io.Reader) (int64, error) {
	if q.silent {
		return io.Copy(io.Discard, r)
	}
	q.begun = true
	return q.ResponseWriterWrapper.ReadFrom(r)
}

// UnmarshalCaddyfile reads the directive: the origin and the folder.
func (h *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next()
	if !d.AllArgs(&h.Origin, &h.Data) {
		return d.Err("servemap takes the origin and a folder, such as servemap https://example.com /var/lib/caddy/sitemap")
	}
	return nil
}

func parse(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	m := new(Handler)
	return m, m.UnmarshalCaddyfile(h.Dispenser)
}

var (
	_ caddyserver.Provisioner     = (*Handler)(nil)
	_ caddyserver.CleanerUpper    = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
	_ caddyfile.Unmarshaler       = (*Handler)(nil)
)
