package e2e

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
	"github.com/servemap/servemap/store/memstore"
)

var released = flag.String("released", "", "the name of a version: its folder is made in testdata/released")

// known returns the time, and what a site says of each page.
func known(s *testkit.Site) string {
	s.Settle()
	says, dates := time.Now().UTC().Format(time.RFC3339)+"\n", s.LastMods()
	for _, path := range []string{"/", "/dated", "/changed", "/hidden", "/gone", "/forgotten", secret, "/lonely",
		"/unseen"} {
		e := s.Explained(path)
		line, err := json.Marshal([]any{path, e.Verdict, e.Reason, e.Evidence, e.Status, contains(dates, path), dates[path],
			e.FirstSeen, e.LastSeen})
		base.Check(s, err)
		says += string(line) + "\n"
	}
	return says
}

// makeFolder makes a folder in which this version has stored a site, and beside it what the site says.
func makeFolder(t *testing.T, folder string) {
	st, says, page := new(memstore.Store), "", testkit.PageOfItsURL()
	synctest.Test(t, func(t *testing.T) {
		pages := testkit.Paths{
			"/": testkit.Page("home", "/dated", "/changed", "/hidden", "/gone", "/forgotten", "/unseen"),
			// virtual time begins with 2000
			"/dated": testkit.Reply(http.StatusOK, testkit.HTML("", "dated"), "Last-Modified",
				"Wed, 01 Dec 1999 00:00:00 GMT"),
			"/hidden":  testkit.Reply(http.StatusOK, testkit.HTML("", "hidden"), "X-Robots-Tag", "noindex"),
			"/changed": edition(0),
			"/gone":    page, "/forgotten": page, secret: page, "/lonely": page,
		}
		s := testkit.Start(t, testkit.Setup{Store: st, Handler: pages})
		for range 2 {
			s.Visit("/", "/dated", "/changed", "/hidden", "/gone", "/forgotten", secret, "/lonely")
			time.Sleep(48 * time.Hour)
			pages["/changed"], pages["/gone"] = edition(1), status(http.StatusGone)
		}
		base.Check(t, s.Forget(t.Context(), "/forgotten"))
		says = known(s)
	})
	onDisk(t, folder, func(disk store.Store) (int, error) { return store.Copy(t.Context(), disk, st) })
	base.Check(t, os.WriteFile(filepath.Join(folder, "says.txt"), []byte(says), 0o600))
}

// onDisk opens the store in a folder and copies its records, or copies some to it.
func onDisk(t *testing.T, folder string, records func(disk store.Store) (int, error)) {
	disk, err := badgerstore.Open(filepath.Join(folder, "data"), &badgerstore.Options{Logger: new(testkit.Log).Logger()})
	base.Check(t, err)
	if n, err := records(disk); err != nil || n < 10 {
		t.Errorf("%d records, %v", n, err)
	}
	base.Check(t, disk.Close())
}

// A folder that any released version made gives this version the same list, dates, evidence and bars. Before a
// release, "go test ./internal/e2e -run Released -released v1.2.3" makes its folder. This one's own is made and read at
// once.
func TestFoldersOfReleasedVersionsAreRead(t *testing.T) {
	own := filepath.Join(t.TempDir(), "this version")
	if makeFolder(t, own); *released != "" {
		base.Check(t, os.CopyFS(filepath.Join("testdata", "released", *released), os.DirFS(own)))
	}
	folders, err := filepath.Glob("testdata/released/*")
	base.Check(t, err)
	for _, folder := range append(folders, own) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			copied, st := t.TempDir(), new(memstore.Store)
			base.Check(t, os.CopyFS(copied, os.DirFS(folder)))
			onDisk(t, copied, func(disk store.Store) (int, error) { return store.Copy(t.Context(), st, disk) })
			want, err := os.ReadFile(filepath.Join(copied, "says.txt"))
			base.Check(t, err)
			synctest.Test(t, func(t *testing.T) {
				made, err := time.Parse(time.RFC3339, string(want[:len(time.DateOnly+"T"+time.TimeOnly+"Z")]))
				base.Check(t, err)
				time.Sleep(time.Until(made))
				s := testkit.Start(t, testkit.Setup{Store: st, Handler: testkit.PageOfItsURL()})
				if got := known(s); got != string(want) {
					t.Errorf("it knows\n%s\nwant\n%s", got, want)
				}
			})
		})
	}
}
