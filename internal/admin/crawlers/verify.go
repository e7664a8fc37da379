package crawlers

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/servemap/servemap/internal/decide/anonymous"
)

const (
	rememberFor    = time.Hour // what the DNS said, and how much it was asked
	lookupPatience = 2 * time.Second
	maxLookups     = 4    // at one time
	maxNames       = 2    // names of one address that are looked at
	maxClients     = 4096 // clients that the DNS is asked about in an hour
	// maxAsked is about how many clients of one network the DNS may be asked without a confirmation.
	// Somebody who has a whole network asks from a new address each time. Of IPv6 a provider has a /32.
	maxAsked = 32
)

// verifier tells whether clients are the engines' own: by the addresses that an engine has published, else
// by the DNS.
type verifier struct {
	ranges Ranges
	asks   chan Fetch           // whose clients the DNS is to be asked about
	until  time.Time            // when all below is forgotten
	known  map[client]bool      // false until the DNS confirms it
	asked  map[netip.Prefix]int // by network, since the last confirmation
}

type client struct {
	engine Engine
	addr   netip.Addr
}

// confirmable reports whether the engine's addresses can be confirmed.
func (v *verifier) confirmable(e Engine) bool { return table[e].domains != nil || v.ranges[e] != nil }

// confirmed reports whether a fetch is known to be the engine's. If nothing is known of its client, the DNS
// is asked, if its network may still be asked about and there is room.
func (v *verifier) confirmed(f Fetch) bool {
	if list := v.ranges[f.Engine]; list != nil {
		return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(f.Client) })
	}
	if table[f.Engine].domains == nil {
		return true // there is nothing better than its claim
	}
	if now := time.Now(); !now.Before(v.until) {
		v.until, v.known, v.asked = now.Add(rememberFor), map[client]bool{}, map[netip.Prefix]int{}
	}
	c, network := client{f.Engine, f.Client}, networkOf(f.Client)
	confirmed, known := v.known[c]
	if known || !network.IsValid() || v.asked[network] == maxAsked || len(v.known) == maxClients {
		return confirmed
	}
	select {
	case v.asks <- f:
		v.known[c] = false
		v.asked[network]++
	default: // too many wait
	}
	return false
}

// networkOf returns the network of an address, the zero Prefix if it is not public, so that the DNS cannot know it.
func networkOf(addr netip.Addr) netip.Prefix {
	network := anonymous.Network(addr)
	if network.IsValid() && addr.Is6() {
		network, _ = addr.Prefix(32) // an IPv6 address has more bits
	}
	return network
}

// Resolver asks the DNS, as [net.Resolver] does.
type Resolver interface {
	LookupAddr(ctx context.Context, addr string) (names []string, err error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// lookup asks the DNS whether an address is the engine's. Anybody can name his address like somebody
// else's host, so the name must lead back to the address.
func lookup(ctx context.Context, dns Resolver, e Engine, addr netip.Addr) bool {
	ctx, cancel := context.WithTimeout(ctx, lookupPatience)
	defer cancel()
	names, _ := dns.LookupAddr(ctx, addr.String())
	for _, name := range names[:min(len(names), maxNames)] {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		owns := func(domain string) bool { return strings.HasSuffix(name, domain) }
		if !slices.ContainsFunc(table[e].domains, owns) {
			continue
		}
		addrs, _ := dns.LookupNetIP(ctx, "ip", name)
		if slices.ContainsFunc(addrs, func(a netip.Addr) bool { return a.Unmap() == addr }) {
			return true
		}
	}
	return false
}
