package notify

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/page/location"
)

// checkEndpoints refuses endpoints to which nothing may be sent. local reports that all are on this
// machine, as in a program's own test.
func checkEndpoints(endpoints []string) (local bool, err error) {
	local = len(endpoints) > 0
	for _, e := range endpoints {
		u, err := url.Parse(e)
		if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return false, fmt.Errorf("%s: it must be URLs without user, query and fragment, such as %q", messages.Say("{Endpoints}"), DefaultEndpoint)
		}
		addr, err := netip.ParseAddr(u.Hostname())
		loopback := u.Hostname() == "localhost" || err == nil && addr.IsLoopback()
		if u.Scheme != "https" && !(u.Scheme == "http" && loopback) {
			return false, fmt.Errorf("%s: %q must begin with https", messages.Say("{Endpoints}"), e)
		}
		local = local && loopback
	}
	return local, nil
}

// address is where a site is.
type address struct {
	tops   []string // the URLs of the sitemap's top files
	folder string   // the URL of the folder of the site, with a slash at the end
	path   string   // of the folder
	root   string   // the URL of the site's host
	host   string
	agent  string // the User-Agent of the notifier's requests
}

// locate learns the address from the lines for robots.txt.
func locate(lines string) (a address, err error) {
	for line := range strings.Lines(lines) {
		a.tops = append(a.tops, strings.TrimSpace(strings.TrimPrefix(line, "Sitemap: ")))
	}
	a.folder = a.tops[0][:strings.LastIndexByte(a.tops[0], '/')+1]
	u, err := url.Parse(a.folder)
	if err != nil {
		return a, withoutURL(err)
	}
	a.host, a.path, a.root = u.Host, u.Path, u.Scheme+"://"+u.Host+"/"
	a.agent = "servemap (+" + a.root + ")"
	return a, nil
}

// check refuses an address that engines cannot reach, or should not hear of.
func (a address) check() error {
	scheme, _, _ := strings.Cut(a.root, ":")
	if u := (url.URL{Host: a.host}); u.Port() != "" {
		return fmt.Errorf("the origin %s has a port, and search engines are told of sites without one only; give the public origin", a.root)
	}
	if _, public := location.PublicHost(scheme, a.host); !public {
		return fmt.Errorf("the host %q is no public name, so no search engine could fetch its pages; tell engines only where the site is public", a.host)
	}
	return nil
}

func newTransport() *http.Transport {
	return &http.Transport{
		ForceAttemptHTTP2: true, MaxConnsPerHost: 1, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 16 << 10, DisableCompression: true,
	}
}

// noRedirect makes a client return a redirect as it is. Otherwise it would send a post on, with its key, to
// wherever the redirect leads.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// withoutURL leaves the URL out of an error of net/http, since it may hold a key.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
