package badgerstore

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

const never = 1 << 62 // more than any system has free

func TestReserveForIsASmallShareOfTheDisk(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	for _, c := range []struct {
		name          string
		option, total int64
		want          int64
	}{
		{"a usual disk", 0, 100 * gib, 512 * mib},
		{"a small disk", 0, 1 * gib, gib / 10},
		{"a tiny disk", 0, 64 * mib, 24 * mib},
		{"as told", 5 * mib, 100 * gib, 5 * mib},
		{"as told, beyond a tenth", 50 * gib, 100 * gib, 50 * gib},
	} {
		if got := reserveFor(c.option, c.total); got != c.want {
			t.Errorf("%s: reserve is %d, want %d", c.name, got, c.want)
		}
	}
}

// wantText fails the test unless err has text. If text is "", err must be nil.
func wantText(t *testing.T, name string, err error, text string) {
	t.Helper()
	if (err == nil) != (text == "") || err != nil && !strings.Contains(err.Error(), text) {
		t.Errorf("%s: %v, want %q", name, err, text)
	}
}

func TestGateJudgesSpace(t *testing.T) {
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
		wantText(t, c.name, g.judgeSpace(c.space), c.want)
	}
}

func TestGateJudgesDescriptors(t *testing.T) {
	for _, c := range []struct {
		name              string
		left, limit, more int
		want              string // in the error; "" if there is none
	}{
		{"a usual limit", 128, 1024, 0, ""},
		{"a usual limit, nearly used up", 127, 1024, 0, "127 more files, 128 are needed; raise its limit of 1024"},
		{"a low limit", 64, 100, 0, ""},
		{"a low limit, nearly used up", 63, 100, 0, "64 are needed"},
		{"a high limit", 512, 1 << 20, 0, ""},
		{"a high limit, nearly used up", 511, 1 << 20, 0, "512 are needed"},
		{"files to be opened", 128, 1024, 20, "148 are needed"},
		{"files to be opened, and room for them", 148, 1024, 20, ""},
		{"none", 0, 1024, 0, "0 more files"},
	} {
		wantText(t, c.name, gate{descriptors: c.more}.judgeDescriptors(c.left, c.limit), c.want)
	}
}

func TestDescriptorsAreCounted(t *testing.T) {
	before, limit, ok := descriptorsLeft()
	if !ok {
		t.Skip("this system does not tell how many files are open")
	}
	const more = 20
	for range more {
		f, err := os.Open(os.DevNull)
		base.Check(t, err)
		defer f.Close()
	}
	after, _, _ := descriptorsLeft()
	if taken := before - after; taken < more/2 || taken > 2*more || before > limit {
		t.Errorf("%d files were opened, and of %d descriptors %d were left before and %d after", more, limit, before, after)
	}
}

func needSpaceAt(t *testing.T) {
	t.Helper()
	if _, ok := spaceAt(t.TempDir()); !ok {
		t.Skip("this system does not tell what is free")
	}
}

// TestWritesFailWithoutSpaceAndReadsGoOn takes away space and descriptors, and gives them back.
func TestWritesFailWithoutSpaceAndReadsGoOn(t *testing.T) {
	for _, c := range []struct {
		name string
		take func(t *testing.T, g *gate)
		want reason
	}{
		{"space", func(t *testing.T, g *gate) { needSpaceAt(t); g.reserve = never }, noSpace},
		{"descriptors", func(t *testing.T, g *gate) {
			if _, _, ok := descriptorsLeft(); !ok {
				t.Skip("this system does not tell how many files are open")
			}
			g.descriptors = 1 << 30
		}, noDescriptors},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, log := openLogged(t, t.TempDir())
			mustPut(t, s, "k", "1")
			usual := current(s).gate
			c.take(t, &current(s).gate)
			for range 3 {
				if err := put(s, "k", "2"); !errors.Is(err, store.ErrUnavailable) || reasonOf(err) != c.want {
					t.Errorf("Update without %s: %v", c.name, err)
				}
			}
			if err := s.Health(); !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Health without %s: %v", c.name, err)
			}
			if err := put(s, "k", "1"); err != nil {
				t.Errorf("an update that changes nothing needs no %s, but: %v", c.name, err)
			}
			wantValue(t, s, "k", "1")
			current(s).gate = usual
			mustPut(t, s, "k", "3")
			healthy(t, s)
			log.Want(t, 1, "cannot be used")
			log.Want(t, 1, "works again")
		})
	}
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
	if err := next.Health(); reasonOf(err) != locked {
		t.Errorf("after Close without space the folder can be opened: %v", err)
	}
	mustClose(t, next)
	db.gate = usual
	base.Check(t, db.close(countClosed))
	wantValue(t, open(t, dir, nil), "k", "1")
}
