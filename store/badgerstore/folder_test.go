package badgerstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/servemap/servemap/internal/testkit/base"
	"github.com/servemap/servemap/store"
)

func TestLogSaysWhetherRecordsWereThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	t.Chdir(filepath.Dir(dir))
	for i, want := range []string{"Starting fresh in data.", "Going on with the records in data."} {
		log := new(base.Log)
		s := mustOpen(t, "data", &Options{Logger: log.Logger()})
		log.Want(t, 0, "level=INFO") // the program may yet end, as its options are wrong
		mustPut(t, s, "k", fmt.Sprint(i))
		mustClose(t, s)
		log.Want(t, 1, "level=INFO")
		log.Want(t, 1, `msg="`+want+`"`)
	}
}

// Who names the folder of his templates hears of it, once, and not who restarts.
func TestLogSaysThatAFolderHoldsOtherFiles(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		told       int
	}{
		{"a template", "home.html", 1},
		{"a folder of something else", "images/a.png", 1},
		{"a volume", "lost+found/a", 0},
		{"what the command keeps", "servemap/settings.toml", 0},
		{"a folder that was moved aside", "badger.damaged-1/a", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			base.Check(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(tt.file)), 0o700))
			writeFile(t, dir, tt.file, "")
			log := new(base.Log)
			for range 2 {
				s := mustOpen(t, dir, &Options{Logger: log.Logger()})
				mustPut(t, s, "k", "v")
				mustClose(t, s)
			}
			log.Want(t, tt.told, "files of something else")
			log.Want(t, 1, "Starting fresh")
		})
	}
}

func TestOpenRefusesBadArguments(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "file", "")
	for _, c := range []struct {
		name    string
		dir     string
		reserve int64
	}{
		{"no folder", "", 0},
		{"a negative reserve", dir, -1},
		{"a file", filepath.Join(dir, "file"), 0},
		{"below a file", filepath.Join(dir, "file", "data"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(c.dir, &Options{Reserve: c.reserve, Logger: new(base.Log).Logger()})
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

// TestOpenWaitsForAFolder opens a link to a volume that is not mounted yet.
func TestOpenWaitsForAFolder(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	if err := os.Symlink(target, link); err != nil {
		base.Lacks(t, "this system makes no symbolic links: %v", err)
	}
	s, log := openLogged(t, link)
	if err := s.Health(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Health: %v, want ErrUnavailable", err)
	}
	base.Check(t, os.Mkdir(target, 0o700))
	log.Await(t, "works now")
	mustPut(t, s, "k", "1")
}

// TestFolderThatIsElsewhereIsNotWritten renames the open folder, and puts something in its place.
func TestFolderThatIsElsewhereIsNotWritten(t *testing.T) {
	for _, c := range []struct {
		name   string
		folder string // that is renamed, below the store's
		put    func(elsewhere, place string) error
	}{
		{"renamed", "", func(string, string) error { return nil }},
		{"replaced by a folder", "", func(_, place string) error { return os.Mkdir(place, 0o700) }},
		{"replaced by a file", "", func(_, place string) error { return os.WriteFile(place, nil, 0o600) }},
		{"replaced by a copy", "", func(elsewhere, place string) error { return os.CopyFS(place, os.DirFS(elsewhere)) }},
		{"Badger's folder renamed", badgerName, func(string, string) error { return nil }},
		{"Badger's folder replaced by a copy", badgerName,
			func(elsewhere, place string) error { return os.CopyFS(place, os.DirFS(elsewhere)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			s, log := openLogged(t, dir)
			mustPut(t, s, "k", "1")
			place, elsewhere := filepath.Join(dir, c.folder), dir+".elsewhere"
			base.Check(t, errors.Join(os.Rename(place, elsewhere), c.put(elsewhere, place)))
			before := files(place)
			for name, err := range map[string]error{
				"Health": s.Health(), "Update": put(s, "k", "2"), "another Update": put(s, "l", "2"),
				"Sync": s.Sync(context.Background()),
			} {
				if !errors.Is(err, store.ErrUnavailable) || !strings.Contains(err.Error(),
					dir+" was removed, renamed or replaced") {
					t.Errorf("%s: %v, want that the folder was removed", name, err)
				}
			}
			wantValue(t, s, "k", "1")
			base.Equal(t, files(place), before, "the files in its place")
			base.Check(t, errors.Join(os.RemoveAll(place), os.Rename(elsewhere, place)))
			mustPut(t, s, "k", "3")
			healthy(t, s)
			log.Want(t, 1, "cannot be used")
			log.Want(t, 1, "works now")
		})
	}
}

// TestReplacedFolderIsLeftAlone puts another folder with a database in place of the open one, and
// closes the store.
func TestReplacedFolderIsLeftAlone(t *testing.T) {
	other := filled(t)
	dir := filepath.Join(t.TempDir(), "data")
	s := mustOpen(t, dir, nil)
	mustPut(t, s, "mine", "1")
	base.Check(t, errors.Join(os.Rename(dir, dir+".old"), os.Rename(other, dir)))
	before := files(dir)
	if err := s.Close(); err == nil || !strings.Contains(err.Error(), "replaced") {
		t.Errorf("Close: %v, want that the folder was replaced", err)
	}
	if after := files(dir); after != before {
		t.Errorf("the folder in its place had %s, has %s", before, after)
	}
	theirs := open(t, dir, &Options{Logger: new(base.Log).Logger()})
	if get(t, theirs, "k") == "" || get(t, theirs, "mine") != "" {
		t.Error("the folder in its place has other records than its own")
	}
}

// TestFolderThatBadgerHoldsIsWaitedFor has a folder that Badger itself has open, without the lock of this package.
func TestFolderThatBadgerHoldsIsWaitedFor(t *testing.T) {
	dir := filled(t)
	held := openRaw(t, guestOptions(filepath.Join(dir, badgerName), nil))
	s, log := openLogged(t, dir)
	if err := s.Health(); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("Health: %v, want ErrUnavailable", err)
	}
	base.Check(t, held.Close())
	log.Await(t, "works now")
}

// files returns the names and sizes of the files below dir.
func files(dir string) (all string) {
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if info, statErr := os.Stat(path); err == nil && statErr == nil {
			all += fmt.Sprintf("%s %d\n", path, info.Size())
		}
		return nil
	})
	return all
}
