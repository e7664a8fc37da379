package recipes

import (
	"context"
	"net/http"
	"sync"

	"golang.org/x/crypto/acme/autocert"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store"
)

// Customers serves the domains of customers. Each gets its certificate and its sitemap at the first request. policy
// says which domains are theirs: both ask it, so it should answer from memory, as [autocert.HostWhitelist] does. pages
// serves all of them by the Host of a request. Start the server with ListenAndServeTLS("", ""), and call Close of the
// sites after its Shutdown, before the store is closed.
func Customers(st store.Store, cache autocert.Cache, policy autocert.HostPolicy,
	pages http.Handler) (*http.Server, *servemap.Sites) {
	sites := servemap.NewSites(st, pages, func(ctx context.Context, host string) (*servemap.Options, error) {
		return nil, policy(ctx, host) // or the customer's own options
	})
	manager := &autocert.Manager{Prompt: autocert.AcceptTOS, Cache: cache, HostPolicy: policy}
	return &http.Server{Addr: ":443", Handler: sites, TLSConfig: manager.TLSConfig()}, sites
}

// Announcer tells search engines what changes on customers' domains, by IndexNow. It serves all domains as the sites
// do, and the key files of those that it announces.
type Announcer struct {
	Sites   *servemap.Sites
	Store   store.Store
	Options *notify.Options // without Key: each domain has its own

	announced sync.Map // handlers by host
}

// Announce tells what changes on the site of a host until ctx ends, in a goroutine of its own. The site stays open for
// so long. End it before Close of the sites.
func (a *Announcer) Announce(ctx context.Context, host string) error {
	return a.Sites.Do(ctx, host, func(site *servemap.Site) error {
		notifier, err := notify.New(site, a.Store, a.Options)
		if err != nil {
			return err
		}
		a.announced.Store(host, notifier.Wrap(a.Sites))
		defer a.announced.Delete(host)
		notifier.Run(ctx)
		return nil
	})
}

func (a *Announcer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler, ok := a.announced.Load(r.Host); ok {
		handler.(http.Handler).ServeHTTP(w, r)
		return
	}
	a.Sites.ServeHTTP(w, r)
}
