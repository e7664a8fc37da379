// Nethttp is the standard library's own router, with a sitemap added by one
// line.
//
//	go run ./examples/nethttp -origin https://example.com
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/badgerstore"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "address to listen on")
	data := flag.String("data", "sitemap-data", "folder for what is learned")
	origin := flag.String("origin", "", "public origin of the site; by default that of -addr")
	flag.Parse()
	if *origin == "" {
		*origin = "http://" + *addr
	}
	if err := run(*addr, *data, *origin); err != nil {
		log.Fatal(err)
	}
}

func run(addr, data, origin string) error {
	// Only one process can have the folder open. Keep it across restarts and deployments.
	// Without it the site would be learned anew after each.
	st, err := badgerstore.Open(data, nil)
	if err != nil {
		return err
	}
	defer st.Close()
	// The origin appears in the sitemap as written here. No header of a request can change
	// it. Behind a proxy it must be the public one.
	site, err := servemap.New(origin, st, nil)
	if err != nil {
		return err
	}
	fmt.Printf("serving http://%s/\nsitemap at http://%s/sitemap.xml\n", addr, addr)
	// Wrap goes around the router. So it answers for the sitemap's files, and
	// also sees requests for pages that are gone.
	server := &http.Server{Addr: addr, Handler: site.Wrap(routes(site.RobotsLine())), ReadHeaderTimeout: 10 * time.Second}
	return serve(server, site)
}

func routes(robotsLine string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", html(`<a href="/articles/night">Night</a> <a href="/articles/morning">Morning</a>`))
	// Many paths share this pattern, so it proves nothing about any of them.
	// The two that the home page links to are listed, and a draft is not.
	mux.HandleFunc("GET /articles/{slug}", func(w http.ResponseWriter, r *http.Request) {
		text, ok := articles[r.PathValue("slug")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		html(text)(w, r)
	})
	// Nothing links here, but a pattern for a single path makes the page public too.
	mux.HandleFunc("GET /about", html(`Two articles and no more.`))
	mux.HandleFunc("GET /robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "User-agent: *\nAllow: /\n%s\n", robotsLine)
	})
	return mux
}

var articles = map[string]string{
	"night":   `It was a dark night. <a href="/">Home</a>`,
	"morning": `The morning was no better. <a href="/">Home</a>`,
	"draft":   `Noon has yet to be written. <a href="/">Home</a>`,
}

// html returns a handler for a page. The body is ours, so it is not escaped.
func html(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html>\n<html "+
			"lang=\"en\"><head><title>Articles</title></head><body><main>%s</main></body></html>\n", body)
	}
}

// serve runs until the process is told to stop, and then stores what it has
// learned.
func serve(server *http.Server, site *servemap.Site) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(ctx), site.Close(ctx))
}
