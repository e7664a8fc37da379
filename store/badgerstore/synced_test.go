package badgerstore

import (
	"context"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
)

func TestNotedVersionIsReadAsItWasWritten(t *testing.T) {
	dir, b := t.TempDir(), encodeVersion(258)
	if got, want := hex.EncodeToString(b), "0000000000000102"+"7eb15a0a"; got != want {
		t.Errorf("the file has %s, want %s", got, want)
	}
	read := func(b []byte) uint64 {
		writeFile(t, dir, syncsName, string(b))
		return readVersion(dir)
	}
	if got := read(b); got != 258 {
		t.Errorf("version 258 comes back as %d", got)
	}
	for i := range b {
		damaged := append([]byte(nil), b...)
		damaged[i] ^= 4
		if got := read(damaged); got != 0 {
			t.Errorf("with byte %d damaged it is %d, want 0", i, got)
		}
	}
	if got := read(b[:5]); got != 0 {
		t.Errorf("cut it is %d, want 0", got)
	}
	base.Check(t, os.Remove(filepath.Join(dir, syncsName)))
	if got := readVersion(dir); got != 0 {
		t.Errorf("without a file it is %d, want 0", got)
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
			version := syncedFolder(t, dir)
			writeFile(t, filepath.Join(dir, badgerName), syncsName, string(encodeVersion(version+uint64(c.lost))))
			s, log := openLogged(t, dir)
			healthy(t, s)
			log.want(t, c.lost, noteLost)
			if len(s.Notes()) > 0 || c.lost > 0 {
				wantNote(t, s, noteLost)
			}
			mustPut(t, s, "k", "2")
			base.Check(t, s.Sync(context.Background()))
			mustClose(t, s)
			next, again := openLogged(t, dir)
			healthy(t, next)
			again.want(t, 0, noteLost)
		})
	}
}

// syncedFolder syncs something new twice, and then nothing once. It returns the version that was noted.
func syncedFolder(t *testing.T, dir string) uint64 {
	t.Helper()
	s := mustOpen(t, dir, nil)
	for _, value := range []string{"0", "1", "1"} {
		mustPut(t, s, "k", value)
		base.Check(t, s.Sync(context.Background()))
	}
	mustClose(t, s)
	version := readVersion(filepath.Join(dir, badgerName))
	if version == 0 {
		t.Error("after two syncs of something new none is noted")
	}
	return version
}
