package e2e

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
	"github.com/servemap/servemap/store/sqlstore"
)

// renderOften returns options for sites in real time.
func renderOften() servemap.Options {
	return servemap.Options{Limits: servemap.Limits{RenderEvery: 10 * time.Millisecond}}
}

// shop is a site of dated items. One of them can leave.
func shop(items []string, leaves string, left *atomic.Bool) http.Handler {
	changed := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	pages := testkit.Paths{"/": testkit.Page("home", items...)}
	for i, path := range items {
		modified := changed.Add(time.Duration(i) * time.Minute).Format(http.TimeFormat)
		item := testkit.Reply(http.StatusOK, testkit.HTML("", "the item "+path), "Last-Modified", modified)
		pages[path] = func(w http.ResponseWriter, r *http.Request) {
			if path == leaves && left.Load() {
				http.Error(w, "gone", http.StatusGone)
				return
			}
			item(w, r)
		}
	}
	return pages
}

// Several sites on one store each see a part of a site's visits. Another site alone sees all of
// them.
func TestFleetServesOneSitemap(t *testing.T) {
	for _, n := range []int{2, 4} {
		t.Run(fmt.Sprintf("%d in memory", n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { testFleet(t, n, new(memstore.Store)) })
		})
		t.Run(fmt.Sprintf("%d in PostgreSQL", n), func(t *testing.T) {
			testFleet(t, n, newDatabase(t).open(new(testkit.Log)))
		})
	}
}

func testFleet(t *testing.T, n int, st store.Store) {
	const leaves = "/item/07"
	var left atomic.Bool
	var items []string
	for i := range 24 {
		items = append(items, fmt.Sprintf("/item/%02d", i))
	}
	opts := renderOften()
	opts.Limits.PartPages = 10 // so that there are 3 files
	h := shop(items, leaves, &left)
	alone := testkit.Start(t, testkit.Setup{Options: opts, Handler: h})
	opts.Limits.RefreshEvery = 50 * time.Millisecond
	var fleet []*testkit.Site
	for range n {
		fleet = append(fleet, testkit.Start(t, testkit.Setup{Store: st, Options: opts, Handler: h}))
	}
	visit := func(i int, path string) {
		fleet[i%n].Get(path)
		alone.Get(path)
	}
	awaitSame := func(pages int) {
		t.Helper()
		alone.Settle()
		want := entriesOf(alone)
		if len(want) != pages {
			t.Fatalf("the site alone lists %d pages, want %d", len(want), pages)
		}
		why := ""
		t.Cleanup(func() {
			if t.Failed() {
				t.Log(why)
			}
		})
		alone.Await("the fleet serves what the site alone does", func() bool {
			why = difference(want, fleet)
			return why == ""
		})
	}
	for i := range n {
		visit(i, "/")
	}
	for i, path := range items {
		visit(i, path)
	}
	awaitSame(len(items) + 1)
	left.Store(true)
	visit(1, leaves)
	awaitSame(len(items))
}

// indexTimes are left out of comparisons, since two sites may make the same file a second apart.
var indexTimes = regexp.MustCompile(`<lastmod>.*?</lastmod>`)

// filesOf returns the index and the three files of a site, with their tags.
func filesOf(s *testkit.Site) (all [4]string) {
	all[0] = indexTimes.ReplaceAllString(s.Get("/sitemap.xml").Body, "")
	for i := 1; i < 4; i++ {
		a := s.Get(fmt.Sprintf("/sitemap-%d.xml", i))
		all[i] = a.Header.Get("Etag") + "\n" + a.Body
	}
	return all
}

// entriesOf returns what a site's files say about each page.
func entriesOf(s *testkit.Site) map[string]bool {
	entries := map[string]bool{}
	for _, file := range filesOf(s) {
		for line := range strings.Lines(file) {
			if strings.HasPrefix(line, "<url>") {
				entries[line] = true
			}
		}
	}
	return entries
}

// difference says how the sites of a fleet differ from each other, or how the first one differs
// from the wanted entries.
func difference(want map[string]bool, fleet []*testkit.Site) string {
	if got := entriesOf(fleet[0]); !maps.Equal(got, want) {
		return fmt.Sprintf("the fleet lists\n%v\nwant\n%v", got, want)
	}
	first := filesOf(fleet[0])
	for i, s := range fleet {
		if got := filesOf(s); got != first {
			return fmt.Sprintf("site %d serves\n%v\nsite 0\n%v", i, got, first)
		}
	}
	return ""
}

// sharedStore is a store that says that it is shared.
type sharedStore struct{ *memstore.Store }

func (sharedStore) Shared() bool { return true }

func TestSharedStoreIsPolledByDefault(t *testing.T) {
	for _, tt := range []struct {
		name string
		st   store.Store
		want bool
	}{
		{"shared", sharedStore{new(memstore.Store)}, true},
		{"not shared", new(memstore.Store), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				setup := testkit.Setup{Store: tt.st, Handler: testkit.Page("home")}
				one, other := testkit.Start(t, setup), testkit.Start(t, setup)
				other.Settle() // it has read the store, which is empty
				one.Visit("/")
				time.Sleep(time.Minute)
				if got := strings.Contains(other.Get("/sitemap.xml").Body, "<loc>"); got != tt.want {
					t.Errorf("another process serves what this one has seen: %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// database is a test's own PostgreSQL database, which can become read-only.
type database struct {
	testing.TB
	admin    *sql.DB
	name     string
	url      url.URL
	sessions int // how many a store may have, 0 for any number
}

// newDatabase makes a database that is dropped with the test. Without PostgreSQL it skips the test,
// or fails it where PostgreSQL must be there.
func newDatabase(t testing.TB) *database {
	t.Helper()
	at, err := url.Parse(cmp.Or(os.Getenv("DATABASE_URL"), "postgres://postgres@127.0.0.1:5432/test"))
	base.Check(t, err)
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
	base.Check(d, err)
	db.SetMaxOpenConns(d.sessions)
	d.Cleanup(func() { db.Close() })
	st, err := sqlstore.Open(db, &sqlstore.Options{Logger: log.Logger()})
	base.Check(d, err)
	return st
}

// failOver ends all sessions, and returns when they have ended. New ones can only read.
func (d *database) failOver() {
	d.exec("ALTER DATABASE " + d.name + " SET default_transaction_read_only = on")
	d.exec("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '" + d.name + "'")
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
func TestSiteServesWhileItsDatabaseOnlyReads(t *testing.T) {
	d := newDatabase(t)
	d.sessions = 1 // the end of each may be logged
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
