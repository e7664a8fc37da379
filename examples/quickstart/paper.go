package main

import (
	"context"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/mux"
)

// page is what the layout shows. It leaves out fields that are zero.
type page struct {
	Title    string
	NoIndex  bool // the page asks search engines not to list it, and servemap obeys
	Text     []string
	Articles []article
	Links    map[string]string // paths by what they say
	LogIn    bool
}

var layout = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}}</title>{{if .NoIndex}}<meta name="robots" content="noindex">{{end}}
<style>body{font:18px/1.6 Georgia,serif;max-width:36rem;margin:2rem auto;padding:0 1rem}nav{border-bottom:1px solid;padding-bottom:.5rem}a{margin-right:1rem}</style></head>
<body>
<nav><a href="/">The Quay</a> <a href="/news">News</a> <a href="/about">About</a> <a href="/search">Search</a> <a href="/account">Account</a></nav>
<main>
<h1>{{.Title}}</h1>
{{range .Text}}<p>{{.}}</p>
{{end}}{{range .Articles}}<h2><a href="/articles/{{.Slug}}">{{.Headline}}</a></h2>
{{end}}{{range $says, $path := .Links}}<p><a href="{{$path}}">{{$says}}</a></p>
{{end}}{{if .LogIn}}<form method="post"><button>Log in</button></form>{{end}}
</main>
</body>
</html>
`))

func (p page) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = layout.Execute(w, p) // it fails only when the client is gone
}

type article struct {
	Slug, Headline string
	Text           []string
}

var written = []article{
	{"lighthouse", "The lighthouse is dark",
		[]string{"It has been dark since the keeper left; the bats like it that way."}},
	{"harbour", "The harbour at low tide", []string{"Twelve boats, one of which still floats."}},
	{"bakery", "A bakery opens", []string{"The queue went round the corner, and so did we."}},
	{"ferry", "The ferry comes on Sundays again", []string{"It takes bicycles, dogs and one car."}},
	{"fog", "How to live with fog", []string{"Ring a bell. Walk slowly. Know your neighbours by their coughs."}},
	{"library", "The library lends umbrellas", []string{"They are due back when it has stopped raining."}},
	{"choir", "The choir looks for a tenor", []string{"It has looked for one since the spring of last year."}},
	{"seals", "Forty seals on the north beach", []string{"They stay until the children are back from their holidays."}},
	{"post", "The post office moves", []string{"It moves by two doors, to where the butcher was."}},
	{"storm", "What the storm left behind", []string{"A door, eleven lemons and a letter to somebody called Ada."}},
	{"bridge", "The bridge gets a new rail", []string{"The old one is in the museum, with the bridge before it."}},
	{"gull", "A gull learns to open bins", []string{"The council has asked it to stop."}},
}

const draft = "/drafts/k3v9x2m7q4w8zt5d" // a link to an address that looks like a secret

// A paper publishes articles and edits them. It does not say when; servemap finds that out.
type paper struct {
	opened    time.Time
	mu        sync.Mutex
	articles  []article // the latest first
	bulletins []string  // the latest first
	withdrawn map[string]bool
}

// newPaper has published all but the last six articles.
func newPaper() *paper {
	p := &paper{opened: time.Now(), withdrawn: map[string]bool{}}
	for _, a := range written[:len(written)-6] {
		p.articles = slices.Insert(p.articles, 0, a)
	}
	return p
}

func (p *paper) routes(r *mux.Router, robotsLine string) {
	r.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		front := page{Title: "The Quay", Text: []string{"A small paper for a small town."},
			Articles: slices.Clone(p.articles)}
		p.mu.Unlock()
		front.ServeHTTP(w, r)
	})
	r.HandleFunc("/news", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		news := page{Title: "News", Text: slices.Clone(p.bulletins)}
		p.mu.Unlock()
		news.ServeHTTP(w, r)
	})
	r.HandleFunc("/articles/{slug}", p.article)
	r.Handle("/about", page{Title: "About", Text: []string{"Written by two people and a gull."}, Links: map[string]string{
		"Where we are": "/map", // nobody has drawn it
		"A draft":      draft,
	}})
	r.Handle("/drafts/{token}", page{Title: "A draft", Text: []string{"Not for the public yet."}})
	r.Handle("/reset/{token}", page{Title: "Choose a new password"}) // visitors get its address by e-mail
	r.Handle("/search", page{Title: "Search", NoIndex: true, Text: []string{"Nothing found."}})
	r.Handle("/login", page{Title: "Log in", NoIndex: true, LogIn: true}).Methods(http.MethodGet)
	r.HandleFunc("/login", logIn).Methods(http.MethodPost)
	r.HandleFunc("/account", account)
	r.HandleFunc("/made-up-engine", func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })
	r.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "User-agent: *\nAllow: /\n%s\n", robotsLine)
	})
}

func (p *paper) article(w http.ResponseWriter, r *http.Request) {
	slug := mux.Vars(r)["slug"]
	p.mu.Lock()
	i := slices.IndexFunc(p.articles, func(a article) bool { return a.Slug == slug })
	shown, gone := page{}, p.withdrawn[slug]
	if i >= 0 {
		shown = page{Title: p.articles[i].Headline, Text: p.articles[i].Text}
	}
	p.mu.Unlock()
	switch {
	case i >= 0:
		shown.ServeHTTP(w, r)
	case gone:
		http.Error(w, "This article was withdrawn.", http.StatusGone)
	default:
		http.NotFound(w, r)
	}
}

// A real site would check a password and the cookie.
func logIn(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: "session", Value: "a-reader", Path: "/", HttpOnly: true,
		SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, "/account", http.StatusSeeOther)
}

func account(w http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie("session"); err != nil {
		http.Redirect(w, r, "/login", http.StatusFound)
		return
	}
	page{Title: "Your account", Text: []string{"Nobody else sees this."}}.ServeHTTP(w, r)
}

// publish runs the paper until ctx ends: a bulletin, an edit or a new article every ten seconds at
// first, then ever more slowly. A page that differed at every observation would be listed as
// "always" changing, without a date.
func (p *paper) publish(ctx context.Context) {
	for n, pause := 0, 10*time.Second; ; n, pause = n+1, min(pause+time.Second, 3*time.Minute) {
		select {
		case <-ctx.Done():
			return
		case now := <-time.After(pause):
			p.work(n, now)
		}
	}
}

// work does the nth thing that happens at the paper.
func (p *paper) work(n int, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	open := now.Sub(p.opened).Round(time.Second)
	unwritten := slices.DeleteFunc(slices.Clone(written), func(a article) bool {
		return p.withdrawn[a.Slug] || slices.ContainsFunc(p.articles, func(b article) bool { return a.Slug == b.Slug })
	})
	switch {
	case n == 4:
		last := len(p.articles) - 1
		p.withdrawn[p.articles[last].Slug] = true
		p.articles = p.articles[:last:last]
	case n%3 == 0:
		p.bulletins = slices.Insert(slices.Clone(p.bulletins), 0, fmt.Sprintf("The tide stands at %d cm, %v after we opened.",
			200+now.Second(), open))
		p.bulletins = p.bulletins[:min(len(p.bulletins), 5)]
	case n%3 == 1 || len(unwritten) == 0:
		edited := &p.articles[n%len(p.articles)]
		edited.Text = append(slices.Clone(edited.Text),
			fmt.Sprintf("A reader adds, %v after we opened: it was all quite different, and louder than you say.", open))
	default:
		p.articles = slices.Insert(slices.Clone(p.articles), 0, unwritten[0])
	}
}
