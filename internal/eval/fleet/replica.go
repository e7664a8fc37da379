package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/eval/kit"
	"github.com/servemap/servemap/store/sqlstore"
)

// replicaArg as the first argument makes the command a replica.
const replicaArg = "replica"

// statsPath is where a replica serves its counts.
const statsPath = "/-/stats"

// refreshEvery is how often a replica looks for changes by others, by default.
const refreshEvery = 15 * time.Second

// serveReplica serves the site at its own address, which it prints, until it is stopped.
func serveReplica(args []string) error {
	var s site
	flags := flag.NewFlagSet(replicaArg, flag.ContinueOnError)
	epoch := flags.Int64("epoch", 0, "the beginning of the site's time, in Unix seconds")
	table := flags.String("table", "", "the table of the indexer")
	flags.IntVar(&s.pages, "pages", 0, "pages of the site")
	flags.DurationVar(&s.lasts, "lasts", 0, "how long visitors come")
	if err := flags.Parse(args); err != nil {
		return err
	}
	s.epoch = time.Unix(*epoch, 0)
	db, err := sql.Open("pgx", os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	defer db.Close()
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	st, err := sqlstore.Open(db, &sqlstore.Options{Table: *table, Logger: logger})
	if err != nil {
		return err
	}
	learned, err := kit.NewSite(st, kit.Setup{Logger: logger})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", learned.Wrap(s.handler()))
	mux.HandleFunc(statsPath, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(learned.Stats()) })
	server, err := kit.Listen(mux)
	if err != nil {
		return err
	}
	fmt.Println(server.URL)
	kit.AwaitStop()
	return errors.Join(server.Close(), kit.CloseSite(learned, 30*time.Second))
}

// replica is one process of the fleet.
type replica struct {
	config *config
	client *http.Client
	child  *kit.Child
	ask    atomic.Pointer[kit.Getter] // nil while it is down
}

// start starts the process, and returns when it serves.
func (r *replica) start(ctx context.Context) error {
	c := r.config
	command, err := kit.Self(replicaArg, "-epoch", strconv.FormatInt(c.epoch.Unix(), 10), "-table", c.schema+".servemap",
		"-pages", strconv.Itoa(c.pages), "-lasts", c.lasts.String())
	if err != nil {
		return err
	}
	child, err := kit.Start(context.WithoutCancel(ctx), os.Stderr, command)
	if err != nil {
		return err
	}
	r.child = child
	ask := kit.FromServer(r.client, r.child.Said[0])
	r.ask.Store(&ask)
	return nil
}

// kill ends the process at once.
func (r *replica) kill() {
	r.ask.Store(nil)
	r.child.Kill()
}

var errDown = errors.New("the replica is down")

// get requests a path.
func (r *replica) get(ctx context.Context, path string) (kit.Answer, error) {
	ask := r.ask.Load()
	if ask == nil {
		return kit.Answer{}, errDown
	}
	return (*ask)(ctx, path)
}

// stats returns what the replica counts.
func (r *replica) stats(ctx context.Context) (s servemap.Stats, err error) {
	a, err := r.get(ctx, statsPath)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(a.Body, &s)
}
