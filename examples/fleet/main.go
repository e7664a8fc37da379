// Fleet is one process of several that serve a site and share what they learn in a PostgreSQL
// database. Start it in two terminals, visit the site at one address, and read the sitemap at the other:
//
//	export DATABASE_URL=postgres://postgres@localhost:5432/test
//	go run ./examples/fleet -addr localhost:8080
//	go run ./examples/fleet -addr localhost:8081
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/sqlstore"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "address to listen on")
	origin := flag.String("origin", "http://localhost:8080", "public origin of the site, the same for all processes")
	flag.Parse()
	database := os.Getenv("DATABASE_URL")
	if database == "" {
		log.Fatal("DATABASE_URL is not set; name a PostgreSQL database, such as postgres://postgres@localhost:5432/test")
	}
	if err := run(*addr, *origin, database); err != nil {
		log.Fatal(err)
	}
}

func run(addr, origin, database string) error {
	db, err := sql.Open("pgx", database)
	if err != nil {
		return err
	}
	defer db.Close()
	st, err := sqlstore.Open(db, &sqlstore.Options{Table: "servemap_example"})
	if err != nil {
		return err
	}
	// The default of 15 seconds is long for a demonstration.
	site, err := servemap.New(origin, st, &servemap.Options{Limits: servemap.Limits{RenderEvery: time.Second}})
	if err != nil {
		return err
	}
	fmt.Printf("serving http://%s/\nsitemap at http://%[1]s/sitemap.xml\n", addr)
	return serve(&http.Server{Addr: addr, Handler: site.Wrap(letters()), ReadHeaderTimeout: 10 * time.Second}, site)
}

// letters is a site of a hundred pages, of which each links to the next.
func letters() http.Handler {
	page := func(w http.ResponseWriter, title string, next int) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html>\n<html lang=\"en\"><head><title>%s</title></head><body><main><h1>%[1]s</h1>"+
			"<p>Here is %[1]s, about the gulls.</p><a href=\"/letter/%d\">The next one</a></main></body></html>\n", title, next)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { page(w, "Letters to the editor", 1) })
	mux.HandleFunc("GET /letter/{number}", func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(r.PathValue("number"))
		if err != nil || n < 1 || n > 100 {
			http.NotFound(w, r)
			return
		}
		page(w, fmt.Sprintf("letter %d", n), n%100+1)
	})
	return mux
}

// serve runs until the process is told to stop, and then stores what it has learned.
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
