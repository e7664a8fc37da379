package badgerstore

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
func openLogged(t testing.TB, dir string) (*Store, *capture) {
	t.Helper()
	log := newLog()
	return open(t, dir, &Options{Logger: log.logger()}), log
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
	return s.state.db
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

func put(s store.Store, key, value string) error {
	return s.Update(context.Background(), []string{key}, func(values [][]byte) error {
		values[0] = []byte(value)
		return nil
	})
}

func mustPut(t testing.TB, s store.Store, key, value string) {
	t.Helper()
	if err := put(s, key, value); err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// get returns the value of key, or "".
func get(t testing.TB, s store.Store, key string) (got string) {
	t.Helper()
	err := s.View(context.Background(), []string{key}, func(values [][]byte) error {
		got = string(values[0])
		return nil
	})
	if err != nil {
		t.Fatalf("View: %v", err)
	}
	return got
}

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

func wantNote(t *testing.T, s *Store, want string) {
	t.Helper()
	if !slices.Contains(s.Notes(), want) {
		t.Errorf("the notes are %q, want %q", s.Notes(), want)
	}
}

func wantAside(t *testing.T, s *Store, want int) {
	t.Helper()
	if got := movedAside(s.dir); len(got) != want {
		t.Errorf("moved aside are %q, want %d folders", got, want)
	}
}

// writeFile writes text to the file name in dir.
func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	base.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// capture keeps the logged lines, and lets tests wait for one.
type capture struct {
	mu    sync.Mutex
	cond  *sync.Cond
	lines []string
}

func newLog() *capture {
	c := &capture{}
	c.cond = sync.NewCond(&c.mu)
	return c
}

func (c *capture) logger() *slog.Logger { return slog.New(c) }

func (c *capture) Enabled(context.Context, slog.Level) bool { return true }
func (c *capture) WithAttrs([]slog.Attr) slog.Handler       { return c }
func (c *capture) WithGroup(string) slog.Handler            { return c }

func (c *capture) Handle(_ context.Context, r slog.Record) error {
	line := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		line += " " + a.String()
		return true
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lines = append(c.lines, line)
	c.cond.Broadcast()
	return nil
}

// wait returns when a line with text has been logged.
func (c *capture) wait(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.find(text) == 0 {
		c.cond.Wait()
	}
}

// count returns how many lines have text.
func (c *capture) count(text string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.find(text)
}

// want fails the test unless n lines have text.
func (c *capture) want(t *testing.T, n int, text string) {
	t.Helper()
	if got := c.count(text); got != n {
		t.Errorf("%q was logged %d times, want %d:\n%s", text, got, n, c)
	}
}

func (c *capture) find(text string) (n int) {
	for _, line := range c.lines {
		if strings.Contains(line, text) {
			n++
		}
	}
	return n
}

func (c *capture) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.lines, "\n")
}
