// Command fleet compares two sitemaps of one site. Several processes on one PostgreSQL
// database learn the first, each from some of the visitors. One process that sees all
// visitors learns the second.
//
//	DATABASE_URL=postgres://localhost/test go run ./internal/eval/fleet
//	DATABASE_URL=... go run ./internal/eval/fleet -replicas 4 -pages 200000 -minutes 10 -kills 2 -rate 1000
//
//	DATABASE_URL=... go run ./internal/eval/fleet -restart 'pg_ctlcluster 15 main restart'
//
// It starts itself again as the replicas, and kills one of them now and then. -restart
// names a shell command that runs once, in the middle, to restart the database. The one
// process keeps its indexer in memory. At the end the command prints which share of the
// pages both list, with the same lastmod and changefreq, whether all replicas serve the
// same bytes, and how many requests no replica answered. It exits with status 1 if the
// listed pages differ or a request was not answered.
//
// All data is in a separate schema, which is dropped at the end.
package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/store/memstore"
)

type config struct {
	site
	replicas, kills  int
	rate             int    // requests a second
	restart          string // the shell command that restarts the database, "" for none
	database, schema string
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == replicaArg {
		if err := serveReplica(os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, "fleet:", err)
			os.Exit(1)
		}
		return
	}
	c := &config{database: os.Getenv("DATABASE_URL"), schema: "servemap_eval_" + strings.ToLower(rand.Text()[:12])}
	minutes := flag.Float64("minutes", 1, "how long visitors come")
	flag.IntVar(&c.replicas, "replicas", 4, "processes")
	flag.IntVar(&c.pages, "pages", 2000, "pages of the site")
	flag.IntVar(&c.kills, "kills", 2, "how often a process is killed")
	flag.IntVar(&c.rate, "rate", 200, "requests a second")
	flag.StringVar(&c.restart, "restart", "", "shell command that restarts the database, run once in the middle")
	kit.Main("fleet", func(ctx context.Context) error {
		c.lasts = time.Duration(*minutes * float64(time.Minute))
		if c.database == "" || c.replicas < 1 || c.pages < 1 || c.kills < 0 || c.rate < 1 || c.lasts <= 0 || flag.NArg() > 0 {
			return fmt.Errorf("%w: DATABASE_URL must name a PostgreSQL database, and all numbers be positive", kit.ErrUsage)
		}
		return run(ctx, c)
	})
}

// run makes the schema, compares, and drops it.
func run(ctx context.Context, c *config) (err error) {
	db, err := sql.Open("pgx", c.database)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+c.schema); err != nil {
		return err
	}
	defer func() {
		_, dropErr := db.ExecContext(context.WithoutCancel(ctx), "DROP SCHEMA "+c.schema+" CASCADE")
		err = errors.Join(err, dropErr)
	}()
	return compare(ctx, c)
}

// errDiffer says that the fleet did not do what one process does.
var errDiffer = errors.New("the fleet and the one process differ")

// compare sends visitors to a fleet and to one process, which is this one. It prints where
// their sitemaps differ.
func compare(ctx context.Context, c *config) error {
	c.epoch = time.Now().Truncate(time.Second)
	one, err := kit.NewSite(new(memstore.Store), kit.Setup{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer func() { _ = kit.CloseSite(one, 30*time.Second) }()
	f, err := startFleet(ctx, c)
	if err != nil {
		return err
	}
	defer f.stop()
	t := traffic{config: c, fleet: f, one: kit.FromHandler(one.Wrap(c.handler()))}
	if err := t.run(ctx); err != nil {
		return err
	}
	if err := one.Flush(ctx); err != nil {
		return err
	}
	if err := f.settle(ctx); err != nil {
		return err
	}
	want, err := kit.ReadSitemap(ctx, t.one)
	if err != nil {
		return err
	}
	var sets []*kit.Sitemap
	for _, r := range f.replicas {
		s, err := kit.ReadSitemap(ctx, r.get)
		if err != nil {
			return err
		}
		sets = append(sets, s)
	}
	fmt.Printf("%d replicas, %d pages, %v, %d kills, %s: %d requests, %d not answered as they should be; observations dropped: %d by the fleet, %d by one process\n",
		c.replicas, c.pages, c.lasts, c.kills, t.restarts, t.sent.Load(), t.failed.Load(), f.dropped(ctx), one.Stats().Dropped)
	d := diff(want, sets[0])
	fmt.Println(d)
	identical := 0
	for _, s := range sets {
		identical += kit.One(s.Tags == sets[0].Tags)
	}
	fmt.Printf("%d of %d replicas serve the same files as the first one, byte by byte\n", identical, len(sets))
	if d.onlyOne+d.onlyFleet > 0 || t.failed.Load() > 0 || identical < len(sets) {
		return errDiffer
	}
	return nil
}

// difference says how two sitemaps differ.
type difference struct {
	both, onlyOne, onlyFleet int
	dates, labels            int // the same, of pages in both
	dated, labelled          int // by the one process, of pages in both
}

func diff(one, fleet *kit.Sitemap) (d difference) {
	for loc, want := range one.Pages {
		got, is := fleet.Pages[loc]
		if !is {
			d.onlyOne++
			continue
		}
		d.both++
		d.dates += kit.One(got.LastMod == want.LastMod)
		d.labels += kit.One(got.ChangeFreq == want.ChangeFreq)
		d.dated += kit.One(want.LastMod != "")
		d.labelled += kit.One(want.ChangeFreq != "")
	}
	d.onlyFleet = len(fleet.Pages) - d.both
	return d
}

func (d difference) String() string {
	return fmt.Sprintf("listed: %d by both, %d by one process only, %d by the fleet only\n"+
		"of those listed by both: %.2f %% have the same lastmod (%d have one), %.2f %% the same changefreq (%d have one)",
		d.both, d.onlyOne, d.onlyFleet, 100*kit.Share(d.dates, d.both), d.dated, 100*kit.Share(d.labels, d.both), d.labelled)
}
