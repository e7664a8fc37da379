// Package forwarded finds the client's address behind known proxies. It believes
// X-Forwarded-For only as far as those proxies wrote it. A client with an address
// within their prefixes is believed like a proxy. No other client can choose the address.
// It also knows the headers that proxies add to a request.
package forwarded

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the addresses of proxies that are trusted.
type Proxies []netip.Prefix

// private are the addresses that no host on the internet has.
var private = []netip.Prefix{
	netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("fc00::/7"),
}

// Parse reads Proxies from a list of prefixes and addresses with commas between. The word
// "private" stands for the addresses of this machine and of private networks.
func Parse(list string) (Proxies, error) {
	var ps []netip.Prefix
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		p, err := netip.ParsePrefix(part)
		if addr, e := netip.ParseAddr(part); e == nil {
			p, err = addr.Prefix(addr.BitLen())
		}
		switch {
		case err == nil:
			ps = append(ps, p)
		case part == "private":
			ps = append(ps, private...)
		case part != "":
			return nil, fmt.Errorf("%q is no range of addresses; give ranges such as 10.0.0.0/8, addresses, or private", part)
		}
	}
	return ps, nil
}

// Has reports whether an address belongs to a trusted proxy.
func (ps Proxies) Has(a netip.Addr) bool {
	for _, p := range ps {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// Client returns the rightmost address that does not belong to a trusted proxy: the peer's,
// or else one in X-Forwarded-For, where each proxy adds its own peer on the right. It
// returns the zero Addr if a trusted proxy wrote no address, or all addresses belong to
// trusted proxies.
func (ps Proxies) Client(r *http.Request) netip.Addr {
	at, local := Peer(r)
	if !ps.Has(at) && !(local && len(ps) > 0) {
		return at
	}
	for _, line := range slices.Backward(r.Header["X-Forwarded-For"]) {
		for more := true; more; {
			comma := strings.LastIndexByte(line, ',')
			if at = parse(line[comma+1:]); !ps.Has(at) {
				return at
			}
			if more = comma >= 0; more {
				line = line[:comma]
			}
		}
	}
	return netip.Addr{}
}

// Peer returns the address at the other end of the connection, the zero Addr if it has
// none. local says that the connection is a Unix socket, which only programs on this
// machine reach.
func Peer(r *http.Request) (at netip.Addr, local bool) {
	if r.RemoteAddr == "" || r.RemoteAddr == "@" {
		return netip.Addr{}, true
	}
	p, _ := netip.ParseAddrPort(r.RemoteAddr)
	return p.Addr().Unmap().WithZone(""), false
}

// parse reads one address. Some proxies write it with a port.
func parse(s string) netip.Addr {
	s = strings.TrimSpace(s)
	if p, err := netip.ParseAddrPort(s); err == nil {
		return p.Addr().Unmap().WithZone("")
	}
	a, _ := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"))
	return a.Unmap().WithZone("")
}

// Header reports whether a header is one by which a proxy tells a site who asks, and for
// which URL. A browser sends none of them. A site that gets headers as a CGI does cannot tell -, _, .
// and other signs in a name apart, so any of them counts as -.
func Header(name string) bool {
	return tells(http.CanonicalHeaderKey(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, name)))
}

func tells(canonical string) bool {
	return strings.HasPrefix(canonical, "X-Forwarded") || strings.HasPrefix(canonical, "X-Original-") ||
		strings.HasSuffix(canonical, "-Ip") || headers[canonical]
}

// Passed reports whether a header shows that a proxy passed the request on.
func Passed(h http.Header) bool {
	for name := range h {
		if tells(name) || strings.HasPrefix(name, "Cf-") || ofProxies[name] || strings.Contains(name, "_") && Header(name) {
			return true
		}
	}
	return false
}

var (
	// headers are those that Header does not know by their beginning.
	headers = canonical("cf-connecting-ip cf-connecting-ipv6 cf-pseudo-ipv4 cf-visitor client-ip " +
		"cloudfront-forwarded-proto " +
		"cloudfront-viewer-address do-connecting-ip fastly-client-ip fastly-ssl fly-client-ip forwarded forwarded-for " +
		"front-end-https proxy proxy-client-ip remote-addr remote-host true-client-ip wl-proxy-client-ip wl-proxy-ssl " +
		"x-appengine-user-ip " +
		"x-azure-clientip x-azure-socketip x-client-ip x-cluster-client-ip x-envoy-external-address x-envoy-original-path " +
		"x-host x-host-override x-http-host-override x-nf-client-connection-ip x-proto x-proxyuser-ip x-real-ip " +
		"x-remote-addr x-remote-ip " +
		"x-rewrite-url x-scheme x-script-name x-url-scheme")

	// ofProxies are headers by which proxies name themselves, but not the client.
	ofProxies = canonical("via cdn-loop x-amzn-trace-id")
)

func canonical(names string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		set[http.CanonicalHeaderKey(name)] = true
	}
	return set
}
