// Package postgres gives tests a PostgreSQL database: that of DATABASE_URL, or one on this machine.
package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver

	"github.com/servemap/servemap/internal/testkit/base"
)

// Address is where the tests find PostgreSQL. They use no TLS: the end of a connection would read random
// numbers while another test fixes them.
var Address = cmp.Or(os.Getenv("DATABASE_URL"), "postgres://postgres@127.0.0.1:5432/test?sslmode=disable")

// answers returns an error if PostgreSQL does not answer. It asks only once.
var answers = sync.OnceValue(func() error {
	db, err := sql.Open("pgx", Address)
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return db.PingContext(ctx)
})

// Open returns a handle to PostgreSQL that is closed when the test ends. Without PostgreSQL it
// skips the test, or fails it where PostgreSQL must be there.
func Open(t testing.TB) *sql.DB {
	t.Helper()
	if err := answers(); err != nil {
		base.Lacks(t, "PostgreSQL does not answer; start one, or name it in DATABASE_URL: %v", err)
	}
	return Dial(t, Address)
}

// Dial returns a handle to the database at an address. It is closed when the test ends.
func Dial(t testing.TB, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", address)
	base.Check(t, err)
	db.SetMaxIdleConns(8)
	t.Cleanup(func() { db.Close() })
	return db
}

// With returns an address whose connections have a setting, such as "role=web".
func With(t testing.TB, address, setting string) string {
	t.Helper()
	u, err := url.Parse(address)
	base.Check(t, err)
	name, value, _ := strings.Cut(setting, "=")
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// Schema makes a schema that is dropped when the test ends, and returns its name.
func Schema(t testing.TB, db *sql.DB) string {
	t.Helper()
	name := "servemap_test_" + strings.ToLower(rand.Text()[:16])
	Exec(t, db, "CREATE SCHEMA "+name)
	t.Cleanup(func() { Exec(t, db, "DROP SCHEMA "+name+" CASCADE") })
	return name
}

// Exec runs statements that must not fail.
func Exec(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(context.Background(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}
