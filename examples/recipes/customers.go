package recipes

import (
	"context"
	"net/http"

	"golang.org/x/crypto/acme/autocert"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store"
)

// Customers serves the domains of customers. Each gets its certificate and its sitemap at the first request. policy says
// which domains are theirs: both ask it, so it should answer from memory, as [autocert.HostWhitelist] does. pages serves all
// of them by the Host of a request. Start the server with ListenAndServeTLS("", ""), and call Close of the sites after
// its Shutdown, before the store is closed.
func Customers(st store.Store, cache autocert.Cache, policy autocert.HostPolicy, pages http.Handler) (*http.Server, *servemap.Sites) {
	sites := servemap.NewSites(st, pages, func(ctx context.Context, host string) (*servemap.Options, error) {
		return nil, policy(ctx, host) // or the customer's own options
	})
	manager := &autocert.Manager{Prompt: autocert.AcceptTOS, Cache: cache, HostPolicy: policy}
	return &http.Server{Addr: ":443", Handler: sites, TLSConfig: manager.TLSConfig()}, sites
}
