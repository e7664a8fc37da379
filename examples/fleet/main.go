// Fleet is one site served by two processes that share what they learn in a
// PostgreSQL database, behind a small balancer. From time to time one of the
// processes is killed and started again, while the sitemap grows.
//
//	DATABASE_URL=postgres://localhost/test go run ./examples/fleet
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
	"sync"
	"syscall"
	"time"
)

const noDatabase = `DATABASE_URL is not set. Processes share what they learn in a PostgreSQL database; name one in
which tables may be made, such as

    DATABASE_URL=postgres://postgres@localhost:5432/test go run ./examples/fleet

A site of one process needs none: see examples/quickstart.`

func main() {
	addr := flag.String("addr", "localhost:8080", "address of the balancer")
	lasts := flag.Duration("for", 0, "how long to go on; until interrupted if 0")
	each := flag.Duration("kill", 20*time.Second, "how often a replica is killed")
	replica := flag.Bool("replica", false, "be one of the replicas; the command starts itself so")
	flag.Parse()
	database := os.Getenv("DATABASE_URL")
	if database == "" {
		fmt.Fprintln(os.Stderr, noDatabase)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *replica {
		err = serveReplica(ctx, "http://"+*addr, database)
	} else {
		if *lasts > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, *lasts)
			defer cancel()
		}
		err = run(ctx, *addr, *each)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// replicas is how many processes serve the site.
const replicas = 2

// run starts the replicas and the balancer, and ends them when ctx ends.
func run(ctx context.Context, addr string, each time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	b := newBalancer(replicas)
	for i := range replicas {
		r := &process{number: i, addr: addr, balancer: b}
		if err := r.start(); err != nil {
			return err
		}
		group.Go(func() { r.live(ctx, each*time.Duration(i+1), each*replicas) })
	}
	server := &http.Server{Addr: addr, Handler: b, ReadHeaderTimeout: 10 * time.Second}
	group.Go(func() { visit(ctx, "http://"+addr) })
	group.Go(func() { report(ctx, b) })
	group.Go(func() {
		<-ctx.Done()
		_ = server.Close()
	})
	fmt.Printf("The site, by %d processes:  http://%s/\nIts sitemap:               http://%[2]s/sitemap.xml\n\n", replicas, addr)
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
