package badgerstore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

// mustOpen opens a store that the test closes itself.
func mustOpen(t testing.TB, dir string, opts *Options) *Store {
	t.Helper()
	s, err := Open(dir, opts)
	base.Check(t, err)
	return s
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
}

// open opens a store that is closed when the test ends.
func open(t testing.TB, dir string, opts *Options) *Store {
	t.Helper()
	s := mustOpen(t, dir, opts)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// openLogged is open that also returns what the store logs.
func openLogged(t testing.TB, dir string) (*Store, *base.Log) {
	t.Helper()
	log := new(base.Log)
	return open(t, dir, &Options{Logger: log.Logger()}), log
}

// filled makes a folder with a table of records in it.
func filled(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	s := mustOpen(t, dir, nil)
	mustPut(t, s, "k", strings.Repeat("value", 1000))
	mustClose(t, s)
	return dir
}

// current returns the open database.
func current(s *Store) *database {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.db
}

// healthy fails the test unless s works.
func healthy(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Health(); err != nil {
		t.Fatalf("Health: %v", err)
	}
}

// callErrors makes each call once, and returns the errors by call.
func callErrors(s *Store) map[string]error {
	_, scanned := scan(s)
	return map[string]error{
		"Health": s.Health(),
		"Update": put(s, "k", "2"),
		"View":   s.View(context.Background(), []string{"k"}, func([][]byte) error { return nil }),
		"Sync":   s.Sync(context.Background()),
		"Scan":   scanned,
	}
}

var put, mustPut, get = base.Put, base.MustPut, base.Get

func wantValue(t testing.TB, s store.Store, key, want string) {
	t.Helper()
	if got := get(t, s, key); got != want {
		t.Errorf("View reads %.20q at %s, want %q", got, key, want)
	}
}

// scan returns the number of records and the error that a scan ends with.
func scan(s store.Store) (n int, last error) {
	for _, err := range s.Scan(context.Background(), "", "") {
		if last = err; err == nil {
			n++
		}
	}
	return n, last
}

// wantAside fails the test unless Badger's folder was moved aside, and the log says so, or neither.
func wantAside(t *testing.T, s *Store, log *base.Log, want bool) {
	t.Helper()
	aside, err := filepath.Glob(filepath.Join(s.dir, asideName+"-*"))
	base.Check(t, err)
	for _, path := range aside {
		log.Want(t, 1, "aside="+path)
	}
	if (len(aside) == 1) != want {
		t.Errorf("moved aside are %q; want one: %t", aside, want)
	}
}

// writeFile writes text to the file name in dir.
func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	base.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}
