// Quickstart is a small site on gorilla/mux with a sitemap that nobody writes.
//
//	go run ./examples/quickstart -visitors
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/gorilla/mux"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/notify"
	"github.com/servemap/servemap/store/badgerstore"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "address to listen on")
	data := flag.String("data", "", "folder for what is learned; by default a temporary one, removed at the end")
	visitors := flag.Bool("visitors", false, "have made-up visitors read the site")
	engine := flag.String("indexnow", "", "endpoint of IndexNow to tell of changes, on this machine as the site is")
	flag.Parse()
	if err := run(*addr, *data, *engine, *visitors); err != nil {
		log.Fatal(err)
	}
}

func run(addr, data, engine string, visitors bool) error {
	if data == "" {
		dir, err := os.MkdirTemp("", "servemap-quickstart-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		data = dir
	}
	st, err := badgerstore.Open(data, nil)
	if err != nil {
		return err
	}
	defer st.Close()
	origin := "http://" + addr
	site, err := servemap.New(origin, st, nil)
	if err != nil {
		return err
	}
	var notifier *notify.Notifier
	if engine != "" {
		// A site on the internet needs no options: notify.New(site, st, nil).
		notifier, err = notify.New(site, st, &notify.Options{Endpoints: []string{engine}, Hold: 2 * time.Second})
		if err != nil {
			return err
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var group sync.WaitGroup
	news := &newsroom{opened: time.Now()}
	group.Go(func() { news.publish(ctx) })

	router := mux.NewRouter()
	routes(router, news, site.RobotsLine())
	router.PathPrefix("/inspect/").Handler(site.Inspector(nil))
	site.Mount(router) // after the routes

	handler := http.Handler(router)
	if notifier != nil {
		handler = notifier.Wrap(router) // outermost
		group.Go(func() { notifier.Run(ctx) })
	}

	ready := func() {
		welcome(origin, site.InspectorLink(origin+"/inspect/"), visitors)
		if visitors {
			group.Go(func() { visit(ctx, origin) })
			group.Go(func() { report(ctx, site) })
		}
	}
	server := &http.Server{Addr: addr, Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	err = serve(ctx, server, site, ready)
	stop()
	group.Wait()
	return err
}

// serve runs until ctx ends, and then stores what it has learned. It calls
// ready once it listens.
func serve(ctx context.Context, server *http.Server, site *servemap.Site, ready func()) error {
	listener, err := net.Listen("tcp", server.Addr)
	if err == nil {
		failed := make(chan error, 1)
		go func() { failed <- server.Serve(listener) }()
		ready()
		select {
		case err = <-failed:
		case <-ctx.Done():
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(ctx), site.Close(ctx))
}

func welcome(origin, inspector string, visitors bool) {
	fmt.Printf(`The site:     %[1]s/
Its sitemap:  %[1]s/sitemap.xml
See it learn: %[2]s&live

Each page is listed seconds after an anonymous visitor reads it. The search and
the log-in are not, as they ask for that (noindex), nor the account, which needs
a cookie, nor the reset links, to which no page leads.
/news gets a lastmod and a changefreq once it was seen to change; no other page
does, so theirs are left out. A browser that has cookies for this host, even
another program's, is no anonymous visitor; use a private window then.
`, origin, inspector)
	if visitors {
		fmt.Println("\nFive visitors are on their way. Give them two minutes for the dates.")
	} else {
		fmt.Println("\nClick through the site, or start it with -visitors to have that done.")
	}
}

// report prints how the sitemap grows.
func report(ctx context.Context, site *servemap.Site) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			stats := site.Stats()
			fmt.Printf("%s  %d pages listed, %d waiting\n", now.Format(time.TimeOnly), stats.Listed, stats.Waiting)
		}
	}
}
