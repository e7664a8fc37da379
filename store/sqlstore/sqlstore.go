// Package sqlstore keeps servemap's records in a PostgreSQL database. It is the
// store for a site that is served by several processes: all that open the same
// table share what they learn.
//
// It is tried with PostgreSQL 15 and the driver github.com/jackc/pgx/v5/stdlib,
// which the program imports and opens:
//
//	db, err := sql.Open("pgx", "postgres://servemap@db.example.com/servemap")
//	st, err := sqlstore.Open(db, nil)
//
// Another driver has to take Go slices for arrays, and to have errors with a
// method SQLState, as pgx does.
//
// An Update reads, and calls its fn, outside of any transaction. What it then
// writes takes one short transaction, which locks the one row that all writers
// of a table lock first, and compares what was read with what is there now. So
// writers queue, none waits for a fn or for a reader, and nobody can deadlock.
// Who finds something changed does it again, this time behind the lock, where
// nothing changes any more.
//
// An Update has reached the database server when it returns, and, unless the
// server is told otherwise by synchronous_commit=off, its disk. With that
// setting, what was written in the last second may be lost when the server
// dies, which is another death than that of this process; [Store.Sync] waits
// for the disk in any case.
package sqlstore

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/servemap/servemap/store"
)

const (
	defaultTable   = "servemap"
	defaultTimeout = 10 * time.Second
)

// Options adjusts a [Store]. The zero value of each field is the default.
type Options struct {
	// Table is the table that the records are kept in. Beside it stands
	// another one, with _format added to its name. It may have a schema before
	// it, as in "web.servemap". Each name is 1 to 50 lower-case letters, digits
	// and underscores, and does not begin with a digit. If empty, it is
	// "servemap" in the schema that the connection is in.
	//
	// Sites may share a table, since their records are kept apart by their
	// origins. With tables of their own, they do not wait for each other.
	Table string

	// Timeout is how long a call may take, or one step of a Scan. The database
	// server gives up a transaction of ours after the same time, so that a
	// process which stands still with a lock does not keep others waiting
	// longer. It must not be below 1 ms. If zero, it is 10 seconds.
	Timeout time.Duration

	// Logger receives what goes wrong, once per cause, and when it is over. If
	// nil, slog.Default() is used.
	Logger *slog.Logger
}

// A Store is a [store.Store] in a table of a PostgreSQL database. It may be
// used concurrently, and any number of Stores, in any number of processes, may
// use the same table. It has no state that needs closing.
type Store struct {
	db      *sql.DB
	sql     statements
	timeout time.Duration
	log     *slog.Logger

	ready atomic.Bool // the tables are there, and of our format

	mu         sync.Mutex
	logged     []string // the kinds of problems that were logged and last
	writesFail bool     // a write failed in them
}

var (
	_ store.Store  = (*Store)(nil)
	_ store.Sharer = (*Store)(nil)
)

// Shared reports true: what is in the store may be changed by other processes.
// A site then looks now and then what they have changed.
func (s *Store) Shared() bool { return true }

// Open returns a Store that keeps its records in db, which stays its opener's
// to close; calls fail with [store.ErrClosed] then. A nil opts means the
// defaults. Open fails only for a bad argument and does not ask the database.
//
// The first call that reaches the database makes the tables, or what is missing
// of them; a role that may not create tables needs to find them there. A table that
// a later version of this program has made anew is left alone: all calls fail then,
// and say so.
func Open(db *sql.DB, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	if db == nil {
		return nil, errors.New("sqlstore: no database given; open one with sql.Open")
	}
	if opts.Timeout != 0 && opts.Timeout < time.Millisecond {
		return nil, fmt.Errorf("sqlstore: Options.Timeout is %v; it must be 0 for the default, or at least 1 ms", opts.Timeout)
	}
	name := tableName{table: defaultTable}
	if opts.Table != "" {
		var err error
		if name, err = parseTable(opts.Table); err != nil {
			return nil, fmt.Errorf("sqlstore: Options.Table %w", err)
		}
	}
	s := &Store{db: db, sql: statementsFor(name), timeout: opts.Timeout, log: opts.Logger}
	if s.timeout == 0 {
		s.timeout = defaultTimeout
	}
	if s.log == nil {
		s.log = slog.Default()
	}
	return s, nil
}
