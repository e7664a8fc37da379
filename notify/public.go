package notify

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/page/location"
)

// checkEndpoints refuses endpoints to which nothing may be sent. local reports that all are
// on this machine, as in a program's own test.
func checkEndpoints(endpoints []string) (local bool, err error) {
	local = len(endpoints) > 0
	for _, e := range endpoints {
		u, err := url.Parse(e)
		if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
			return false, fmt.Errorf("%s: it must be URLs without user, query and fragment, such as %q", messages.Say("{Endpoints}"), DefaultEndpoint)
		}
		loopback := isLoopback(u.Hostname())
		if u.Scheme != "https" && !(u.Scheme == "http" && loopback) {
			return false, fmt.Errorf("%s: %q must begin with https", messages.Say("{Endpoints}"), e)
		}
		local = local && loopback
	}
	return local, nil
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// checkOrigin refuses an origin that engines cannot reach, or should not hear of.
func checkOrigin(u *url.URL) error {
	if u.Port() != "" {
		return fmt.Errorf("the origin %s://%s has a port, and search engines are told of sites without one only; give the public origin", u.Scheme, u.Host)
	}
	if _, public := location.PublicHost(u.Scheme, u.Host); !public {
		return fmt.Errorf("the host %q is no public name, so no search engine could fetch its pages; tell engines only where the site is public", u.Host)
	}
	return nil
}

// newTransport connects only to public addresses. Otherwise whoever controls a name could
// point it into the network of this machine.
func newTransport(local bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !isPublic(to.Addr()) && !(local && to.Addr().Unmap().IsLoopback()) {
			return errPrivate
		}
		return nil
	}}
	return &http.Transport{
		DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxConnsPerHost: 1, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 16 << 10, DisableCompression: true,
	}
}

var errPrivate = errors.New("the name leads to an address that is not public")

// special are networks without public hosts, besides those that netip knows.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
}

func isPublic(addr netip.Addr) bool {
	addr = addr.Unmap().WithZone("")
	for _, n := range special {
		if n.Contains(addr) {
			return false
		}
	}
	return addr.IsGlobalUnicast() && !addr.IsPrivate()
}

// noRedirect makes a client return a redirect as it is. Otherwise it would send a post on,
// with its key, to wherever the redirect leads.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
