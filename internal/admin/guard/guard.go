// Package guard stands before what only the owner of a site may see. Others get 404, as if
// there were nothing. Where a request comes from is no proof: a proxy on the same machine
// passes on what strangers ask. A secret is: the key of a [Link], which the owner reads in
// his log, or a password. For each cause of a refusal, the log says once what to do.
package guard

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"github.com/servemap/servemap/internal/decide/forwarded"
	"github.com/servemap/servemap/internal/page/words"
)

// Door lets the owner in to one handler.
type Door struct {
	What   string                         // what stands behind it, such as "inspector"
	Client func(*http.Request) netip.Addr // returns the client's address, zero if it is not known
	Logger *slog.Logger
	Names  func(name string) bool // reports whether a page of the handler has that name; nil for none
	Help   string                 // what a visitor without the key reads, where no stranger comes; "" for a bare 404
	said   [causes]sync.Once
}

// cause is why a visit is refused.
type cause int

const (
	notAllowed cause = iota // by the owner's function
	noKey
	otherKey
	otherSite
	otherHost
	noPassword
	wrongPassword
	tooManyGuesses
	noSecret
	causes
)

// refusals say what the visitor gets, and what the owner reads in the log. A "" logs nothing.
var refusals = [causes]struct {
	status int
	text   string
	log    string
}{
	notAllowed: {http.StatusNotFound, "404 page not found",
		"A visit to the %s was refused by the function that says who may see it. If it was yours, correct that function."},
	noKey: {http.StatusNotFound, "404 page not found",
		"A visit to the %s was refused, since it had no key. If it was yours, open the link that this log has, or that " +
			"{Link} gives."},
	otherKey: {http.StatusNotFound, "404 page not found",
		"A visit to the %s was refused, since its key or cookie is not of this process. Both end with the process. " +
			"If it was yours, open the link that this log has, or that {Link} gives. Where several processes serve the site, " +
			"ask for a password."},
	otherSite: {http.StatusNotFound, "404 page not found",
		"A visit to the %s was refused, since a page of another site led there. If it was yours, type the address."},
	otherHost: {http.StatusMisdirectedRequest, "no such host",
		"A request to the %s was refused, since its Host is neither an IP address, nor localhost, nor the host that was " +
			"given there. " +
			"If it was yours, give that one."},
	noPassword: {http.StatusUnauthorized, "a user and a password are needed", ""},
	wrongPassword: {http.StatusUnauthorized, "a user and a password are needed",
		"A visit to the %s was refused, since its user or password was wrong."},
	tooManyGuesses: {http.StatusTooManyRequests, "too many wrong passwords came from your network; " +
		"wait a minute: until then even the right one is refused",
		"Somebody guesses the password of the %s. That network may now try once a minute, with the right one too. If all " +
			"visitors count as one network, set {ClientIP}."},
	noSecret: {http.StatusServiceUnavailable, "no password is set for this page, so nobody may see it; its owner reads in " +
		"the log what to do",
		"Nobody may see the %s, since servemap.Password got an empty user or password. Set the variable that your program " +
			"reads it from, such as SECRET, and start it again."},
}

func (d *Door) refuse(w http.ResponseWriter, why cause) {
	as := refusals[why]
	if as.log != "" {
		d.said[why].Do(func() { d.Logger.Warn("servemap: " + words.Say(fmt.Sprintf(as.log, d.What))) })
	}
	switch as.status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Basic realm="servemap", charset="UTF-8"`)
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "60")
	}
	if why == noKey || why == otherKey {
		as.text = cmp.Or(d.Help, as.text)
	}
	hide(w.Header())
	http.Error(w, as.text, as.status)
}

// hide keeps an answer and its address from caches, search engines and other sites.
func hide(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Referrer-Policy", "no-referrer")
}

// Allow serves next to those whom allow lets in. A [Password] makes it ask for one.
func (d *Door) Allow(allow func(*http.Request) bool, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{client: d.Client(r)}
		if !v.client.IsValid() { // a header that anybody can send may be why
			v.client, _ = forwarded.Peer(r)
		}
		if allow(r.WithContext(context.WithValue(r.Context(), visiting{}, v))) {
			next.ServeHTTP(w, r)
			return
		}
		d.refuse(w, v.why)
	})
}

// ByHost serves next to requests for an IP address, localhost, or the host of an address
// that the owner gave. Whoever makes a name of his point to this machine can have browsers
// send requests, but only for that name.
func (d *Door) ByHost(given string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r.Host)
		_, err := netip.ParseAddr(host)
		if err != nil && host != "localhost" && (host == "" || host != hostOf(given)) {
			d.refuse(w, otherHost)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hostOf returns the host of an address that may have a port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		address = host
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(address, "[]"), "."))
}

// visit is how a [Door] tells the [Password] inside it who asks, and how that tells why it refused.
type visit struct {
	client netip.Addr
	why    cause
}

// visiting is the context key of a visit.
type visiting struct{}

// visitOf returns the visit that a request is, a new one if the owner's own program asks.
func visitOf(r *http.Request) *visit {
	v, _ := r.Context().Value(visiting{}).(*visit)
	if v == nil {
		v = new(visit)
		v.client, _ = forwarded.Peer(r)
	}
	return v
}
