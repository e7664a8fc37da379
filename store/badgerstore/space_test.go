package badgerstore

import (
	"errors"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

const never = 1 << 62 // more than any system has free

func TestGateJudgesSpace(t *testing.T) {
	const mib, gib, many = 1 << 20, 1 << 30, 1000
	for _, c := range []struct {
		name    string
		reserve int64
		space   space
		want    string // in the error; "" if there is none
	}{
		{"enough", 100 * mib, space{free: 100 * mib, inodes: reservedInodes}, ""},
		{"files are not counted", 100 * mib, space{free: 100 * mib, inodes: -1}, ""},
		{"too little", 100 * mib, space{free: 99 * mib, inodes: many}, "99 MiB are free at /data, 100 MiB are needed"},
		{"too few files", 100 * mib, space{free: gib, inodes: 3}, "3 files"},
		{"read-only", 100 * mib, space{free: gib, inodes: many, readOnly: true}, "read-only"},
		{"a usual disk", 0, space{total: 100 * gib, inodes: many}, "512 MiB are needed"},
		{"a small disk", 0, space{total: 1 * gib, inodes: many}, "103 MiB are needed"},
		{"a tiny disk", 0, space{total: 64 * mib, inodes: many}, "24 MiB are needed"},
		{"as told, beyond a tenth", 50 * gib, space{total: 100 * gib, inodes: many}, "51200 MiB are needed"},
	} {
		err := gate{dir: "/data", reserve: c.reserve}.judge(c.space)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func needSpaceAt(t *testing.T) {
	t.Helper()
	if _, ok := spaceAt(t.TempDir()); !ok {
		base.Lacks(t, "this system does not tell what is free")
	}
}

// TestWritesFailWithoutSpaceAndReadsGoOn takes away space, and gives it back.
func TestWritesFailWithoutSpaceAndReadsGoOn(t *testing.T) {
	needSpaceAt(t)
	s, log := openLogged(t, t.TempDir())
	mustPut(t, s, "k", "1")
	usual := current(s).gate
	current(s).gate.reserve = never
	for range 3 {
		if err := put(s, "k", "2"); !errors.Is(err, store.ErrUnavailable) ||
			!strings.Contains(err.Error(), "MiB are needed") {
			t.Errorf("Update without space: %v", err)
		}
	}
	if err := s.Health(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Health without space: %v", err)
	}
	if err := put(s, "k", "1"); err != nil {
		t.Errorf("an update that changes nothing needs no space, but: %v", err)
	}
	wantValue(t, s, "k", "1")
	current(s).gate = usual
	mustPut(t, s, "k", "3")
	healthy(t, s)
	log.Want(t, 1, "cannot be used")
	log.Want(t, 1, "works now")
}

// TestCloseWithoutSpaceLosesNothing checks that closing writes nothing, loses nothing, and keeps others away
// from files that Badger may still use.
func TestCloseWithoutSpaceLosesNothing(t *testing.T) {
	needSpaceAt(t)
	dir := t.TempDir()
	s := mustOpen(t, dir, nil)
	mustPut(t, s, "k", "1")
	db := current(s)
	usual := db.gate
	db.gate.reserve = never
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "stays locked") {
		t.Errorf("Close without space: %v", err)
	}
	next := mustOpen(t, dir, &Options{Logger: new(base.Log).Logger()})
	if err := next.Health(); !errors.Is(err, ErrLocked) {
		t.Errorf("after Close without space the folder can be opened: %v", err)
	}
	mustClose(t, next)
	db.gate = usual
	base.Check(t, db.close())
	wantValue(t, open(t, dir, nil), "k", "1")
}
