package main

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/mux"
)

// page is what the layout shows. It leaves out fields that are zero.
type page struct {
	Title   string
	NoIndex bool // the page asks search engines not to list it, and servemap obeys
	Text    []string
	Posts   map[string]post
	LogIn   bool
}

var layout = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>{{.Title}}</title>{{if .NoIndex}}<meta name="robots" content="noindex">{{end}}</head>
<body>
<nav><a href="/">Home</a> <a href="/blog">Blog</a> <a href="/news">News</a> <a href="/about">About</a> <a href="/search">Search</a> <a href="/account">Account</a></nav>
<main>
<h1>{{.Title}}</h1>
{{range .Text}}<p>{{.}}</p>
{{end}}{{range $slug, $post := .Posts}}<p><a href="/posts/{{$slug}}">{{$post.Title}}</a></p>
{{end}}{{if .LogIn}}<form method="post"><button>Log in</button></form>{{end}}
</main>
</body>
</html>
`))

func (p page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = layout.Execute(w, p) // it fails only when the client is gone
}

type post struct{ Title, Text string }

var posts = map[string]post{
	"lighthouse": {"The lighthouse", "It has been dark since the keeper left; the bats like it that way."},
	"harbour":    {"The harbour at low tide", "Twelve boats, one of which still floats."},
	"bakery":     {"A bakery opens", "The queue went round the corner, and so did we."},
}

func routes(r *mux.Router, news *newsroom, robotsLine string) {
	r.Handle("/", page{Title: "The Quay", Text: []string{"A small paper for a small town."}})
	r.Handle("/about", page{Title: "About", Text: []string{"Written by two people and a gull."}})
	r.Handle("/blog", page{Title: "Blog", Posts: posts})
	r.HandleFunc("/posts/{slug}", func(w http.ResponseWriter, r *http.Request) {
		p, ok := posts[mux.Vars(r)["slug"]]
		if !ok {
			http.NotFound(w, r)
			return
		}
		page{Title: p.Title, Text: []string{p.Text}}.ServeHTTP(w, r)
	})
	r.Handle("/news", news)
	r.Handle("/search", page{Title: "Search", NoIndex: true, Text: []string{"Nothing found."}})
	r.Handle("/login", page{Title: "Log in", NoIndex: true, LogIn: true}).Methods(http.MethodGet)
	r.HandleFunc("/login", logIn).Methods(http.MethodPost)
	r.HandleFunc("/account", account)
	// Nobody links to these; visitors get them by e-mail. Such a link opens
	// without a cookie, but is not listed.
	r.Handle("/reset/{token}", page{Title: "Choose a new password"})
	r.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "User-agent: *\nAllow: /\n%s\n", robotsLine)
	})
}

// A real site would check a password and the cookie.
func logIn(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: "session", Value: "a-reader", Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}

func account(w http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie("session"); err != nil {
		http.Redirect(w, r, "/login", http.StatusFound)
		return
	}
	page{Title: "Your account", Text: []string{"Nobody else sees this."}}.ServeHTTP(w, r)
}

// A newsroom is a page that changes. It does not say when it changed; servemap
// finds that out.
type newsroom struct {
	opened    time.Time
	mu        sync.Mutex
	bulletins []string // the latest first
}

func (n *newsroom) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	p := page{Title: "News", Text: n.bulletins}
	n.mu.Unlock()
	p.ServeHTTP(w, r)
}

// publish adds bulletins until ctx ends: the first ones every few seconds, then ever fewer,
// down to one in three minutes. A page that differed at every observation would be listed as
// "always" changing, without a date.
func (n *newsroom) publish(ctx context.Context) {
	for pause := 20 * time.Second; ; pause = min(pause+20*time.Second, 3*time.Minute) {
		select {
		case <-ctx.Done():
			return
		case now := <-time.After(pause):
			n.add(fmt.Sprintf("The tide stands at %d cm, %v after we opened.", 200+now.Second(), now.Sub(n.opened).Round(time.Second)))
		}
	}
}

// add makes a new slice, since pages in rendering still use the old one.
func (n *newsroom) add(bulletin string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.bulletins = append([]string{bulletin}, n.bulletins[:min(len(n.bulletins), 4)]...)
}
