package guard

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"
)

// Link lets in whoever has its key. A browser exchanges the key for a cookie, so that the key
// leaves the address bar. All three texts are random, and end with the process. So is the name of the cookie, since
// browsers do not tell ports apart: several sites and processes on one host do not replace each other's cookies.
type Link struct{ key, name, value string }

// NewLink returns a link with a new key.
func NewLink() *Link { return &Link{rand.Text(), "servemap-" + rand.Text()[:8], rand.Text()} }

// At returns the link to a handler at an address.
func (l *Link) At(address string) string {
	return strings.TrimSuffix(address, "/") + "/?" + parameter + "=" + l.key
}

// parameter is the one of the query that has the key.
const parameter = "key"

// ByLink serves next to those who have opened the link.
func (d *Door) ByLink(l *Link, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case l.opens(r):
			l.enter(w, r)
		case l.known(r):
			next.ServeHTTP(w, r)
		default:
			d.refuse(w, noKey)
		}
	})
}

// Owner reports whether a request has the key or the cookie of the link. Browsers send them to
// the handler behind it alone.
func (l *Link) Owner(r *http.Request) bool { return l.opens(r) || l.known(r) }

func (l *Link) opens(r *http.Request) bool {
	return strings.Contains(r.URL.RawQuery, parameter) && same(r.URL.Query().Get(parameter), l.key)
}

// known reports whether a request has the cookie. A neighbour of the host can add others of that name.
func (l *Link) known(r *http.Request) bool {
	some := slices.ContainsFunc(r.Header["Cookie"], func(c string) bool { return strings.Contains(c, l.name) })
	return some && slices.ContainsFunc(r.CookiesNamed(l.name), func(c *http.Cookie) bool { return same(c.Value, l.value) })
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// enter gives the browser the cookie, and leads it to the same folder without the key. The
// cookie has no Path: so it is for the folder of the address that the browser knows, also
// behind a proxy that cuts off the beginning. It is lax, since a strict one would not come back if the link stood
// on a page of another site, such as a mail.
func (l *Link) enter(w http.ResponseWriter, r *http.Request) {
	hide(w.Header())
	http.SetCookie(w, &http.Cookie{
		Name: l.name, Value: l.value, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https"),
	})
	w.Header().Set("Location", "./")
	w.WriteHeader(http.StatusSeeOther)
}
