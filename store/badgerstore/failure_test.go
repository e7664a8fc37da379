package badgerstore

import (
	"errors"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

// TestFailedWriteReopens closes Badger without the store's knowledge, so that the next commit
// fails.
func TestFailedWriteReopens(t *testing.T) {
	s, log := openLogged(t, t.TempDir())
	mustPut(t, s, "secret-key", "1")
	broken := current(s)
	base.Check(t, broken.badger.Close())
	err := put(s, "secret-key", "2")
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a failed update: %v, want ErrUnavailable", err)
	}
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a failed update shows the key: %v", err)
	}
	if err := broken.commit([]change{{"k", nil}}); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a commit to a closed database: %v", err)
	}
	_ = s.fail(broken, errors.New("a write failed"))
	log.Await("works again")
	wantValue(t, s, "secret-key", "1")
	mustPut(t, s, "secret-key", "3")
	healthy(t, s)
}

// TestPanicInAReadReopens makes Badger panic: its iterators do so on a database that was closed
// without the store's knowledge. The next opening reads all files, as one of them may be damaged.
func TestPanicInAReadReopens(t *testing.T) {
	dir := t.TempDir()
	s, log := openLogged(t, dir)
	mustPut(t, s, "k", "1")
	base.Check(t, current(s).badger.Close())
	if _, err := scan(s); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("Scan of a closed database: %v, want that it panicked", err)
	}
	log.Await("works again")
	wantValue(t, s, "k", "1")
	wantCount(t, dir, countOpen)
}

func TestPanicTextHasNoSecret(t *testing.T) {
	beyond := func(values []int) (v any) {
		defer func() { v = recover() }()
		return values[3]
	}
	for _, c := range []struct{ name, got, want string }{
		{"a runtime error", panicText(beyond(nil)), "badger panicked: runtime error: index out of range [3] with length 0"},
		{"a text", panicText("secret"), "badger panicked with a value of type string"},
		{"an error", panicText(errors.New("secret")), "badger panicked with a value of type *errors.errorString"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}
