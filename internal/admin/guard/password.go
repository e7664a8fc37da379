package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/servemap/servemap/internal/decide/forwarded"
)

// Password returns a function that allows requests with this user and password, by HTTP
// Basic authentication. It slows down whoever guesses. It panics if either is empty.
func Password(user, password string) func(*http.Request) bool {
	if user == "" || password == "" {
		panic("servemap: Password: the user or the password is empty; give both")
	}
	want := digest(user, password)
	guesses := guesses{forgiven: map[netip.Prefix]time.Time{}}
	return func(r *http.Request) bool {
		v, _ := r.Context().Value(visiting{}).(*visit)
		if v == nil { // the owner's own program asks
			v = new(visit)
			v.client, _ = forwarded.Peer(r)
		}
		u, p, given := r.BasicAuth()
		if !given {
			v.why = noPassword
			return false
		}
		got := digest(u, p)
		v.why = guesses.try(v.client, time.Now(), subtle.ConstantTimeCompare(got[:], want[:]) == 1)
		return v.why == nil
	}
}

// digest gives all passwords one length, so that comparing always takes the same time.
func digest(user, password string) [sha256.Size]byte {
	return sha256.Sum256([]byte(user + "\x00" + password))
}

// guesses counts wrong passwords by network. A network that has its share of wrong ones must
// wait, even with the right one. Others need not.
type guesses struct {
	mu       sync.Mutex
	forgiven map[netip.Prefix]time.Time // when all wrong guesses of a network are forgiven
}

const (
	freeGuesses  = 10          // that a network has at once
	forgivenIn   = time.Minute // for each wrong guess
	mostNetworks = 4096
)

// try says why a guess is refused, nil if it is right.
func (g *guesses) try(client netip.Addr, now time.Time, isRight bool) *refusal {
	g.mu.Lock()
	defer g.mu.Unlock()
	network := g.network(client, now)
	left := max(0, g.forgiven[network].Sub(now))
	switch {
	case left > (freeGuesses-1)*forgivenIn:
		return tooManyGuesses
	case isRight:
		return nil
	}
	g.forgiven[network] = now.Add(left + forgivenIn)
	return wrongPassword
}

// network returns the network that counts for a client: one that a stranger cannot change, or the zero Prefix, which
// those share whose address is not known or who come while too many networks guess.
func (g *guesses) network(client netip.Addr, now time.Time) netip.Prefix {
	bits := 24
	if client = client.Unmap().WithZone(""); client.Is6() {
		bits = 32 // of a provider, which anybody can become
	}
	network, _ := client.Prefix(bits)
	if _, known := g.forgiven[network]; known || len(g.forgiven) < mostNetworks {
		return network
	}
	maps.DeleteFunc(g.forgiven, func(_ netip.Prefix, at time.Time) bool { return !at.After(now) })
	if len(g.forgiven) >= mostNetworks {
		return netip.Prefix{}
	}
	return network
}
