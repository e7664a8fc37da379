// Package sqlstore keeps servemap's records in a PostgreSQL database. It is the store for a site
// with several processes: all that open the same table share what they learn.
//
// It is tested with PostgreSQL 15, and with PgBouncer in transaction mode before it. The driver is
// github.com/jackc/pgx/v5/stdlib, which this package imports:
//
//	db, err := sql.Open("pgx", "postgres://servemap@db.example.com/servemap")
//	db.SetMaxOpenConns(4)
//	db.SetConnMaxIdleTime(5 * time.Second)
//	st, err := sqlstore.Open(db, nil)
//
// The short idle time gives connections back, so that no other process waits for one: each process looks for
// changes every 15 seconds, and would otherwise hold a connection for ever.
//
// An Update reads, and calls its fn, outside of any transaction. Then it writes in one short
// transaction, which first locks a row that all writers of the table lock, and compares what was
// read with what is there now. So writers queue, nobody waits for a fn or a reader, and there are
// no deadlocks. If something has changed, the Update runs fn again, now with the lock, so that
// nothing can change any more.
//
// When an Update returns, the database server has the write, and so has its disk, unless
// synchronous_commit=off. With that setting, the writes of the last second may be lost if the
// server dies (not if this process dies). [Store.Sync] waits for the disk in any case.
package sqlstore

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"github.com/servemap/servemap/internal/page/words"
	"github.com/servemap/servemap/store"
)

// describe makes pgx remember the types of each statement, and prepare none on the server. So it does not
// matter which of a pooler's connections a query gets. It is the first argument of each query.
const describe = pgx.QueryExecModeCacheDescribe

const (
	defaultTable = "servemap"
	// callTimeout is how long a call, or one step of a Scan, may take. The database server ends our
	// transactions after the same time, so a process that hangs with the lock keeps others waiting
	// no longer than that.
	callTimeout = 10 * time.Second
)

// Options adjusts a [Store]. The zero value of each field is the default.
type Options struct {
	// Table is the table for the records. The store also uses a second table, with _format added to
	// the name. A schema may come first, as in "web.servemap". Each name has 1 to 50 lower-case
	// letters, digits and underscores, and does not begin with a digit. Empty means "servemap" in
	// the connection's schema.
	//
	// Sites may share a table, since their origins keep their records apart. With their own tables,
	// they do not wait for each other.
	Table string

	// Logger receives the first of several problems, and their end at the next write. Nil means slog.Default().
	Logger *slog.Logger
}

// A Store is a [store.Store] in a table of a PostgreSQL database. It is safe for concurrent use.
// Any number of Stores, in any number of processes, may use the same table. It needs no closing.
type Store struct {
	db      *sql.DB
	sql     statements
	timeout time.Duration // callTimeout, except in tests
	log     *slog.Logger

	ready    atomic.Bool // the tables exist and have our format
	troubled atomic.Bool // a problem was logged, and is not over
}

var (
	_ store.Store  = (*Store)(nil)
	_ store.Sharer = (*Store)(nil)
)

// Shared reports true: other processes may change the records. So a site regularly looks for their
// changes.
func (s *Store) Shared() bool { return true }

// Open returns a Store that keeps its records in db. The caller still owns db. Once the caller
// closes it, calls fail with [store.ErrClosed]. A nil opts means the defaults. Open fails only for
// a bad argument, and does not contact the database.
//
// The first call that reaches the database creates the tables that are missing, in a schema that is there. A role
// that may not create tables must find them there. If a later version of this program has changed a table's format,
// the Store leaves it alone: all calls fail, and say so.
func Open(db *sql.DB, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	if db == nil {
		return nil, errors.New("sqlstore: no database given; open one with sql.Open")
	}
	name := tableName{table: defaultTable}
	if opts.Table != "" {
		var err error
		if name, err = parseTable(opts.Table); err != nil {
			return nil, fmt.Errorf("sqlstore: %s %w", words.Say("{Table}"), err)
		}
	}
	return &Store{db: db, sql: statementsFor(name), timeout: callTimeout, log: cmp.Or(opts.Logger, slog.Default())}, nil
}
