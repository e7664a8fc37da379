package badgerstore

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"

	"github.com/servemap/servemap/store"
)

// TestFailedWriteReopens closes Badger behind the store's back, so that the
// next commit fails.
func TestFailedWriteReopens(t *testing.T) {
	log := newLog()
	s := open(t, t.TempDir(), &Options{Logger: log.logger()})
	mustPut(t, s, "secret-key", "1")
	broken := s.db
	if err := broken.db.Close(); err != nil {
		t.Fatal(err)
	}
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
	_ = s.retireOn(broken, errors.New("a write failed"))
	log.wait("works again")
	if got := get(t, s, "secret-key"); got != "1" {
		t.Errorf("reopened, the store reads %q, want 1", got)
	}
	mustPut(t, s, "secret-key", "3")
	healthy(t, s)
}

// TestPanicsInReadsAreErrors has Badger panic: its iterators do on a database
// that was closed behind the store's back.
func TestPanicsInReadsAreErrors(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	mustPut(t, s, "k", "1")
	if err := s.db.db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := scan(s); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "panicked") {
		t.Errorf("Scan of a closed database: %v, want that it panicked", err)
	}
	err := s.View(context.Background(), []string{"k"}, func([][]byte) error { return nil })
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("View of a closed database: %v, want ErrUnavailable", err)
	}
}

func TestDamagedRecordsCountAsAbsent(t *testing.T) {
	log := newLog()
	s := open(t, t.TempDir(), &Options{Logger: log.logger()})
	for _, key := range []string{"a", "b", "c", "d"} {
		mustPut(t, s, key, "value of "+key)
	}
	err := s.db.db.Update(func(txn *badger.Txn) error {
		return errors.Join(txn.Set([]byte("kb"), []byte("value of b????")), txn.Set([]byte("kc"), []byte("c")))
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if b, c := get(t, s, "b"), get(t, s, "c"); b != "" || c != "" {
			t.Errorf("damaged records read as %q and %q, want as absent", b, c)
		}
	}
	if n, err := scan(s); n != 2 || err != nil {
		t.Errorf("Scan beside damaged records yields %d records and %v, want 2", n, err)
	}
	if n := log.count("damaged"); n != 1 {
		t.Errorf("damaged records were logged %d times, want once:\n%s", n, log)
	}
	mustPut(t, s, "b", "learned again")
	if got := get(t, s, "b"); got != "learned again" {
		t.Errorf("a damaged record written again reads %q", got)
	}
}

func TestBadgerLogKeepsKeys(t *testing.T) {
	log := newLog()
	l := &badgerLog{log: log.logger(), dir: "/data"}
	cause := errors.New(`while running compactions for: {secret-key} err: no space left on device`)
	for range 3 {
		l.Warningf("While running doCompact: %v\n", cause)
		l.Errorf("Key [%s]: %s", "secret-key", "secret-value")
	}
	l.Infof("Left: %s", "secret-key")
	l.Debugf("First key=%q\n", "secret-key")
	if strings.Contains(log.String(), "secret") {
		t.Errorf("keys reach the log:\n%s", log)
	}
	if n := log.count("WARN badgerstore: badger: While running doCompact dir=/data cause=no space left on device"); n != 1 || len(log.lines) != 2 {
		t.Errorf("two messages, three times each, were logged as:\n%s", log)
	}
	for i := range 1000 {
		l.Errorf(strings.Repeat("x", i))
	}
	if len(l.seen) > maxSeen {
		t.Errorf("%d messages are remembered, want at most %d", len(l.seen), maxSeen)
	}
}

func TestDelay(t *testing.T) {
	for _, c := range []struct {
		name string
		kind kind
		n    int
		want time.Duration
	}{
		{"a busy folder at first", busy, 0, 250 * time.Millisecond},
		{"a busy folder later", busy, 1000, time.Second},
		{"a full disk at first", full, 0, 250 * time.Millisecond},
		{"a full disk later", full, 1000, 5 * time.Second},
		{"no descriptors later", starved, 1000, 5 * time.Second},
		{"no access later", files, 1000, 5 * time.Second},
		{"damage at once", damaged, 1, 500 * time.Millisecond},
		{"failures double", failing, 4, 4 * time.Second},
		{"failures up to an hour", failing, 1000, time.Hour},
	} {
		if got := delay(c.kind, c.n); got != c.want {
			t.Errorf("%s: delay(%d, %d) is %v, want %v", c.name, c.kind, c.n, got, c.want)
		}
	}
}

func TestPanicText(t *testing.T) {
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
