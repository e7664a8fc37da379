package e2e

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/store/sqlstore"
)

// database is a test's own PostgreSQL database, which can become read-only.
type database struct {
	testing.TB
	admin *sql.DB
	name  string
	url   url.URL
}

// newDatabase makes a database that is dropped with the test. Without PostgreSQL it skips the test,
// or fails it where PostgreSQL must be there.
func newDatabase(t testing.TB) *database {
	t.Helper()
	at, err := url.Parse(cmp.Or(os.Getenv("DATABASE_URL"), "postgres://postgres@127.0.0.1:5432/test"))
	if err != nil {
		t.Fatal(err)
	}
	d := &database{TB: t, name: "servemap_test_" + strings.ToLower(rand.Text()[:16]), url: *at}
	if d.admin, err = sql.Open("pgx", at.String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.admin.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := d.admin.ExecContext(ctx, "CREATE DATABASE "+d.name); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("PostgreSQL does not answer: %v", err)
		}
		t.Skipf("PostgreSQL does not answer; start one, or name it in DATABASE_URL: %v", err)
	}
	t.Cleanup(func() { d.exec("DROP DATABASE " + d.name + " WITH (FORCE)") })
	d.url.Path = "/" + d.name
	return d
}

func (d *database) exec(query string) {
	d.Helper()
	if _, err := d.admin.ExecContext(context.Background(), query); err != nil {
		d.Errorf("%s: %v", query, err)
	}
}

// open returns a store in the database that logs to log.
func (d *database) open(log *testkit.Log) *sqlstore.Store {
	d.Helper()
	db, err := sql.Open("pgx", d.url.String())
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(func() { db.Close() })
	st, err := sqlstore.Open(db, &sqlstore.Options{Logger: log.Logger()})
	if err != nil {
		d.Fatal(err)
	}
	return st
}

// failOver ends all sessions. New ones can only read.
func (d *database) failOver() {
	d.exec("ALTER DATABASE " + d.name + " SET default_transaction_read_only = on")
	d.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + d.name + "'")
}

// recover lets new sessions write. Open sessions stay read-only.
func (d *database) recover() {
	d.exec("ALTER DATABASE " + d.name + " RESET default_transaction_read_only")
}

// countedStore counts attempted updates.
type countedStore struct {
	*sqlstore.Store
	updates atomic.Int64
}

func (s *countedStore) Update(ctx context.Context, keys []string, fn func([][]byte) error) error {
	s.updates.Add(1)
	return s.Store.Update(ctx, keys, fn)
}

// A site's database fails over to a server that takes no writes, and back.
func TestDatabaseThatOnlyReads(t *testing.T) {
	d := newDatabase(t)
	log := new(testkit.Log)
	st := &countedStore{Store: d.open(log)}
	h := testkit.PageOfItsURL("/page/0", "/page/1", "/page/2")
	s := testkit.Start(t, testkit.Setup{Store: st, Log: log, Options: renderOften(), Handler: h})
	visit := func(path string) string {
		t.Helper()
		a := s.Get(path)
		if path != "/sitemap.xml" && a.Status != http.StatusOK {
			t.Fatalf("%s: status %d", path, a.Status)
		}
		return a.Body
	}
	visit("/")
	s.Await("the home page is listed", func() bool { return strings.Contains(visit("/sitemap.xml"), testkit.Origin+"/<") })

	d.failOver()
	visit("/page/0")
	s.Await("Stats tells that nothing can be written", func() bool { return strings.Contains(s.Stats().Store, "25006") })
	lines, updates := strings.Count(log.String(), "\n"), st.updates.Load()
	s.Await("four more updates were tried", func() bool {
		visit("/page/1")
		if s.Stats().Store == "" {
			t.Fatal("Stats tells of no problem although nothing can be written")
		}
		if !strings.Contains(visit("/sitemap.xml"), testkit.Origin+"/<") {
			t.Fatal("the home page left the sitemap")
		}
		return st.updates.Load() >= updates+4
	})
	if more := strings.Count(log.String(), "\n") - lines; more > 0 {
		t.Errorf("four updates that failed were logged in %d more lines, want none:\n%s", more, log)
	}

	d.recover()
	s.Await("the store works again", func() bool { return s.Stats().Store == "" })
	s.Await("what was seen meanwhile is listed", func() bool {
		sitemap := visit("/sitemap.xml")
		return strings.Contains(sitemap, "/page/0<") && strings.Contains(sitemap, "/page/1<")
	})
	if n := strings.Count(log.String(), "works again"); n < 1 || n > 2 {
		t.Errorf("that it works again was logged %d times:\n%s", n, log)
	}
}
