package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"testing"

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
	base.Equal(t, get(t, openTable(t, db, two+".servemap"), "k"), "default", "the default table, named in full, holds")
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
	base.Equal(t, get(t, openTable(t, db, table), "n"), "xxxxxx", "six servers that start together left")
}

// TestRoleMayLackTheRightToCreate uses a role that may read and write, but create nothing.
func TestRoleMayLackTheRightToCreate(t *testing.T) {
	s, db := open(t)
	mustPut(t, s, "k", "1")
	table := s.sql.name
	role := table.schema + "_role"
	mustExec(t, db, "CREATE ROLE "+role)
	t.Cleanup(func() { mustExec(t, db, "DROP OWNED BY "+role+"; DROP ROLE "+role) })
	mustExec(t, db, "GRANT USAGE ON SCHEMA "+table.schema+" TO "+role)
	mustExec(t, db, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA "+table.schema+" TO "+role)
	as := openTable(t, dialWith(t, postgres.Address, "role="+role), table.String())
	mustPut(t, as, "k", get(t, as, "k")+"2")
	if got := get(t, s, "k"); got != "12" {
		t.Errorf("a role without the right to make tables left %q, want 12", got)
	}
	none := openTable(t, dialWith(t, postgres.Address, "role="+role), table.schema+".other")
	none.log = new(base.Log).Logger()
	if err := put(none, "k", "1"); !errors.Is(err, store.ErrUnavailable) ||
		!strings.Contains(err.Error(), "GRANT USAGE, CREATE ON SCHEMA") {
		t.Errorf("where it would have to make them: %v, want ErrUnavailable and the right that is missing", err)
	}
	mustExec(t, db, "REVOKE UPDATE ON ALL TABLES IN SCHEMA "+table.schema+" FROM "+role)
	as.log = new(base.Log).Logger()
	if err := put(as, "k", "3"); err == nil || !strings.Contains(err.Error(), "GRANT SELECT, INSERT, UPDATE, DELETE ON") {
		t.Errorf("without the right to write: %v, want the rights that it needs", err)
	}
}

// TestLaterFormatIsNotTouched makes another process change the tables to an unknown format, before and after
// the first call.
func TestLaterFormatIsNotTouched(t *testing.T) {
	s, db := open(t)
	mustPut(t, s, "k", "1")
	table := s.sql.name.quoted("_format")
	mustExec(t, db, "UPDATE "+table+" SET version = 2")
	late := openTable(t, db, s.sql.name.String())
	view := func(st *Store) error {
		return st.View(context.Background(), []string{"k"}, func([][]byte) error { return nil })
	}
	log := new(base.Log)
	late.log, s.log = log.Logger(), log.Logger()
	for name, err := range map[string]error{
		"View": view(late), "Update": put(late, "k", "2"), "Sync": late.Sync(context.Background()),
		"Update of one that was open": put(s, "k", "2"),
	} {
		if !errors.Is(err, errLater) || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s with a later format: %v, want an error that says so, and not that it will pass", name, err)
		}
	}
	mustExec(t, db, "UPDATE "+table+" SET version = 1")
	base.Equal(t, get(t, late, "k"), "1", "a store of a later format holds")
	log.Want(t, 2, "level=ERROR") // one of each handle
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

// TestUpdateThatChangesNothingTakesNoLock checks that such an update takes no lock, and so works next to a
// writer.
func TestUpdateThatChangesNothingTakesNoLock(t *testing.T) {
	s, db := open(t)
	mustPut(t, s, "k", "1")
	holdLock(t, s, db, "60s")
	errMine := errors.New("mine")
	for name, fn := range map[string]func([][]byte) error{
		"leaves all as it is": func([][]byte) error { return nil },
		"writes the same":     func(values [][]byte) error { values[0] = []byte("1"); return nil },
		"fails":               func([][]byte) error { return errMine },
	} {
		err := s.Update(context.Background(), []string{"k", "absent"}, fn)
		if err != nil && err != errMine {
			t.Errorf("an update that %s, beside another writer: %v", name, err)
		}
	}
}

// TestScanTakesRecordsOfMixedSizes puts long records after many short ones, so that pages grow and
// then must be cut.
func TestScanTakesRecordsOfMixedSizes(t *testing.T) {
	s, db := open(t)
	mustPut(t, s, "k", "1")
	mustExec(t, db, `INSERT INTO `+s.sql.name.quoted("")+`
		SELECT 'a' || lpad(i::text, 5, '0'), '\x01' FROM generate_series(1, 12000) AS i`)
	mustExec(t, db, `INSERT INTO `+s.sql.name.quoted("")+`
		SELECT 'b' || lpad(i::text, 5, '0'), decode(repeat('ab', 65536), 'hex') FROM generate_series(1, 200) AS i`)
	n, last := 0, ""
	for r, err := range s.Scan(context.Background(), "", "") {
		base.Check(t, err)
		if r.Key <= last {
			t.Fatalf("key %q after %q", r.Key, last)
		}
		n, last = n+1, r.Key
	}
	if n != 12_201 {
		t.Errorf("Scan yields %d records, want 12,201", n)
	}
}
