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

	"github.com/servemap/servemap/store"
)

func TestAnEmptyFolderIsToldOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	t.Chdir(filepath.Dir(dir))
	for i, want := range []int{1, 0, 0} {
		log := newLog()
		s, err := Open("data", &Options{Logger: log.logger()})
		if err != nil {
			t.Fatal(err)
		}
		mustPut(t, s, "k", fmt.Sprint(i))
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got := log.count("INFO badgerstore: the folder is empty"); got != want || got != log.count("dir="+dir) {
			t.Errorf("opening %d: the log tells %d times of an empty folder, want %d, with its path:\n%s", i, got, want, log)
		}
	}
}

func TestOpenRefusesWhatCanBeNoFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, os, dir string }{
		{"below a file", "", filepath.Join(file, "data")},
		{"far below a file", "", filepath.Join(file, "a", "b", "data")},
		{"a name too long", "", filepath.Join(t.TempDir(), strings.Repeat("x", 1000))},
		{"a name with a zero byte", "", filepath.Join(t.TempDir(), "a\x00b")},
		{"in /proc", "linux", "/proc/x"},
		{"/proc itself", "linux", "/proc"},
		{"below a device", "linux", "/dev/null/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.os != "" && c.os != runtime.GOOS {
				t.Skip("there is no such place on " + runtime.GOOS)
			}
			log := newLog()
			s, err := Open(c.dir, &Options{Logger: log.logger()})
			if err == nil {
				s.Close()
				t.Fatal("Open takes it")
			}
			if !strings.Contains(err.Error(), c.dir) {
				t.Errorf("the error does not say which folder: %v", err)
			}
		})
	}
}

