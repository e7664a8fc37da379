package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

func TestEmptyFolderIsLoggedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	t.Chdir(filepath.Dir(dir))
	for i, want := range []int{1, 0, 0} {
		log := newLog()
		s := mustOpen(t, "data", &Options{Logger: log.logger()})
		mustPut(t, s, "k", fmt.Sprint(i))
		mustClose(t, s)
		log.want(t, want, "INFO badgerstore: the folder is empty")
		log.want(t, want, "dir="+dir)
	}
}

func TestOpenRefusesBadArguments(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "file", "")
	for _, c := range []struct {
		name    string
		os      string // "" for any
		dir     string
		reserve int64
	}{
		{"no folder", "", "", 0},
		{"a negative reserve", "", dir, -1},
		{"a file", "", filepath.Join(dir, "file"), 0},
		{"below a file", "", filepath.Join(dir, "file", "data"), 0},
		{"far below a file", "", filepath.Join(dir, "file", "a", "b", "data"), 0},
		{"a name too long", "", filepath.Join(dir, strings.Repeat("x", 1000)), 0},
		{"a name with a zero byte", "", filepath.Join(dir, "a\x00b"), 0},
		{"in /proc", "linux", "/proc/x", 0},
		{"/proc itself", "linux", "/proc", 0},
		{"below a device", "linux", "/dev/null/x", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.os != "" && c.os != runtime.GOOS {
				t.Skip("there is no such place on " + runtime.GOOS)
			}
			s, err := Open(c.dir, &Options{Reserve: c.reserve, Logger: newLog().logger()})
			if err == nil {
				s.Close()
				t.Fatal("Open takes it")
			}
			if c.reserve == 0 && !strings.Contains(err.Error(), c.dir) {
				t.Errorf("the error does not say which folder: %v", err)
			}
		})
	}
}

// TestOpenWaitsForAFolder opens folders that cannot be created at first, but can later.
func TestOpenWaitsForAFolder(t *testing.T) {
	for _, c := range []struct {
		name string
		root bool // it works for root too
		make func(dir string) (data string, err error)
		mend func(dir string) error
	}{
		{
			name: "without rights",
			make: func(dir string) (string, error) { return filepath.Join(dir, "data"), os.Chmod(dir, 0o500) },
			mend: func(dir string) error { return os.Chmod(dir, 0o700) },
		},
		{
			name: "a link to a volume that is not mounted yet",
			root: true,
			make: func(dir string) (string, error) {
				link := filepath.Join(dir, "link")
				return link, os.Symlink(filepath.Join(dir, "target"), link)
			},
			mend: func(dir string) error { return os.Mkdir(filepath.Join(dir, "target"), 0o700) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if os.Getuid() == 0 && !c.root {
				t.Skip("root may do anything")
			}
			dir := t.TempDir()
			data, err := c.make(dir)
			if err != nil {
				t.Skip(err)
			}
			s, log := openLogged(t, data)
			if err := s.Health(); reasonOf(err) != inaccessible || !errors.Is(err, store.ErrUnavailable) {
				t.Errorf("Health: %v, want ErrUnavailable", err)
			}
			base.Check(t, c.mend(dir))
			log.wait("works again")
			mustPut(t, s, "k", "1")
		})
	}
}

// fill writes more than two memtables hold, and goes on until a write fails.
func fill(s *Store) (err error) {
	value := strings.Repeat("x", store.MaxValue)
	for i := 0; err == nil && i < 100_000; i++ {
		err = put(s, fmt.Sprintf("fill%03d", i%400), value[len(fmt.Sprint(i)):]+fmt.Sprint(i))
	}
	return err
}

func wantMoved(t *testing.T, s *Store, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(), s.dir+" was removed, renamed or replaced") {
		t.Errorf("a write without the folder: %v, want that it was removed", err)
	}
}

// openData opens a folder below a temporary one, so that it can be renamed.
func openData(t *testing.T) (*Store, *capture) {
	t.Helper()
	s, log := openLogged(t, filepath.Join(t.TempDir(), "data"))
	return s, log
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	base.Check(t, os.Rename(from, to))
}

// closed reports whether db was closed completely.
func closed(db *database) bool {
	_, err := db.lock.file.Stat()
	return errors.Is(err, os.ErrClosed)
}

