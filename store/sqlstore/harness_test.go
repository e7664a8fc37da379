package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/postgres"
)

var (
	put, mustPut, get = base.Put, base.MustPut, base.Get
	mustExec, schema  = postgres.Exec, postgres.Schema
)

// open returns a store in its own schema, and a handle to the database.
func open(t testing.TB) (*Store, *sql.DB) {
	t.Helper()
	db := postgres.Open(t)
	return openTable(t, db, schema(t, db)+".servemap"), db
}

func openTable(t testing.TB, db *sql.DB, table string) *Store {
	t.Helper()
	return openWith(t, db, &Options{Table: table})
}

func openWith(t testing.TB, db *sql.DB, opts *Options) *Store {
	t.Helper()
	s, err := Open(db, opts)
	base.Check(t, err)
	s.timeout = time.Minute // this machine may be busy
	return s
}

// dialWith returns a handle whose connections have a setting, such as "role=web".
func dialWith(t testing.TB, address, setting string) *sql.DB {
	t.Helper()
	return postgres.Dial(t, postgres.With(t, address, setting))
}

// network is between a store and its database, and can fail.
type network struct {
	mu    sync.Mutex
	down  bool // nobody can connect
	mute  bool // what is sent is lost
	conns []net.Conn
}

// fail makes the network lose what is sent, or end all connections and take no new ones.
func (n *network) fail(mute, down bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.mute, n.down = mute, down; down {
		for _, conn := range n.conns {
			conn.Close()
		}
	}
}

func (n *network) mend() { n.fail(false, false) }

func (n *network) dial(ctx context.Context, kind, address string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.down {
		return nil, errors.New("nobody listens")
	}
	conn, err := new(net.Dialer).DialContext(ctx, kind, address)
	if err != nil {
		return nil, err
	}
	n.conns = append(n.conns, conn)
	return link{conn, n}, nil
}

// link is a connection through a network.
type link struct {
	net.Conn
	net *network
}

func (l link) Write(p []byte) (int, error) {
	l.net.mu.Lock()
	mute := l.net.mute
	l.net.mu.Unlock()
	if mute {
		return len(p), nil
	}
	return l.Conn.Write(p)
}

// throughNetwork returns a store that reaches its database through a network. The database has "1" at k.
func throughNetwork(t *testing.T) (*Store, *network, *base.Log) {
	t.Helper()
	table := schema(t, postgres.Open(t)) + ".servemap"
	config, err := pgx.ParseConfig(postgres.Address)
	base.Check(t, err)
	n, log := new(network), new(base.Log)
	config.DialFunc = n.dial
	db := stdlib.OpenDB(*config)
	t.Cleanup(func() { n.mend(); db.Close() })
	s := openWith(t, db, &Options{Table: table, Logger: log.Logger()})
	mustPut(t, s, "k", "1")
	return s, n, log
}
