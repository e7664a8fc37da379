package recipes

import (
	"net/http"

	"github.com/alexedwards/scs/v2"
	"github.com/gorilla/sessions"

	"github.com/servemap/servemap"
)

// SCS is a site with sessions of scs. Only visitors who have logged in have a session. Its
// cookie says that the visitor is not anonymous, so pages of a session are not listed.
func SCS(site *servemap.Site) http.Handler {
	manager := scs.New()
	mux := shop()
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		manager.Put(r.Context(), "user", "eve")
		http.Redirect(w, r, "/orders", http.StatusSeeOther)
	})
	mux.HandleFunc("GET /orders", func(w http.ResponseWriter, r *http.Request) {
		if manager.GetString(r.Context(), "user") == "" {
			http.Error(w, "please log in", http.StatusUnauthorized)
			return
		}
		page(`<!doctype html><title>Orders</title><p>Your orders.</p>`)(w, r)
	})
	// LoadAndSave copies the request, which hides the routes, so the site goes inside.
	return manager.LoadAndSave(site.Wrap(mux))
}

// GorillaSessions is a site that gives every visitor a session from the first page on. So
// its cookie does not say who has logged in, and nobody would count as anonymous. Therefore
// the log-in sets its own cookie, and [GorillaSessionsOptions] relies on that.
func GorillaSessions(site *servemap.Site) http.Handler {
	store := sessions.NewCookieStore([]byte("a key of 32 bytes, better random"))
	mux := shop()
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "member", Value: "1", Path: "/", HttpOnly: true})
		http.Redirect(w, r, "/about", http.StatusSeeOther)
	})
	return site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		session, _ := store.Get(r, "basket")
		if session.IsNew {
			_ = session.Save(r, w)
		}
		if _, err := r.Cookie("member"); err == nil {
			page(`<!doctype html><title>Member</title><p>Hello again.</p><a href="/members/only">more</a>`)(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	}))
}

// GorillaSessionsOptions says that the cookie of the basket stands for no log-in. It must
// be true: a page that only the basket's owner may see must say Cache-Control: private,
// like any page for one visitor. The cookie "member" still says that its sender has logged
// in.
func GorillaSessionsOptions() *servemap.Options {
	return &servemap.Options{Benign: []string{"basket"}}
}
