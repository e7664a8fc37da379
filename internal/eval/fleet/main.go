// Command fleet compares what several processes on one PostgreSQL database learn of a site, each from a part of its visitors, with
// what one process learns that sees them all.
//
//	DATABASE_URL=postgres://localhost/test go run ./internal/eval/fleet
//	DATABASE_URL=... go run ./internal/eval/fleet -replicas 4 -pages 200000 -minutes 10 -kills 2 -rate 1000
//
//	DATABASE_URL=... go run ./internal/eval/fleet -restart 'pg_ctlcluster 15 main restart'
//
// It starts itself again as the replicas, and kills one of them now and then; -restart names a shell command that is run once, in the
// middle, to restart the database. The one process keeps its ledger in memory. At the end it
// prints which share of the pages is listed by both, and has the same lastmod and changefreq, whether all replicas serve the same
// bytes, and how many requests no replica answered. It ends with status 1 if the listed pages differ or a request was not answered.
//
// All is kept in a schema of its own, which is dropped at the end.
package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
)

type config struct {
	replicas, pages, kills int
	rate                   int // requests a second
	lasts                  time.Duration
	refresh                time.Duration
	restart                string // the shell command that restarts the database, "" for none
	database, schema       string
	epoch                  time.Time // the beginning of the site's time
}

func (c *config) table() string { return c.schema + ".servemap" }

func main() {
	if len(os.Args) > 1 && os.Args[1] == replicaArg {
		if err := serveReplica(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "fleet:", err)
			os.Exit(1)
		}
		return
	}
	c := config{database: os.Getenv("DATABASE_URL"), schema: "servemap_eval_" + strings.ToLower(rand.Text()[:12])}
	minutes := flag.Float64("minutes", 1, "how long visitors come")
	flag.IntVar(&c.replicas, "replicas", 4, "processes")
	flag.IntVar(&c.pages, "pages", 2000, "pages of the site")
	flag.IntVar(&c.kills, "kills", 2, "how often a process is killed")
	flag.IntVar(&c.rate, "rate", 200, "requests a second")
	flag.StringVar(&c.restart, "restart", "", "shell command that restarts the database, run once in the middle")
	flag.DurationVar(&c.refresh, "refresh", 15*time.Second, "Options.Limits.RefreshEvery of the replicas")
	flag.Parse()
	c.lasts = time.Duration(*minutes * float64(time.Minute))
	if c.database == "" || c.replicas < 1 || c.pages < 1 || c.kills < 0 || c.rate < 1 || c.lasts <= 0 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "fleet: DATABASE_URL must name a PostgreSQL database, and all numbers be positive")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	same, err := run(ctx, &c)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
	}
	if err != nil || !same {
		os.Exit(1)
	}
}

// run makes the schema, compares, and drops it.
func run(ctx context.Context, c *config) (same bool, err error) {
	db, err := sql.Open("pgx", c.database)
	if err != nil {
		return false, err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+c.schema); err != nil {
		return false, err
	}
	defer func() {
		_, dropErr := db.ExecContext(context.WithoutCancel(ctx), "DROP SCHEMA "+c.schema+" CASCADE")
		err = errors.Join(err, dropErr)
	}()
	return compare(ctx, c)
}

// compare has visitors come to a fleet and to one process, and prints in what their sitemaps differ.
func compare(ctx context.Context, c *config) (same bool, err error) {
	c.epoch = time.Now().Truncate(time.Second)
	one, err := newAlone(c)
	if err != nil {
		return false, err
	}
	defer one.close()
	f, err := startFleet(c)
	if err != nil {
		return false, err
	}
	defer f.stop()
	t := traffic{config: c, fleet: f, one: one}
	if err := t.run(ctx); err != nil {
		return false, err
	}
	if err := one.site.Flush(ctx); err != nil {
		return false, err
	}
	if err := f.settle(ctx, c); err != nil {
		return false, err
	}
	want, err := read(ctx, one.get)
	if err != nil {
		return false, err
	}
	var sets []*sitemap
	for _, r := range f.replicas {
		s, err := read(ctx, r.get)
		if err != nil {
			return false, err
		}
		sets = append(sets, s)
	}
	fmt.Printf("%d replicas, %d pages, %v, %d kills, %s: %d requests, %d not answered as they should be; sightings dropped: %d by the fleet, %d by one process\n",
		c.replicas, c.pages, c.lasts, c.kills, t.restarts, t.sent.Load(), t.failed.Load(), f.dropped(ctx), one.site.Stats().Dropped)
	d := diff(want, sets[0])
	fmt.Println(d)
	identical := 0
	for _, s := range sets {
		if s.tags == sets[0].tags {
			identical++
		}
	}
	fmt.Printf("%d of %d replicas serve the same files as the first one, byte by byte\n", identical, len(sets))
	return d.onlyOne+d.onlyFleet == 0 && t.failed.Load() == 0 && identical == len(sets), nil
}
