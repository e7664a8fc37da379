package e2e

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

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
