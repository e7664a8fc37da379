package e2e

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/sqlstore"
)

// readOnlyDatabase is a PostgreSQL database of a test's own, which can be made
// read-only.
type readOnlyDatabase struct {
	*testing.T
	admin *sql.DB
	name  string
	at    string
}

// newReadOnlyDatabase makes one that is dropped with the test. It skips the test
// if there is no PostgreSQL, except where there must be.
func newReadOnlyDatabase(t *testing.T) *readOnlyDatabase {
	t.Helper()
	u, err := url.Parse(cmp.Or(os.Getenv("DATABASE_URL"), "postgres://postgres@127.0.0.1:5432/test"))
	if err != nil {
		t.Fatal(err)
	}
	d := &readOnlyDatabase{T: t, name: "servemap_test_" + strings.ToLower(rand.Text()[:16])}
	if d.admin, err = sql.Open("pgx", u.String()); err != nil {
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
	u.Path = "/" + d.name
	d.at = u.String()
	return d
}

func (d *readOnlyDatabase) exec(query string) {
	d.Helper()
	if _, err := d.admin.ExecContext(context.Background(), query); err != nil {
		d.Errorf("%s: %v", query, err)
	}
}

// failOver ends all sessions; those that follow can only read.
func (d *readOnlyDatabase) failOver() {
	d.exec("ALTER DATABASE " + d.name + " SET default_transaction_read_only = on")
	d.exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + d.name + "'")
}

// recover lets new sessions write. Those that are open go on being read-only.
func (d *readOnlyDatabase) recover() {
	d.exec("ALTER DATABASE " + d.name + " RESET default_transaction_read_only")
}

// TestDatabaseThatOnlyReads has a site's database fail over to a server that takes
// no writes, and back.
func TestDatabaseThatOnlyReads(t *testing.T) {
	d := newReadOnlyDatabase(t)
	db, err := sql.Open("pgx", d.at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	log := &logText{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	st, err := sqlstore.Open(db, &sqlstore.Options{Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	site, err := servemap.New("https://example.com", st, &servemap.Options{Limits: servemap.Limits{RenderEvery: 10 * time.Millisecond}, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	var pages atomic.Int64 // that the home page links to
	pages.Store(3)
	srv := httptest.NewServer(site.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<!DOCTYPE html><html><head><title>%[1]s</title></head><body><main><p>This is %[1]s.</p>", r.URL.Path)
		for i := range pages.Load() {
			fmt.Fprintf(w, `<a href="/page/%[1]d">Page %[1]d</a>`, i)
		}
		_, _ = io.WriteString(w, "</main></body></html>")
	})))
	t.Cleanup(srv.Close)
	visit := func(path string) string {
		t.Helper()
		resp, err := srv.Client().Get(srv.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || path != "/sitemap.xml" && resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v", path, resp.StatusCode, err)
		}
		return string(body)
	}
	await := func(what string, so func() bool) {
		t.Helper()
		look := time.NewTicker(50 * time.Millisecond)
		defer look.Stop()
		for end := time.Now().Add(30 * time.Second); !so(); <-look.C {
			if time.Now().After(end) {
				t.Fatalf("after 30 s it is not so that %s; Stats().Store is %q; the log:\n%s", what, site.Stats().Store, log)
			}
		}
	}
	visit("/")
	await("the home page is listed", func() bool { return strings.Contains(visit("/sitemap.xml"), "https://example.com/<") })

	d.failOver()
	visit("/page/0")
	const outage = 8 * time.Second
	await("Stats tells that nothing can be written", func() bool { return strings.Contains(site.Stats().Store, "25006") })
	lines := strings.Count(log.String(), "\n")
	for end := time.Now().Add(outage); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		visit("/page/1")
		if got := site.Stats().Store; got == "" {
			t.Fatal("Stats tells of no problem although nothing can be written")
		}
		if !strings.Contains(visit("/sitemap.xml"), "https://example.com/<") {
			t.Fatal("the home page left the sitemap")
		}
	}
	if more := strings.Count(log.String(), "\n") - lines; more > 0 {
		t.Errorf("%v without a write were logged in %d more lines, want none:\n%s", outage, more, log)
	}

	d.recover()
	await("the store works again", func() bool { return site.Stats().Store == "" })
	await("what was seen meanwhile is listed", func() bool {
		sitemap := visit("/sitemap.xml")
		return strings.Contains(sitemap, "/page/0<") && strings.Contains(sitemap, "/page/1<")
	})
	if n := strings.Count(log.String(), "works again"); n < 1 || n > 2 {
		t.Errorf("that it works again was logged %d times:\n%s", n, log)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := site.Close(ctx); err != nil {
		t.Error(err)
	}
}