// TestFolderRemovedUnderLoad removes the folder while memtables become tables and tables are
// merged.
func TestFolderRemovedUnderLoad(t *testing.T) {
	t.Parallel()
	s, log := openData(t)
	filled := make(chan error)
	go func() { filled <- fill(s) }()
	for {
		if tables, _ := filepath.Glob(filepath.Join(s.dir, badgerName, "*.sst")); len(tables) > 3 {
			break
		}
	}
	rename(t, s.dir, s.dir+".removed")
	wantMoved(t, s, <-filled)
	wantMoved(t, s, s.Health())
	log.wait("works again")
	wantValue(t, s, "fill000", "")
	mustPut(t, s, "k", "1")
	mustClose(t, s)
	if notes := s.Notes(); len(notes) != 1 || notes[0] != noteMoved {
		t.Errorf("Notes are %q, want that the folder was removed", notes)
	}
	log.want(t, 2, "the folder is empty") // at the start, and when it was made again
}

// TestRenamedFolderKeepsItsRecords opens the folder under its new name.
func TestRenamedFolderKeepsItsRecords(t *testing.T) {
	for _, c := range []struct {
		name    string
		records int
	}{
		{"a few", 1},
		{"more than a memtable", 300},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s, log := openData(t)
			for i := range c.records {
				mustPut(t, s, fmt.Sprintf("fill%03d", i), strings.Repeat("x", store.MaxValue))
			}
			first := current(s)
			rename(t, s.dir, s.dir+".old")
			wantMoved(t, s, s.Sync(context.Background()))
			log.wait("works again")
			for !closed(first) {
				runtime.Gosched()
			}
			moved, old := openLogged(t, s.dir+".old")
			if n, err := scan(moved); n != c.records || err != nil {
				t.Errorf("the folder that was renamed has %d records (%v), want %d:\n%s", n, err, c.records, old)
			}
			old.want(t, 0, "WARN")
			old.want(t, 0, "ERROR")
			if len(moved.Notes()) > 0 {
				t.Errorf("the folder that was renamed has notes: %q", moved.Notes())
			}
			wantAside(t, moved, 0)
		})
	}
}

// TestReplacedFolderIsLeftAlone puts another folder with a database in place of the open one, and
// closes the store.
func TestReplacedFolderIsLeftAlone(t *testing.T) {
	other, log := filled(t), newLog()
	dir := filepath.Join(t.TempDir(), "data")
	s := mustOpen(t, dir, &Options{Logger: log.logger()})
	mustPut(t, s, "mine", "1")
	rename(t, dir, dir+".old")
	rename(t, other, dir)
	before := files(t, filepath.Join(dir, badgerName))
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("Close: %v, want that the folder was replaced", err)
	}
	if after := files(t, filepath.Join(dir, badgerName)); after != before {
		t.Errorf("the folder in its place had %s, has %s", before, after)
	}
	theirs := open(t, dir, &Options{Logger: newLog().logger()})
	if get(t, theirs, "k") == "" || get(t, theirs, "mine") != "" {
		t.Error("the folder in its place has other records than its own")
	}
	log.want(t, 1, "stay open")
}

// files returns the names and sizes of the files of dir.
func files(t *testing.T, dir string) (all string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	base.Check(t, err)
	for _, e := range entries {
		info, err := e.Info()
		base.Check(t, err)
		all += fmt.Sprintf("%s %d\n", e.Name(), info.Size())
	}
	return all
}

// TestNoTableIsMadeInAnotherFolder makes a compaction ask whether it may make a table.
func TestNoTableIsMadeInAnotherFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, badgerName)
		syncs, err := openSyncs(path)
		base.Check(t, err)
		defer syncs.file.Close()
		db := &database{path: path, gate: gate{dir: dir, reserve: 1}, syncs: syncs}
		db.awaitTable()
		rename(t, path, path+".old")
		db.awaitTable() // there is no folder, so the compaction fails by itself
		base.Check(t, os.Mkdir(path, 0o700))
		done := make(chan struct{})
		go func() {
			db.awaitTable()
			close(done)
		}()
		time.Sleep(time.Hour)
		select {
		case <-done:
			t.Error("a table may be made in a folder that took the place of the open one")
		default:
		}
		base.Check(t, os.Remove(path))
		rename(t, path+".old", path)
		<-done
	})
}

// TestReplacedInnerFolderIsOpened puts another database in place of Badger's own folder, as
// somebody who restores a backup may do. The store's folder, with its lock, stays.
func TestReplacedInnerFolderIsOpened(t *testing.T) {
	t.Parallel()
	other := filepath.Join(filled(t), badgerName)
	s, log := openData(t)
	mustPut(t, s, "mine", "1")
	path := filepath.Join(s.dir, badgerName)
	rename(t, path, path+".old")
	rename(t, other, path)
	wantMoved(t, s, s.Sync(context.Background()))
	log.wait("works again")
	if get(t, s, "k") == "" || get(t, s, "mine") != "" {
		t.Errorf("other records than those of the folder in its place:\n%s", log)
	}
}
