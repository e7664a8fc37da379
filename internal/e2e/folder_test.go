//go:build unix

package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/servemap/servemap"
	"github.com/servemap/servemap/store/badgerstore"
)

// folderSite is a site on a Badger folder, with a server and one visitor who
// asks for one new page after the other.
type folderSite struct {
	*testing.T
	dir   string
	log   *logText
	store *badgerstore.Store
	site  *servemap.Site
	srv   *httptest.Server

	stop    chan struct{}
	visitor sync.WaitGroup
	visits  atomic.Int64
	failed  atomic.Int64 // visits that got another answer than 200
}

// folderPages is a site without end: each page links to the next ten.
func folderPages(w http.ResponseWriter, r *http.Request) {
	n := 0
	_, _ = fmt.Sscanf(r.URL.Path, "/page/%d", &n)
	fmt.Fprintf(w, "<!DOCTYPE html><html><head><title>Page %d</title></head><body><main><p>This is page %d.</p>", n, n)
	for i := n + 1; i <= n+10; i++ {
		fmt.Fprintf(w, `<a href="/page/%d">Page %d</a>`, i, i)
	}
	_, _ = io.WriteString(w, "</main></body></html>")
}

func newFolderSite(t *testing.T, dir string) *folderSite {
	t.Helper()
	f := &folderSite{T: t, dir: dir, log: &logText{}, stop: make(chan struct{})}
	logger := slog.New(slog.NewTextHandler(f.log, nil))
	var err error
	if f.store, err = badgerstore.Open(dir, &badgerstore.Options{Logger: logger}); err != nil {
		t.Fatal(err)
	}
	if f.site, err = servemap.New("https://example.com", f.store, &servemap.Options{Limits: servemap.Limits{RenderEvery: 10 * time.Millisecond}, Logger: logger}); err != nil {
		t.Fatal(err)
	}
	f.srv = httptest.NewServer(f.site.Wrap(http.HandlerFunc(folderPages)))
	t.Cleanup(f.srv.Close)
	f.visitor.Go(func() {
		pause := time.NewTicker(2 * time.Millisecond)
		defer pause.Stop()
		for n := 0; ; n++ {
			select {
			case <-f.stop:
				return
			case <-pause.C:
			}
			if n%20 == 0 {
				f.visit("/")
			} else {
				f.visit(fmt.Sprint("/page/", n%2000))
			}
		}
	})
	f.await("pages are listed", func() bool { return f.site.Stats().Listed > 20 })
	return f
}

func (f *folderSite) visit(path string) {
	f.visits.Add(1)
	resp, err := f.srv.Client().Get(f.srv.URL + path)
	if err != nil {
		f.failed.Add(1)
		return
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		f.failed.Add(1)
	}
}

// await waits until something is so, and returns how long that took.
func (f *folderSite) await(what string, so func() bool) time.Duration {
	f.Helper()
	began := time.Now()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !so() {
		if time.Since(began) > 100*time.Second {
			f.Fatalf("after 100 s it is not so that %s; Stats().Store is %q; the log:\n%s", what, f.site.Stats().Store, f.log)
		}
		<-look.C
	}
	return time.Since(began)
}

// close ends the visits, the site and the store.
func (f *folderSite) close() error {
	f.Helper()
	close(f.stop)
	f.visitor.Wait()
	began := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	siteErr := f.site.Close(ctx)
	siteTook := time.Since(began)
	err := f.store.Close()
	if took := time.Since(began); took > 5*time.Second {
		f.Errorf("the site closed after %v (%v), and the store after %v (%v)", siteTook, siteErr, took, err)
	}
	if n := f.failed.Load(); n > 0 {
		f.Errorf("%d of %d visits failed", n, f.visits.Load())
	}
	return errors.Join(siteErr, err)
}

func shell(t *testing.T, command string) {
	t.Helper()
	if out, err := exec.Command("sh", "-ec", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// What befalls a folder while a site writes to it.
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
	{name: "below it, Badger's folder removed", command: "rm -rf data/badger"},
}

// A folder goes, and is made or opened anew.
func TestFolderThatGoesWhileOpenShowsInStats(t *testing.T) {
	if testing.Short() {
		t.Skip("the store gives each row's folder five seconds to come back")
	}
	for _, tt := range folderMishaps {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			f := newFolderSite(t, filepath.Join(top, "data"))
			shell(t, "cd "+top+"; "+tt.command)
			took := f.await("Stats tells of the folder", func() bool { return strings.Contains(f.site.Stats().Store, f.dir) })
			if took > 6*time.Second {
				t.Errorf("Stats told of it after %v", took)
			}
			if tt.back != "" {
				shell(t, "cd "+top+"; "+tt.back)
			}
			again := f.await("the store works again", func() bool { return f.site.Stats().Store == "" })
			learned := f.await("pages are listed again", func() bool { return f.site.Stats().Listed > 20 })
			t.Logf("Stats told of it after %v, the store worked again %v later, pages were listed %v after that", took, again, learned)
			if notes := f.site.Stats().Notes; !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, "while it was open") }) {
				t.Errorf("Stats().Notes does not tell of it: %q", notes)
			}
			if err := f.close(); err != nil {
				t.Errorf("closing the folder that took its place: %v", err)
			}
			if _, err := os.Stat(filepath.Join(f.dir, "badger", "MANIFEST")); err != nil {
				t.Errorf("nothing was stored in the folder's place: %v", err)
			}
			if n := strings.Count(f.log.String(), "while it was open"); n != 1 {
				t.Errorf("the mishap was logged %d times, want once:\n%s", n, f.log)
			}
		})
	}
}

// The folder goes, and the program ends before anything is stored again.
func TestFolderThatGoesLetsTheProgramEnd(t *testing.T) {
	for _, tt := range folderMishaps {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			f := newFolderSite(t, filepath.Join(top, "data"))
			shell(t, "cd "+top+"; "+tt.command)
			if err := f.close(); err == nil {
				t.Error("Close does not say that what was learned is lost")
			}
		})
	}
}
