package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/internal/testkit/postgres"
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
	t.Run("two in memory", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { testFleet(t, 2, sharedStore{new(memstore.Store)}) })
	})
	t.Run("four in PostgreSQL", func(t *testing.T) { testFleet(t, 4, inPostgres(t)) })
}

func testFleet(t *testing.T, n int, st store.Store) {
	const leaves = "/item/07"
	var left atomic.Bool
	var items []string
	for i := range 24 {
		items = append(items, fmt.Sprintf("/item/%02d", i))
	}
	opts := renderOften()
	opts.Limits.PartPages = 10 // so that there are 3 files, and one of a section
	// Each process observes the home page, the site alone only once. A second observation would say a word.
	opts.Rules = []servemap.Rule{{Pattern: "/$", ChangeFreq: "daily"}, {Pattern: "/item/1", Section: "tens"}}
	h := shop(items, leaves, &left)
	alone := testkit.Start(t, testkit.Setup{Options: opts, Handler: h})
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
		if len(want) != pages || !strings.Contains(filesOf(alone), "/sitemap-tens.xml ") {
			t.Fatalf("the site alone lists %d pages, want %d", len(want), pages)
		}
		base.Await(t, "the fleet serves what the site alone does", func() bool {
			first := filesOf(fleet[0])
			return maps.Equal(entriesOf(fleet[0]), want) && !slices.ContainsFunc(fleet,
				func(s *testkit.Site) bool { return filesOf(s) != first })
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
	fleet[0].Get(leaves) // another process got it before: each looks at a page once a minute
	base.Check(t, alone.Forget(t.Context(), leaves))
	awaitSame(len(items))
}

// filesOf returns the files of a site's sitemap, the index first, each behind a line with its name and tag.
func filesOf(s *testkit.Site) string {
	var all strings.Builder
	for names := []string{"/sitemap.xml"}; len(names) > 0; names = names[1:] {
		a := s.Get(names[0])
		fmt.Fprintf(&all, "%s %s\n%s", names[0], a.Header.Get("Etag"), a.Body)
		for part := range strings.SplitSeq(a.Body, "<sitemap><loc>"+testkit.Origin) {
			if name, _, is := strings.Cut(part, "</loc>"); is && strings.HasPrefix(name, "/") {
				names = append(names, name)
			}
		}
	}
	return all.String()
}

// entriesOf returns what a site's files say about each page, with the section of its file, and how often.
func entriesOf(s *testkit.Site) map[string]int {
	entries, section := map[string]int{}, ""
	for line := range strings.Lines(filesOf(s)) {
		switch {
		case strings.HasPrefix(line, "/"):
			section = strings.Trim(line[:strings.Index(line, ".xml")], "/-0123456789")
		case strings.HasPrefix(line, "<url>"):
			entries[section+" "+line]++
		}
	}
	return entries
}

// sharedStore is a store that says that it is shared.
type sharedStore struct{ *memstore.Store }

func (sharedStore) Shared() bool { return true }

// inPostgres returns a store in a schema of its own.
func inPostgres(t *testing.T) store.Store {
	t.Helper()
	db := postgres.Open(t)
	st, err := sqlstore.Open(db, &sqlstore.Options{Table: postgres.Schema(t, db) + ".servemap",
		Logger: new(testkit.Log).Logger()})
	base.Check(t, err)
	return st
}
