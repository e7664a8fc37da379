//go:build unix

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/store/badgerstore"
)

// folderSite is a site on a Badger folder, with one visitor who asks for one new page after the
// other.
type folderSite struct {
	*testkit.Site
	dir     string
	store   *badgerstore.Store
	stop    chan struct{}
	visitor sync.WaitGroup
	failed  atomic.Int64 // visits with another answer than 200
}

// endless is an endless site: each page links to the next ten.
func endless(w http.ResponseWriter, r *http.Request) {
	n := 0
	_, _ = fmt.Sscanf(r.URL.Path, "/page/%d", &n)
	var links []string
	for i := n + 1; i <= n+10; i++ {
		links = append(links, fmt.Sprintf("/page/%d", i))
	}
	testkit.Page(fmt.Sprint("page ", n), links...)(w, r)
}

func newFolderSite(t *testing.T, dir string) *folderSite {
	t.Helper()
	f := &folderSite{dir: dir, stop: make(chan struct{})}
	log := new(testkit.Log)
	var err error
	if f.store, err = badgerstore.Open(dir, &badgerstore.Options{Logger: log.Logger()}); err != nil {
		t.Fatal(err)
	}
	f.Site = testkit.Start(t, testkit.Setup{Store: f.store, Log: log, Options: renderOften(), Handler: http.HandlerFunc(endless)})
	f.visitor.Go(f.visitAll)
	f.Await("pages are listed", func() bool { return f.Stats().Listed > 20 })
	return f
}

// visitAll visits pages until the site should stop.
func (f *folderSite) visitAll() {
	pause := time.NewTicker(2 * time.Millisecond)
	defer pause.Stop()
	for n := 0; ; n++ {
		select {
		case <-f.stop:
			return
		case <-pause.C:
		}
		path := "/"
		if n%20 > 0 {
			path = fmt.Sprint("/page/", n%2000)
		}
		if f.Get(path).Status != http.StatusOK {
			f.failed.Add(1)
		}
	}
}

// end ends the visits, the site and the store.
func (f *folderSite) end() error {
	f.Helper()
	close(f.stop)
	f.visitor.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	siteErr := f.Close(ctx)
	if errors.Is(siteErr, context.DeadlineExceeded) {
		f.Errorf("the site did not close within a minute: %v", siteErr)
	}
	if n := f.failed.Load(); n > 0 {
		f.Errorf("%d visits failed", n)
	}
	return errors.Join(siteErr, f.store.Close())
}

func shell(t *testing.T, command string) {
	t.Helper()
	if out, err := exec.Command("sh", "-ec", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// folderMishaps are what happens to a folder while a site writes to it.
var folderMishaps = []struct {
	name    string
	command string
	back    string // makes the folder usable again, if it is not
}{
	{name: "removed", command: "rm -rf data"},
	{name: "emptied", command: "find data -mindepth 1 -delete"},
	{name: "renamed", command: "mv data elsewhere"},
	{name: "replaced by an empty folder", command: "mv data elsewhere; mkdir data"},
	{name: "replaced by a file", command: "rm -rf data; touch data", back: "rm data"},
	{name: "replaced by a copy", command: "cp -r data copy; mv data elsewhere; mv copy data"},
	{name: "Badger's folder below it removed", command: "rm -rf data/badger"},
}

// The folder disappears, and the site makes or opens another.
func TestSiteGoesOnInAFolderThatWentWhileOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("the store gives each row's folder five seconds to come back")
	}
	for _, tt := range folderMishaps {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			f := newFolderSite(t, filepath.Join(top, "data"))
			shell(t, "cd "+top+"; "+tt.command)
			f.Await("Stats tells of the folder", func() bool { return strings.Contains(f.Stats().Store, f.dir) })
			if tt.back != "" {
				shell(t, "cd "+top+"; "+tt.back)
			}
			f.Await("the store works again", func() bool { return f.Stats().Store == "" })
			f.Await("pages are listed again", func() bool { return f.Stats().Listed > 20 })
			if notes := f.Stats().Notes; !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "while it was open") }) {
				t.Errorf("Stats().Notes does not tell of it: %q", notes)
			}
			if err := f.end(); err != nil {
				t.Errorf("closing the folder that took its place: %v", err)
			}
			if _, err := os.Stat(filepath.Join(f.dir, "badger", "MANIFEST")); err != nil {
				t.Errorf("nothing was stored in the folder's place: %v", err)
			}
			if n := strings.Count(f.Logged.String(), "while it was open"); n != 1 {
				t.Errorf("the mishap was logged %d times, want once:\n%s", n, f.Logged)
			}
		})
	}
}

// The folder disappears, and the program ends before it stores anything again.
func TestCloseSaysThatTheFolderIsLost(t *testing.T) {
	for _, tt := range folderMishaps {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			f := newFolderSite(t, filepath.Join(top, "data"))
			shell(t, "cd "+top+"; "+tt.command)
			if err := f.end(); err == nil {
				t.Error("Close does not say that what was learned is lost")
			}
		})
	}
}
