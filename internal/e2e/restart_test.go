package e2e

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/servemap/servemap/internal/testkit"
	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
	"github.com/servemap/servemap/store/badgerstore"
)

// openFolder opens a store in a folder.
func openFolder(t *testing.T, dir string, log *slog.Logger) *badgerstore.Store {
	t.Helper()
	st, err := badgerstore.Open(dir, &badgerstore.Options{Reserve: 1, Logger: log})
	base.Check(t, err)
	t.Cleanup(func() { st.Close() })
	return st
}

func TestSiteServesWhileAnotherProcessHasItsFolder(t *testing.T) {
	dir, log := t.TempDir(), new(base.Log)
	first := openFolder(t, dir, log.Logger())
	s := testkit.Start(t, testkit.Setup{Store: openFolder(t, dir, log.Logger()), Log: log, Handler: testkit.Page("home")})
	if a := s.Get("/"); !strings.Contains(a.Body, "home") {
		t.Error("the site does not serve")
	}
	if err := s.Flush(t.Context()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Flush: %v, want ErrUnavailable", err)
	}
	if got := s.Stats().Store; !strings.Contains(got, "process") {
		t.Errorf("Stats.Store is %q, want the cause", got)
	}
	log.Want(t, 1, "level=WARN")
	base.Check(t, first.Close())
	s.Await("the folder is free", func() bool { return s.Flush(t.Context()) == nil })
	s.WantListed("/")
}

func TestCloseKeepsServing(t *testing.T) {
	testkit.Run(t, testkit.Setup{Handler: testkit.PageOfItsURL("/a")}, func(s *testkit.Site) {
		s.Get("/")
		s.Shut()
		s.Shut() // twice is no error
		s.Get("/a")
		s.WantServed("/")
		if err := s.Flush(s.Context()); err == nil {
			s.Error("Flush after Close returned nil")
		}
		if err := s.Forget(s.Context(), "/"); err == nil {
			s.Error("Forget after Close returned nil")
		}
	})
}

// Somebody adds a page to a folder of files, and links it from the first page.
func TestFileThatIsAddedAndLinkedIsDated(t *testing.T) {
	dir := t.TempDir()
	testkit.Run(t, testkit.Setup{Handler: http.FileServer(http.Dir(dir))}, func(s *testkit.Site) {
		save := func(name, links string, at time.Time) {
			s.Helper()
			path := dir + "/" + name
			text := "<!doctype html><title>" + name + "</title><main><p>This file tells of " + name + ", at a length that tells it from the others.</p><ul>" + links + "</ul></main>"
			base.Check(s, errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, at, at)))
		}
		const before = "<li><a href=/old.html>The old one</a></li>"
		old := time.Now().Add(-300 * 24 * time.Hour)
		save("index.html", before, old)
		save("old.html", "", old.Add(time.Hour))
		for range 5 {
			s.Get("/")
			s.Get("/old.html")
			time.Sleep(time.Hour)
		}
		edited := time.Now()
		save("index.html", before+"<li><a href=/new.html>How the harvest was</a></li>", edited)
		save("new.html", "", edited)
		for range 20 {
			s.Get("/")
			s.Get("/new.html")
			time.Sleep(61 * time.Second)
		}
		s.Settle()
		for path, want := range map[string]time.Time{"/": edited, "/old.html": old.Add(time.Hour), "/new.html": edited} {
			e := s.Explained(path)
			if got := e.Page.LastModified; !got.Truncate(time.Second).Equal(want.Truncate(time.Second)) {
				s.Errorf("%s has the lastmod %v, want %v: %s", path, got, want, e.Dates.Text)
			}
		}
	})
}
