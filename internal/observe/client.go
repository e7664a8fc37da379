package observe

import (
	"fmt"
	"net/http"
	"net/netip"
	"runtime/debug"

	"github.com/servemap/servemap/internal/admin/messages"
	"github.com/servemap/servemap/internal/decide/anonymous"
	"github.com/servemap/servemap/internal/decide/eligibility"
	"github.com/servemap/servemap/internal/decide/forwarded"
)

// Clients tell who asks. Anonymous and ClientIP may be nil.
type Clients struct {
	Benign    anonymous.Benign
	Anonymous func(*http.Request) bool
	ClientIP  func(*http.Request) netip.Addr
	Hints     *messages.Hints
}

// known returns why the client may not be an anonymous visitor, None if it is one. If the owner's function panics, the
// client does not count as anonymous.
func (c *Clients) known(r *http.Request) (why eligibility.Reason) {
	if c.Anonymous == nil {
		return anonymous.Credentials(r, c.Benign)
	}
	why = eligibility.NotAnonymous
	defer c.hintPanic("Anonymous")
	if c.Anonymous(r) {
		why = eligibility.None
	}
	return why
}

// hintPanic recovers from a panic of the owner's function and gives a hint.
func (c *Clients) hintPanic(function string) {
	if p := recover(); p != nil {
		c.Hints.Give(messages.Panicked, "It is Options."+function+".", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}

// nearby reports whether the peer may be the site's own proxy: on this machine, in a private
// network, or without an address, as on a Unix socket.
func nearby(r *http.Request) bool {
	peer, _ := forwarded.Peer(r)
	return !anonymous.Network(peer).IsValid()
}

// Client returns the client's address. It is zero behind a proxy if the owner gave no function, and if his function
// panics.
func (c *Clients) Client(r *http.Request) (addr netip.Addr) {
	switch {
	case c.ClientIP != nil:
		defer c.hintPanic("ClientIP")
		addr = c.ClientIP(r)
	case !forwarded.Passed(r.Header):
		addr, _ = forwarded.Peer(r)
	}
	return addr
}

// Client returns the client's address, see [Clients.Client].
func (o *Observer) Client(r *http.Request) netip.Addr { return o.cfg.Client(r) }
