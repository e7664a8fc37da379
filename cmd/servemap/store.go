package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap/cmd/servemap/internal/control"
	"github.com/servemap/servemap/cmd/servemap/internal/settings"
	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
	"github.com/servemap/servemap/store/sqlstore"
)

// shared is the store of a folder that sites use one after the other: when the settings are read anew, it stays open.
type shared struct {
	store.Store
	end   func()
	users int
}

// records say which shared store a site uses: sites with one folder and one reserve use the same.
type records struct {
	folder  string
	reserve int
}

// refusing is the store of a folder that this process may not use. It is the reason why.
type refusing struct{ error }

func (r refusing) View(context.Context, []string, func([][]byte) error) error { return r.error }

func (r refusing) Update(context.Context, []string, func([][]byte) error) error { return r.error }

func (r refusing) Sync(context.Context) error { return r.error }

func (r refusing) Scan(context.Context, string, string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) { yield(store.Record{}, r.error) }
}

// openServed opens the records of a site that visitors see, or takes them over from the site before.
func (p *process) openServed(s *settings.Settings, log *slog.Logger) (store.Store, func(), error) {
	if s.Database != "" {
		return openAllowed(s, log)
	}
	at, err := filepath.Abs(s.Data)
	if err != nil {
		return nil, nil, err
	}
	key := records{at, s.Reserve}
	f := p.stores[key]
	if f == nil {
		f = &shared{}
		if f.Store, f.end, err = openAllowed(s, log); err != nil {
			return nil, nil, err
		}
		p.stores[key] = f
	}
	f.users++
	return f.Store, func() {
		if f.users--; f.users == 0 {
			delete(p.stores, key)
			f.end()
		}
	}, nil
}

// usable waits until the store can be read. If ctx ends before, it returns why the store
// cannot be used. Only a folder may need a wait.
func usable(ctx context.Context, st store.Store) error {
	if _, database := st.(store.Sharer); database {
		return ctx.Err()
	}
	for {
		err := read(ctx, st)
		if err == nil {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(lockEvery):
		}
	}
}

// read returns why the store cannot be read.
func read(ctx context.Context, st store.Store) error {
	return st.View(ctx, nil, func([][]byte) error { return nil })
}

// openAllowed opens the records of a site that visitors see. With -wait they get its pages even if the folder is not
// the process's own.
func openAllowed(s *settings.Settings, log *slog.Logger) (store.Store, func(), error) {
	err := control.Check(s.Data)
	barred := errors.As(err, new(control.ForeignError)) || errors.Is(err, fs.ErrPermission)
	switch {
	case err == nil || barred && s.Database != "": // in a database, only commands need the folder
		return openStore(s, log)
	case !barred || !s.Wait:
		return nil, nil, unusable(s.Data, err)
	}
	err = unusable(s.Data, err)
	log.Error("the pages are served without a sitemap, since the folder cannot be used; restart once it can", "err", err)
	return refusing{fmt.Errorf("%w: %w", store.ErrUnavailable, err)}, func() {}, nil
}

// openStore opens the records. It also returns a function that closes them.
func openStore(s *settings.Settings, log *slog.Logger) (store.Store, func(), error) {
	data, database := s.Data, string(s.Database)
	if database == "" {
		st, err := badgerstore.Open(data, &badgerstore.Options{Reserve: int64(s.Reserve) << 20, Wait: s.Wait, Logger: log})
		if err != nil {
			return nil, nil, unusable(data, err)
		}
		return st, func() { _ = st.Close() }, nil
	}
	cfg, err := pgx.ParseConfig(database)
	if err != nil { // the error may show a password
		return nil, nil, usage("{-database} is no address of a PostgreSQL database; give one such as " +
			"postgres://host/name?user=shop")
	}
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(4) // the server's connections are for all processes
	// less than between two looks for changes, or idle processes would hold connections for ever
	db.SetConnMaxIdleTime(5 * time.Second)
	st, err := sqlstore.Open(db, &sqlstore.Options{Table: s.Table, Logger: log})
	if err != nil {
		return nil, nil, errors.Join(err, db.Close())
	}
	return st, func() { _ = db.Close() }, nil
}

// unusable says why a folder of data cannot be used.
func unusable(data string, err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return usage("{-data} %s is not a folder; give one", data)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return usage("{-data} %s: no folder can be made there; choose another", data)
	}
	if cause, is := errors.AsType[*fs.PathError](err); is {
		return fmt.Errorf(words.Say("Cannot use {-data} %s as user %s: %v. Let that user write there, or choose another "+
			"folder."), data, whoami(), cause.Err)
	}
	return fmt.Errorf(words.Say("{-data} %s: %w"), data, err)
}

// whoami returns the name of the user of this process, or else the number.
func whoami() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Geteuid())
}

// openFolder opens the records of a folder. It waits a moment for another process, such as a command that asks.
func openFolder(ctx context.Context, s *settings.Settings, log *slog.Logger,
	patience time.Duration) (store.Store, func(), error) {
	if err := control.Check(s.Data); err != nil {
		return nil, nil, unusable(s.Data, err)
	}
	st, end, err := openStore(s, log)
	if err != nil {
		return nil, nil, err
	}
	ctx, done := context.WithTimeout(ctx, patience)
	defer done()
	if err := usable(ctx, st); err != nil {
		end()
		if errors.Is(err, badgerstore.ErrLocked) {
			return nil, nil, locked(s.Data)
		}
		return nil, nil, unusable(s.Data, err)
	}
	return st, end, nil
}
