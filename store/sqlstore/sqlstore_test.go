package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/postgres"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/storetest"
)

// TestStoreKeepsTheRulesForSeveralProcesses uses two handles with separate connections, like two processes.
func TestStoreKeepsTheRulesForSeveralProcesses(t *testing.T) {
	one, two := postgres.Open(t), postgres.Open(t)
	storetest.RunShared(t, func(t *testing.T) (a, b store.Store) {
		table := schema(t, one) + ".servemap"
		return openTable(t, one, table), openTable(t, two, table)
	})
}

func TestOpenRefusesBadArguments(t *testing.T) {
	db := postgres.Dial(t, postgres.Address) // it is never used
	for _, c := range []struct {
		name string
		db   *sql.DB
		opts *Options
		want string
	}{
		{"no database", nil, nil, "no database"},
		{"a negative timeout", db, &Options{Timeout: -1}, "Options.Timeout"},
		{"a timeout too short for the server", db, &Options{Timeout: time.Microsecond}, "Options.Timeout"},
		{"a table that is none", db, &Options{Table: `a"; DROP TABLE b; --`}, "Options.Table"},
		{"capitals", db, &Options{Table: "Servemap"}, "Options.Table"},
		{"a table too long", db, &Options{Table: strings.Repeat("t", 51)}, "Options.Table"},
		{"no table after the dot", db, &Options{Table: "web."}, "Options.Table"},
		{"two dots", db, &Options{Table: "a.b.c"}, "Options.Table"},
	} {
		if _, err := Open(c.db, c.opts); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open with %s: %v, want an error that names %s", c.name, err, c.want)
		}
	}
}

// TestTablesAreApart uses two stores in one schema, one in another, and one in the connection's
// schema.
func TestTablesAreApart(t *testing.T) {
	db := postgres.Open(t)
	one, two := schema(t, db), schema(t, db)
	own := dialWith(t, postgres.Address, "search_path="+two)
	stores := map[string]*Store{
		"a": openTable(t, db, one+".a"), "b": openTable(t, db, one+".b"), "c": openTable(t, db, two+".c"),
		"default": openWith(t, own, nil),
	}
	for name, s := range stores {
		mustPut(t, s, "k", name)
	}
	for name, s := range stores {
		if got := get(t, s, "k"); got != name {
			t.Errorf("store %s holds %q", name, got)
		}
	}
	if got := get(t, openTable(t, db, two+".servemap"), "k"); got != "default" {
		t.Errorf("the default table, named in full, holds %q", got)
	}
}

// TestProcessesMayStartTogether starts a fleet on an empty database.
func TestProcessesMayStartTogether(t *testing.T) {
	db := postgres.Open(t)
	table := schema(t, db) + ".servemap"
	var end sync.WaitGroup
	for range 6 {
		end.Go(func() {
			s := openTable(t, db, table)
			if err := s.Update(context.Background(), []string{"n"}, func(values [][]byte) error {
				values[0] = append(values[0], 'x')
				return nil
			}); err != nil {
				t.Errorf("Update at the first start: %v", err)
			}
		})
	}
	end.Wait()
	if got := get(t, openTable(t, db, table), "n"); got != "xxxxxx" {
		t.Errorf("six servers that start together left %q", got)
	}
}

// TestRoleMayLackTheRightToCreate uses a role that may read and write, but create nothing.
func TestRoleMayLackTheRightToCreate(t *testing.T) {
	s, db := open(t)
	mustPut(t, s, "k", "1")
	schema, _, _ := strings.Cut(s.table, ".")
	role := schema + "_role"
	mustExec(t, db, "CREATE ROLE "+role)
	t.Cleanup(func() { mustExec(t, db, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	mustExec(t, db, "GRANT USAGE ON SCHEMA "+schema+" TO "+role)
	mustExec(t, db, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "+schema+" TO "+role)
	as := openTable(t, dialWith(t, postgres.Address, "role="+role), s.table)
	mustPut(t, as, "k", get(t, as, "k")+"2")
	if got := get(t, s, "k"); got != "12" {
		t.Errorf("a role without the right to make tables left %q, want 12", got)
	}
	none := openTable(t, dialWith(t, postgres.Address, "role="+role), schema+".other")
	none.log = new(base.Log).Logger()
	if err := put(none, "k", "1"); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "permission denied for schema") {
		t.Errorf("where it would have to make them: %v, want ErrUnavailable and what is denied", err)
	}
}

func TestClosedDatabaseIsAClosedStore(t *testing.T) {
	s, _ := open(t)
	mustPut(t, s, "k", "1")
	s.db = postgres.Dial(t, postgres.Address)
	s.db.Close()
	if err := put(s, "k", "2"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("Update of a closed database: %v, want ErrClosed", err)
	}
	for _, err := range s.Scan(context.Background(), "", "") {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("Scan of a closed database: %v, want ErrClosed", err)
		}
	}
}
