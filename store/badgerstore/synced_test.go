package badgerstore

import (
	"context"
	"encoding/hex"
	"path/filepath"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestSyncStateIsReadAsItWasWritten(t *testing.T) {
	m := syncState{version: 258, clean: true}
	b := m.encode()
	if got, want := hex.EncodeToString(b), "000000000000010201"+"cb8a4930"; got != want {
		t.Errorf("a mark is %s, want %s", got, want)
	}
	if got := decodeSyncState(b); got != m {
		t.Errorf("a mark comes back as %+v", got)
	}
	for i := range b {
		damaged := append([]byte(nil), b...)
		damaged[i] ^= 4
		if got := decodeSyncState(damaged); got != (syncState{}) {
			t.Errorf("with byte %d damaged it is %+v, want nothing", i, got)
		}
	}
	if got := decodeSyncState(b[:5]); got != (syncState{}) {
		t.Errorf("cut it is %+v, want nothing", got)
	}
}

// TestLostSyncsAreNoticed loses what was synced, as happens if a log is damaged in its middle, which Badger
// takes for its end.
func TestLostSyncsAreNoticed(t *testing.T) {
	for _, c := range []struct {
		name string
		lost int
	}{{"all is there", 0}, {"the last sync is missing", 1}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			before := syncedFolder(t, dir)
			if c.lost > 0 {
				writeFile(t, filepath.Join(dir, badgerName), syncsName, string(syncState{before.version + 1, false}.encode()))
			}
			s, log := openLogged(t, dir)
			healthy(t, s)
			log.Want(t, c.lost, noteLost)
			if len(s.Notes()) > 0 || c.lost > 0 {
				wantNote(t, s, noteLost)
			}
			mustPut(t, s, "k", "2")
			base.Check(t, s.Sync(context.Background()))
			mustClose(t, s)
			next, again := openLogged(t, dir)
			healthy(t, next)
			again.Want(t, 0, noteLost)
		})
	}
}

// syncedFolder syncs something new twice, and then nothing once.
func syncedFolder(t *testing.T, dir string) syncState {
	t.Helper()
	s := mustOpen(t, dir, nil)
	for _, value := range []string{"0", "1", "1"} {
		mustPut(t, s, "k", value)
		base.Check(t, s.Sync(context.Background()))
	}
	path := filepath.Join(dir, badgerName)
	synced := readSyncState(path)
	if synced.version == 0 || synced.clean {
		t.Errorf("after two syncs of something new the mark is %+v", synced)
	}
	mustClose(t, s)
	if m := readSyncState(path); m != (syncState{synced.version, true}) {
		t.Errorf("after Close the mark is %+v, want version %d and clean", m, synced.version)
	}
	return synced
}