// What may pass is no error of Open.
func TestOpenTakesAFolderThatMayWorkLater(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may do anything")
	}
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	log := newLog()
	s := open(t, filepath.Join(closed, "data"), &Options{Logger: log.logger()})
	if err := s.Health(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Health without rights: %v, want ErrUnavailable", err)
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	log.wait("works again")
	mustPut(t, s, "k", "1")
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

// badgers returns how many databases are open.
func badgers() int {
	buf := make([]byte, 1<<20)
	return strings.Count(string(buf[:runtime.Stack(buf, true)]), "badger/v4.(*DB).doWrites(")
}

// TestFolderRemovedUnderLoad removes the folder while memtables are written to
// tables and tables are merged.
func TestFolderRemovedUnderLoad(t *testing.T) {
	log := newLog()
	dir := filepath.Join(t.TempDir(), "data")
	s, err := Open(dir, &Options{Logger: log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	filled := make(chan error)
	go func() { filled <- fill(s) }()
	for {
		if tables, _ := filepath.Glob(filepath.Join(dir, badgerName, "*.sst")); len(tables) > 3 {
			break
		}
	}
	if err := os.Rename(dir, dir+".removed"); err != nil {
		t.Fatal(err)
	}
	wantMoved(t, s, <-filled)
	wantMoved(t, s, s.Health())
	log.wait("works again")
	if got := get(t, s, "fill000"); got != "" {
		t.Error("the folder that was made anew has records")
	}
	mustPut(t, s, "k", "1")
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if notes := s.Notes(); len(notes) != 1 || notes[0] != noteMoved {
		t.Errorf("Notes are %q, want that the folder was removed", notes)
	}
	if n := log.count("the folder is empty"); n != 2 {
		t.Errorf("the log tells %d times of an empty folder, want at the start and when it was made anew:\n%s", n, log)
	}
}

// TestRenamedFolderKeepsItsRecords opens it where it is now.
func TestRenamedFolderKeepsItsRecords(t *testing.T) {
	for _, c := range []struct {
		name string
		load func(*Store)
	}{
		{"a few", func(s *Store) { mustPut(t, s, "k", "1") }},
		{"more than a memtable", func(s *Store) {
			for i := range 300 {
				mustPut(t, s, fmt.Sprintf("fill%03d", i), strings.Repeat("x", store.MaxValue))
			}
			mustPut(t, s, "k", "1")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := newLog()
			dir := filepath.Join(t.TempDir(), "data")
			others := badgers()
			s := open(t, dir, &Options{Logger: log.logger()})
			c.load(s)
			before, err := scan(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(dir, dir+".old"); err != nil {
				t.Fatal(err)
			}
			wantMoved(t, s, s.Sync(context.Background()))
			log.wait("works again")
			// Fewer than before there are where one of an earlier test took long to close.
			if n := badgers() - others; n > 1 || log.count("stay open") > 0 {
				t.Errorf("%d databases are open, want 1:\n%s", n, log)
			}
			old := newLog()
			moved := open(t, dir+".old", &Options{Logger: old.logger()})
			if n, err := scan(moved); n != before || err != nil || get(t, moved, "k") != "1" {
				t.Errorf("the folder that was renamed has %d records (%v), want %d:\n%s", n, err, before, old)
			}
			if old.count("WARN")+old.count("ERROR") > 0 || len(moved.MovedAside())+len(moved.Notes()) > 0 {
				t.Errorf("the folder that was renamed is damaged:\n%s", old)
			}
		})
	}
}

// TestFolderPutBackInTime renames the folder and puts it back before another is
// made.
func TestFolderPutBackInTime(t *testing.T) {
	log := newLog()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, &Options{Logger: log.logger()})
	mustPut(t, s, "k", "1")
	if err := os.Rename(dir, dir+".old"); err != nil {
		t.Fatal(err)
	}
	wantMoved(t, s, s.Sync(context.Background()))
	if err := os.Rename(dir+".old", dir); err != nil {
		t.Fatal(err)
	}
	log.wait("works again")
	if got := get(t, s, "k"); got != "1" {
		t.Errorf("the folder that was put back has %q, want 1", got)
	}
	mustPut(t, s, "k", "2")
}

// TestReplacedFolderIsLeftAlone puts a folder with a database in the place of the
// open one, and has Badger make tables meanwhile.
func TestReplacedFolderIsLeftAlone(t *testing.T) {
	other := filled(t)
	log := newLog()
	dir := filepath.Join(t.TempDir(), "data")
	s, err := Open(dir, &Options{Logger: log.logger()})
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, s, "mine", "1")
	if err := errors.Join(os.Rename(dir, dir+".old"), os.Rename(other, dir)); err != nil {
		t.Fatal(err)
	}
	before := names(t, filepath.Join(dir, badgerName))
	began := time.Now()
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("Close: %v, want that the folder was replaced", err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("Close took %v", took)
	}
	if after := names(t, filepath.Join(dir, badgerName)); after != before {
		t.Errorf("the folder in its place had %s, has %s", before, after)
	}
	theirs := open(t, dir, &Options{Logger: newLog().logger()})
	if get(t, theirs, "k") == "" || get(t, theirs, "mine") != "" {
		t.Error("the folder in its place has other records than its own")
	}
	if log.count("stay open") != 1 {
		t.Errorf("nothing tells that files stay open:\n%s", log)
	}
}

func names(t *testing.T, dir string) (all string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		all += fmt.Sprintf("%s %d\n", e.Name(), info.Size())
	}
	return all
}

// TestNoTableIsMadeInAnotherFolder has a compaction ask where it may make a table.
func TestNoTableIsMadeInAnotherFolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		path := filepath.Join(dir, badgerName)
		syncs, err := openSyncs(path)
		if err != nil {
			t.Fatal(err)
		}
		defer syncs.file.Close()
		h := &handle{path: path, gate: gate{dir: dir, reserve: 1}, syncs: syncs}
		h.awaitTable()
		if err := os.Rename(path, path+".old"); err != nil {
			t.Fatal(err)
		}
		h.awaitTable() // there is nothing, so that it fails
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			h.awaitTable()
			close(done)
		}()
		time.Sleep(time.Hour)
		select {
		case <-done:
			t.Error("a table may be made in a folder that took the place of the open one")
		default:
		}
		if err := errors.Join(os.Remove(path), os.Rename(path+".old", path)); err != nil {
			t.Fatal(err)
		}
		<-done
	})
}

// TestReplacedInnerFolderIsOpened puts another database in the place of Badger's
// own folder, as who restores a backup may do. The store's folder, with its lock,
// stays.
func TestReplacedInnerFolderIsOpened(t *testing.T) {
	other := filepath.Join(filled(t), badgerName)
	log := newLog()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, dir, &Options{Logger: log.logger()})
	mustPut(t, s, "mine", "1")
	path := filepath.Join(dir, badgerName)
	if err := errors.Join(os.Rename(path, path+".old"), os.Rename(other, path)); err != nil {
		t.Fatal(err)
	}
	wantMoved(t, s, s.Sync(context.Background()))
	log.wait("works again")
	if get(t, s, "k") == "" || get(t, s, "mine") != "" {
		t.Errorf("other records than those of the folder in its place:\n%s", log)
	}
}
