package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/postgres"
	"github.com/servemap/servemap/store"
)

// ownDatabase creates a database that is dropped when the test ends, and returns its name and
// address. Its settings do not affect other tests.
func ownDatabase(t *testing.T, admin *sql.DB) (name, at string) {
	t.Helper()
	name = "servemap_test_" + strings.ToLower(rand.Text()[:16])
	mustExec(t, admin, "CREATE DATABASE "+name)
	t.Cleanup(func() { mustExec(t, admin, "DROP DATABASE "+name+" WITH (FORCE)") })
	u, err := url.Parse(postgres.Address)
	base.Check(t, err)
	u.Path = "/" + name
	return name, u.String()
}

// TestReadOnlyDatabaseIsRead makes a database read-only, as it is after a failover, and counts what is
// logged for a site that tries again and again.
func TestReadOnlyDatabaseIsRead(t *testing.T) {
	name, at := ownDatabase(t, postgres.Open(t))
	exec := func(query string) {
		t.Helper()
		db := dialWith(t, at, "default_transaction_read_only=off")
		defer db.Close()
		mustExec(t, db, query)
	}
	log := new(base.Log)
	db := postgres.Dial(t, at)
	db.SetConnMaxLifetime(100 * time.Millisecond) // a session may stay read-only as long as it lives
	s := openWith(t, db, &Options{Logger: log.Logger()})
	mustPut(t, s, "k", "1")
	exec(`ALTER DATABASE ` + name + ` SET default_transaction_read_only = on`)
	exec(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '` + name + `' AND pid <> pg_backend_pid()`)
	err := eventually(func() error { // at first it may meet the ended session
		return s.View(context.Background(), []string{"k"}, func([][]byte) error { return nil })
	})
	base.Check(t, err)
	for range 30 {
		if got := get(t, s, "k"); got != "1" {
			t.Fatalf("k is %q", got)
		}
		if err := put(s, "k", "2"); !errors.Is(err, store.ErrUnavailable) {
			t.Fatalf("Update: %v, want ErrUnavailable", err)
		}
	}
	log.Want(t, 1, "cannot be used")
	exec(`ALTER DATABASE ` + name + ` RESET default_transaction_read_only`)
	if err := eventually(func() error { return put(s, "k", "3") }); err != nil {
		t.Fatalf("when the database takes writes again: %v", err)
	}
	log.Want(t, 1, "works again")
}

// TestMissingTableIsMade removes the table. The next start must make it again, and so must a store
// that is open.
func TestMissingTableIsMade(t *testing.T) {
	for name, restart := range map[string]bool{"at the next start": true, "while open": false} {
		t.Run(name, func(t *testing.T) {
			s, db := open(t)
			mustPut(t, s, "k", "1")
			log := new(base.Log)
			s.log = log.Logger()
			mustExec(t, db, "DROP TABLE "+s.table)
			if restart {
				s = openWith(t, db, &Options{Table: s.table, Logger: log.Logger()})
			}
			mustPut(t, s, "new", "1")
			if got := get(t, s, "k"); got != "" {
				t.Errorf("the dropped table holds %q", got)
			}
			log.Want(t, 1, "the site is learned from the start")
		})
	}
}
