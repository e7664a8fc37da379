package fleet_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/memstore"
	"github.com/servemap/servemap/store/sqlstore"
)

// inPostgres returns a store in a schema of PostgreSQL that is dropped with the
// test. It skips the test if there is none, except where there must be one.
func inPostgres(t *testing.T) store.Store {
	t.Helper()
	db, err := sql.Open("pgx", cmp.Or(os.Getenv("DATABASE_URL"), "postgres://postgres@127.0.0.1:5432/test"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	schema := "servemap_test_" + strings.ToLower(rand.Text()[:16])
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA "+schema); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("PostgreSQL does not answer: %v", err)
		}
		t.Skipf("PostgreSQL does not answer; start one, or name it in DATABASE_URL: %v", err)
	}
	t.Cleanup(func() { _, _ = db.ExecContext(context.Background(), "DROP SCHEMA "+schema+" CASCADE") })
	st, err := sqlstore.Open(db, &sqlstore.Options{Table: schema + ".servemap"})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// shop is a site of pages that say when they changed, of which some can be taken
// out of it.
func shop(pages int, gone func(path string) bool) http.Handler {
	mux := http.NewServeMux()
	links := make([]string, pages)
	changed := time.Now().Add(-1000 * time.Hour).Truncate(time.Second)
	for i := range links {
		path := fmt.Sprintf("/item/%02d", i)
		links[i] = path
		modified := changed.Add(time.Duration(i) * time.Minute).UTC().Format(http.TimeFormat)
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if gone(path) {
				http.Error(w, "gone", http.StatusGone)
				return
			}
			w.Header().Set("Last-Modified", modified)
			page("an item of its own kind")(w, r)
		})
	}
	mux.HandleFunc("/{$}", page("home", links...))
	return mux
}

// TestAFleetServesOneSitemap has several sites on one store each see a part of the
// traffic of a site, and one alone see all of it.
func TestAFleetServesOneSitemap(t *testing.T) {
	stores := []struct {
		name string
		open func(*testing.T) store.Store
	}{
		{"in memory", func(*testing.T) store.Store { return new(memstore.Store) }},
		{"in PostgreSQL", inPostgres},
	}
	for _, tt := range stores {
		for _, n := range []int{2, 4} {
			t.Run(fmt.Sprintf("%d %s", n, tt.name), func(t *testing.T) {
				const pages = 24
				const leaves = "/item/07"
				var left atomic.Bool
				h := shop(pages, func(path string) bool { return path == leaves && left.Load() })
				opts := servemap.Options{Limits: servemap.Limits{PartPages: 10, RenderEvery: 10 * time.Millisecond, RefreshEvery: 50 * time.Millisecond}}
				start := func(st store.Store, opts servemap.Options) (*servemap.Site, *web) {
					site := newSite(t, st, &opts)
					return site, serve(t, site.Wrap(h))
				}
				shared := tt.open(t)
				alone := opts
				alone.Limits.RefreshEvery = 0
				one, oneWeb := start(new(memstore.Store), alone)
				var fleet []*web
				for range n {
					_, w := start(shared, opts)
					fleet = append(fleet, w)
				}
				visit := func(i int, path string) {
					fleet[i%n].visit(path)
					oneWeb.visit(path)
				}
				for i := range n {
					visit(i, "/")
				}
				for i := range pages {
					visit(i, fmt.Sprintf("/item/%02d", i))
				}
				want := func(pages int) {
					t.Helper()
					flush(t, one)
					await(t, func() string { return differ(oneWeb, fleet, pages) })
				}
				want(pages + 1)
				left.Store(true)
				visit(1, leaves)
				want(pages)
			})
		}
	}
}

// await waits until trouble returns "", and at most as long as a site may take
// that shares its machine with other tests.
func await(t *testing.T, trouble func() string) {
	t.Helper()
	why := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if why = trouble(); why == "" {
			return
		}
	}
	t.Error(why)
}

// differ says in what the sitemaps of a fleet, of 3 parts, differ from each other,
// or from that of one site in the set of their pages and what is said of them. Two
// sites may have made the same file a second apart, so the times in their indexes
// are left out.
func differ(one *web, fleet []*web, pages int) string {
	type file struct{ tag, body string }
	made := regexp.MustCompile(`<lastmod>.*?</lastmod>`)
	files := func(w *web) (all [4]file) {
		_, index := w.visit("/sitemap.xml")
		all[0] = file{body: made.ReplaceAllString(index, "")}
		for i, name := range []string{"/sitemap-1.xml", "/sitemap-2.xml", "/sitemap-3.xml"} {
			resp, body := w.visit(name)
			all[i+1] = file{resp.Header.Get("Etag"), body}
		}
		return all
	}
	entries := func(all [4]file) (lines []string) {
		for _, f := range all[1:] {
			for line := range strings.Lines(f.body) {
				if strings.HasPrefix(line, "<url>") {
					lines = append(lines, line)
				}
			}
		}
		slices.Sort(lines)
		return lines
	}
	want, first := entries(files(one)), files(fleet[0])
	switch got := entries(first); {
	case len(want) != pages:
		return fmt.Sprintf("one site lists %d pages, want %d", len(want), pages)
	case !slices.Equal(got, want):
		return fmt.Sprintf("a fleet lists\n%s\none site\n%s", got, want)
	}
	for i, w := range fleet[1:] {
		if got := files(w); got != first {
			return fmt.Sprintf("site %d serves\n%v\nsite 0\n%v", i+1, got, first)
		}
	}
	return ""
}

// A store that says that it is shared is looked at by default.
func TestAStoreThatIsSharedIsRefreshedByDefault(t *testing.T) {
	for _, tt := range []struct {
		name string
		st   store.Store
		told bool
	}{
		{"shared", sharedStore{new(memstore.Store)}, true},
		{"not shared", new(memstore.Store), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			site := newSite(t, tt.st, nil)
			serve(t, site.Wrap(page("home"))).visit("/")
			flush(t, site)
			told := false
			for r, err := range tt.st.Scan(t.Context(), origin+"|told|", "") {
				if err != nil {
					t.Fatal(err)
				}
				told = told || r.Key != ""
			}
			if told != tt.told {
				t.Errorf("others are told what changed: %v, want %v", told, tt.told)
			}
		})
	}
}

type sharedStore struct{ *memstore.Store }

func (sharedStore) Shared() bool { return true }
