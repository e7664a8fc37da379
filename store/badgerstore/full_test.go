//go:build linux

package badgerstore

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

// smallDisk mounts a file system of 96 MiB. It fills it, and returns what frees it again.
func smallDisk(t *testing.T) (dir string, fill, free func()) {
	t.Helper()
	dir = t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=96m", "badgerstore",
		dir).CombinedOutput(); err != nil {
		base.Lacks(t, "no disk can be mounted: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	waste := filepath.Join(dir, "waste")
	fill = func() {
		f, err := os.Create(waste)
		base.Check(t, err)
		for size := 1 << 20; size > 0; {
			if _, err := f.Write(make([]byte, size)); err != nil {
				size /= 2
			}
		}
		base.Check(t, f.Close())
	}
	return dir, fill, func() { base.Check(t, os.Remove(waste)) }
}

// killed puts the folder of a store that a process had open when it was killed at dir. Its logs end in holes, as Badger
// makes them. tail is what follows the last record.
func killed(t *testing.T, dir, tail string) {
	t.Helper()
	from := t.TempDir()
	s := mustOpen(t, from, nil)
	mustPut(t, s, "k", "1")
	for range 200 {
		mustPut(t, s, "later", strings.Repeat("v", 1000))
		mustPut(t, s, "later", strings.Repeat("w", 1000))
	}
	base.Check(t, os.CopyFS(dir, os.DirFS(from)))
	mustClose(t, s)
	base.Check(t, filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
		if filepath.Ext(name) != ".mem" {
			return err
		}
		b, err := os.ReadFile(name)
		base.Check(t, err)
		const room = 22 // which Badger clears
		written := append(bytes.TrimRight(b, "\x00"), tail+strings.Repeat("\x00", room)...)
		return errors.Join(os.WriteFile(name, written, 0o600), os.Truncate(name, int64(len(b))))
	}))
}

// TestFullDiskIsReadAfterADeath opens folders on a full disk. They are read, written once there is room, and lose
// nothing.
func TestFullDiskIsReadAfterADeath(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, dir string)
	}{
		{"after a death", func(t *testing.T, dir string) { killed(t, dir, "") }},
		{"after a death in a write", func(t *testing.T, dir string) { killed(t, dir, "\x40\x00\x07\x03half of a record") }},
		{"closed in order", func(t *testing.T, dir string) {
			s := mustOpen(t, dir, nil)
			mustPut(t, s, "k", "1")
			mustPut(t, s, "later", strings.Repeat("w", 1000))
			mustClose(t, s)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			disk, fill, free := smallDisk(t)
			dir := filepath.Join(disk, "data")
			c.make(t, dir)
			fill()
			for range 2 { // the second time, the logs were cut already
				log := new(base.Log)
				s := mustOpen(t, dir, &Options{Logger: log.Logger()})
				wantFull(t, s)
				log.Want(t, 1, "cannot be used")
				mustClose(t, s)
			}
			s, log := openLogged(t, dir)
			wantFull(t, s)
			free()
			log.Await(t, "works now")
			healthy(t, s)
			wantValue(t, s, "later", strings.Repeat("w", 1000))
			mustPut(t, s, "k", "2")
			log.Want(t, 0, "kept aside")
		})
	}
}

// wantFull fails the test unless s can be read and not written.
func wantFull(t *testing.T, s *Store) {
	t.Helper()
	wantValue(t, s, "k", "1")
	wantValue(t, s, "later", strings.Repeat("w", 1000))
	for name, err := range callErrors(s) {
		reads := name == "View" || name == "Scan"
		if full := errors.Is(err, store.ErrUnavailable) && strings.Contains(err.Error(), "MiB are needed"); full == reads ||
			reads && err != nil {
			t.Errorf("%s on a full disk: %v", name, err)
		}
	}
}

// TestDamageOnAFullDiskWaits has a damaged folder, which can be moved aside only once there is room for a new one.
func TestDamageOnAFullDiskWaits(t *testing.T) {
	dir := filled(t)
	base.Check(t, truncate(manifestName, 0)(filepath.Join(dir, badgerName)))
	before := files(filepath.Join(dir, badgerName))
	log := new(base.Log)
	s := open(t, dir, &Options{Reserve: never, Logger: log.Logger()})
	for name, err := range callErrors(s) {
		if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), "MiB are needed") {
			t.Errorf("%s: %v, want that there is no room", name, err)
		}
	}
	wantAside(t, s, log, false)
	if after := files(filepath.Join(dir, badgerName)); after != before {
		t.Errorf("the folder had %s, has %s", before, after)
	}
}
