package badgerstore

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

func TestMarkOnDisk(t *testing.T) {
	m := mark{syncs: 258, format: 1, clean: true}
	b := m.encode()
	if got, want := hex.EncodeToString(b), "00000000000001020101"+"903e13aa"; got != want {
		t.Errorf("a mark is %s, want %s", got, want)
	}
	if got := decodeMark(b); got != m {
		t.Errorf("a mark comes back as %+v", got)
	}
	for i := range b {
		damaged := append([]byte(nil), b...)
		damaged[i] ^= 4
		if got := decodeMark(damaged); got != (mark{}) {
			t.Errorf("with byte %d damaged it is %+v, want nothing", i, got)
		}
	}
	if got := decodeMark(b[:5]); got != (mark{}) {
		t.Errorf("cut it is %+v, want nothing", got)
	}
}

// TestLostSyncs has what was synced go missing, as by damage in the middle of a
// log, which Badger takes for its end.
func TestLostSyncs(t *testing.T) {
	for _, c := range []struct {
		name string
		lose bool
		want bool
	}{{"all is there", false, false}, {"the last sync is missing", true, true}} {
		t.Run(c.name, func(t *testing.T) {
			dir, log := t.TempDir(), newLog()
			before := syncedFolder(t, dir)
			if c.lose {
				path := filepath.Join(dir, badgerName)
				if err := os.WriteFile(filepath.Join(path, syncedName), mark{before.syncs + 1, format, false}.encode(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := open(t, dir, &Options{Logger: log.logger()})
			healthy(t, s)
			told := log.count("are missing") == 1
			if told != c.want {
				t.Errorf("told: %t, want %t:\n%s", told, c.want, log)
			}
			if c.want {
				wantNote(t, s, noteLost)
			}
			mustPut(t, s, "k", "2")
			if err := s.Sync(context.Background()); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			again := newLog()
			if healthy(t, open(t, dir, &Options{Logger: again.logger()})); again.count("are missing") != 0 {
				t.Error("it is told again at the next opening")
			}
		})
	}
}

// syncedFolder syncs twice something new and once nothing.
func syncedFolder(t *testing.T, dir string) mark {
	t.Helper()
	s, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"0", "1", "1"} {
		mustPut(t, s, "k", value)
		if err := s.Sync(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, badgerName)
	if m := readMark(path); m != (mark{2, format, false}) {
		t.Errorf("after two syncs of something new the mark is %+v", m)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	m := readMark(path)
	if m != (mark{2, format, true}) {
		t.Errorf("after Close the mark is %+v", m)
	}
	return m
}
