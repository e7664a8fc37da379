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
	"github.com/servemap/servemap/internal/decide/quota"
)

// known returns why the client may not be an anonymous visitor. If the owner's function panics, the
// client is none.
func (o *Observer) known(r *http.Request) (why eligibility.Reason) {
	if o.cfg.Anonymous == nil {
		benign := o.cfg.Benign
		if visitOf(r) != nil {
			benign = benign.Added()
		}
		return anonymous.Credentials(r, benign)
	}
	why = eligibility.NotAnonymous
	defer o.hintPanic("Anonymous")
	if o.cfg.Anonymous(r) {
		why = eligibility.None
	}
	return why
}

// hintPanic recovers from a panic of the owner's function and gives a hint.
func (o *Observer) hintPanic(function string) {
	if p := recover(); p != nil {
		o.cfg.Hints.Give(messages.Panicked, "It is Options."+function+".", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
}

// nearby reports whether the peer may be the site's own proxy: on this machine, in a private
// network, or without an address, as on a Unix socket.
func nearby(r *http.Request) bool {
	peer, _ := forwarded.Peer(r)
	return !anonymous.Network(peer).IsValid()
}

// network returns the client's network. It is zero unless the address is really the client's.
func (o *Observer) network(r *http.Request) netip.Prefix { return anonymous.Network(o.Client(r)) }

// payer returns the network for which the work on a request is counted: the client's, or else that
// of the peer, which nobody can make up.
func (o *Observer) payer(r *http.Request) quota.Payer {
	network := o.network(r)
	if !network.IsValid() && !Explores(r) {
		peer, _ := forwarded.Peer(r)
		network = anonymous.Network(peer)
	}
	return o.payers.Of(network)
}

// Client returns the client's address. It is zero if that is not known, as behind a proxy
// without the owner's function, or if that function panics.
func (o *Observer) Client(r *http.Request) (addr netip.Addr) {
	switch {
	case Explores(r):
	case o.cfg.ClientIP != nil:
		defer o.hintPanic("ClientIP")
		addr = o.cfg.ClientIP(r)
	case !forwarded.Passed(r.Header):
		addr, _ = forwarded.Peer(r)
	}
	return addr
}

// local reports whether the request comes from this machine, for example from a developer who tries
// the site, or from the site itself.
func local(r *http.Request) bool {
	peer, _ := forwarded.Peer(r)
	return Explores(r) || peer.IsLoopback() && !forwarded.Passed(r.Header)
}
