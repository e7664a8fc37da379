// Quickstart is a small newspaper with a sitemap that nobody writes. While it runs, articles
// appear and change, and made-up readers and crawlers visit.
//
//	go run ./examples/quickstart
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"log/slog"
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
	still := flag.Bool("still", false, "have nobody visit the site, and nothing change by itself")
	engine := flag.String("indexnow", "",
		"endpoint of IndexNow to tell of changes, on this machine; by default a made-up one")
	flag.Parse()
	if err := run(*addr, *data, *engine, *still); err != nil {
		log.Fatal(err)
	}
}

func run(addr, data, engine string, still bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%w; another address can be given, such as -addr localhost:8081", err)
	}
	defer listener.Close()
	if data == "" {
		if data, err = os.MkdirTemp("", "servemap-quickstart-"); err != nil {
			return err
		}
		defer os.RemoveAll(data)
	}
	st, err := badgerstore.Open(data, nil)
	if err != nil {
		return err
	}
	defer st.Close()
	ranges, err := addresses()
	if err != nil {
		return err
	}
	defer os.RemoveAll(ranges)
	origin := "http://" + addr
	// A site on the internet has the DNS confirm most crawlers. The made-up ones have addresses of this machine.
	// welcome says the rest
	warnings := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	site, err := servemap.New(origin, st, &servemap.Options{Crawlers: true, CrawlerRanges: ranges, Logger: warnings})
	if err != nil {
		return err
	}
	if engine == "" {
		engine = origin + "/made-up-engine" // what it is told, it forgets
	}
	// A site on the internet needs no options: notify.New(site, st, nil).
	notifier, err := notify.New(site, st, &notify.Options{Endpoint: engine, Hold: 2 * time.Second})
	if err != nil {
		return err
	}

	paper := newPaper()
	router := mux.NewRouter()
	paper.routes(router, site.RobotsLine())
	router.PathPrefix("/inspect").Handler(site.Inspector(nil))
	site.Mount(router) // after the routes

	var group sync.WaitGroup
	group.Go(func() { notifier.Run(ctx) })
	welcome(origin, site.InspectorLink(origin+"/inspect/"), still)
	if !still {
		group.Go(func() { paper.publish(ctx) })
		group.Go(func() { visit(ctx, origin) })
		group.Go(func() { report(ctx, site) })
	}
	server := &http.Server{Handler: notifier.Wrap(router), ReadHeaderTimeout: 10 * time.Second}
	err = serve(ctx, server, listener, site)
	stop()
	group.Wait()
	return err
}

// serve runs until ctx ends, and then stores what it has learned.
func serve(ctx context.Context, server *http.Server, listener net.Listener, site *servemap.Site) error {
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(ctx), site.Close(ctx))
}

func welcome(origin, inspector string, still bool) {
	fmt.Printf(`The site:     %[1]s/
Its sitemap:  %[1]s/sitemap.xml
See it learn: %[2]s&live

Articles appear, change and go. The sitemap follows within seconds, and a made-up
search engine is told by IndexNow. These pages are not listed:
  /search   asks for that with noindex
  /account  needs a log-in
  %[3]s
            has a link, but its address looks like a secret, so it is held
  /reset/   came by e-mail, and no page links to it
  /map      has a link, but it is broken
A browser that has cookies for this host, even another program's, is no anonymous
visitor. Use a private window then.
`, origin, inspector, draft)
	if still {
		fmt.Println("\nNothing happens by itself. Click through the site.")
	} else {
		fmt.Println("\nFive readers and two crawlers are on their way. Give them two minutes.")
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
