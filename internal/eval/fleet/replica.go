package main

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/sqlstore"
)

// replicaArg has the command be a replica.
const replicaArg = "replica"

// statsPath is where a replica says what it counts.
const statsPath = "/-/stats"

// serveReplica serves the site at an address of its own, which it prints, until its standard input ends.
func serveReplica(args []string) error {
	var s site
	flags := flag.NewFlagSet(replicaArg, flag.ContinueOnError)
	epoch := flags.Int64("epoch", 0, "the beginning of the site's time, in Unix seconds")
	table := flags.String("table", "", "the table of the ledger")
	refresh := flags.Duration("refresh", 0, "Options.Limits.RefreshEvery")
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
	learned, err := servemap.New(origin, st, &servemap.Options{Limits: servemap.Limits{RefreshEvery: *refresh}, Logger: logger})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", learned.Wrap(s.handler()))
	mux.HandleFunc(statsPath, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(learned.Stats()) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	fmt.Println(listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin) // it ends with the parent
	_ = server.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	return learned.Close(ctx)
}

// replica is one process of the fleet.
type replica struct {
	config *config
	client *http.Client

	mu    sync.Mutex
	cmd   *exec.Cmd
	stdin io.Closer
	addr  string // "" while it is down
}

// start starts the process, and returns when it serves.
func (r *replica) start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := r.config
	cmd := exec.Command(self, replicaArg, "-epoch", strconv.FormatInt(c.epoch.Unix(), 10), "-table", c.table(),
		"-refresh", c.refresh.String(), "-pages", strconv.Itoa(c.pages), "-lasts", c.lasts.String())
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	at, err := bufio.NewReader(stdout).ReadString('\n')
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cmd, r.stdin, r.addr = cmd, stdin, strings.TrimSpace(at)
	if err != nil {
		return fmt.Errorf("a replica did not start: %w", err)
	}
	return nil
}

// end ends the process: by a kill, or by asking it to.
func (r *replica) end(kill bool) {
	r.mu.Lock()
	r.addr = ""
	cmd, stdin := r.cmd, r.stdin
	r.mu.Unlock()
	if cmd == nil {
		return
	}
	if kill {
		_ = cmd.Process.Kill()
	} else {
		_ = stdin.Close()
	}
	_ = cmd.Wait() // a killed process ends with an error
}

func (r *replica) at() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.addr
}

// get returns the status, the entity tag and the body of what is at a path.
func (r *replica) get(ctx context.Context, path string) (status int, tag string, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.at()+path, nil)
	if err != nil {
		return 0, "", nil, err
	}
	req.Host = strings.TrimPrefix(origin, "https://")
	resp, err := r.client.Do(req)
	if err != nil {
		return 0, "", nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, resp.Header.Get("Etag"), body, err
}
