// Package base has what the tests of several packages share: a log, a store that fails on demand,
// and checks of a store's content. It imports no package that sites are made of, so that their own
// tests can import it.
package base

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/servemap/servemap/store"
)

// Log is a log that may be read while it is written.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Logger returns a logger that writes everything to l.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Write adds to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String returns what was logged so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Dump returns all records of a store.
func Dump(t testing.TB, st store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for rec, err := range st.Scan(t.Context(), "", "") {
		if err != nil {
			t.Fatal(err)
		}
		all[rec.Key] = string(rec.Value)
	}
	return all
}

// WantNoTrace checks that a text is neither in the store nor in the log.
func WantNoTrace(t testing.TB, st store.Store, log *Log, text string) {
	t.Helper()
	for key, value := range Dump(t, st) {
		if strings.Contains(key, text) || strings.Contains(value, text) {
			t.Errorf("%q is in the store, in the record %q", text, key)
		}
	}
	if strings.Contains(log.String(), text) {
		t.Errorf("%q is in the log:\n%s", text, log)
	}
}

// Check ends the test if there is an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
