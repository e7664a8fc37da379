package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/sqlstore"
)

// serveReplica serves the site at its own address, which it prints. It ends with ctx, or
// with its standard input.
func serveReplica(ctx context.Context, origin, database string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // it ends with the parent
		stop()
	}()
	db, err := sql.Open("pgx", database)
	if err != nil {
		return err
	}
	defer db.Close()
	st, err := sqlstore.Open(db, &sqlstore.Options{Table: "servemap_example"})
	if err != nil {
		return err
	}
	// RefreshEvery is how often to look for what other processes have stored.
	// The default of 15 seconds is long for a demonstration.
	site, err := servemap.New(origin, st, &servemap.Options{Limits: servemap.Limits{RefreshEvery: 2 * time.Second, RenderEvery: time.Second}})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, site.Close(ctx))
	}
	server := &http.Server{Handler: site.Wrap(archive(time.Now)), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Println(listener.Addr())
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return errors.Join(err, server.Shutdown(end), site.Close(end))
}
