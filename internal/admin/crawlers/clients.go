package crawlers

import (
	"context"
	"hash/maphash"
	"maps"
	"net/netip"
	"time"

	"github.com/servemap/servemap/internal/decide/anonymous"
)

// The bounds of what waits for the DNS, and of the memory of clients.
const (
	maxAsked   = 64 // clients that wait for the DNS, so that none waits for long
	maxLookups = 4  // at one time
	maxKnown   = 4096
	knownFor   = 24 * time.Hour
	retryAfter = time.Hour // if the DNS did not answer
	// maxFailed is how many questions about clients of one network may end without a confirmation
	// in an hour. Somebody who has a whole network asks from a new address each time. Of IPv6 a
	// provider has a /32.
	maxFailed = 32
)

// clients knows which clients are the engines' own. It belongs to the goroutine of Run.
type clients struct {
	ranges  Ranges
	seed    maphash.Seed     // hides clients: addresses are not kept
	known   map[uint64]known // clients and networks
	asked   map[uint64]bool  // clients for which an answer is to come
	asks    chan *ask
	answers chan *ask
}

// known is what is known of a client: what the DNS said. Of a network it is how many questions about
// its clients ended without a confirmation. Both count until a time.
type known struct {
	verdict verdict
	failed  int
	until   time.Time
}

// ask is a question to the DNS whether the client of a fetch is the engine's, and the answer. The
// numbers stand for the client and its network.
type ask struct {
	id, network uint64
	fetch       Fetch
	addr        netip.Addr
	verdict     verdict
}

func newClients(ranges Ranges) clients {
	return clients{
		ranges: ranges, seed: maphash.MakeSeed(), known: map[uint64]known{}, asked: map[uint64]bool{},
		asks: make(chan *ask, maxAsked), answers: make(chan *ask, maxAsked),
	}
}

// lookup asks the DNS until ctx ends.
func (c *clients) lookup(ctx context.Context, dns Resolver) {
	for {
		select {
		case a := <-c.asks:
			a.verdict = verify(ctx, dns, a.fetch.Engine, a.addr)
			c.answers <- a // there is room for each client in asked
		case <-ctx.Done():
			return
		}
	}
}

// verdict returns what is known of a fetch's client. If nothing is, it is unknown, and the DNS is asked,
// if its network may still be asked about and there is room.
func (c *clients) verdict(f Fetch) verdict {
	a := ask{fetch: f, addr: f.Client.Unmap().WithZone("")}
	if v := c.ranges.verdict(f.Engine, a.addr); v != unknown {
		return v
	}
	if table[f.Engine].domains == nil {
		return confirmed // there is nothing better than its claim
	}
	network := anonymous.Network(a.addr)
	if !network.IsValid() {
		return unknown // not a public address, so the DNS cannot know it
	}
	if a.addr.Is6() {
		network, _ = a.addr.Prefix(32)
	}
	a.network = maphash.Comparable(c.seed, network)
	a.id = maphash.Comparable(c.seed, ask{fetch: Fetch{Engine: f.Engine}, addr: a.addr})
	if k := c.known[a.id]; f.At.Before(k.until) {
		return k.verdict
	}
	if !c.asked[a.id] && len(c.asked) < maxAsked && c.spend(a.network, f.At) {
		c.asked[a.id] = true
		c.asks <- &a
	}
	return unknown
}

// spend counts a question about a network, and reports whether it may be asked.
func (c *clients) spend(network uint64, at time.Time) bool {
	k := c.known[network]
	if !at.Before(k.until) {
		k = known{until: at.Add(retryAfter)}
	}
	k.failed++
	c.remember(network, k, at)
	return k.failed <= maxFailed
}

// learn takes an answer.
func (c *clients) learn(a *ask, now time.Time) {
	delete(c.asked, a.id)
	until := now.Add(knownFor)
	switch a.verdict {
	case unknown:
		until = now.Add(retryAfter)
	case confirmed: // engines have many addresses in one network
		delete(c.known, a.network)
	}
	c.remember(a.id, known{verdict: a.verdict, until: until}, now)
}

// remember keeps what is known of a client or a network. If there is no room, it forgets what is too old,
// or any other: that is asked again.
func (c *clients) remember(id uint64, k known, now time.Time) {
	if len(c.known) >= maxKnown {
		maps.DeleteFunc(c.known, func(_ uint64, k known) bool { return !now.Before(k.until) })
	}
	for other := range c.known {
		if len(c.known) < maxKnown {
			break
		}
		delete(c.known, other)
	}
	c.known[id] = k
}
