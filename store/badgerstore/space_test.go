package badgerstore

import (
	"errors"
	"strings"
	"testing"

	"github.com/servemap/servemap/store"
)

const never = 1 << 62 // more than any disk has free

func TestReserveFor(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	for _, c := range []struct {
		name                  string
		option, total, ledger int64
		want                  int64
	}{
		{"a usual disk", 0, 100 * gib, 0, 512 * mib},
		{"a big ledger", 0, 1000 * gib, 20 * gib, 1 * gib},
		{"a ledger that 512 MiB are enough for", 0, 100 * gib, 10 * gib, 512 * mib},
		{"a small disk", 0, 1 * gib, 0, gib / 10},
		{"a tiny disk", 0, 100 * mib, 0, 64 * mib},
		{"a big ledger on a small disk", 0, 30 * gib, 100 * gib, 3 * gib},
		{"as told", 5 * mib, 100 * gib, 0, 5 * mib},
		{"as told, beyond a tenth", 50 * gib, 100 * gib, 0, 50 * gib},
	} {
		if got := reserveFor(c.option, c.total, c.ledger); got != c.want {
			t.Errorf("%s: reserve is %d, want %d", c.name, got, c.want)
		}
	}
}

func TestGateJudges(t *testing.T) {
	g := gate{dir: "/data", reserve: 100 << 20}
	for _, c := range []struct {
		name  string
		space space
		want  string // in the error; "" if there is none
	}{
		{"enough", space{free: 100 << 20, files: reservedFiles}, ""},
		{"files are not counted", space{free: 100 << 20, files: -1}, ""},
		{"too little", space{free: 99 << 20, files: 1000}, "99 MiB are free at /data, 100 MiB are needed"},
		{"too few files", space{free: 1 << 40, files: 3}, "3 files"},
		{"read-only", space{free: 1 << 40, files: 1000, readOnly: true}, "read-only"},
	} {
		err := g.judge(c.space)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func needGate(t *testing.T) {
	t.Helper()
	if _, ok := spaceAt(t.TempDir()); !ok {
		t.Skip("this system does not tell what is free")
	}
}

func TestTooLittleSpaceToOpen(t *testing.T) {
	needGate(t)
	log := newLog()
	s := open(t, t.TempDir(), &Options{Reserve: never, Logger: log.logger()})
	for name, err := range map[string]error{"Health": s.Health(), "Update": put(s, "k", "1"), "Scan": scanError(s)} {
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "are free at") {
			t.Errorf("%s without space: %v", name, err)
		}
	}
	if n := log.count("are needed"); n != 1 {
		t.Errorf("the lack of space was logged %d times, want once:\n%s", n, log)
	}
}

func TestTooLittleSpaceToWrite(t *testing.T) {
	needGate(t)
	dir, log := t.TempDir(), newLog()
	s := open(t, dir, &Options{Logger: log.logger()})
	mustPut(t, s, "k", "1")
	usual := s.db.gate.reserve
	s.db.gate.reserve = never
	for range 3 {
		if err := put(s, "k", "2"); !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "are free at") {
			t.Errorf("Update without space: %v", err)
		}
	}
	if err := s.Health(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Health without space: %v", err)
	}
	if err := put(s, "k", "1"); err != nil {
		t.Errorf("an update that changes nothing needs no space, but: %v", err)
	}
	if got := get(t, s, "k"); got != "1" {
		t.Errorf("without space View reads %q, want 1", got)
	}
	s.db.gate.reserve = usual
	mustPut(t, s, "k", "3")
	healthy(t, s)
	if full, again := log.count("are needed"), log.count("works again"); full != 1 || again != 1 {
		t.Errorf("the lack of space was logged %d times and its end %d times, want once each:\n%s", full, again, log)
	}
}

// TestCloseWithoutSpace sees that closing writes nothing, loses nothing and
// keeps others out of files that Badger may still be working on.
func TestCloseWithoutSpace(t *testing.T) {
	needGate(t)
	dir := t.TempDir()
	s, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "k", "1")
	db := s.db
	usual := db.gate.reserve
	db.gate.reserve = never
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "stays locked") {
		t.Errorf("Close without space: %v", err)
	}
	next, err := Open(dir, &Options{Logger: newLog().logger()})
	if err != nil {
		t.Fatal(err)
	}
	if err := next.Health(); kindOf(err) != busy {
		t.Errorf("after Close without space the folder can be opened: %v", err)
	}
	if err := next.Close(); err != nil {
		t.Fatal(err)
	}
	db.gate.reserve = usual
	if err := db.close(); err != nil {
		t.Fatal(err)
	}
	if got := get(t, open(t, dir, nil), "k"); got != "1" {
		t.Errorf("after Close without space the record is %q, want 1", got)
	}
}
