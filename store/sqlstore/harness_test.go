package sqlstore

import (
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

// address returns where the tests find PostgreSQL.
func address() string {
	if url := os.Getenv("DATABASE_URL"); url != "" {
		return url
	}
	return "postgres://postgres@127.0.0.1:5432/test"
}

// reach returns whether PostgreSQL answers. It asks only once.
var reach = sync.OnceValue(func() error {
	db, err := sql.Open("pgx", address())
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return db.PingContext(ctx)
})

// database returns a handle to PostgreSQL that is closed when the test ends. Without PostgreSQL it
// skips the test, or fails it in CI.
func database(t testing.TB) *sql.DB {
	t.Helper()
	if err := reach(); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("PostgreSQL does not answer: %v", err)
		}
		t.Skipf("PostgreSQL does not answer; start one, or name it in DATABASE_URL: %v", err)
	}
	return dial(t, address())
}

func dial(t testing.TB, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", url)
	base.Check(t, err)
	db.SetMaxIdleConns(8)
	t.Cleanup(func() { db.Close() })
	return db
}

// schema makes a schema that is dropped when the test ends, and returns its name.
func schema(t testing.TB, db *sql.DB) string {
	t.Helper()
	name := "servemap_test_" + strings.ToLower(rand.Text()[:16])
	mustExec(t, db, "CREATE SCHEMA "+name)
	t.Cleanup(func() { mustExec(t, db, "DROP SCHEMA "+name+" CASCADE") })
	return name
}

func mustExec(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// open returns a store in its own schema, and a handle to the database.
func open(t testing.TB) (*Store, *sql.DB) {
	t.Helper()
	db := database(t)
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
	return s
}

func put(st store.Store, key, value string) error {
	return st.Update(context.Background(), []string{key}, func(values [][]byte) error {
		values[0] = []byte(value)
		return nil
	})
}

func mustPut(t testing.TB, st store.Store, key, value string) {
	t.Helper()
	if err := put(st, key, value); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// get returns the value of key, or "".
func get(t testing.TB, st store.Store, key string) (got string) {
	t.Helper()
	err := st.View(context.Background(), []string{key}, func(values [][]byte) error {
		got = string(values[0])
		return nil
	})
	if err != nil {
		t.Fatalf("View: %v", err)
	}
	return got
}

// withSetting returns the address with a setting that applies to each connection.
func withSetting(address, setting string) string {
	if setting == "" {
		return address
	}
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	q := u.Query()
	name, value, _ := strings.Cut(setting, "=")
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}
