package crawlers

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Resolver asks the DNS, as [net.Resolver] does.
type Resolver interface {
	LookupAddr(ctx context.Context, addr string) (names []string, err error)
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// verdict says whether an address is an engine's.
type verdict uint8

const (
	unknown   verdict = iota // the DNS did not answer
	confirmed                // the address has a name of the engine's, and that name has the address
	refuted                  // the address has no such name
)

const (
	lookupPatience = 2 * time.Second // for all questions about one address
	maxNames       = 4               // looked up for one address at most
)

// verify asks the DNS whether an address is the engine's. Anybody can name his address like
// somebody else's host, so the name must lead back to the address.
func verify(ctx context.Context, dns Resolver, e Engine, addr netip.Addr) verdict {
	ctx, cancel := context.WithTimeout(ctx, lookupPatience)
	defer cancel()
	names, err := dns.LookupAddr(ctx, addr.String())
	if len(names) == 0 && err != nil && !isNone(err) {
		return unknown
	}
	asked, silent := 0, false
	for _, name := range names {
		name = strings.ToLower(strings.TrimSuffix(name, "."))
		if !e.owns(name) {
			continue
		}
		if asked++; asked > maxNames {
			break
		}
		addrs, err := dns.LookupNetIP(ctx, "ip", name)
		if slices.ContainsFunc(addrs, func(a netip.Addr) bool { return a.Unmap() == addr }) {
			return confirmed
		}
		silent = silent || err != nil && !isNone(err)
	}
	if silent {
		return unknown
	}
	return refuted
}

// isNone reports whether the DNS answered that there is no such name.
func isNone(err error) bool {
	var answer *net.DNSError
	return errors.As(err, &answer) && answer.IsNotFound
}
