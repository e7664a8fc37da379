package guard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Link lets in whoever has its key. A browser exchanges the key for a cookie, so that the key
// leaves the address bar. Key and cookie are random, and end with the process.
type Link struct{ key, name, value string }

// NewLink returns a link with a new key.
func NewLink(name string) *Link {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	value := hmac.New(sha256.New, key)
	value.Write([]byte("cookie"))
	text := base64.RawURLEncoding.EncodeToString
	return &Link{text(key), name, text(value.Sum(nil))}
}

// cookie returns the name of the cookie. Browsers do not tell ports apart. So that several sites
// and processes on one host do not replace each other's cookies, the name is that of the site and of the
// port that listens here, whatever a proxy in front shows.
func (l *Link) cookie(r *http.Request) string {
	of := l.name
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		of += at.String()[strings.LastIndexByte(at.String(), ':')+1:] // without the address: localhost has two
	}
	id := sha256.Sum256([]byte(of))
	return cookiePrefix + hex.EncodeToString(id[:4])
}

// At returns the link to a handler at an address.
func (l *Link) At(address string) string {
	return strings.TrimSuffix(address, "/") + "/?" + parameter + "=" + l.key
}

const (
	parameter    = "key"
	cookiePrefix = "servemap-"
)

// ByLink serves next to those who have opened the link.
func (d *Door) ByLink(l *Link, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		given := query.Has(parameter)
		opens, known := l.opens(query), l.known(r)
		switch {
		case r.Header.Get("Sec-Fetch-Site") == "cross-site" && !opens:
			d.refuse(w, otherSite)
		case given && (opens || known):
			l.enter(w, r, query, opens, d.Names)
		case known:
			next.ServeHTTP(w, r)
		case given || len(r.CookiesNamed(l.cookie(r))) > 0:
			d.refuse(w, otherKey)
		default:
			d.refuse(w, noKey)
		}
	})
}

// Owner reports whether a request has the key or the cookie of the link. Browsers send them to
// the handler behind it alone.
func (l *Link) Owner(r *http.Request) bool {
	return strings.Contains(r.URL.RawQuery, parameter) && l.opens(r.URL.Query()) || l.known(r)
}

func (l *Link) opens(query url.Values) bool { return same(query.Get(parameter), l.key) }

// known reports whether a request has the cookie. A neighbour of the host can add others of that name.
func (l *Link) known(r *http.Request) bool {
	some := slices.ContainsFunc(r.Header["Cookie"], func(c string) bool { return strings.Contains(c, cookiePrefix) })
	return some && slices.ContainsFunc(r.CookiesNamed(l.cookie(r)),
		func(c *http.Cookie) bool { return same(c.Value, l.value) })
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// enter gives the browser the cookie, and leads it to the same address without the key. The
// cookie has no Path: so it is for the folder of the address that the browser knows, also
// behind a proxy that cuts off the beginning.
func (l *Link) enter(w http.ResponseWriter, r *http.Request, query url.Values, opens bool, names func(string) bool) {
	hide(w.Header())
	target, _, _ := strings.Cut(r.RequestURI, "?")
	last := target[strings.LastIndexByte(target, '/')+1:]
	if last != "" && (names == nil || !names(last)) { // the folder would be the one above
		w.Header().Set("Location", "./"+last+"/?"+r.URL.RawQuery)
		w.WriteHeader(http.StatusSeeOther)
		return
	}
	if opens {
		http.SetCookie(w, &http.Cookie{
			Name: l.cookie(r), Value: l.value, HttpOnly: true, SameSite: http.SameSiteStrictMode,
			Secure: r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"),
		})
	}
	if r.Header.Get("Sec-Fetch-Site") == "cross-site" { // a browser follows a redirect from there without the cookie
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<!doctype html><title>servemap</title><p><a href="./">Open it</a></p>`)
		return
	}
	query.Del(parameter)
	to := "./" + last
	if len(query) > 0 {
		to = "?" + query.Encode() // not behind "./", which some clients resolve to the folder without its slash
	}
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}
