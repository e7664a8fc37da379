package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"maps"
	"net/http"
	"net/netip"
	"reflect"
	"sync"
	"time"
)

// Password returns a function that allows requests with this user and password, by HTTP
// Basic authentication. It slows down whoever guesses. If either is empty, nobody is allowed.
func Password(user, password string) func(*http.Request) bool {
	if user == "" || password == "" {
		return unset
	}
	want := digest(user, password)
	guesses := guesses{forgiven: map[netip.Prefix]time.Time{}}
	return func(r *http.Request) bool {
		v := visitOf(r)
		u, p, given := r.BasicAuth()
		if !given {
			v.why = noPassword
			return false
		}
		got := digest(u, p)
		v.why = guesses.try(v.client, time.Now(), subtle.ConstantTimeCompare(got[:], want[:]) == 1)
		return v.why == right
	}
}

// unset allows nobody, in place of a password that was forgotten: the site goes on, and its log says what to set.
func unset(r *http.Request) bool {
	visitOf(r).why = noSecret
	return false
}

// Unset reports whether Password returned allow for an empty password.
func Unset(allow func(*http.Request) bool) bool {
	return allow != nil && reflect.ValueOf(allow).Pointer() == reflect.ValueOf(unset).Pointer()
}

// right is no cause of a refusal.
const right cause = -1

// digest gives all passwords one length, so that comparing always takes the same time.
func digest(user, password string) [sha256.Size]byte {
	return sha256.Sum256([]byte(user + "\x00" + password))
}

// guesses counts wrong passwords by network. A network that has its share of wrong ones must
// wait, even with the right one. Others need not.
type guesses struct {
	mu       sync.Mutex
	forgiven map[netip.Prefix]time.Time // when all wrong guesses of a network are forgiven
	swept    time.Time                  // when those whose time has come were dropped last
}

const (
	freeGuesses  = 10          // wrong guesses that a network has at once
	forgivenIn   = time.Minute // how long it takes to forgive a wrong guess
	mostNetworks = 4096
)

// try says whether a guess counts, and if so whether it is right.
func (g *guesses) try(client netip.Addr, now time.Time, isRight bool) cause {
	g.mu.Lock()
	defer g.mu.Unlock()
	network := g.network(client, now)
	left := max(0, g.forgiven[network].Sub(now))
	switch {
	case left > (freeGuesses-1)*forgivenIn:
		return tooManyGuesses
	case isRight:
		return right
	}
	g.forgiven[network] = now.Add(left + forgivenIn)
	return wrongPassword
}

// network returns the network that counts for a client. If too many networks guess, new
// ones are counted together, by the first bits of their addresses.
func (g *guesses) network(client netip.Addr, now time.Time) netip.Prefix {
	few, many := 24, 8
	if client = client.Unmap().WithZone(""); client.Is6() {
		few, many = 64, 16
	}
	network, _ := client.Prefix(few) // zero if the client is not known
	if _, known := g.forgiven[network]; known || len(g.forgiven) < mostNetworks {
		return network
	}
	if now.Sub(g.swept) >= forgivenIn {
		g.swept = now
		maps.DeleteFunc(g.forgiven, func(_ netip.Prefix, at time.Time) bool { return !at.After(now) })
	}
	if len(g.forgiven) >= mostNetworks {
		network, _ = client.Prefix(many)
	}
	return network
}
