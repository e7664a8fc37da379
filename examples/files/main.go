// Files serves a folder of HTML files, and the sitemap that it learns from the
// visits to them.
//
//	go run ./examples/files -dir ./public -origin https://example.com
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
	dir := flag.String("dir", ".", "folder of HTML files to serve")
	addr := flag.String("addr", "localhost:8080", "address to listen on")
	data := flag.String("data", "sitemap-data", "folder for what is learned, not below -dir")
	origin := flag.String("origin", "", "public origin of the site; by default that of -addr")
	flag.Parse()
	if *origin == "" {
		*origin = "http://" + *addr
	}
	if err := run(*dir, *addr, *data, *origin); err != nil {
		log.Fatal(err)
	}
}

func run(dir, addr, data, origin string) error {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return fmt.Errorf("-dir %s is no folder that can be read", dir)
	}
	st, err := badgerstore.Open(data, nil)
	if err != nil {
		return err
	}
	defer st.Close()
	site, err := servemap.New(origin, st, nil)
	if err != nil {
		return err
	}
	fmt.Printf("serving %s at http://%s/\nsitemap at http://%s/sitemap.xml\n", dir, addr, addr)
	server := &http.Server{Addr: addr, Handler: site.Wrap(http.FileServer(http.Dir(dir))), ReadHeaderTimeout: 10 * time.Second}
	return serve(server, site)
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
