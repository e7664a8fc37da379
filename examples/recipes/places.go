package recipes

import (
	"context"
	"net/http"
	"net/netip"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store"
)

// BehindNginx is for nginx or Caddy on the same machine or network, of a site with a password or
// Options.Crawlers. The folder proxies has their configurations.
func BehindNginx() *servemap.Options {
	return &servemap.Options{ClientIP: servemap.Behind(
		netip.MustParsePrefix("127.0.0.1/32"),
		netip.MustParsePrefix("::1/128"),
		netip.MustParsePrefix("10.0.0.0/8"), // the network of your proxies
	)}
}

// BehindCDN is for a CDN in front of that proxy. A CDN publishes its ranges, and changes
// them at times: read them from a file that you renew. If a range is missing, its crawlers
// are not confirmed, and who guesses a password through it keeps the owner out.
func BehindCDN(published ...netip.Prefix) *servemap.Options {
	own := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}
	return &servemap.Options{ClientIP: servemap.Behind(append(own, published...)...)}
}

// Hosts serves several hosts from one process, each with its own sitemap. The sites share a
// store, which keeps the origins apart. Close each site.
func Hosts(st store.Store, opts *servemap.Options, pages map[string]http.Handler) (http.Handler, []*servemap.Site,
	error) {
	var all []*servemap.Site
	hosts := map[string]http.Handler{}
	for host, next := range pages {
		site, err := servemap.New("https://"+host, st, opts)
		if err != nil {
			for _, s := range all {
				_ = s.Close(context.Background())
			}
			return nil, nil, err
		}
		all, hosts[host] = append(all, site), site.Wrap(next)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := hosts[r.Host]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		http.Error(w, "there is no such site", http.StatusMisdirectedRequest)
	}), all, nil
}

// The three ways to serve a site below "/blog/". In each the origin is
// "https://example.com/blog", and the links in the pages are the public ones.

// PrefixItself is a program that has the prefix in its routes.
func PrefixItself(site *servemap.Site) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /blog/{$}", page(blogHome))
	mux.Handle("GET /blog/first", page(blogFirst))
	return site.Wrap(mux)
}

// PrefixStripped removes the prefix in the program. The site goes inside.
func PrefixStripped(site *servemap.Site) http.Handler {
	return http.StripPrefix("/blog", site.Wrap(blog()))
}

// PrefixProxied is for a proxy that removes the prefix: use [PrefixProxiedOptions].
func PrefixProxied(site *servemap.Site) http.Handler { return site.Wrap(blog()) }

// PrefixProxiedOptions says which prefix the proxy removes. It also gives the host's
// robots.txt, which this program does not serve.
func PrefixProxiedOptions() *servemap.Options {
	return &servemap.Options{StrippedPrefix: "/blog", Robots: "User-agent: *\nDisallow: /admin/\n"}
}

const (
	blogHome  = `<!doctype html><title>Blog</title><p>Read the <a href="/blog/first">first post</a>.</p>`
	blogFirst = `<!doctype html><title>First</title><p>It begins.</p>`
)

func blog() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /{$}", page(blogHome))
	mux.Handle("GET /first", page(blogFirst))
	return mux
}
