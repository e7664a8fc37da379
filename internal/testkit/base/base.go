// Package base has what the tests of several packages share: a log, a store that fails on demand, and ways to read,
// write and check a store's content. It imports none of the packages that make up a site, so that their own tests can
// import it.
package base

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/servemap/servemap/store"
)

// Log is a log that may be read while it is written.
type Log struct {
	mu    sync.Mutex
	text  bytes.Buffer
	grown chan struct{} // closed once more is written; nil while nobody waits for that
	read  int           // bytes up to the line that was awaited last
}

// Logger returns a logger that writes everything to l.
func (l *Log) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// Write adds to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.grown != nil {
		close(l.grown)
		l.grown = nil
	}
	return l.text.Write(p)
}

// String returns what was logged so far.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Count returns how often the log contains a text.
func (l *Log) Count(text string) int { return strings.Count(l.String(), text) }

// Want checks how often the log contains a text.
func (l *Log) Want(t testing.TB, n int, text string) {
	t.Helper()
	if got := l.Count(text); got != n {
		t.Errorf("%q was logged %d times, want %d:\n%s", text, got, n, l)
	}
}

// Await returns the next line that has a text in it, after the one that it returned last. It ends the test after two
// minutes.
func (l *Log) Await(t testing.TB, text string) string {
	t.Helper()
	for late := time.After(2 * time.Minute); ; {
		line, grown := l.next(text)
		if line != "" {
			return line
		}
		select {
		case <-grown:
		case <-late:
			t.Fatalf("the log never says %q:\n%s", text, l)
		}
	}
}

// next returns the next line that has a text in it, or else what is closed once more is written.
func (l *Log) next(text string) (line string, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for line := range strings.Lines(l.text.String()[l.read:]) {
		if !strings.HasSuffix(line, "\n") {
			break
		}
		if l.read += len(line); strings.Contains(line, text) {
			return line, nil
		}
	}
	if l.grown == nil {
		l.grown = make(chan struct{})
	}
	return "", l.grown
}

// Put stores a value.
func Put(st store.Store, key, value string) error {
	return st.Update(context.Background(), []string{key}, func(values [][]byte) error {
		values[0] = []byte(value)
		return nil
	})
}

// MustPut stores a value, and ends the test if that fails.
func MustPut(t testing.TB, st store.Store, key, value string) {
	t.Helper()
	Check(t, Put(st, key, value))
}

// Get returns the value of a key, or "".
func Get(t testing.TB, st store.Store, key string) (value string) {
	t.Helper()
	Check(t, st.View(context.Background(), []string{key}, func(values [][]byte) error {
		value = string(values[0])
		return nil
	}))
	return value
}

// Ask gives a handler a request, and returns its answer. lines are names and values of header lines.
func Ask(h http.Handler, method, target string, lines ...string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, target, nil)
	for i := 0; i < len(lines); i += 2 {
		r.Header.Add(lines[i], lines[i+1])
	}
	h.ServeHTTP(w, r)
	return w
}

// Serve serves a site until the test ends, and returns its address.
func Serve(t testing.TB, site http.HandlerFunc) string {
	server := httptest.NewServer(site)
	t.Cleanup(server.Close)
	return server.URL
}

// Do makes a request, and returns the answer and its body.
func Do(t testing.TB, client *http.Client, r *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := client.Do(r)
	Check(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	Check(t, err)
	return resp, string(body)
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

// Equal fails the test unless what was got is what is wanted. what says, as a format, of what.
func Equal[T comparable](t testing.TB, got, want T, what string, args ...any) {
	t.Helper()
	if got != want {
		differ(t, got, want, what, args)
	}
}

// EqualLists is Equal for lists.
func EqualLists[T comparable](t testing.TB, got, want []T, what string, args ...any) {
	t.Helper()
	if !slices.Equal(got, want) {
		differ(t, got, want, what, args)
	}
}

func differ(t testing.TB, got, want any, what string, args []any) {
	t.Helper()
	verb := "%v"
	switch got.(type) {
	case string, []string:
		verb = "%q"
	}
	t.Errorf(what+": "+verb+", want "+verb, append(args, got, want)...)
}

// Await asks again and again whether something is so. It ends the test after two minutes.
func Await(t testing.TB, what string, so func() bool) {
	t.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for end := time.Now().Add(2 * time.Minute); !so(); <-poll.C {
		if time.Now().After(end) {
			t.Fatalf("after two minutes it is not so that %s", what)
		}
	}
}

// Lacks leaves a test out where the machine lacks something. In CI it lacks nothing: there the test fails.
func Lacks(t testing.TB, what string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf(what, args...)
	}
	t.Skipf(what, args...)
}

// OneByOne leaves a test out with -short, as the race detector runs. The test takes many steps, one after
// the other, and what runs at once meanwhile does so in quicker tests of its package as well.
func OneByOne(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes many steps, one after the other")
	}
}

// HangsUp returns the address of a server that reads what it is asked, and hangs up. It ends with the test.
func HangsUp(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Check(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for conn, err := l.Accept(); err == nil; conn, err = l.Accept() {
			_, _ = conn.Read(make([]byte, 9999)) // else the client would learn of a reset
			conn.Close()
		}
	}()
	return l.Addr().String()
}
