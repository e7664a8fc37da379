package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"testing"

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

// TestReadOnlyDatabaseIsRead counts what is logged for a site that tries again and again.
func TestReadOnlyDatabaseIsRead(t *testing.T) {
	for _, c := range []struct {
		name, refuse, allow string
		syncs               bool // Sync still works
	}{
		{
			name:   "read-only, as a database is after a failover",
			refuse: `ALTER DATABASE {name} SET default_transaction_read_only = on`,
			allow:  `ALTER DATABASE {name} RESET default_transaction_read_only`,
		},
		{
			name: "its disk full",
			refuse: `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
				$$ BEGIN RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
				CREATE TRIGGER refuse BEFORE INSERT ON servemap EXECUTE FUNCTION refuse()`,
			allow: `DROP TRIGGER refuse ON servemap`,
			syncs: true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, at := ownDatabase(t, postgres.Open(t))
			exec := func(query string) {
				t.Helper()
				db := dialWith(t, at, "default_transaction_read_only=off")
				defer db.Close()
				mustExec(t, db, strings.ReplaceAll(query, "{name}", name))
			}
			log := new(base.Log)
			db := postgres.Dial(t, at)
			s := openWith(t, db, &Options{Logger: log.Logger()})
			mustPut(t, s, "k", "1")
			exec(c.refuse)
			exec(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()`)
			err := eventually(func() error { // at first it may meet the ended session
				return s.View(context.Background(), []string{"k"}, func([][]byte) error { return nil })
			})
			base.Check(t, err)
			before := log.Count("\n")
			for range 30 {
				if got := get(t, s, "k"); got != "1" {
					t.Fatalf("k is %q", got)
				}
				if err := put(s, "k", "2"); !errors.Is(err, store.ErrUnavailable) {
					t.Fatalf("Update: %v, want ErrUnavailable", err)
				}
				if err := s.Sync(context.Background()); (err == nil) != c.syncs {
					t.Fatalf("Sync: %v", err)
				}
			}
			if lines := log.Count("\n") - before; lines > 1 || log.Count("cannot be used") < 1 {
				t.Errorf("30 failures to write were logged in %d lines, want 1:\n%s", lines, log)
			}
			exec(c.allow)
			again := log.Count("works again")
			if err := eventually(func() error { return put(s, "k", "3") }); err != nil {
				t.Fatalf("when the database takes writes again: %v", err)
			}
			log.Want(t, again+1, "works again")
		})
	}
}

// TestReadOnlySessionIsGivenUp makes the only session of a pool read-only.
func TestReadOnlySessionIsGivenUp(t *testing.T) {
	for name, call := range map[string]func(*Store) error{
		"Update": func(s *Store) error { return put(s, "k", "2") },
		"Sync":   func(s *Store) error { return s.Sync(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			s, db := open(t)
			s.log = new(base.Log).Logger()
			mustPut(t, s, "k", "1")
			db.SetMaxOpenConns(1)
			mustExec(t, db, `SET default_transaction_read_only = on`)
			if err := call(s); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("with a session that is read-only: %v, want ErrUnavailable", err)
			}
			if err := call(s); err != nil {
				t.Errorf("with the next session: %v", err)
			}
		})
	}
}

// TestMissingTableIsMade removes tables. The next start must make them again, and so must a
// store that is open.
func TestMissingTableIsMade(t *testing.T) {
	for _, c := range []struct {
		name, lose string
		kept       bool // whether the records are kept
	}{
		{"the format's row", `DELETE FROM {name}_format`, true},
		{"the format table's rows, truncated", `TRUNCATE {name}_format`, true},
		{"the format table", `DROP TABLE {name}_format`, true},
		{"the records' table", `DROP TABLE {name}`, false},
		{"both", `DROP TABLE {name}, {name}_format`, false},
		{"the records and the format's row", `DROP TABLE {name}; DELETE FROM {name}_format`, false},
	} {
		for _, restart := range []bool{true, false} {
			t.Run(c.name+map[bool]string{true: ", at the next start", false: ", while open"}[restart], func(t *testing.T) {
				s, db := open(t)
				mustPut(t, s, "k", "1")
				log := new(base.Log)
				s.log = log.Logger()
				table := s.sql.name.String()
				mustExec(t, db, strings.ReplaceAll(c.lose, "{name}", table))
				if restart {
					s = openWith(t, db, &Options{Table: table, Logger: log.Logger()})
					mustPut(t, s, "new", "1")
				} else {
					_ = put(s, "new", "1")
					mustPut(t, s, "new", "1")
				}
				base.Equal(t, get(t, s, "k") == "1", c.kept, "the records were kept")
				if told := log.Count("the site is learned from the start") == 1; told == c.kept {
					t.Errorf("the log tells that the records are lost: %t, want %t:\n%s", told, !c.kept, log)
				}
				if err := s.Sync(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
