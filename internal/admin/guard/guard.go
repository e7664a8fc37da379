// Package guard hides from strangers what only the owner of a site may see. It takes a
// function that says who is allowed, and answers 404 to everybody else, as if there were
// nothing. It decides by the request alone, and keeps nothing.
package guard

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/servemap/servemap/internal/decide/forwarded"
)

// Handler serves next to those whom allow lets in. Others get 404. A [Password] makes it
// answer 401 instead, to ask for the password. It panics if allow is nil.
func Handler(what string, allow func(*http.Request) bool, next http.Handler) http.Handler {
	if allow == nil {
		panic("servemap: " + what + ": allow is nil; say who may see it, such as servemap.Local")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := new(bool)
		ctx := context.WithValue(r.Context(), question{}, asked)
		switch {
		case allow(r.WithContext(ctx)):
			next.ServeHTTP(w, r)
		case *asked:
			w.Header().Set("WWW-Authenticate", `Basic realm="servemap", charset="UTF-8"`)
			refuse(w, "a user and a password are needed", http.StatusUnauthorized)
		default:
			refuse(w, "404 page not found", http.StatusNotFound)
		}
	})
}

// question is the context key by which a Password tells its Handler to ask for one.
type question struct{}

func refuse(w http.ResponseWriter, text string, code int) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Robots-Tag", "noindex")
	http.Error(w, text, code)
}

// Password returns a function that allows requests with this user and password, by HTTP
// Basic authentication. It panics if either is empty.
func Password(user, password string) func(*http.Request) bool {
	if user == "" || password == "" {
		panic("servemap: Password: the user or the password is empty; give both")
	}
	want := digest(user, password)
	return func(r *http.Request) bool {
		u, p, ok := r.BasicAuth()
		got := digest(u, p)
		if ok && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
			return true
		}
		if asked, ok := r.Context().Value(question{}).(*bool); ok {
			*asked = true
		}
		return false
	}
}

// digest gives all passwords one length, so that comparing always takes the same time.
func digest(user, password string) [sha256.Size]byte {
	return sha256.Sum256([]byte(user + "\x00" + password))
}

// Local reports whether a request comes straight from this machine: the client's address
// and the requested host are loopback ones, and no header names a proxy. If somebody's
// domain name is made to point to this machine, the requested host gives that away.
//
// A proxy on this machine that speaks HTTP/1.1 to the server, changes Host and adds no
// header cannot be told from a browser: nginx with proxy_http_version 1.1 and a Connection
// header of its own, or Go's ReverseProxy with SetURL. Behind such a proxy use Password.
func Local(r *http.Request) bool {
	return loopbackPeer(r.RemoteAddr) && loopbackHost(r.Host) && !passedOn(r)
}

func loopbackPeer(addr string) bool {
	peer, err := netip.ParseAddrPort(addr)
	return err == nil && peer.Addr().Unmap().IsLoopback()
}

func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"))
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// passedOn reports whether a proxy passed the request on. Some proxies name no client, but
// speak HTTP/1.0 to the server, or end the connection after each request. No browser does
// that.
func passedOn(r *http.Request) bool {
	return !r.ProtoAtLeast(1, 1) || r.Close || forwarded.Passed(r.Header)
}
