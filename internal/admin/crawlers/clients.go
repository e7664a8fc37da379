package crawlers

import (
	"context"
	"hash/maphash"
	"maps"
	"net/netip"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/decide/eligibility"
)

// The bounds of what waits for the DNS, and of the memory of addresses.
const (
	maxHeld    = 1024 // fetches that wait
	maxEach    = 64   // the same for one client
	maxLookups = 4    // at one time
	maxKnown   = 4096 // addresses with a verdict
	knownFor   = 24 * time.Hour
	retryAfter = time.Hour // if the DNS did not answer
)

// clients knows which clients are the engines' own. It belongs to the goroutine of Run.
type clients struct {
	seed    maphash.Seed // hides clients: addresses are not kept
	known   map[uint64]known
	held    map[uint64][]Fetch // that wait for the DNS, by client
	holding int                // how many they are
	asks    chan ask           // the clients in held
	answers chan answer
}

// known is what the DNS said about a client, and until when that counts.
type known struct {
	verdict verdict
	until   time.Time
}

// ask is a question to the DNS, whether an address is the engine's. id stands for both.
type ask struct {
	id     uint64
	engine Engine
	addr   netip.Addr
}

// answer is what the DNS says about a client.
type answer struct {
	id      uint64
	verdict verdict
}

func newClients() clients {
	return clients{
		seed: maphash.MakeSeed(), known: map[uint64]known{}, held: map[uint64][]Fetch{},
		asks: make(chan ask, maxHeld), answers: make(chan answer, maxHeld),
	}
}

// ask asks the DNS in some goroutines until asks is closed.
func (c *clients) ask(ctx context.Context, dns Resolver, lookups *sync.WaitGroup) {
	for range maxLookups {
		lookups.Go(func() {
			for a := range c.asks {
				if ctx.Err() == nil { // otherwise nobody waits for the answer
					c.answers <- answer{a.id, verify(ctx, dns, a.engine, a.addr)}
				}
			}
		})
	}
}

// verdict returns what is known of a fetch's client. If nothing is, it is unknown, and the
// fetch waits for the DNS if there is room.
func (c *clients) verdict(f Fetch) verdict {
	if !f.Engine.Confirmable() {
		return confirmed // there is nothing better than its claim
	}
	addr := f.Client.Unmap().WithZone("")
	if !eligibility.Network(addr).IsValid() {
		return unknown // not a public address, so the DNS cannot know it
	}
	id := maphash.Comparable(c.seed, ask{engine: f.Engine, addr: addr})
	if k, is := c.known[id]; is && f.At.Before(k.until) {
		return k.verdict
	}
	if c.holding >= maxHeld || len(c.held[id]) >= maxEach {
		return unknown
	}
	if len(c.held[id]) == 0 {
		c.asks <- ask{id, f.Engine, addr} // there is room for each client in held
	}
	c.held[id] = append(c.held[id], f)
	c.holding++
	return unknown
}

// learn takes an answer, and returns the fetches that waited for it.
func (c *clients) learn(a answer, now time.Time) []Fetch {
	fetches := c.held[a.id]
	delete(c.held, a.id)
	c.holding -= len(fetches)
	if len(c.known) >= maxKnown {
		maps.DeleteFunc(c.known, func(_ uint64, k known) bool { return !now.Before(k.until) })
	}
	for id := range c.known {
		if len(c.known) < maxKnown {
			break
		}
		delete(c.known, id) // any one will do: it is looked up again
	}
	until := now.Add(knownFor)
	if a.verdict == unknown {
		until = now.Add(retryAfter)
	}
	c.known[a.id] = known{a.verdict, until}
	return fetches
}
