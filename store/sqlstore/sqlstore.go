// Package sqlstore keeps servemap's records in a PostgreSQL database. It is the store for a site
// with several processes: all that open the same table share what they learn.
//
// It is tested with PostgreSQL 15, and with PgBouncer in transaction mode before it. The driver is
// github.com/jackc/pgx/v5/stdlib, which this package imports:
//
//	db, err := sql.Open("pgx", "postgres://servemap@db.example.com/servemap")
//	db.SetMaxOpenConns(4)
//	db.SetConnMaxIdleTime(5 * time.Second)
//	db.SetConnMaxLifetime(time.Minute)
//	st, err := sqlstore.Open(db, nil)
//
// So no process keeps a connection that another one waits for: each looks for changes every 15 seconds,
// and would hold one for ever. And after a failover, none writes for long to a server that has become
// read-only.
//
// An Update is one short transaction. It takes a lock that all writers of the table take first. So
// writers queue, no fn runs twice, nothing that fn read changes meanwhile, and there are no
// deadlocks. Readers wait for nobody. When an Update returns, the database server has the write,
// and so has its disk, even if the owner has turned synchronous_commit off.
package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"sync/atomic"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"github.com/servemap/servemap/store"
)

const (
	defaultTable   = "servemap"
	defaultTimeout = 10 * time.Second
)

// Options adjusts a [Store]. The zero value of each field is the default.
type Options struct {
	// Table is the table for the records. A schema may come first, as in "web.servemap". Each name
	// has 1 to 50 lower-case letters, digits and underscores, and does not begin with a digit. Empty
	// means "servemap" in the connection's schema.
	//
	// Sites may share a table, since their origins keep their records apart. With their own tables,
	// they do not wait for each other.
	Table string

	// Timeout is how long a call, or one step of a Scan, may take. The database server ends our
	// transactions after the same time. So a process that hangs with a lock keeps others waiting no
	// longer. It must be at least 1 ms. Zero means 10 seconds.
	Timeout time.Duration

	// Logger receives the first of several problems, and their end. Nil means slog.Default().
	Logger *slog.Logger
}

// A Store is a [store.Store] in a table of a PostgreSQL database. It is safe for concurrent use.
// Any number of Stores, in any number of processes, may use the same table. It needs no closing.
type Store struct {
	db      *sql.DB
	table   string // as in Options
	timeout time.Duration
	log     *slog.Logger

	failing atomic.Bool // a problem was logged, and nothing was written since
}

var (
	_ store.Store  = (*Store)(nil)
	_ store.Sharer = (*Store)(nil)
)

// Shared reports true: other processes may change the records. So a site regularly looks for their
// changes.
func (s *Store) Shared() bool { return true }

// identifiers is what Options.Table may be. PostgreSQL cuts a name after 63 bytes.
var identifiers = regexp.MustCompile(`^([a-z_][a-z0-9_]{0,49}\.)?[a-z_][a-z0-9_]{0,49}$`)

// Open returns a Store that keeps its records in db. The caller still owns db. Once the caller
// closes it, calls fail with [store.ErrClosed]. A nil opts means the defaults. Open fails only for
// a bad argument, and does not contact the database.
//
// The first call that finds no table creates it, in a schema that is there. A role that may not
// create tables must find it there.
func Open(db *sql.DB, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	s := &Store{db: db, table: opts.Table, timeout: opts.Timeout, log: opts.Logger}
	if s.table == "" {
		s.table = defaultTable
	}
	if s.timeout == 0 {
		s.timeout = defaultTimeout
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	switch {
	case db == nil:
		return nil, errors.New("sqlstore: no database given; open one with sql.Open")
	case s.timeout < time.Millisecond:
		return nil, fmt.Errorf("sqlstore: Options.Timeout is %v; it must be 0 for the default, or at least 1 ms", opts.Timeout)
	case !identifiers.MatchString(s.table):
		return nil, fmt.Errorf("sqlstore: Options.Table is %q; the table, and a schema before it, must be 1 to 50 lower-case letters, digits and underscores", opts.Table)
	}
	return s, nil
}
